# Cross-validation, tuning and nested cross-validation as their definitions say, in plain R.
#
# A learner is a function(formula, train, new) that returns predictions for `new`: numbers, or
# for classes a list(class = , prob = ) with one row per new observation. Fold plans are lists of
# test rows (counted from 1); training rows are the rest unless they are given. Everything that
# draws at random is drawn before: these functions draw nothing.

pcv_learner <- function(name, params = list()) {
  make <- pcv_learners[[name]]
  if (is.null(make)) stop("no learner called ", name)
  function(formula, train, new) make(formula, train, new, params)
}

pcv_learners <- list(
  mean = function(formula, train, new, p) {
    rep(mean(model.response(model.frame(formula, train))), nrow(new))
  },
  ols = function(formula, train, new, p) {
    suppressWarnings(unname(predict(lm(formula, train), new)))
  },
  wls = function(formula, train, new, p) {
    frame <- train
    frame$.weights <- train[[p$weights]]
    environment(formula) <- environment()
    suppressWarnings(unname(predict(lm(formula, frame, weights = .weights), new)))
  },
  glm = function(formula, train, new, p) {
    family <- pcv_family(p$family, p$link)
    fit <- suppressWarnings(glm(formula, family, train))
    mu <- suppressWarnings(unname(predict(fit, new, type = "response")))
    pcv_two_classes(mu, model.response(model.frame(formula, train)))
  },
  rlm = function(formula, train, new, p) {
    fit <- MASS::rlm(formula, train)
    unname(predict(fit, new))
  },
  quantreg = function(formula, train, new, p) {
    unname(predict(quantreg::rq(formula, p$tau, train), new))
  },
  glmnet = function(formula, train, new, p) {
    terms <- terms(formula, data = train)
    matrix_of <- function(d) {
      x <- model.matrix(delete.response(terms), d)
      x[, colnames(x) != "(Intercept)", drop = FALSE]
    }
    x <- matrix_of(train)
    padded <- ncol(x) == 1
    if (padded) x <- cbind(x, 0)
    y <- model.response(model.frame(formula, train))
    fit <- glmnet::glmnet(x, y, alpha = p$alpha, lambda = p$lambda,
                          standardize = p$standardize, thresh = 1e-20, maxit = 1e7)
    z <- matrix_of(new)
    if (padded) z <- cbind(z, 0)
    as.numeric(predict(fit, z, s = p$lambda, exact = FALSE))
  },
  knn = function(formula, train, new, p) {
    suppressPackageStartupMessages(library(kknn))  # attached: it looks up its contrasts by name
    fit <- kknn::kknn(formula, train, new, k = p$k, distance = p$distance, kernel = p$kernel,
                      ykernel = p$ykernel, scale = p$scale)
    if (fit$response == "continuous") fit$fitted.values
    else list(class = fit$fitted.values, prob = fit$prob)
  },
  # The same for a numeric response and numeric predictors where kknn is not installed:
  # rectangular kernel, Euclidean distance. It needs kknn_standin.R and is not kknn.
  knn_standin = function(formula, train, new, p) {
    predict(train.kknn(formula, train, ks = p$k, distance = 2, kernel = "rectangular"), new)
  }
)

pcv_family <- function(name, link = NULL) {
  family <- get(name, mode = "function", envir = asNamespace("stats"))
  if (is.null(link)) family() else family(link = link)
}

pcv_two_classes <- function(mu, y) {
  if (!is.factor(y)) return(mu)
  list(class = factor(levels(y)[1 + (mu > 0.5)], levels(y)), prob = cbind(1 - mu, mu))
}

# Losses: one number per row.
pcv_loss <- function(name, y, prediction) {
  if (is.list(prediction)) {
    code <- as.integer(y)
    own <- if (is.null(prediction$prob)) NULL else prediction$prob[cbind(seq_along(code), code)]
    return(switch(name,
      zero_one = as.numeric(as.integer(prediction$class) != code),
      absolute = abs(as.integer(prediction$class) - code),
      log = -log(pmin(pmax(own, 1e-15), 1 - 1e-15)),
      brier = if (ncol(prediction$prob) == 2) (1 - own)^2
              else rowSums((prediction$prob - diag(ncol(prediction$prob))[code, ])^2),
      stop("no loss called ", name)))
  }
  switch(name,
    squared = (y - prediction)^2,
    absolute = abs(y - prediction),
    zero_one = as.numeric((prediction > 0.5) != (y > 0.5)),
    brier = (y - prediction)^2,
    log = {
      own <- ifelse(y > 0.5, prediction, 1 - prediction)
      -log(pmin(pmax(own, 1e-15), 1 - 1e-15))
    },
    poisson = 2 * (ifelse(y > 0, y * log(y / prediction), 0) - (y - prediction)),
    stop("no loss called ", name))
}

pcv_values <- function(prediction) {
  if (is.list(prediction)) as.integer(prediction$class) - 1 else as.numeric(prediction)
}

# Cross-validation: predictions, losses and fold means, fit by fit.
pcv_cross_validate <- function(formula, data, learner, loss, test, train = NULL) {
  y <- model.response(model.frame(formula, data))
  fits <- lapply(seq_along(test), function(i) {
    rows <- if (is.null(train)) setdiff(seq_len(nrow(data)), test[[i]]) else train[[i]]
    p <- learner(formula, data[rows, , drop = FALSE], data[test[[i]], , drop = FALSE])
    list(prediction = pcv_values(p), losses = pcv_loss(loss, y[test[[i]]], p))
  })
  losses <- lapply(fits, `[[`, "losses")
  fold_means <- vapply(losses, mean, 0)
  list(predictions = unlist(lapply(fits, `[[`, "prediction")), losses = unlist(losses),
       fold_means = fold_means, estimate = mean(fold_means), pooled = mean(unlist(losses)))
}

# Tuning: the fold means of every candidate (rows folds, columns candidates), and their argmin.
pcv_tune <- function(formula, data, learner_name, candidates, loss, test, train = NULL) {
  means <- vapply(candidates, function(params) {
    pcv_cross_validate(formula, data, pcv_learner(learner_name, params), loss, test,
                       train)$fold_means
  }, numeric(length(test)))
  means <- matrix(means, nrow = length(test))
  estimate <- colMeans(means)
  list(fold_means = means, estimate = estimate, chosen = which.min(estimate))
}

# Nested cross-validation: tune inside every outer training part, test on the outer fold.
# `inner` holds for every outer fit a list(test = , train = ) whose rows count within the outer
# training rows.
pcv_nested <- function(formula, data, learner_name, candidates, loss, test, inner,
                       train = NULL) {
  y <- model.response(model.frame(formula, data))
  fits <- lapply(seq_along(test), function(i) {
    rows <- if (is.null(train)) setdiff(seq_len(nrow(data)), test[[i]]) else train[[i]]
    part <- data[rows, , drop = FALSE]
    tuned <- pcv_tune(formula, part, learner_name, candidates, loss, inner[[i]]$test,
                      inner[[i]]$train)
    learner <- pcv_learner(learner_name, candidates[[tuned$chosen]])
    p <- learner(formula, part, data[test[[i]], , drop = FALSE])
    list(chosen = tuned$chosen, curve = tuned$estimate, prediction = pcv_values(p),
         losses = pcv_loss(loss, y[test[[i]]], p))
  })
  fold_means <- vapply(fits, function(f) mean(f$losses), 0)
  list(chosen = vapply(fits, `[[`, 0L, "chosen"),
       inner_curves = do.call(rbind, lapply(fits, `[[`, "curve")),
       predictions = unlist(lapply(fits, `[[`, "prediction")),
       losses = unlist(lapply(fits, `[[`, "losses")),
       fold_means = fold_means, estimate = mean(fold_means))
}
