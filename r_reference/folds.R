# Fold plans written out in R: lists of test rows, counted from 1. Each function makes one repetition
# from wherever R's random numbers are; pcv_folds sets the seed once and repeats, and takes fold labels
# too.

pcv_folds <- function(one, seed = NULL, times = 1, sample_kind = "Rejection", reseeds = FALSE) {
  if (!is.null(seed)) suppressWarnings(set.seed(seed, sample.kind = sample_kind))
  on.exit(RNGkind(sample.kind = "Rejection"))
  folds <- lapply(seq_len(times), function(i) {
    if (reseeds && i > 1) set.seed(sample(1e6, 1))
    rows <- one()
    if (is.list(rows)) rows else pcv_by_label(rows)
  })
  lapply(do.call(c, folds), as.integer)
}

pcv_chunks <- function(rows, k) {
  n <- length(rows)
  sizes <- rep(n %/% k, k) + (seq_len(k) <= n %% k)
  unname(lapply(split(rows, rep(seq_len(k), sizes)), sort))
}

pcv_by_label <- function(labels) unname(lapply(split(seq_along(labels), labels), sort))

pcv_rest_of <- function(n, parts) lapply(parts, function(part) setdiff(seq_len(n), part))

# Shuffle by sample(), cut into k chunks, the first n mod k one longer.
pcv_folds_kfold <- function(n, k) pcv_chunks(sample(n), k)

# The course's consecutive blocks of ceiling(n / k); seq counts down as R does.
pcv_folds_blocks <- function(n, k) {
  per <- ceiling(n / k)
  lapply(seq_len(k), function(j) which(seq_len(n) %in% seq((j - 1) * per + 1, min(j * per, n))))
}

pcv_folds_loo <- function(n) as.list(seq_len(n))

# Shuffle and test the last rows.
pcv_folds_holdout <- function(n, share) {
  size <- if (share < 1) ceiling(share * n - 1e-9) else share
  list(sort(tail(sample(n), size)))
}

pcv_folds_subsampling <- function(n, times, train) {
  size <- if (train < 1) floor(train * n + 1e-9) else train
  pcv_rest_of(n, lapply(seq_len(times), function(i) sample(n, size)))
}

# Rows drawn with replacement, or those that were not drawn.
pcv_folds_bootstrap <- function(n, times, part = "test") {
  drawn <- lapply(seq_len(times), function(i) sample(n, n, replace = TRUE))
  if (part == "test") pcv_rest_of(n, drawn) else drawn
}

# The rows of each class (a number is cut at quantiles) are shuffled and dealt to the folds in turn,
# each class going on where the one before stopped.
pcv_folds_stratified <- function(n, k, y, bins = NULL) {
  dealt <- unlist(lapply(split(seq_len(n), pcv_strata(n, k, y, bins), drop = TRUE), function(rows) {
    rows[sample.int(length(rows))]
  }))
  labels <- integer(n)
  labels[dealt] <- rep_len(seq_len(k), n)
  pcv_by_label(labels)
}

pcv_strata <- function(n, k, y, bins = NULL) {
  groups <- if (is.null(bins)) max(2, min(5, n %/% k)) else bins
  measured <- is.numeric(y) && (is.double(y) || !is.null(bins)) && length(unique(y)) > groups
  if (measured) cut(y, unique(quantile(y, seq(0, groups) / groups)), include.lowest = TRUE)
  else if (is.factor(y)) y
  else factor(y)
}

# Groups in random order, the largest first, each to the fold that has the smallest share of the
# strata of its rows; of several, to the one that has the fewest rows.
pcv_folds_grouped <- function(n, k, group, y = integer(n), bins = NULL) {
  sizes <- unclass(table(group, pcv_strata(n, k, y, bins)))
  share <- sweep(sizes, 2, colSums(sizes)^2, "/")
  shuffled <- sample(nrow(sizes))
  rows <- matrix(0, k, ncol(sizes))
  home <- integer(nrow(sizes))
  for (g in shuffled[order(rowSums(sizes)[shuffled], decreasing = TRUE, method = "radix")]) {
    crowd <- round(rowSums(sweep(rows, 2, share[g, ], "*")), 12)
    home[g] <- order(crowd, rowSums(rows))[1]
    rows[home[g], ] <- rows[home[g], ] + sizes[g, ]
  }
  pcv_by_label(home[group])
}

# Windows that move on in time: test rows, or the training rows before them.
pcv_folds_timeseries <- function(n, initial, horizon = 1, gap = 0, step = 1, window = "expanding",
                                 part = "test") {
  ends <- seq(initial, n - gap - horizon, by = step)
  lapply(ends, function(end) {
    if (part == "test") end + gap + seq_len(horizon)
    else seq(if (window == "sliding") end - initial + 1 else 1, end)
  })
}

# Bates, Hastie and Tibshirani (2024): every fold and every pair of folds is left out once.
pcv_folds_nested_pairs <- function(n, k) {
  folds <- split(sample(n), rep(seq_len(k), rep(n %/% k, k) + (seq_len(k) <= n %% k)))
  left_out <- c(as.list(seq_len(k)), combn(k, 2, simplify = FALSE))
  lapply(left_out, function(some) unlist(folds[some], use.names = FALSE))
}

# Nadeau and Bengio (2003): subsamples of all rows, and of the halves of random halvings.
pcv_folds_paired_halves <- function(n, inner, outer, train, part = "test") {
  tested <- n - round(if (train < 1) train * n else train)
  half <- n %/% 2
  subsamples <- function(rows) lapply(seq_len(inner), function(i) {
    trained <- rows[sample.int(length(rows), length(rows) - tested)]
    if (part == "test") setdiff(rows, trained) else trained
  })
  all <- subsamples(seq_len(n))
  halves <- lapply(seq_len(outer), function(i) {
    order <- sample(n, 2 * half)
    c(subsamples(order[seq_len(half)]), subsamples(order[half + seq_len(half)]))
  })
  c(all, do.call(c, halves))
}

# Dietterich (1998), one of the five halvings.
pcv_folds_five_by_two <- function(n) pcv_chunks(sample(n), 2)

# The folds of R packages, by the packages where they have a function for them.
pcv_folds_rsample <- function(n, k, y = NULL) {
  data <- data.frame(x = seq_len(n))
  data$y <- y
  sets <- if (is.null(y)) rsample::vfold_cv(data, v = k)
          else rsample::vfold_cv(data, v = k, strata = "y")
  pcv_rest_of(n, lapply(sets$splits, function(s) s$in_id))
}

# As boot::cv.glm draws them, K the nearest to k of the numbers of folds that n can have.
pcv_folds_boot <- function(n, k) {
  possible <- unique(round(n / seq_len(floor(n / 2))))
  k <- possible[which.min(abs(possible - k))]
  pcv_by_label(sample(rep(seq_len(k), ceiling(n / k)), n))
}

pcv_folds_cv <- function(n, k) pcv_chunks(if (n > k) sample(n) else seq_len(n), k)

pcv_folds_kknn <- function(n, k) pcv_by_label(sample(k, n, replace = TRUE))

# Shuffled rows that get these labels in turn.
pcv_folds_along <- function(labels) {
  found <- integer(length(labels))
  found[sample(length(labels))] <- labels
  pcv_by_label(found)
}
