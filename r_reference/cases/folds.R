# Fold labels (counted from 1) as the course and R packages cut them.
# needs: rsample, caret
# source: folds.R
cases <- list()
blocks <- function(n, J) {
  per <- ceiling(n / J)
  lapply(seq(J), function(j) {
    x <- seq((j - 1) * per + 1, min(j * per, n))
    which(seq(n) %in% x)
  })
}
for (nj in list(c(20, 4), c(10, 3), c(7, 7), c(103, 10), c(100, 8), c(10, 6), c(9, 6), c(50, 49))) {
  parts <- blocks(nj[1], nj[2])
  cases[[paste("blocks,", nj[1], "rows,", nj[2], "folds")]] <- unlist(parts)
}
ids <- function(test, n) { id <- integer(n); for (i in seq_along(test)) id[test[[i]]] <- i; id }
chunks <- function(n, K, seed) {
  set.seed(seed)
  order <- sample(n)
  sizes <- rep(n %/% K, K) + (seq_len(K) <= n %% K)
  ids(split(order, rep(seq_len(K), sizes)), n)
}
for (seed in c(1L, 7L, 123L)) {
  for (nk in list(c(32, 10), c(150, 7), c(11, 3))) {
    n <- nk[1]; K <- nk[2]
    label <- function(name) paste0(name, ", ", n, " rows, ", K, " folds, seed ", seed)
    cases[[label("shuffled chunks")]] <- chunks(n, K, seed)
    set.seed(seed)
    sets <- rsample::vfold_cv(data.frame(x = seq_len(n)), v = K)
    cases[[label("rsample vfold_cv")]] <-
      ids(lapply(sets$splits, function(s) setdiff(seq_len(n), s$in_id)), n)
    set.seed(seed); cases[[label("glmnet foldid")]] <- sample(rep(seq(K), length = n))
    set.seed(seed)
    cases[[label("caret createFolds, numeric y")]] <-
      caret::createFolds(sin(seq_len(n)), K, list = FALSE)
    set.seed(seed)
    cases[[label("caret createFolds, factor y")]] <-
      caret::createFolds(factor(rep(c("a", "b"), length.out = n)), K, list = FALSE)
    set.seed(seed)
    cases[[label("holdout, last quarter of shuffled rows")]] <-
      sort(tail(sample(n), ceiling(n / 4)))
  }
  add <- function(name, one, times = 1) {
    rows <- lapply(pcv_folds(one, seed, times), sort)
    cases[[paste0(name, ", 32 rows, 4 folds, seed ", seed)]] <<- unlist(rows)
  }
  y <- rep(c("a", "b", "c", "b"), 8)
  group <- rep(1:11, 3)[1:32]
  add("stratified by classes", function() pcv_folds_stratified(32, 4, y))
  add("stratified by quantiles", function() pcv_folds_stratified(32, 4, sin(1:32)))
  add("grouped", function() pcv_folds_grouped(32, 4, group))
  add("subsampling", function() pcv_folds_subsampling(32, 4, 0.8))
  add("repeated", function() pcv_folds_kfold(32, 4), 3)
  add("nested pairs", function() pcv_folds_nested_pairs(32, 4), 2)
  add("paired halves", function() pcv_folds_paired_halves(32, 2, 2, 0.8))
  add("5x2", function() pcv_folds_five_by_two(32), 5)
  add("boot cv.glm", function() pcv_folds_boot(32, 4))
  add("cv cv", function() pcv_folds_cv(32, 4))
  add("kknn cv.kknn", function() pcv_folds_kknn(32, 4))
}
cases
