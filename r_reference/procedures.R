# Cross-validation, tuning and nested cross-validation as their definitions say, in plain R.
#
# A learner is a function(formula, train, p) that fits to the data frame `train` with the
# parameters `p` and returns list(predict = function(new), table = function()): predictions of new
# rows, numbers, or for classes a list(class = , prob = ) with one row per new observation; and the
# coefficients, a matrix with a row per term. Fold plans are lists of test rows (counted from 1);
# training rows are the rest unless they are given. Everything that draws at random is drawn
# before: these functions draw nothing.

bs <- splines::bs  # formulas may name them
ns <- splines::ns
C <- factor  # as in patsy

pcv_learner <- function(make, params = list()) function(formula, train) make(formula, train, params)

# The same by the right side of another formula, as it was given, and one of several learners.
pcv_model <- function(make) function(formula, train, p) {
  formula[[3]] <- formula(pcv_terms(p$formula, train, p$beside))[[3]]
  make(formula, train, p)
}
pcv_among <- function(makes) function(formula, train, p) {
  makes[[p$model]](formula, train, p$params)
}

# Terms selected by step(), and fitted again.
pcv_step <- function(make) function(formula, train, p) {
  environment(formula) <- environment()
  labels <- attr(terms(formula), "term.labels")
  without <- function(some) update(formula, paste(c(". ~ .", some), collapse = " - "))
  start <- if (p$direction == "forward") without(labels) else formula
  environment(start) <- environment()
  family <- if (!is.null(p$family)) pcv_family(p)
  fit <- if (is.null(family)) lm(start, train, weights = .pcv_weights)
         else glm(start, family, train, weights = .pcv_weights, control = pcv_control(p))
  k <- if (p$bic) log(sum(train$.pcv_weights > 0)) else 2
  fit <- step(fit, list(upper = formula), direction = p$direction, trace = 0, k = k)
  kept <- pcv_variables(labels) %in% pcv_variables(attr(terms(fit), "term.labels"))
  make(without(labels[!kept]), train, p)
}

# The variables of terms, in an order that does not depend on the formula's.
pcv_variables <- function(labels) {
  vapply(strsplit(labels, ":"), function(parts) paste(sort(parts), collapse = ":"), "")
}

pcv_learners <- list(
  mean = function(formula, train, p) {
    y <- train$.pcv_response
    w <- train$.pcv_weights
    if (is.factor(y)) {
      shares <- tapply(w, y, sum, default = 0) / sum(w)
      prob <- function(new) matrix(shares, nrow(new), length(shares), byrow = TRUE)
      return(list(predict = function(new) pcv_classes(prob(new), levels(y)),
                  table = function() cbind(shares)))
    }
    pcv_regression(lm(.pcv_response ~ 1, train, weights = .pcv_weights))
  },
  ols = function(formula, train, p) pcv_regression(lm(formula, train)),
  wls = function(formula, train, p) pcv_regression(lm(formula, train, weights = .pcv_weights)),
  glm_nb = function(formula, train, p) {
    given <- list(formula, data = train, weights = quote(.pcv_weights), link = as.name(p$link),
                  control = pcv_control(p))
    fit <- do.call(MASS::glm.nb, given)
    list(
      predict = function(new) unname(predict(fit, new, type = "response")),
      table = function() pcv_rows(fit, coef(summary(fit)))
    )
  },
  glm = function(formula, train, p) {
    fit <- glm(formula, pcv_family(p), train, weights = .pcv_weights, control = pcv_control(p))
    certain <- fit$fitted.values < pcv_certain | fit$fitted.values > 1 - pcv_certain
    if (!fit$converged || p$family == "binomial" && any(certain)) {
      warning("the likelihood has no maximum that glm finds: what is compared is where it stops",
              call. = FALSE)
    }
    known <- if (p$family %in% c("binomial", "poisson", "negative.binomial")) 1
    list(
      predict = function(new) {
        mu <- unname(predict(fit, new, type = "response"))
        if (is.factor(fit$data$.pcv_response)) {
          pcv_classes(cbind(1 - mu, mu), levels(fit$data$.pcv_response))
        } else mu
      },
      table = function() pcv_rows(fit, coef(summary(fit, dispersion = known)))
    )
  },
  multinom = function(formula, train, p) {
    levels <- levels(train$.pcv_response)
    seen <- levels[levels %in% train$.pcv_response[train$.pcv_weights > 0]]
    train$.pcv_response <- factor(train$.pcv_response, seen, ordered = FALSE)
    train <- train[!is.na(train$.pcv_response), , drop = FALSE]
    if (length(seen) == 1) {
      alone <- as.numeric(levels == seen)
      return(list(predict = function(new) {
        pcv_classes(matrix(alone, nrow(new), length(levels), byrow = TRUE), levels)
      }))
    }
    fit <- nnet::multinom(formula, train, weights = .pcv_weights, trace = FALSE, reltol = 1e-16,
                          maxit = 5000, MaxNWts = 1e5, Hess = TRUE)
    if (any(fitted(fit) < pcv_certain | fitted(fit) > 1 - pcv_certain)) {
      stop("the predictors separate the classes: the likelihood has no maximum", call. = FALSE)
    }
    list(
      predict = function(new) {
        found <- predict(fit, new, type = "probs")
        if (length(seen) == 2) found <- cbind(1 - found, found)
        prob <- matrix(0, nrow(new), length(levels))
        prob[, levels %in% seen] <- matrix(found, nrow(new))
        pcv_classes(prob, levels)
      },
      table = function() {
        found <- summary(fit)
        parts <- lapply(list(found$coefficients, found$standard.errors), function(x) {
          if (is.matrix(x)) t(x) else cbind(x)
        })
        table <- cbind(c(parts[[1]]), c(parts[[2]]))
        rownames(table) <- paste0(rep(seen[-1], each = nrow(parts[[1]])), ":", rownames(parts[[1]]))
        pcv_normal(table)
      }
    )
  },
  rlm = function(formula, train, p) {  # by its matrix: the formula's rlm knows no names with blanks
    design <- pcv_design(formula, train)
    constants <- as.list(p$constants)
    names(constants) <- list(huber = "k", bisquare = "c", hampel = c("a", "b", "c"))[[p$psi]]
    fit <- do.call(MASS::rlm, c(
      list(design$x, design$y, weights = train$.pcv_weights, acc = p$acc, maxit = p$maxit,
           psi = get(paste0("psi.", p$psi), asNamespace("MASS"))),
      constants))
    list(predict = function(new) drop(unname(design$matrix(new) %*% coef(fit))),
         table = function() pcv_normal(pcv_rows(fit, coef(summary(fit))[, 1:2, drop = FALSE])))
  },
  quantreg = function(formula, train, p) {
    fit <- quantreg::rq(formula, p$tau, train, weights = .pcv_weights)
    list(predict = function(new) unname(predict(fit, new)), table = function() cbind(coef(fit)))
  },
  glmnet = function(formula, train, p) {
    design <- pcv_design(formula, train)
    matrix_of <- function(x) {
      x <- x[, colnames(x) != "(Intercept)", drop = FALSE]
      if (ncol(x) == 1) cbind(x, 0) else x  # glmnet wants two columns
    }
    fit <- glmnet::glmnet(matrix_of(design$x), design$y, weights = train$.pcv_weights,
                          alpha = p$alpha, lambda = p$lambda, standardize = p$standardize,
                          thresh = 1e-20, maxit = 1e7)
    list(
      predict = function(new) {
        as.numeric(predict(fit, matrix_of(design$matrix(new)), s = p$lambda, exact = FALSE))
      },
      table = function() {
        found <- as.matrix(coef(fit, s = p$lambda))
        found[rownames(found) != "", 1, drop = FALSE]
      }
    )
  },
  knn = function(formula, train, p) {
    suppressPackageStartupMessages(library(kknn))  # attached: it looks up its contrasts by name
    list(predict = function(new) {
      fit <- kknn::kknn(formula, train, new, k = p$k, distance = p$distance, kernel = p$kernel,
                        ykernel = p$ykernel, scale = p$scale)
      if (fit$response == "continuous") fit$fitted.values
      else list(class = fit$fitted.values, prob = fit$prob)
    })
  },
  # The same for a numeric response and numeric predictors where kknn is not installed:
  # rectangular kernel, Euclidean distance. It needs kknn_standin.R and is not kknn.
  knn_standin = function(formula, train, p) {
    fit <- train.kknn(formula, train, ks = p$k, distance = 2, kernel = "rectangular")
    list(predict = function(new) predict(fit, new))
  }
)

# A fitted probability nearer to 0 or 1 than this says that classes are separated, as for glm.
pcv_certain <- 10 * .Machine$double.eps

# The model matrix of the training rows, and a function for that of others.
pcv_design <- function(formula, train) {
  frame <- model.frame(formula, train)
  terms <- delete.response(terms(frame))
  matrix_of <- function(d) model.matrix(terms, model.frame(terms, d))
  list(x = matrix_of(train), y = model.response(frame), matrix = matrix_of)
}

pcv_regression <- function(fit) {
  list(predict = function(new) unname(predict(fit, new)),
       table = function() pcv_rows(fit, coef(summary(fit))))
}

# The table of a fit with a row for every coefficient, NA where it is not estimated.
pcv_rows <- function(fit, table) {
  all <- table[match(names(coef(fit)), rownames(table)), , drop = FALSE]
  rownames(all) <- names(coef(fit))
  all
}

# Estimates and standard errors with normal tests.
pcv_normal <- function(table) {
  z <- table[, 1] / table[, 2]
  cbind(table, z, 2 * pnorm(-abs(z)))
}

pcv_control <- function(p) {
  glm.control(if (is.null(p$epsilon)) 1e-8 else p$epsilon, if (is.null(p$maxit)) 25 else p$maxit)
}

pcv_family <- function(p) {
  link <- if (is.null(p$power)) p$link else power(p$power)
  if (p$family == "negative.binomial") return(MASS::negative.binomial(p$theta, link = link))
  get(p$family, mode = "function", envir = asNamespace("stats"))(link = link)
}

# The likeliest class (the first of equals) and the probabilities of all.
pcv_classes <- function(prob, levels) {
  list(class = factor(levels[max.col(prob, "first")], levels), prob = unname(prob))
}

# Losses: one number per row.
# The value of a metric of a fold; NULL for losses, which are one number per row.
pcv_metric <- function(name, y, prediction) {
  of <- is.list(prediction)  # classes
  code <- if (of) as.integer(y) else y + 1
  hard <- if (of) as.integer(prediction$class) else (prediction > 0.5) + 1
  against <- sub("^auc\\((.*)\\)$", "\\1", name)  # auc(class), by its label or its number
  event <- if (against == name) 2
           else if (against %in% levels(y)) match(against, levels(y))
           else as.integer(against)
  switch(if (against == name) name else "auc",
    rmse = sqrt(mean((y - prediction)^2)),
    r2 = 1 - sum((y - prediction)^2) / sum((y - mean(y))^2),
    r2_correlation = cor(y, prediction)^2,
    accuracy = mean(hard == code),
    balanced_accuracy = mean(vapply(seq_len(max(2, nlevels(y))),
                                    function(k) mean(hard[code == k] == k), 0)),
    kappa = {
      share <- function(k) mean(code == k) * mean(hard == k)
      chance <- sum(vapply(seq_len(max(2, nlevels(y))), share, 0))
      (mean(hard == code) - chance) / (1 - chance)
    },
    auc = {
      second <- if (!of) prediction else if (ncol(prediction$prob) == 2) prediction$prob[, 2]
      rank <- rank(if (is.null(second)) prediction$prob[, event]
                   else if (event == 1) 1 - second else second)  # of two, the rest of the other
      ones <- sum(code == event)
      (sum(rank[code == event]) - ones * (ones + 1) / 2) / (ones * sum(code != event))
    })
}

pcv_loss <- function(name, y, prediction) {
  value <- pcv_metric(name, y, prediction)
  if (!is.null(value)) return(value)
  if (is.list(prediction)) {
    code <- as.integer(y)
    own <- if (is.null(prediction$prob)) NULL else prediction$prob[cbind(seq_along(code), code)]
    return(switch(name,
      zero_one = as.numeric(as.integer(prediction$class) != code),
      absolute = abs(as.integer(prediction$class) - code),
      log = -log(pmin(pmax(own, .Machine$double.eps), 1 - .Machine$double.eps)),
      brier = if (ncol(prediction$prob) == 2) (1 - own)^2
              else rowSums((prediction$prob - diag(ncol(prediction$prob))[code, ])^2),
      stop("no loss called ", name)))
  }
  residual <- y - prediction
  number <- as.numeric(sub(".*\\((.*)\\)", "\\1", grep("\\(", name, value = TRUE)))
  switch(sub("\\(.*", "", name),
    squared = residual^2,
    absolute = abs(residual),
    huber = ifelse(abs(residual) <= number, residual^2 / 2,
                   number * (abs(residual) - number / 2)),
    pinball = residual * (number - (residual < 0)),
    zero_one = as.numeric((prediction > 0.5) != (y > 0.5)),
    brier = residual^2,
    log = {
      own <- ifelse(y > 0.5, prediction, 1 - prediction)
      -log(pmin(pmax(own, .Machine$double.eps), 1 - .Machine$double.eps))
    },
    poisson = 2 * (ifelse(y > 0, y * log(y / prediction), 0) - residual),
    stop("no loss called ", name))
}

pcv_values <- function(prediction) {
  if (is.list(prediction)) as.integer(prediction$class) - 1 else as.numeric(prediction)
}

# What a formula may call: it is text of somebody, and R runs what it calls.
pcv_known <- c(
  "~", "+", "-", "*", "/", "^", ":", "(", "%in%", "%%", "%/%", "<", "<=", ">", ">=", "==", "!=", "!", "&", "|",
  "abs", "acos", "as.factor", "asin", "atan", "bs", "C", "c", "ceiling", "cos", "cosh", "cut",
  "exp", "expm1", "factor", "floor", "I", "log", "log10", "log1p", "log2", "ns", "offset",
  "ordered", "poly", "scale", "sign", "sin", "sinh", "sqrt", "tan", "tanh")

# The formula as R reads it.
pcv_formula <- function(text) {
  said <- str2lang(text)
  calls <- function(x) if (is.call(x)) c(deparse(x[[1]])[1], unlist(lapply(as.list(x)[-1], calls)))
  unknown <- setdiff(calls(said), pcv_known)
  if (length(unknown)) stop("a formula may not call ", unknown[1])
  if (!is.call(said) || said[[1]] != quote(`~`)) stop("this is no formula: ", text)
  eval(said)
}

# Its terms, where `.` stands for the columns of the data but some beside.
pcv_terms <- function(text, data, beside) {
  apart <- c(beside, ".pcv_response", ".pcv_weights")
  terms(pcv_formula(text), data = data[setdiff(names(data), apart)])
}

# Words as a factor, sorted by R as it was told to: by ICU, or by code point ("C").
pcv_levels <- function(x, words) {
  if (!is.character(x)) return(x)
  own <- if (sort(c("a", "B"))[1] == "B") "ASCII" else "default"
  on.exit(icuSetCollate(locale = own))
  icuSetCollate(locale = if (words == "C") "ASCII" else "root")
  factor(x)
}

# The formula and the data as they were given, on the rows that R keeps (those without NA in the
# variables of the formula, those taken away too, and of `own`, the formulas of learners that have
# one). The response is computed once, from all rows,
# TRUE and FALSE as classes; and the weights, 1 unless they are given. Both are columns, so that
# every subset of the rows keeps its own. `reading` holds `classes`, whether the response is
# one of classes whatever its type, `beside`, columns that `.` leaves out, and `words`.
pcv_task <- function(formula, data, weights = NULL, reading = list()) {
  found <- pcv_terms(formula, data, reading$beside)
  rows <- seq_len(nrow(data))
  for (each in c(list(found), lapply(reading$own, pcv_terms, data, reading$beside))) {
    used <- intersect(all.vars(attr(each, "variables")), names(data))
    rows <- rows[complete.cases(data[rows, used, drop = FALSE])]
    left <- attr(model.frame(each, data[rows, , drop = FALSE], na.action = na.omit), "na.action")
    if (length(left)) rows <- rows[-left]
  }
  data <- data[rows, , drop = FALSE]
  data[] <- lapply(data, pcv_levels, reading$words)
  y <- drop(unname(model.response(model.frame(found, data))))
  if (is.logical(y)) y <- factor(y, c(FALSE, TRUE))
  data$.pcv_response <- if (isTRUE(reading$classes) && !is.factor(y)) factor(y) else y
  data$.pcv_weights <- if (is.null(weights)) 1 else weights[rows]
  formula <- formula(found)
  formula[[2]] <- as.name(".pcv_response")
  list(formula = formula, data = data, rows = rows)
}

pcv_rest <- function(task, test, train, i) {
  if (is.null(train)) setdiff(seq_len(nrow(task$data)), test[[i]]) else train[[i]]
}

# Fit to some rows, predict others; NA, and R's words, where R refuses: new rows with a level that
# the training rows lack, a factor of which they have one level, columns that others span.
pcv_one <- function(task, learner, loss, train, test) {
  new <- task$data[test, , drop = FALSE]
  tryCatch({
    prediction <- learner(task$formula, task$data[train, , drop = FALSE])$predict(new)
    list(prediction = pcv_values(prediction),
         losses = pcv_loss(loss, new$.pcv_response, prediction), refused = "")
  }, error = function(e) pcv_refused(conditionMessage(e), length(test)))
}

pcv_refused <- function(words, n = 0) {
  list(prediction = rep(NA_real_, n), losses = rep(NA_real_, n), refused = words)
}

# Cross-validation: predictions, losses and fold means, fit by fit, and where R refused.
pcv_cross_validate <- function(task, learner, loss, test, train = NULL, adjust = FALSE) {
  fits <- lapply(seq_along(test), function(i) {
    pcv_one(task, learner, loss, pcv_rest(task, test, train, i), test[[i]])
  })
  found <- pcv_summary(fits)
  if (adjust) found$adjusted <- pcv_adjusted(task, learner, loss, test, train, found$pooled)
  found
}

pcv_summary <- function(fits) {
  losses <- lapply(fits, `[[`, "losses")
  fold_means <- vapply(losses, mean, 0)
  list(predictions = unlist(lapply(fits, `[[`, "prediction")), losses = unlist(losses),
       fold_means = fold_means, estimate = mean(fold_means), pooled = mean(unlist(losses)),
       refused = vapply(fits, `[[`, "", "refused"))
}

# Burman (1989): the pooled estimate, plus the error of the fit to all rows on all rows, minus that
# of the fits of the folds on all rows, weighted by fold size.
pcv_adjusted <- function(task, learner, loss, test, train, pooled) {
  everything <- seq_len(nrow(task$data))
  error <- function(train) mean(pcv_one(task, learner, loss, train, everything)$losses)
  rest <- lapply(seq_along(test), function(i) pcv_rest(task, test, train, i))
  pooled + error(everything) - weighted.mean(vapply(rest, error, 0), lengths(test))
}

# The mean losses of every fit (rows) and candidate (columns), and where R refused. `rows` gives the
# training and the tested rows of a fit.
pcv_fold_means <- function(fits, candidates, one) {
  cells <- lapply(candidates, function(candidate) lapply(seq_len(fits), one, candidate))
  part <- function(read, kind) {
    matrix(vapply(cells, function(column) vapply(column, read, kind), rep(kind, fits)), fits)
  }
  list(means = part(function(f) mean(f$losses), 0), refused = part(function(f) f$refused, ""))
}

# Tuning: the fold means of every candidate (rows folds, columns candidates), and the choice.
pcv_tune <- function(task, make, candidates, loss, test, train = NULL, rule = list(name = "min")) {
  found <- pcv_fold_means(length(test), candidates, function(i, params) {
    pcv_one(task, pcv_learner(make, params), loss, pcv_rest(task, test, train, i), test[[i]])
  })
  list(fold_means = found$means, estimate = apply(found$means, 2, mean),
       chosen = pcv_choose(found$means, rule), refused = found$refused)
}

# The smallest estimate ("min"; the largest where `larger` is better), or the simplest candidate within one standard error of it
# ("one_se") or within a share of it ("tolerance"); `rank` is 1 for the simplest. NA where an
# estimate is unknown.
pcv_choose <- function(means, rule) {
  estimate <- apply(means, 2, mean) * (if (isTRUE(rule$larger)) -1 else 1)
  if (anyNA(estimate)) return(NA_integer_)
  best <- which.min(estimate)
  if (is.null(rule$rank)) return(best)
  room <- switch(rule$name, min = 0, one_se = sd(means[, best]) / sqrt(nrow(means)),
                 tolerance = rule$tolerance * abs(estimate[best]))
  accepted <- which(estimate <= estimate[best] + room)
  accepted[order(rule$rank[accepted], estimate[accepted])[1]]
}

# Train and test error of every candidate by fold, and their means.
pcv_error_curve <- function(task, make, candidates, loss, test, train = NULL) {
  pcv_both_errors(length(test), candidates, function(tested) function(i, params) {
    rows <- pcv_rest(task, test, train, i)
    pcv_one(task, pcv_learner(make, params), loss, rows, if (tested) test[[i]] else rows)
  })
}

# The same by training size: `orders` holds the training rows of every fold in the order in which
# they are taken.
pcv_learning_curve <- function(task, learner, loss, test, orders, sizes) {
  pcv_both_errors(length(test), sizes, function(tested) function(i, m) {
    rows <- sort(orders[[i]][seq_len(m)])
    pcv_one(task, learner, loss, rows, if (tested) test[[i]] else rows)
  })
}

pcv_both_errors <- function(fits, candidates, one) {
  train <- pcv_fold_means(fits, candidates, one(FALSE))
  test <- pcv_fold_means(fits, candidates, one(TRUE))
  list(train = train$means, test = test$means, train_error = colMeans(train$means),
       test_error = colMeans(test$means),
       refused = ifelse(train$refused == "", test$refused, train$refused))
}

# Nested cross-validation: tune inside every outer training part, test on the outer fold.
# `inner` holds for every outer fit a list(test = , train = ) whose rows count within the outer
# training rows. With refit = "train" the fit on the training part of the one inner split is kept.
pcv_nested <- function(task, make, candidates, loss, test, inner, train = NULL, inner_loss = loss,
                       rule = list(name = "min"), refit = "all") {
  fits <- lapply(seq_along(test), function(i) {
    rows <- pcv_rest(task, test, train, i)
    part <- list(formula = task$formula, data = task$data[rows, , drop = FALSE])
    tuned <- pcv_tune(part, make, candidates, inner_loss, inner[[i]]$test, inner[[i]]$train, rule)
    if (refit == "train") rows <- rows[pcv_rest(part, inner[[i]]$test, inner[[i]]$train, 1)]
    fit <- if (is.na(tuned$chosen)) {
      pcv_refused(paste("in the inner folds,", tuned$refused[tuned$refused != ""][1]),
                  length(test[[i]]))
    } else {
      pcv_one(task, pcv_learner(make, candidates[[tuned$chosen]]), loss, rows, test[[i]])
    }
    c(fit, list(chosen = tuned$chosen, curve = tuned$estimate))
  })
  c(list(chosen = vapply(fits, `[[`, 0L, "chosen"),
         inner_curves = do.call(rbind, lapply(fits, `[[`, "curve"))), pcv_summary(fits))
}

# What came out, and what is expected: nothing where R refuses a fit, which is named with its words.
pcv_show <- function(result, expected, fits = NULL) {
  refused <- which(result$refused != "", arr.ind = TRUE)
  fit <- if (is.matrix(refused)) refused[, 1] else refused
  if (is.null(fits)) fits <- paste("fold", seq_len(NROW(result$refused)))
  for (words in unique(paste0(fits[fit], rep(": ", length(fit)), result$refused[refused]))) {
    cat("Not compared: ", words, "\n", sep = "")
  }
  for (name in names(expected)) {
    cat(name, ": ", paste(format(result[[name]], digits = 15), collapse = " "), "\n", sep = "")
    if (!length(fit)) cat("  expected:", format(expected[[name]], digits = 15), "\n")
  }
}

# Coefficients of a fit to all rows, and its predictions of them.
pcv_fit <- function(task, learner) {
  tryCatch({
    fit <- learner(task$formula, task$data)
    table <- fit$table()
    parts <- c("estimate", "std_error", "statistic", "p_value")[seq_len(ncol(table))]
    c(list(terms = rownames(table), predictions = pcv_values(fit$predict(task$data)), refused = ""),
      setNames(lapply(seq_along(parts), function(j) unname(table[, j])), parts))
  }, error = function(e) list(refused = conditionMessage(e)))
}
