# Fold plans written out in R: lists of test rows, counted from 1, each list in increasing order.

pcv_chunks <- function(rows, k) {
  n <- length(rows)
  sizes <- rep(n %/% k, k) + (seq_len(k) <= n %% k)
  unname(lapply(split(rows, rep(seq_len(k), sizes)), sort))
}

# Shuffle by sample(), cut into k chunks, the first n mod k one longer; `times` times.
pcv_folds_kfold <- function(n, k, seed, times = 1) {
  set.seed(seed)
  do.call(c, lapply(seq_len(times), function(i) pcv_chunks(sample(n), k)))
}

# The course's consecutive blocks of ceiling(n / k); seq counts down as R does.
pcv_folds_blocks <- function(n, k) {
  per <- ceiling(n / k)
  lapply(seq_len(k), function(j) which(seq_len(n) %in% seq((j - 1) * per + 1, min(j * per, n))))
}

pcv_folds_loo <- function(n) as.list(seq_len(n))

# Shuffle and test the last rows.
pcv_folds_holdout <- function(n, share, seed) {
  set.seed(seed)
  size <- if (share < 1) ceiling(share * n - 1e-9) else share
  list(sort(tail(sample(n), size)))
}

pcv_folds_subsampling <- function(n, times, train, seed) {
  set.seed(seed)
  size <- if (train < 1) floor(train * n + 1e-9) else train
  lapply(seq_len(times), function(i) setdiff(seq_len(n), sample(n, size)))
}

pcv_by_label <- function(labels) unname(lapply(split(seq_along(labels), labels), sort))

pcv_folds_rsample <- function(n, k, seed, times = 1) {
  set.seed(seed)
  sets <- rsample::vfold_cv(data.frame(x = seq_len(n)), v = k, repeats = times)
  lapply(sets$splits, function(s) setdiff(seq_len(n), s$in_id))
}

pcv_folds_glmnet <- function(n, k, seed) {
  set.seed(seed)
  pcv_by_label(sample(rep(seq(k), length = n)))
}
