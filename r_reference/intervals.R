# Interval formulas written from the papers in base R: the reference of pycvstat/intervals.
#
# Each function takes plain vectors and returns c(estimate, std_error, low, high), NA where a method
# has no standard error. As a script: Rscript intervals.R cases.json results.json, where a case is
# {"f": name, "args": {...}}.

pcv_ci_symmetric <- function(estimate, std_error, level, df = Inf) {
  half <- qt(1 - (1 - level) / 2, df) * std_error
  c(estimate, std_error, estimate - half, estimate + half)
}

# Means of losses that belong together, in the order of their labels; of every column of a matrix.
pcv_means <- function(x, by) {
  if (!is.matrix(x)) return(as.vector(tapply(x, by, mean)))
  if (!anyDuplicated(by)) return(unname(x[order(by), , drop = FALSE]))
  means <- lapply(split(seq_along(by), by), function(i) apply(x[i, , drop = FALSE], 2, mean))
  matrix(unlist(means), ncol = ncol(x), byrow = TRUE)
}

# Mean loss of one test set.
pcv_ci_holdout_z <- function(losses, level) {
  pcv_ci_symmetric(mean(losses), sd(losses) / sqrt(length(losses)), level)
}

pcv_ci_holdout_t <- function(losses, level, log = FALSE) {
  ci <- if (log) pcv_ci_log else pcv_ci_symmetric
  ci(mean(losses), sd(losses) / sqrt(length(losses)), level, length(losses) - 1)
}

# A t interval of the rows; their mean varies more than that of independent rows.
pcv_ci_pointwise_t <- function(estimate, losses, instability, level) {
  n <- length(losses)
  std_error <- sd(losses) * sqrt(max(1.25, 1 + 4 * instability) / n)
  pcv_ci_symmetric(estimate, std_error, level, n - 1)
}

# Hoeffding (1963), theorem 2, for `size` predictors at once by the union bound.
pcv_ci_hoeffding <- function(losses, level, lo, hi, size = 1) {
  radius <- (hi - lo) * sqrt(log(2 * size / (1 - level)) / (2 * length(losses)))
  c(mean(losses), NA, max(mean(losses) - radius, lo), min(mean(losses) + radius, hi))
}

# A dev set: the predictor with the least dev error among the columns.
pcv_ci_dev_set <- function(losses, level, lo, hi) {
  best <- which.min(apply(losses, 2, mean))
  pcv_ci_hoeffding(losses[, best], level, lo, hi, ncol(losses))
}

pcv_excess_risk_bound <- function(m, delta, size, lo = 0, hi = 1) {
  (hi - lo) * sqrt(2 / m * log(2 * size / delta))
}

# Wilson (1927): the values p with |errors / n - p| <= z sqrt(p (1 - p) / n).
pcv_ci_wilson <- function(errors, n, level) {
  z <- qnorm(1 - (1 - level) / 2)
  p <- errors / n
  centre <- (p + z^2 / (2 * n)) / (1 + z^2 / n)
  half <- z / (1 + z^2 / n) * sqrt(p * (1 - p) / n + z^2 / (4 * n^2))
  c(p, sqrt(p * (1 - p) / n), max(0, centre - half), min(1, centre + half))
}

# Clopper and Pearson (1934), by the beta distribution.
pcv_ci_clopper_pearson <- function(errors, n, level) {
  alpha <- 1 - level
  p <- errors / n
  low <- if (errors == 0) 0 else qbeta(alpha / 2, errors, n - errors + 1)
  high <- if (errors == n) 1 else qbeta(1 - alpha / 2, errors + 1, n - errors)
  c(p, sqrt(p * (1 - p) / n), low, high)
}

# Bayle, Bayle, Janson and Mackey (2020), all-pairs and within-fold variance.
pcv_ci_all_pairs <- function(losses, level) {
  pcv_ci_symmetric(mean(losses), sqrt(mean((losses - mean(losses))^2) / length(losses)), level)
}

pcv_ci_within_fold <- function(losses, fold, level) {
  pcv_ci_symmetric(mean(losses), sqrt(mean(tapply(losses, fold, var)) / length(losses)), level)
}

# Nadeau and Bengio (2003), Bouckaert and Frank (2004).
pcv_ci_corrected_t <- function(scores, n_train, n_test, level) {
  J <- length(scores)
  ratio <- mean(n_test) / mean(n_train)
  pcv_ci_symmetric(mean(scores), sd(scores) * sqrt(1 / J + ratio), level, J - 1)
}

# The same of the logarithm of the mean (delta method). The ratio of test to training rows grows with
# the instability of the losses of a row between repetitions; of one partition, or of subsamples, it
# is that of test rows to the training rows that two fits share.
pcv_ci_log <- function(estimate, std_error, level, df = Inf) {
  c(estimate, std_error, exp(pcv_ci_symmetric(log(estimate), std_error / estimate, level, df)[3:4]))
}

pcv_ci_log_t <- function(scores, ratio, level) {
  J <- length(scores)
  pcv_ci_log(mean(scores), sd(scores) * sqrt(1 / J + ratio), level, J - 1)
}

pcv_instability <- function(losses, row, times) {
  if (times == 1 || length(row) == 0) return(0)
  by_row <- matrix(losses[order(row)], ncol = times, byrow = TRUE)
  mean(apply(by_row, 1, var)) / mean(apply(by_row, 2, var))
}

pcv_overlap <- function(losses, row, times, n_train, n_test) {
  if (times == 1) return(sum(n_test) / max(sum(n_train) - sum(n_test), sum(n_test)))
  sum(n_test) / sum(n_train) * (1 + 4 * pcv_instability(losses, row, times))
}

# Nadeau and Bengio (2003): `first` and `second` are M x J scores of the two halves.
pcv_ci_conservative_z <- function(full, first, second, level) {
  gaps <- rowMeans(first) - rowMeans(second)
  pcv_ci_symmetric(mean(full), sqrt(sum(gaps^2) / (2 * length(gaps))), level)
}

# The same for the scores of a plan of paired halves: J of all rows, then J of each half, M times.
pcv_ci_paired_halves <- function(scores, J, level) {
  halves <- array(scores[-seq_len(J)], c(J, 2, (length(scores) - J) / (2 * J)))
  first <- t(matrix(halves[, 1, ], J))
  second <- t(matrix(halves[, 2, ], J))
  pcv_ci_conservative_z(scores[seq_len(J)], first, second, level)
}

# Bates, Hastie and Tibshirani (2024). One row per loss: repetition, the row's own fold, the other
# fold that was left out (0: none), loss.
pcv_ci_ncv <- function(repetition, own, other, loss, n, level, power = 1.5) {
  K <- max(own)
  inner <- other > 0
  terms <- c()
  for (r in split(seq_along(loss), repetition)) {
    for (i in seq_len(K)) {
      e_out <- loss[r][!inner[r] & own[r] == i]
      e_in <- loss[r][inner[r] & other[r] == i]
      terms <- c(terms, (mean(e_in) - mean(e_out))^2 - var(e_out) / length(e_out))
    }
  }
  mse <- mean(terms)
  inflation <- sqrt(max(0, mse)) / (sd(loss[inner]) / sqrt(floor(n * (K - 1) / K)))
  inflation <- max(1, min(inflation, sqrt(K)))
  factor <- if (power == 0) 0 else 1 + ((K - 2) / K)^power
  bias <- factor * (mean(loss[inner]) - mean(loss[!inner]))
  pcv_ci_symmetric(mean(loss[inner]) - bias, inflation * sd(loss[inner]) / sqrt(n), level)
}

# Dietterich (1998); p is 5 x 2.
pcv_ci_five_by_two_t <- function(p, level) {
  s2 <- (p[, 1] - rowMeans(p))^2 + (p[, 2] - rowMeans(p))^2
  pcv_ci_symmetric(p[1, 1], sqrt(mean(s2)), level, 5)
}

# Alpaydin (1999): F and its p value, and the means that the test does not reject.
pcv_five_by_two_f_test <- function(p) {
  s2 <- (p[, 1] - rowMeans(p))^2 + (p[, 2] - rowMeans(p))^2
  f <- sum(p^2) / (2 * sum(s2))
  c(f, pf(f, 10, 5, lower.tail = FALSE))
}

pcv_ci_five_by_two_f <- function(p, level) {
  excess <- function(d) pcv_five_by_two_f_test(p - d)[1] - qf(level, 10, 5)
  if (excess(mean(p)) > 0) return(c(mean(p), NA, NA, NA))  # every mean is rejected
  far <- 100 * diff(range(p))
  low <- uniroot(excess, c(mean(p) - far, mean(p)), tol = 1e-15, maxiter = 10000)$root
  high <- uniroot(excess, c(mean(p), mean(p) + far), tol = 1e-15, maxiter = 10000)$root
  c(mean(p), NA, low, high)
}

# LeDell, Petersen and van der Laan (2015).
pcv_auc <- function(label, score) {
  pairs <- outer(score[label == 1], score[label == 0], "-")
  mean((pairs > 0) + (pairs == 0) / 2)
}

# The curves of a row in several partitions are averaged before they are squared.
pcv_ci_cv_auc <- function(label, score, fold, level, half = FALSE, row = seq_along(label)) {
  n <- length(label)
  curve <- numeric(n)
  weight <- ifelse(label == 1, n / sum(label == 1), n / sum(label == 0))
  areas <- squares <- c()
  for (k in sort(unique(fold))) {
    y <- label[fold == k]
    s <- score[fold == k]
    area <- pcv_auc(y, s)
    share <- mapply(function(a, b) {
      others <- s[y != a]
      beaten <- if (a == 1) others < b else others > b
      mean(beaten) + half * mean(others == b) / 2
    }, y, s)
    areas <- c(areas, area)
    squares <- c(squares, mean((weight[fold == k] * (share - area))^2))
    curve[fold == k] <- weight[fold == k] * (share - area) / length(y)
  }
  if (anyDuplicated(row)) {
    of_row <- tapply(curve / length(areas), row, sum)
    return(pcv_ci_symmetric(mean(areas), sqrt(sum(of_row^2)), level))
  }
  pcv_ci_symmetric(mean(areas), sqrt(mean(squares) / n), level)
}

# Bell and McCaffrey (2002): the jackknife that leaves out a group at a time, and its degrees of
# freedom where the rows of a group are alike; losses of several fits vary more.
pcv_ci_cluster <- function(losses, group, level, fits = 1, log = FALSE) {
  groups <- unique(group)
  G <- length(groups)
  without <- sapply(groups, function(g) mean(losses[group != g]))
  factor <- if (fits > 1) 1.5 else 1
  std_error <- sqrt(factor * (G - 1) / G * sum((without - mean(losses))^2))
  ci <- if (log) pcv_ci_log else pcv_ci_symmetric
  ci(mean(losses), std_error, level, pcv_cluster_freedom(group))
}

pcv_cluster_freedom <- function(group) {
  sizes <- as.numeric(table(group))
  G <- length(sizes)
  share <- sizes / sum(sizes)
  deviations <- share / (1 - share) * (diag(G) - outer(rep(1, G), share))
  covariance <- deviations %*% t(deviations)
  sum(diag(covariance))^2 / sum(covariance^2)
}

# Efron and Tibshirani (1993), chapter 13; draws as in R.
# `value` makes a number of the means of the columns.
pcv_ci_bootstrap <- function(losses, level, draws, seed, value = identity) {
  set.seed(seed)
  losses <- cbind(losses)
  n <- nrow(losses)
  values <- replicate(draws, {
    value(colMeans(losses[sample.int(n, n, replace = TRUE), , drop = FALSE]))
  })
  limits <- quantile(values, c((1 - level) / 2, 1 - (1 - level) / 2), names = FALSE)
  c(value(colMeans(losses)), sd(values), limits)
}

# Tsamardinos, Greasidou and Borboudakis (2018).
pcv_ci_bbc_cv <- function(losses, level, draws, seed) {
  set.seed(seed)
  n <- nrow(losses)
  scores <- c()
  for (b in seq_len(draws)) {
    drawn <- sample.int(n, n, replace = TRUE)
    rest <- setdiff(seq_len(n), drawn)
    if (length(rest) == 0) next
    best <- which.min(apply(losses[drawn, , drop = FALSE], 2, mean))
    scores <- c(scores, mean(losses[rest, best]))
  }
  limits <- quantile(scores, c((1 - level) / 2, 1 - (1 - level) / 2), names = FALSE)
  c(mean(scores), sd(scores), limits)
}

# Tibshirani and Tibshirani (2009): the bias; the interval is the corrected t of its terms.
pcv_tibshirani_bias <- function(errors) {
  best <- which.min(apply(errors, 2, mean))
  mean(sapply(seq_len(nrow(errors)), function(k) errors[k, best] - min(errors[k, ])))
}

pcv_ci_tibshirani <- function(errors, n_train, n_test, level) {
  best <- which.min(apply(errors, 2, mean))
  terms <- errors[, best] + errors[, best] - apply(errors, 1, min)
  pcv_ci_corrected_t(terms, n_train, n_test, level)
}

# Delta method: RMSE from the interval of the MSE; R^2 from the joint covariance of the means of the
# squared errors, y and y^2, on one test set.
pcv_ci_rmse <- function(mse) {
  half <- (mse[4] - mse[1]) / (2 * sqrt(mse[1]))
  c(sqrt(mse[1]), mse[2] / (2 * sqrt(mse[1])), sqrt(mse[1]) - half, sqrt(mse[1]) + half)
}

pcv_ci_rmse_holdout_z <- function(losses, level) pcv_ci_rmse(pcv_ci_holdout_z(losses, level))

# The corrected t of a metric of all rows together: folds weigh by their size in its means.
pcv_ci_rmse_corrected_t <- function(scores, n_train, n_test, level) {
  m <- sum(scores * n_test) / sum(n_test)
  terms <- sqrt(m) + n_test / mean(n_test) * (scores - m) / (2 * sqrt(m))
  pcv_ci_corrected_t(terms, n_train, n_test, level)
}

pcv_ci_r2_holdout_z <- function(losses, y, level) {
  v <- mean(y^2) - mean(y)^2
  gradient <- c(-1 / v, -2 * mean(y) * mean(losses) / v^2, mean(losses) / v^2)
  covariance <- cov(cbind(losses, y, y^2)) / length(y)
  std_error <- sqrt(drop(gradient %*% covariance %*% gradient))
  pcv_ci_symmetric(1 - mean(losses) / v, std_error, level)
}

# The same for the corrected t: fold means of squared errors, y and y^2 take the place of the rows.
pcv_ci_r2_corrected_t <- function(losses, y, fold, n_train, n_test, level) {
  y <- y - mean(y)
  parts <- cbind(losses, y, y^2)
  means <- sapply(list(losses, y, y^2), function(x) tapply(x, fold, mean))
  m <- colMeans(parts)
  v <- m[3] - m[2]^2
  gradient <- c(-1 / v, -2 * m[2] * m[1] / v^2, m[1] / v^2)
  terms <- 1 - m[1] / v + n_test / mean(n_test) * drop(sweep(means, 2, m) %*% gradient)
  pcv_ci_corrected_t(terms, n_train, n_test, level)
}

# The delta method for any method: the linear approximation at the means of all rows, deviations
# weighted as `share` says, or at the method's own estimates of the means where it is given none;
# its interval for the mean of that. R^2 is a function of the means of squares, y and y^2.
pcv_metrics <- list(
  rmse = list(value = function(m) sqrt(m[1]), gradient = function(m) 1 / (2 * sqrt(m[1]))),
  r2 = list(
    value = function(m) 1 - m[1] / (m[3] - m[2]^2),
    gradient = function(m) {
      v <- m[3] - m[2]^2
      c(-1 / v, -2 * m[2] * m[1] / v^2, m[1] / v^2)
    }
  )
)

pcv_parts <- function(metric, losses, y) {
  if (metric == "rmse") return(cbind(losses))
  y <- y - mean(y)
  unname(cbind(losses, y, y^2))
}

pcv_ci_delta <- function(metric, parts, ci, size = NULL, share = 1) {
  own <- function(x) if (diff(range(x)) == 0) x[1] else ci(x)[1]
  m <- if (is.null(size)) apply(parts, 2, own) else colSums(parts * size) / sum(size)
  linear <- sweep(parts, 2, m) %*% pcv_metrics[[metric]]$gradient(m)
  ci(drop(pcv_metrics[[metric]]$value(m) + share * linear))
}

# Metrics with one value per fold.
pcv_by_fold <- function(metric, y, score, fold) {
  of_fold <- if (metric == "auc") pcv_auc else function(y, score) cor(y, score)^2
  vapply(split(seq_along(y), fold), function(i) of_fold(y[i], score[i]), 0, USE.NAMES = FALSE)
}

pcv_kurtosis <- function(x) mean((x - mean(x))^4) / mean((x - mean(x))^2)^2

pcv_holm <- function(p) p.adjust(p, "holm")

if (sys.nframe() == 0L && length(commandArgs(TRUE)) == 2) {
  files <- commandArgs(TRUE)
  cases <- jsonlite::fromJSON(files[1], simplifyDataFrame = FALSE)
  results <- lapply(cases, function(case) {
    sprintf("%.17g", do.call(case$f, case$args))
  })
  meta <- list(
    made_by = "Rscript r_reference/intervals.R cases.json results.json",
    r = R.version.string, jsonlite = as.character(packageVersion("jsonlite")),
    date = format(Sys.Date()), platform = R.version$platform
  )
  writeLines(
    jsonlite::toJSON(list(meta = meta, results = results), auto_unbox = TRUE,
                     pretty = TRUE),
    files[2]
  )
}
