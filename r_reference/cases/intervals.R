# Intervals by the formulas of intervals.R, on shared losses: estimate, standard error, low, high.
# source: intervals.R
cases <- list()
set.seed(5)
losses <- rexp(60)
errors <- rbinom(60, 1, .3)
fold <- rep(1:6, each = 10)
means <- as.vector(tapply(losses, fold, mean))
cases$losses <- losses
cases$errors <- errors
for (level in c(0.8, 0.9, 0.95, 0.99)) {
  add <- function(name, value) cases[[paste0(name, ", level ", level)]] <<- value
  add("holdout z", pcv_ci_holdout_z(losses, level))
  add("Hoeffding", pcv_ci_hoeffding(errors, level, 0, 1))
  add("Wilson", pcv_ci_wilson(sum(errors), 60, level))
  add("Clopper-Pearson", pcv_ci_clopper_pearson(sum(errors), 60, level))
  add("CLT, all pairs", pcv_ci_all_pairs(losses, level))
  add("CLT, within folds", pcv_ci_within_fold(losses, fold, level))
  add("corrected t", pcv_ci_corrected_t(means, 50, 10, level))
}
cases
