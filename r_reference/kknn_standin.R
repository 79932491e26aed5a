# A stand-in for what the course uses of the package kknn, in plain base R, for machines where
# kknn cannot be installed. It is not kknn and never says that it is.
#
# What it covers: a continuous response, numeric columns, kernel "rectangular", Minkowski
# distance 2, columns scaled by their training standard deviation. Everything else is refused.
#
# How it relates to kknn 1.4.1: written from a description of what kknn computes, with none of its
# code. Ties among neighbours are resolved as kknn resolves them (see tied_neighbours below), so
# that both choose the same rows; recorded values of kknn are reproduced.

message("kknn is not installed here: pycvstat's stand-in for train.kknn is used instead")

train.kknn <- function(formula, data, ks = 7, distance = 2, kernel = "rectangular", scale = TRUE) {
  if (distance != 2 || kernel != "rectangular" || !isTRUE(scale)) {
    stop("the stand-in knows distance = 2, kernel = \"rectangular\", scale = TRUE only; ",
         "install.packages(\"kknn\") gives the rest")
  }
  ks <- sort(ks)
  model <- standin_frame(as.formula(formula), data)
  if (min(ks) < 1 || max(ks) >= nrow(model$x)) {
    stop("k must be from 1 to ", nrow(model$x) - 1, ", one less than the training rows, but is ",
         paste(ks, collapse = ", "))
  }
  model$k <- if (length(ks) == 1) ks else standin_best_k(model, ks)
  structure(model, class = "kknn_standin")
}

predict.kknn_standin <- function(object, newdata, ...) {
  x <- standin_columns(object$terms, newdata)
  rows <- standin_neighbours(object$x, x, object$k + 1)
  standin_means(object$y, rows, object$k)
}
registerS3method("predict", "kknn_standin", predict.kknn_standin)

# Response and numeric columns of a formula, checked.
standin_frame <- function(formula, data) {
  frame <- model.frame(formula, data, na.action = na.fail)
  y <- model.response(frame)
  if (!is.numeric(y)) stop("the stand-in needs a numeric response")
  terms <- delete.response(attr(frame, "terms"))
  list(x = standin_columns(terms, data), y = as.numeric(y), terms = terms)
}

standin_columns <- function(terms, data) {
  frame <- model.frame(terms, data, na.action = na.fail)
  if (!all(vapply(frame, function(v) is.numeric(v) || is.logical(v), TRUE))) {
    stop("the stand-in needs numeric columns")
  }
  x <- model.matrix(terms, frame)
  unname(x[, attr(x, "assign") > 0, drop = FALSE])
}

# Nearest rows of `train` for each row of `new`: a matrix with `count` columns (at most as many
# as there are rows), nearest first.
# Columns are divided by their training standard deviation; a constant column does not count.
# They are summed in decreasing order of their scaled standard deviation, which is 1 up to the
# last bit: that order decides which distances tie exactly.
standin_neighbours <- function(train, new, count) {
  spread <- sqrt(apply(train, 2, var))
  constant <- spread == 0
  spread[constant] <- 1
  train <- sweep(train, 2, spread, "/")
  new <- sweep(new, 2, spread, "/")
  order_of_sum <- order(ifelse(constant, 0, apply(train, 2, sd)), decreasing = TRUE)
  squared <- matrix(0, nrow(new), nrow(train))
  for (column in setdiff(order_of_sum, which(constant))) {
    squared <- squared + outer(new[, column], train[, column], "-")^2
  }
  kept <- seq_len(min(count, nrow(train)))
  rows <- apply(squared, 1, function(distances) {
    nearest <- order(distances)[seq_len(min(count + 1, nrow(train)))]
    tied <- anyDuplicated(distances[nearest]) > 0
    (if (tied) tied_neighbours(distances, count) else nearest)[kept]
  })
  matrix(rows, nrow(new), length(kept), byrow = TRUE)
}

# The order in which kknn finds rows at equal distance: rows are read in order into a short
# buffer; once that was sorted and cut, a row enters only if it is strictly closer than the last
# one kept, whose place it takes; rows beyond the cut stay in the buffer until overwritten.
tied_neighbours <- function(distances, count) {
  n <- length(distances)
  size <- min(2 * min(max(10, count), n), n)
  buffer <- list(distance = rep(1e300, size + 1), row = rep(1L, size + 1))
  filled <- 0
  limit <- 1e300
  for (row in seq_len(n)) {
    if (distances[row] < limit) {
      filled <- filled + 1
      buffer$distance[filled] <- distances[row]
      buffer$row[filled] <- row
    }
    if (filled == size - 1) {
      buffer <- shell_sorted(buffer, size)
      filled <- count - 1
      limit <- buffer$distance[count]
    }
  }
  shell_sorted(buffer, size + 1)$row[seq_len(count)]
}

# Shell sort of the first `size` elements with gaps 1, 4, 13, ...: not stable, and its order of
# equal elements is part of the result.
shell_sorted <- function(buffer, size) {
  distance <- buffer$distance
  row <- buffer$row
  gap <- 1
  while (gap <= size %/% 9) gap <- 3 * gap + 1
  while (gap > 0) {
    for (start in seq_len(max(size - gap, 0)) + gap) {
      moved <- distance[start]
      moved_row <- row[start]
      place <- start
      while (place > gap && distance[place - gap] > moved) {
        distance[place] <- distance[place - gap]
        row[place] <- row[place - gap]
        place <- place - gap
      }
      distance[place] <- moved
      row[place] <- moved_row
    }
    gap <- gap %/% 3
  }
  list(distance = distance, row = row)
}

standin_means <- function(y, rows, k) {
  rowSums(matrix(y[rows[, seq_len(k)]], nrow(rows), k)) / k
}

# Leave-one-out choice among several k, as train.kknn makes it: the nearest row of the training
# data, which is the row itself unless another is equal to it, is left out.
standin_best_k <- function(model, ks) {
  rows <- standin_neighbours(model$x, model$x, max(ks) + 2)[, -1, drop = FALSE]
  errors <- vapply(ks, function(k) mean((model$y - standin_means(model$y, rows, k))^2), 0)
  ks[which.min(errors)]
}
