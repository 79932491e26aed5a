# The R functions of the lecture "Selecting hyper-parameters with cross validation" (H. Reeve,
# EMATM0061), repaired so that they run. Names, arguments and flow are those of the slides.
# Every repair is marked with "Repair".
#
# Needs dplyr, purrr and tidyr, and train.kknn: from the package kknn, or, where that cannot be
# installed, from kknn_standin.R, which must then be sourced first.

suppressPackageStartupMessages({
  library(dplyr)
  library(purrr)
  library(tidyr)
})
# other packages (MASS) bring a select of their own
select <- dplyr::select
filter <- dplyr::filter

if (!exists("train.kknn")) {
  if (!requireNamespace("kknn", quietly = TRUE)) {
    stop("train.kknn is missing: install.packages(\"kknn\"), or source(\"kknn_standin.R\") first")
  }
  suppressPackageStartupMessages(library(kknn))  # attached: it looks up its contrasts by name
}

# Repair: rows of one fold. As printed, seq(fold_start, fold_end) counts down when a fold would
# start past the last row, so that rows are tested twice (n = 10 in 6 folds: row 10). That is
# refused here; as_in_r = TRUE gives the printed folds.
fold_rows <- function(n, fold, num_folds, as_in_r = FALSE) {
  num_per_fold <- ceiling(n / num_folds)
  if (!as_in_r && (num_folds - 1) * num_per_fold >= n) {
    stop(n, " rows in ", num_folds, " folds of ", num_per_fold, " rows: folds would overlap; use ",
         "another number of folds, or as_in_r = TRUE for the folds as printed")
  }
  fold_start <- (fold - 1) * num_per_fold + 1
  fold_end <- min(fold * num_per_fold, n)
  seq(fold_start, fold_end)
}

train_validation_by_fold <- function(train_and_validation_data, fold, num_folds, as_in_r = FALSE) {
  fold_indicies <- fold_rows(nrow(train_and_validation_data), fold, num_folds, as_in_r)
  validation_data <- train_and_validation_data %>% filter(row_number() %in% fold_indicies)
  train_data <- train_and_validation_data %>% filter(!row_number() %in% fold_indicies)
  return(list(train = train_data, validation = validation_data))
}

knn_validation_error_by_fold_k <- function(train_and_validation_data, fold, num_folds, y_name, k,
                                           as_in_r = FALSE) {
  data_split <- train_validation_by_fold(train_and_validation_data, fold, num_folds, as_in_r)
  train_data <- data_split$train
  validation_data <- data_split$validation
  knn_formula <- paste0(y_name, "~.")
  knn_model <- train.kknn(knn_formula, data = train_data, ks = k, distance = 2,
                          kernel = "rectangular")
  knn_pred_val_y <- predict(knn_model, validation_data %>% select(-!!sym(y_name)))
  val_y <- validation_data %>% pull(!!sym(y_name))
  val_msq_error <- mean((knn_pred_val_y - val_y)^2)
  return(val_msq_error) # Repair: the end of the function is missing on the slide
}

# Repair: the table of errors has a function of its own; on the slides it is computed once for the
# single split, with a missing body, and once inside get_optimal_k_by_cv.
knn_cv_results <- function(train_and_validation_data, num_folds, y_name, ks, as_in_r = FALSE) {
  folds <- seq(num_folds)
  # Repair: cross_df is deprecated since purrr 1.0.0
  expand_grid(k = ks, fold = folds) %>%
    mutate(val_error = map2_dbl(k, fold,
                                ~knn_validation_error_by_fold_k(train_and_validation_data, .y,
                                                                num_folds, y_name, .x,
                                                                as_in_r))) %>%
    group_by(k) %>%
    summarise(val_error = mean(val_error))
}

# Several k when their errors are equal: the caller has to choose.
get_optimal_k_by_cv <- function(train_and_validation_data, num_folds, y_name, ks,
                                as_in_r = FALSE) {
  cross_val_results <- knn_cv_results(train_and_validation_data, num_folds, y_name, ks, as_in_r)
  return(lowest_error_k(cross_val_results))
}

lowest_error_k <- function(cross_val_results) {
  min_val_error <- cross_val_results %>% pull(val_error) %>% min()
  cross_val_results %>% filter(val_error == min_val_error) %>% pull(k)
}

# Repair: with several k of equal error, train.kknn chooses one of them by its own leave-one-out
# error and does not say so. The choice is kept, and said.
say_tie <- function(optimal_k) {
  if (length(optimal_k) > 1) {
    warning("k = ", paste(optimal_k, collapse = ", "), " have the same validation error; ",
            "train.kknn chooses among them by its leave-one-out error", call. = FALSE)
  }
  optimal_k
}

knn_retrained_error <- function(train_and_validation_data, test_data, y_name, optimal_k) {
  knn_formula <- paste0(y_name, "~.")
  optimised_knn_model <- train.kknn(knn_formula, data = train_and_validation_data,
                                    ks = say_tie(optimal_k), distance = 2,
                                    kernel = "rectangular")
  knn_pred_test_y <- predict(optimised_knn_model, test_data %>% select(-!!sym(y_name)))
  test_y <- test_data %>% pull(!!sym(y_name))
  test_msq_error <- mean((knn_pred_test_y - test_y)^2)
  return(test_msq_error)
}

train_test_by_fold <- function(data, fold, num_folds, as_in_r = FALSE) {
  fold_indicies <- fold_rows(nrow(data), fold, num_folds, as_in_r)
  test_data <- data %>% filter(row_number() %in% fold_indicies)
  train_and_val_data <- data %>% filter(!row_number() %in% fold_indicies)
  return(list(train_and_val = train_and_val_data, test = test_data))
}

# Repair: as printed, k is tuned on `train_validation_data`, a global left over from the script on
# the slides before, so that every outer fold is tuned on rows it is tested on. Here k is tuned on
# the training part of the fold; tuning_data = train_validation_data gives the printed leak.
knn_test_error_by_fold <- function(data, fold, num_folds_test, num_folds_val, y_name, ks,
                                   tuning_data = NULL, as_in_r = FALSE) {
  data_split <- train_test_by_fold(data, fold, num_folds_test, as_in_r)
  train_and_validation_data <- data_split$train_and_val
  test_data <- data_split$test
  if (is.null(tuning_data)) {
    tuning_data <- train_and_validation_data
  } else {
    warning("k is tuned on tuning_data, not on the training part of the fold: the estimate leaks ",
            "when rows of the test fold are among them", call. = FALSE)
  }
  optimal_k <- get_optimal_k_by_cv(tuning_data, num_folds_val, y_name, ks, as_in_r)
  return(knn_retrained_error(train_and_validation_data, test_data, y_name, optimal_k))
}

# Repair: the body is missing on the slides; the text calls it "a procedure for estimating the
# out-of-sample error": the mean of the errors of the folds.
knn_test_error <- function(data, num_folds_test, num_folds_val, y_name, ks, tuning_data = NULL,
                           as_in_r = FALSE) {
  errors <- map_dbl(seq(num_folds_test),
                    ~knn_test_error_by_fold(data, .x, num_folds_test, num_folds_val, y_name, ks,
                                            tuning_data, as_in_r))
  return(mean(errors))
}

# The script of the slides as a function: shuffle, keep the last 25 % as test rows, tune k on the
# rest, retrain, test; then the nested estimate on all shuffled rows.
lecture_run <- function(data, y_name = "y", num_folds = 10, ks = seq(1, 30, 1),
                        num_folds_test = 8, num_folds_val = 5, seed = 1, as_in_r = FALSE) {
  num_total <- data %>% nrow()
  num_test <- ceiling(0.25 * num_total)
  set.seed(seed)
  data <- data %>% sample_n(size = nrow(.))
  test_inds <- seq(num_total - num_test + 1, num_total)
  test_data <- data %>% filter(row_number() %in% test_inds)
  train_validation_data <- data %>% filter(!row_number() %in% test_inds)
  cross_val_results <- knn_cv_results(train_validation_data, num_folds, y_name, ks, as_in_r)
  optimal_k <- lowest_error_k(cross_val_results)
  nested_k <- map(seq(num_folds_test), ~get_optimal_k_by_cv(
    train_test_by_fold(data, .x, num_folds_test, as_in_r)$train_and_val, num_folds_val, y_name, ks,
    as_in_r))
  nested_errors <- map2_dbl(seq(num_folds_test), nested_k, ~{
    split <- train_test_by_fold(data, .x, num_folds_test, as_in_r)
    knn_retrained_error(split$train_and_val, split$test, y_name, .y)
  })
  list(ks = cross_val_results$k, cv_curve = cross_val_results$val_error, optimal_k = optimal_k,
       test_error = knn_retrained_error(train_validation_data, test_data, y_name, optimal_k),
       nested_k = nested_k, nested_errors = nested_errors, nested = mean(nested_errors))
}
