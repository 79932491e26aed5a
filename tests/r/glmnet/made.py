"""Data sets that R makes and glmnet fits in R: what it found, beside the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.rscript import r_values

MAKE = """
suppressMessages(library(glmnet))
made <- function(seed, tall) {
  set.seed(seed)
  n <- if (tall) sample(20:250, 1) else sample(40:90, 1)
  p <- if (tall) sample(2:60, 1) else sample(500:600, 1)
  rho <- sample(c(0, 0, .5, .9, .99), 1)
  x <- sqrt(rho) * rnorm(n) + sqrt(1 - rho) * matrix(rnorm(n * p), n, p)
  x <- sweep(sweep(x, 2, exp(rnorm(p)), "*"), 2, sample(c(0, 3), 1) * rnorm(p), "+")
  if (runif(1) < .2) x[, sample(p, 1)] <- 2.5
  k <- sample(min(p, 10), 1)
  y <- drop(x[, sample(p, k), drop = FALSE] %*% rnorm(k)) + sample(c(.1, 1, 5), 1) * rnorm(n)
  y <- y + sample(c(0, 10), 1)
  asked <- list(alpha = sample(c(1, 1, 1, .9, .5, .2, 0), 1), standardize = runif(1) < .75,
                intercept = runif(1) < .8)
  if (runif(1) < .3) asked$weights <- runif(n, .2, 3)
  if (runif(1) < .25)
    asked$lambda <- sort(exp(runif(sample(2:15, 1), -5, 1)) * sd(y), decreasing = TRUE)
  if (runif(1) < .2) {
    factor <- runif(p) + (runif(p) < .9)
    asked$penalty.factor <- replace(factor, sample(p, sample(0:min(3, p - 1), 1)), 0)
  }
  asked$thresh <- sample(c(1e-7, 1e-7, 1e-7, 1e-10), 1)
  list(x = x, y = y, asked = asked)
}
respond <- function(m, family) {
  eta <- drop(scale(m$y)) * sample(c(.5, 1.5), 1)
  n <- length(eta)
  m$y <- if (family == "binomial") rbinom(n, 1, plogis(eta)) else rpois(n, exp(eta / 2))
  if (!is.null(m$asked$lambda)) m$asked$lambda <- m$asked$lambda / max(m$asked$lambda) / 5
  m$asked$family <- family
  m
}
of <- function(x) if (is.null(x)) numeric(0) else x
tell <- function(m) {
  a <- m$asked
  out(c(dim(m$x), a$alpha, a$standardize, a$intercept, a$thresh)); out(m$x); out(m$y)
  out(of(a$weights)); out(of(a$lambda)); out(of(a$penalty.factor))
}
"""


@dataclass(frozen=True)
class Made:
    """A data set of R, what is asked of glmnet, and the vectors that R tells after them."""

    x: np.ndarray
    y: np.ndarray
    asked: dict[str, Any]
    told: list[np.ndarray]

    def __str__(self) -> str:
        return f"{self.x.shape}, {', '.join(sorted(self.asked))}, alpha {self.asked['alpha']}"


def fitted(
    seeds: range, fit: str, vectors: int, tall: bool = True, family: str = "gaussian"
) -> list[Made]:
    """What R's code `fit`, which knows a data set `m`, tells by so many `out`."""
    code = f"{MAKE}\nfor (seed in {seeds.start}:{seeds.stop - 1}) {{\n"
    respond = "" if family == "gaussian" else f"m <- respond(m, '{family}'); "
    code += f"m <- made(seed, {'TRUE' if tall else 'FALSE'}); {respond}tell(m)\n{fit}\n}}\n"
    told = r_values(code)
    each = 6 + vectors
    return [_read(told[at : at + each], family) for at in range(0, len(told), each)]


def _read(told: list[np.ndarray], family: str) -> Made:
    n, p, alpha, standardize, intercept, thresh = told[0]
    asked = {
        "alpha": alpha, "standardize": bool(standardize), "intercept": bool(intercept),
        "thresh": thresh, "weights": told[3], "lambda_": told[4], "penalty_factor": told[5],
        "family": family,
    }  # fmt: skip
    given = {name: value for name, value in asked.items() if np.size(value)}
    return Made(told[1].reshape(int(p), int(n)).T.copy(), told[2], given, told[6:])
