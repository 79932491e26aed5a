# Intervals by the formulas of intervals.R, on shared losses: estimate, standard error, low, high.
# source: intervals.R, folds.R
cases <- list()
set.seed(5)
losses <- rexp(60)
errors <- rbinom(60, 1, .3)
fold <- rep(1:6, each = 10)
means <- as.vector(tapply(losses, fold, mean))
grid <- matrix(rexp(240), 60)
halves <- rexp(10)
scores <- rexp(6 * (1 + 2 * 4))
cases$losses <- losses
cases$errors <- errors
cases$grid <- as.vector(grid)
cases$halves <- halves
cases$scores <- scores

# Three partitions of 24 rows into 4 folds, all pairs of folds left out: where every loss belongs.
tested <- pcv_folds(function() pcv_folds_nested_pairs(24, 4), 5, 3)
pairs <- do.call(rbind, lapply(seq_along(tested), function(fit) {
  repetition <- (fit - 1) %/% 10 + 1
  alone <- tested[(repetition - 1) * 10 + 1:4]
  row <- sort(tested[[fit]])
  own <- vapply(row, function(r) which(vapply(alone, function(f) r %in% f, TRUE)), 0L)
  other <- vapply(own, function(f) c(setdiff(own, f), 0L)[1], 0L)
  data.frame(repetition, own, other)
}))
cases$pair_losses <- pair_losses <- rexp(nrow(pairs))
for (level in c(0.8, 0.9, 0.95, 0.99)) {
  add <- function(name, value) cases[[paste0(name, ", level ", level)]] <<- value
  add("holdout z", pcv_ci_holdout_z(losses, level))
  add("Hoeffding", pcv_ci_hoeffding(errors, level, 0, 1))
  add("Wilson", pcv_ci_wilson(sum(errors), 60, level))
  add("Clopper-Pearson", pcv_ci_clopper_pearson(sum(errors), 60, level))
  add("CLT, all pairs", pcv_ci_all_pairs(losses, level))
  add("CLT, within folds", pcv_ci_within_fold(losses, fold, level))
  add("corrected t", pcv_ci_corrected_t(means, 50, 10, level))
  add("by cluster", pcv_ci_cluster(losses, rep(1:12, each = 5), level))
  add("cvAUC", pcv_ci_cv_auc(errors, losses, fold, level))
  add("bootstrap", pcv_ci_bootstrap(losses, level, 200, 3))
  add("BBC-CV", pcv_ci_bbc_cv(grid, level, 200, 3))
  add("Tibshirani", pcv_ci_tibshirani(pcv_means(grid, fold), 50, 10, level))
  add("dev set", pcv_ci_dev_set(grid, level, 0, 20))
  add("5x2 t", pcv_ci_five_by_two_t(matrix(halves, 5, byrow = TRUE), level))
  add("5x2 F", pcv_ci_five_by_two_f(matrix(halves, 5, byrow = TRUE), level))
  add("conservative z", pcv_ci_paired_halves(scores, 6, level))
  add("NCV", with(pairs, pcv_ci_ncv(repetition, own, other, pair_losses, 24, level)))
}
cases
