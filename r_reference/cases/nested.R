# Tuning and nested cross-validation by the procedures written out in procedures.R, with glmnet's
# ridge, and the course's kNN with kknn or the stand-in for it.
# needs: glmnet, dplyr, purrr, tidyr
# source: procedures.R, lecture.R
cases <- list()
cars <- mtcars
rownames(cars) <- NULL
near <- function(n, K) {
  per <- ceiling(n / K)
  lapply(seq(K), function(k) seq((k - 1) * per + 1, min(k * per, n)))
}
ridge <- lapply(c(0.1, 1, 10), function(l) list(alpha = 0, lambda = l, standardize = TRUE))
record <- function(name, r) {
  cases[[paste0(name, ": chosen")]] <<- r$chosen
  cases[[paste0(name, ": inner curves")]] <<- as.vector(t(r$inner_curves))
  cases[[paste0(name, ": predictions")]] <<- r$predictions
  cases[[paste0(name, ": fold means")]] <<- r$fold_means
  cases[[paste0(name, ": estimate")]] <<- r$estimate
}
for (K in c(4, 8)) for (f in c("mpg ~ wt + hp + qsec", "mpg ~ .")) {
  test <- near(32, K)
  inner <- lapply(test, function(t) list(test = near(32 - length(t), 4)))
  record(paste0("ridge ", f, ", ", K, " x 4"),
         pcv_nested(as.formula(f), cars, pcv_learners$glmnet, ridge, "squared", test, inner))
}
data <- cars
names(data)[1] <- "y"
for (K in c(4, 8)) {
  for (fold in seq(K)) {
    cases[[paste0("course kNN, ", K, " x 5, outer fold ", fold, ": error")]] <-
      knn_test_error_by_fold(data, fold, K, 5, "y", seq(8))
  }
  cases[[paste0("course kNN, ", K, " x 5: nested estimate")]] <-
    knn_test_error(data, K, 5, "y", seq(8))
}
cases
