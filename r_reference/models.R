# What R's regression functions say: predictions of new rows, coefficients, standard errors.
#
#   Rscript r_reference/models.R OUT.json
#
# needs MASS, quantreg, glmnet, nnet and jsonlite. Numbers are text of 17 digits. The reference of
# pycvstat/learners.

suppressPackageStartupMessages({library(MASS); library(quantreg); library(glmnet); library(nnet)
                                library(jsonlite)})
invisible(Sys.setlocale("LC_COLLATE", "C"))

num <- function(x) as.list(ifelse(is.na(as.vector(x)), "NA", sprintf("%.17g", as.numeric(x))))

make_data <- function(n) {
  set.seed(12)
  d <- data.frame(x = rnorm(n), z = runif(n, 0.5, 3), f = sample(c("a", "b", "c"), n, TRUE),
                  w = sample(0:3, n, TRUE), stringsAsFactors = FALSE)
  eta <- with(d, 0.4 * x - 0.3 * z + 0.5 * (f == "b"))
  d$g <- 5 + eta + rt(n, 3) * 0.3
  d$pos <- abs(d$g)
  d$share <- rbinom(n, 5, plogis(eta)) / 5
  d$cls <- ifelse(runif(n) < plogis(eta), "yes", "no")
  d$bin <- as.numeric(d$cls == "yes")
  d$cnt <- rpois(n, exp(eta))
  d$gam <- rgamma(n, 4, 4 / exp(eta))
  d$ig <- exp(eta) * exp(rnorm(n, sd = 0.2))
  d$nb <- rnbinom(n, size = 2, mu = exp(eta + 1))
  d$three <- c("u", "v", "w")[1 + (runif(n) < plogis(2 * d$x)) + (runif(n) < plogis(d$z - 1.5))]
  d$dup <- 2 * d$x - 1
  d$tied <- round(d$g)
  d$flat <- exp(0.1 * d$x + rnorm(n, sd = 0.1))
  d$apart <- as.numeric(d$x > 0.1)
  d$many <- rpois(n, 20 + 2 * d$x + 2 * (d$f == "b"))
  d
}

# Predictions and the table of coefficients, those that are not estimated NA.
report <- function(fit, new, table, type = "response") list(
  predicted = num(suppressWarnings(predict(fit, new, type = type))), coefficients = num(coef(fit)),
  std_errors = if (!is.null(table)) num(table[match(names(coef(fit)), rownames(table)), 2]),
  p_values = if (!is.null(table) && ncol(table) > 3)
    num(table[match(names(coef(fit)), rownames(table)), 4]))

weights_of <- function(d, weighted) if (weighted) d$w else rep(1, nrow(d))

lm_case <- function(formula, weighted, d, new) {
  d$.w <- weights_of(d, weighted)
  fit <- lm(as.formula(formula), d, weights = .w)
  conf <- confint(fit)
  c(list(kind = "lm", formula = formula, weighted = weighted, low = num(conf[, 1]),
         high = num(conf[, 2])), report(fit, new, coef(summary(fit))))
}

glm_case <- function(formula, weighted, family, link, r_family, d, new) {
  d$.w <- weights_of(d, weighted)
  if (grepl("^cls", formula)) d$cls <- factor(d$cls)
  case <- list(kind = "glm", formula = formula, weighted = weighted, family = family, link = link)
  fit <- tryCatch(suppressWarnings(glm(as.formula(formula), r_family, d, weights = .w)),
                  error = function(e) NULL)
  if (is.null(fit)) return(c(case, list(fails = TRUE)))
  known <- family %in% c("binomial", "poisson", "negative_binomial")
  table <- coef(summary(fit, dispersion = if (known) 1))
  c(case, list(fails = FALSE, iterations = fit$iter, converged = fit$converged,
               deviance = num(deviance(fit))), report(fit, new, table))
}

glm_cases <- function(d, new) {
  one <- function(y, family, r_family, link = NULL) {
    designs <- c("x + z + f", "x * f + poly(z, 2) + dup", "x + offset(log(z))")
    calls <- expand.grid(design = designs, weighted = c(FALSE, TRUE))
    lapply(seq_len(nrow(calls)), function(i) glm_case(
      paste(y, "~", calls$design[i]), calls$weighted[i], family, link, r_family, d, new))
  }
  c(one("g", "gaussian", gaussian()), one("pos", "gaussian", gaussian("log"), "log"),
    one("pos", "gaussian", gaussian("inverse"), "inverse"),
    one("bin", "binomial", binomial()), one("cls", "binomial", binomial()),
    one("share", "binomial", binomial()), one("apart", "binomial", binomial()), one("bin", "binomial", binomial("probit"), "probit"),
    one("bin", "binomial", binomial("cauchit"), "cauchit"),
    one("bin", "binomial", binomial("cloglog"), "cloglog"),
    one("bin", "binomial", binomial("log"), "log"),
    one("cnt", "poisson", poisson()), one("cnt", "poisson", poisson("sqrt"), "sqrt"),
    one("cnt", "poisson", poisson("identity"), "identity"),
    one("gam", "gamma", Gamma()), one("gam", "gamma", Gamma("log"), "log"),
    one("gam", "gamma", Gamma("identity"), "identity"),
    one("gam", "gamma", Gamma(power(0.5)), "power(0.5)"),
    one("flat", "gamma", Gamma()), one("many", "poisson", poisson("sqrt"), "sqrt"),
    one("many", "poisson", poisson("identity"), "identity"),
    one("flat", "inverse_gaussian", inverse.gaussian()),
    one("ig", "inverse_gaussian", inverse.gaussian()),
    one("ig", "inverse_gaussian", inverse.gaussian("log"), "log"),
    one("ig", "inverse_gaussian", inverse.gaussian("inverse"), "inverse"),
    one("nb", "negative_binomial", negative.binomial(1)))
}

rlm_case <- function(psi, acc, maxit, weighted, d, new) {
  d <- d[!weighted | d$w > 0, ]
  d$.w <- weights_of(d, weighted)
  fit <- rlm(g ~ x + z + f, d, weights = .w, psi = get(paste0("psi.", psi)), acc = acc,
             maxit = maxit)
  c(list(kind = "rlm", formula = "g ~ x + z + f", psi = psi, acc = sprintf("%g", acc), maxit = maxit,
         weighted = weighted, iterations = length(fit$conv)),
    report(fit, new, coef(summary(fit))))
}

rq_case <- function(formula, tau, weighted, d, new) {
  d$.w <- weights_of(d, weighted)
  fit <- suppressWarnings(rq(as.formula(formula), tau, d, weights = .w))
  c(list(kind = "rq", formula = formula, tau = sprintf("%.17g", tau), weighted = weighted),
    report(fit, new, NULL))
}

glmnet_case <- function(alpha, lambda, standardize, weighted, d, new) {
  matrix_of <- function(d) model.matrix(~ x + z + factor(f, c("a", "b", "c")) + dup, d)[, -1]
  fit <- glmnet(matrix_of(d), d$g, weights = weights_of(d, weighted), alpha = alpha, lambda = lambda,
                standardize = standardize, thresh = 1e-24, maxit = 1e7)
  list(kind = "glmnet", formula = "g ~ x + z + f + dup", alpha = alpha, lambda = sprintf("%g", lambda),
       standardize = standardize, weighted = weighted,
       predicted = num(predict(fit, matrix_of(new))))
}

multinom_case <- function(formula, weighted, d, new) {
  d$three <- factor(d$three)
  d$.w <- weights_of(d, weighted)
  fit <- multinom(as.formula(formula), d, weights = .w, trace = FALSE, reltol = 1e-16,
                  maxit = 5000)
  table <- summary(fit)
  list(kind = "multinom", formula = formula, weighted = weighted,
       predicted = num(t(predict(fit, new, type = "probs"))),
       coefficients = num(t(coef(fit))), std_errors = num(t(table$standard.errors)))
}

over <- function(f, ..., d, new) {
  calls <- expand.grid(..., stringsAsFactors = FALSE)
  lapply(seq_len(nrow(calls)), function(i) do.call(f, c(as.list(calls[i, ]), list(d = d, new = new))))
}

d <- make_data(102)
new <- d[91:102, ]
d <- d[1:90, ]
both <- c(FALSE, TRUE)
linear <- c("g ~ x + z + f", "g ~ x * f + poly(z, 2) + dup", "g ~ x + offset(z) + f:x + dup",
            "g ~ 0 + f + dup + x", "g ~ dup + x + poly(x, 3) + I(x + z) + z", "log(pos) ~ x + f",
            "g ~ 1", "g ~ x * z * f")
cases <- c(
  over(lm_case, formula = linear, weighted = both, d = d, new = new),
  glm_cases(d, new),
  over(rlm_case, psi = c("huber", "bisquare", "hampel"), acc = 1e-4, maxit = 20, weighted = both,
       d = d, new = new),
  over(rlm_case, psi = c("huber", "bisquare", "hampel"), acc = 1e-12, maxit = 500, weighted = FALSE,
       d = d, new = new),
  over(rq_case, formula = c("g ~ x + z + f", "tied ~ f", "tied ~ x + f"),
       tau = c(0.1, 1 / 3, 0.5, 0.75), weighted = both, d = d, new = new),
  over(glmnet_case, alpha = c(0, 0.3, 1), lambda = c(0.001, 0.05, 0.5), standardize = c(TRUE, FALSE),
       weighted = both, d = d, new = new),
  over(multinom_case, formula = c("three ~ x + z", "three ~ x * f"), weighted = both,
       d = d, new = new))
packages <- c("MASS", "quantreg", "glmnet", "nnet")
meta <- c(list(r = R.version.string), sapply(packages, function(p) as.character(packageVersion(p)),
                                              simplify = FALSE),
          list(platform = R.version$platform, date = format(Sys.Date()),
               made_by = "Rscript r_reference/models.R OUT.json"))
frame_of <- function(d) lapply(as.list(d), function(v) if (is.numeric(v)) num(v) else v)
write(toJSON(list(meta = meta, data = frame_of(d), new = frame_of(new), cases = cases),
             auto_unbox = TRUE, null = "null"), commandArgs(TRUE)[1])
