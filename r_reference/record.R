# Records values of live R packages, with where they come from, so that they can be compared on
# machines that have no R.
#
#   Rscript r_reference/record.R [lecture] [SEED ...]
#
# needs kknn (from CRAN), dplyr, purrr, tidyr, jsonlite and digest. For each seed it writes
# r_reference/recorded/kknn-<version>-seed<SEED>.json, for `lecture` the run of the course that
# `pycvstat lecture` repeats, r_reference/recorded/lecture.json, and their lines in SHA256SUMS.
# `data` holds the frames, numbers as text of 17 digits, `cases` the calls with their results; rows
# are 1-based. A vector of length one becomes a scalar.

needed <- c("kknn", "dplyr", "purrr", "tidyr", "jsonlite", "digest")
missing <- needed[!vapply(needed, requireNamespace, TRUE, quietly = TRUE)]
if (length(missing)) {
  stop("recording needs packages that are not installed: install.packages(c(",
       paste0('"', missing, '"', collapse = ", "), "))")
}
suppressPackageStartupMessages({library(kknn); library(jsonlite)})
script <- sub("--file=", "", grep("--file=", commandArgs(FALSE), value = TRUE))
here <- dirname(normalizePath(script))
source(file.path(here, "lecture.R"))

num <- function(x) {
  x <- as.numeric(x)
  ifelse(is.na(x), "NA", sprintf("%.17g", x))
}
rows_of <- function(m, f) apply(m, 1, f, simplify = FALSE)
column <- function(v) {
  type <- if (is.ordered(v)) "ordered" else class(v)[1]
  if (is.factor(v)) list(type = type, levels = levels(v), values = as.character(v))
  else if (is.character(v)) list(type = type, values = v)
  else list(type = "numeric", values = num(v))
}

kernels <- c("rectangular", "triangular", "epanechnikov", "biweight", "triweight", "cos", "inv",
             "gaussian", "rank", "optimal")

# Data with and without ties, duplicated rows, a constant column, factors of both kinds and text.
make_data <- function(seed) {
  set.seed(seed)
  smooth <- data.frame(x1 = rnorm(140), x2 = runif(140, -2, 5), x3 = rexp(140),
                       x4 = rnorm(140, 10, 30))
  smooth$y <- with(smooth, sin(x1) + x2^2 / 5 + 0.1 * x3 + rnorm(140, sd = .4))
  tied <- data.frame(a = sample(1:5, 160, TRUE), b = sample(1:4, 160, TRUE),
                     c = round(rnorm(160), 1))
  tied$y <- round(tied$a - tied$b^2 / 4 + rnorm(160), 2)
  mixed <- data.frame(u = rnorm(150),
                      f = factor(sample(c("red", "green", "blue"), 150, TRUE)),
                      o = factor(sample(c("lo", "mid", "hi"), 150, TRUE),
                                 levels = c("lo", "mid", "hi"), ordered = TRUE),
                      s = sample(c("p", "q"), 150, TRUE), stringsAsFactors = FALSE)
  mixed$y <- mixed$u + as.integer(mixed$o) + rnorm(150)
  nominal <- data.frame(x1 = rnorm(150), x2 = sample(1:6, 150, TRUE),
                        cls = factor(sample(c("a", "b", "c"), 150, TRUE)))
  ordinal <- data.frame(x1 = rnorm(150), x2 = runif(150))
  ordinal$cls <- cut(ordinal$x1 + ordinal$x2 + rnorm(150), c(-Inf, -.5, .5, 1.5, Inf),
                     labels = c("q1", "q2", "q3", "q4"), ordered_result = TRUE)
  cars <- mtcars
  names(cars)[1] <- "y"
  rownames(cars) <- NULL
  list(smooth = smooth, tied = tied, mixed = mixed, nominal = nominal, ordinal = ordinal,
       constant = transform(smooth[1:80, ], z = 3), dup = tied[rep(1:40, each = 2), ],
       mtcars = cars)
}

kknn_case <- function(data, name, formula, n_train, k, distance = 2, kernel = "optimal",
                      scale = TRUE, ykernel = 0) {
  d <- data[[name]]
  fit <- kknn(as.formula(formula), d[seq_len(n_train), , drop = FALSE],
              d[-seq_len(n_train), , drop = FALSE], k = k, distance = distance, kernel = kernel,
              scale = scale, ykernel = ykernel)
  continuous <- fit$response == "continuous"
  list(kind = "kknn", data = name, formula = formula, n_train = n_train, k = k,
       distance = distance, kernel = kernel, scale = scale, ykernel = ykernel,
       response = fit$response, C = rows_of(fit$C, as.integer), D = rows_of(fit$D, num),
       W = rows_of(fit$W, num),
       fitted = if (continuous) num(fit$fitted.values) else as.character(fit$fitted.values),
       prob = if (continuous) NULL else rows_of(fit$prob, num))
}

kknn_cases <- function(data) {
  calls <- rbind(
    expand.grid(name = "smooth", formula = "y ~ .", n = 100, k = c(1, 6, 13), p = 2,
                kernel = kernels),
    expand.grid(name = "smooth", formula = "y ~ .", n = 100, k = 7, p = c(0.5, 1, 3),
                kernel = c("rectangular", "triangular", "optimal", "gaussian")),
    expand.grid(name = "tied", formula = "y ~ .", n = 120, k = c(1, 5, 17), p = 2,
                kernel = kernels),
    expand.grid(name = "tied", formula = "y ~ .", n = 120, k = c(3, 11), p = c(1, 3),
                kernel = "rectangular"),
    expand.grid(name = "mixed", n = 110, k = 6, p = 2, kernel = c("rectangular", "optimal"),
                formula = c("y ~ .", "y ~ u + f", "y ~ o + s", "y ~ u * f", "y ~ . - s")),
    expand.grid(name = "nominal", formula = "cls ~ .", n = 110, k = c(2, 9), p = 2,
                kernel = kernels),
    data.frame(name = c("constant", "constant", "constant", "dup", "smooth"),
               formula = c(rep("y ~ .", 4), "y ~ x2"), n = c(60, 60, 60, 60, 100),
               k = c(5, 60, 59, 4, 5), p = 2,
               kernel = c("rectangular", "rectangular", "optimal", "rectangular", "rectangular")))
  plain <- lapply(seq_len(nrow(calls)), function(i) with(calls[i, ], kknn_case(
    data, as.character(name), as.character(formula), n, k, p, as.character(kernel))))
  unscaled <- lapply(c("rectangular", "inv", "optimal"), function(kernel)
    kknn_case(data, "smooth", "y ~ .", 100, 9, 2, kernel, scale = FALSE))
  y_kernels <- expand.grid(kernel = c("rectangular", "triangular", "optimal"), y = 0:2)
  ordinal <- lapply(seq_len(nrow(y_kernels)), function(i) with(y_kernels[i, ], kknn_case(
    data, "ordinal", "cls ~ .", 110, 8, 2, as.character(kernel), ykernel = y)))
  c(plain, unscaled, ordinal)
}

train_case <- function(data, name, formula, ks, kernel, distance = 2) {
  fit <- suppressWarnings(train.kknn(as.formula(formula), data[[name]], ks = ks, kernel = kernel,
                                     distance = distance))
  table <- function(m) if (is.null(m) || all(is.na(m))) NULL else rows_of(m, num)
  list(kind = "train.kknn", data = name, formula = formula, ks = ks, kernel = as.list(kernel),
       distance = distance, scale = TRUE, response = fit$response, mean_squ = table(fit$MEAN.SQU),
       mean_abs = table(fit$MEAN.ABS), misclass = table(fit$MISCLASS),
       best_kernel = fit$best.parameters$kernel, best_k = fit$best.parameters$k)
}

train_cases <- function(data) list(
  train_case(data, "smooth", "y ~ .", 1:15, c("rectangular", "optimal", "triangular")),
  train_case(data, "tied", "y ~ .", c(1, 2, 5, 9, 20), kernels),
  train_case(data, "dup", "y ~ .", 1:8, "rectangular"),
  train_case(data, "nominal", "cls ~ .", c(1, 4, 9), c("rectangular", "gaussian")),
  train_case(data, "ordinal", "cls ~ .", c(2, 7, 12), c("optimal", "inv")),
  train_case(data, "mixed", "y ~ .", c(3, 8), c("rectangular", "rank"), distance = 1))

folds_case <- function(n, folds) list(
  kind = "lecture_folds", n = n, folds = folds,
  rows = lapply(seq(folds), function(fold)
    as.list(which(seq(n) %in% fold_rows(n, fold, folds, as_in_r = TRUE)))))

folds_cases <- function() Map(folds_case, c(20, 10, 10, 9, 7, 103, 100, 13, 50),
                              c(4, 3, 6, 6, 7, 10, 8, 12, 49))

# `inner` folds both for the curve and inside the nested estimate
lecture_case <- function(data, name, seed, outer, inner, ks) {
  run <- lecture_run(data[[name]], "y", inner, ks, outer, inner, seed)
  list(kind = "lecture_run", data = name, shuffle_seed = seed, outer = outer, inner = inner,
       ks = ks, cv_curve = num(run$cv_curve), optimal_k = run$optimal_k,
       test_error = num(run$test_error), nested_k = run$nested_k,
       nested_errors = num(run$nested_errors), nested = num(run$nested))
}

lecture_cases <- function(data, seed) list(
  lecture_case(data, "smooth", 1, 8, 5, 1:30), lecture_case(data, "tied", seed, 8, 5, 1:30),
  lecture_case(data, "tied", 7, 5, 10, seq(1, 25, 2)),
  lecture_case(data, "mtcars", 3, 6, 4, 1:8))

rng_case <- function(seed) {
  set.seed(seed)
  list(kind = "rng", seed = seed, runif = num(runif(5)), rnorm = num(rnorm(5)),
       sample = sample(10), sample_big = sample(1e6, 5), sample_repl = sample(7, 9, replace = TRUE),
       rexp = num(rexp(3)), sample_n = sample.int(1000, 6), rnorm2 = num(rnorm(3, 5, 2)))
}

record_seed <- function(seed) {
  data <- make_data(seed)
  cases <- c(kknn_cases(data), train_cases(data), folds_cases(), lecture_cases(data, seed),
             list(rng_case(seed)))
  frames <- lapply(data, function(d) lapply(as.list(d), column))
  write_record(sprintf("kknn-%s-seed%d.json", packageVersion("kknn"), seed), data = frames,
               cases = cases, seed = seed)
}

# pycvstat.data.waves(200, random=2021)
record_lecture <- function() {
  set.seed(2021)
  waves <- data.frame(x1 = rnorm(200), x2 = runif(200, -2, 5), x3 = rexp(200))
  waves$y <- with(waves, sin(x1) + x2^2 / 5 + x3 / 10 + rnorm(200, sd = 0.4))
  run <- lecture_run(waves)
  run[] <- lapply(run, function(part) if (is.double(part)) num(part) else part)
  write_record("lecture.json", data = lapply(as.list(waves), num), run = run, seed = 2021)
}

write_record <- function(name, ..., seed) {
  versions <- sapply(needed[1:4], function(p) as.character(packageVersion(p)))
  meta <- c(list(r = R.version.string), as.list(versions),
            list(seed = seed, platform = R.version$platform, date = format(Sys.Date()),
                 script = "r_reference/record.R",
                 script_sha256 = digest::digest(file = script, algo = "sha256")))
  file <- file.path(here, "recorded", name)
  write(toJSON(list(meta = meta, ...), auto_unbox = TRUE, null = "null"), file)
  note_checksum(name, digest::digest(file = file, algo = "sha256"))
  cat(name, "recorded\n")
}

note_checksum <- function(name, sum) {
  sums <- file.path(here, "recorded", "SHA256SUMS")
  lines <- if (file.exists(sums)) readLines(sums) else character()
  lines <- c(lines[!endsWith(lines, paste0("  ", name))], paste0(sum, "  ", name))
  writeLines(lines[order(sub(".*  ", "", lines), method = "radix")], sums)
}

wanted <- commandArgs(TRUE)
seeds <- suppressWarnings(as.integer(setdiff(wanted, "lecture")))
if (!length(wanted) || anyNA(seeds)) stop("usage: Rscript record.R [lecture] [SEED ...]")
if ("lecture" %in% wanted) record_lecture()
for (seed in seeds) record_seed(seed)
