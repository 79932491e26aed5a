# Records values of live kknn where they are hardest to get right: heavy ties, duplicated rows,
# constants, many columns, k next to the number of training rows, powers of the Minkowski distance,
# interactions; and what surprises in kknn: see `pycvstat.r.kknn`.
#
#   Rscript r_reference/record_kknn_hard.R [SEED]
#
# needs kknn (from CRAN), jsonlite and digest. Writes r_reference/recorded/kknn-<version>-hard.json
# in the layout of record.R, with the first 8 rows after the training rows as test rows. Numbers
# are text of 17 digits, rows 1-based.

suppressPackageStartupMessages({library(kknn); library(jsonlite)})
script <- sub("--file=", "", grep("--file=", commandArgs(FALSE), value = TRUE))
here <- dirname(normalizePath(script))
seed <- as.integer(c(commandArgs(TRUE), "7")[1])
set.seed(seed)

num <- function(x) {
  x <- as.numeric(x)
  ifelse(is.na(x), "NA", sprintf("%.17g", x))
}
rows_of <- function(m, f) apply(m, 1, function(r) as.list(f(r)), simplify = FALSE)
column <- function(v) {
  type <- if (is.ordered(v)) "ordered" else class(v)[1]
  if (is.factor(v)) list(type = type, levels = levels(v), values = as.character(v))
  else if (is.character(v)) list(type = type, values = v)
  else list(type = "numeric", values = num(v))
}
kernels <- c("rectangular", "triangular", "epanechnikov", "biweight", "triweight", "cos", "inv",
             "gaussian", "rank", "optimal")

integers <- data.frame(a = sample(1:3, 90, TRUE), b = sample(1:3, 90, TRUE),
                       c = sample(0:1, 90, TRUE), y = sample(1:9, 90, TRUE))
decimals <- data.frame(a = sample(-3:3, 80, TRUE) * 0.1, b = round(runif(80), 1),
                       c = sample(-3:3, 80, TRUE) * 0.1)
decimals$y <- round(decimals$a + decimals$b + rnorm(80, sd = 0.2), 1)
copies <- integers[rep(1:30, each = 3), ]
binary <- as.data.frame(matrix(sample(0:1, 60 * 24, TRUE), 60))
binary$y <- factor(sample(c("a", "b"), 60, TRUE))
wide <- as.data.frame(matrix(rnorm(70 * 50), 70))
wide$y <- rowMeans(wide) + rnorm(70)
shifted <- data.frame(a = 1e6 + rnorm(60), b = 1e-6 * rexp(60), k = 0.1)
shifted$y <- rnorm(60)
terms <- data.frame(u = round(rnorm(80), 1), f = factor(sample(c("x", "y", "z"), 80, TRUE),
                                                       levels = c("x", "y", "z", "unused")),
                    o = factor(sample(c("lo", "mid", "hi"), 80, TRUE), c("lo", "mid", "hi"),
                               ordered = TRUE))
terms$y <- terms$u + as.integer(terms$o)
votes <- data.frame(x = sample(1:6, 70, TRUE), z = round(rnorm(70), 1),
                    y = factor(sample(c("a", "b", "c"), 70, TRUE)))
grades <- data.frame(x = sample(1:4, 70, TRUE), z = round(rnorm(70), 1))
grades$y <- cut(grades$x + rnorm(70), c(-Inf, 1.5, 2.5, 3.5, Inf), labels = c("D", "C", "B", "A"),
                ordered_result = TRUE)
tiny <- data.frame(x = c(1, 2, 2, 4, 7), y = c(1, 3, 2, 5, 4))
data <- list(integers = integers, decimals = decimals, copies = copies, binary = binary,
             wide = wide, shifted = shifted, terms = terms, votes = votes, grades = grades,
             tiny = tiny)

kknn_case <- function(name, n_train, k, distance = 2, kernel = "optimal", formula = "y ~ .",
                      scale = TRUE, ykernel = 0) {
  d <- data[[name]]
  test <- utils::head(d[-seq_len(n_train), , drop = FALSE], 8)
  fit <- kknn(as.formula(formula), d[seq_len(n_train), , drop = FALSE], test, k = k, distance = distance, kernel = kernel,
              scale = scale, ykernel = ykernel)
  continuous <- fit$response == "continuous"
  list(kind = "kknn", data = name, formula = formula, n_train = n_train, k = k,
       distance = distance, kernel = kernel, scale = scale, ykernel = ykernel,
       response = fit$response, C = rows_of(fit$C, as.integer), D = rows_of(fit$D, num),
       W = rows_of(fit$W, num),
       fitted = if (continuous) num(fit$fitted.values) else as.character(fit$fitted.values),
       prob = if (continuous) NULL else rows_of(fit$prob, num))
}

train_case <- function(name, ks, kernel = "optimal", distance = 2, formula = "y ~ .",
                       scale = TRUE, ykernel = 0) {
  fit <- suppressWarnings(train.kknn(as.formula(formula), data[[name]], ks = ks, kernel = kernel,
                                     distance = distance, scale = scale, ykernel = ykernel))
  table <- function(m) if (all(is.na(m))) NULL else rows_of(m, num)
  new <- utils::tail(data[[name]], 9)
  predicted <- predict(fit, new[, names(new) != "y", drop = FALSE])
  list(kind = "train.kknn", data = name, formula = formula, ks = as.list(ks),
       kernel = as.list(kernel), distance = distance, scale = scale, ykernel = ykernel,
       response = fit$response, mean_squ = table(fit$MEAN.SQU), mean_abs = table(fit$MEAN.ABS),
       misclass = table(fit$MISCLASS), best_kernel = fit$best.parameters$kernel,
       best_k = fit$best.parameters$k,
       predicted = if (is.factor(predicted)) as.character(predicted) else num(predicted))
}

cv_case <- function(name, kcv, k, seed) {
  set.seed(seed)
  fit <- cv.kknn(y ~ ., data[[name]], kcv = kcv, k = k)
  list(kind = "cv.kknn", data = name, kcv = kcv, k = k, seed = seed, yhat = num(fit[[1]][, "yhat"]),
       errors = as.list(num(fit[[2]])))
}

many <- function(name, n_train, ks, distances, kernel, ...) {
  calls <- expand.grid(k = ks, p = distances, kernel = kernel, stringsAsFactors = FALSE)
  lapply(seq_len(nrow(calls)), function(i)
    kknn_case(name, n_train, calls$k[i], calls$p[i], calls$kernel[i], ...))
}
near_n <- function(n) c(n - 2, n - 1, n)
cases <- c(
  many("integers", 60, c(1, 4, 9, 10, 11, 30, near_n(60)), c(0.5, 1, 2, 3), "rectangular"),
  many("integers", 60, c(5, 60), c(1.5, 2), kernels),
  many("decimals", 50, c(2, 9, near_n(50)), c(1, 2, 2.5), c("triangular", "optimal")),
  many("copies", 63, c(1, 2, 3, 8), c(1, 2), c("rectangular", "inv", "rank")),
  many("binary", 40, c(1, 6, 19, 40), c(1, 2, 3), "rectangular"),
  many("wide", 50, c(3, 12), c(1, 2, 3), "optimal"),
  many("shifted", 40, c(3, 12), c(0.5, 2), "epanechnikov"),
  many("shifted", 40, 5, 2, "gaussian", scale = FALSE),
  many("terms", 60, 7, 2, "optimal", formula = "y ~ u * f"),
  many("terms", 60, 7, 2, "cos", formula = "y ~ (u + f + o)^2"),
  many("terms", 60, 7, 1, "optimal", formula = "y ~ f:o + u"),
  many("terms", 60, 7, 2, "optimal", formula = "y ~ f + o - 1"),
  many("terms", 60, 7, 2, "optimal", formula = "y ~ I(u^2) + o"),
  many("terms", 60, 7, 2, "rectangular", formula = "y ~ 1"),
  many("votes", 50, c(2, 4, 6, 9, 50), c(1, 2), c("rectangular", "triangular", "rank")),
  many("grades", 50, c(2, 6, 10), 2, c("rectangular", "optimal"), ykernel = 1),
  many("grades", 50, 6, 2, "rectangular", ykernel = 0.5),
  many("grades", 50, 6, 2, "rectangular", ykernel = 2.5),
  many("tiny", 3, 1:3, c(1, 2), c("rectangular", "optimal")),
  many("tiny", 2, 1:2, 2, c("rectangular", "inv")),
  list(train_case("integers", c(1, 3, 10, 31, 88, 89), kernels),
       train_case("integers", c(5, 2), c("rectangular", "optimal"), distance = 0.5),
       train_case("copies", 1:12, c("optimal", "rectangular", "rank")),
       train_case("decimals", c(1, 7, 78, 79), c("inv", "rank", "gaussian"), distance = 3),
       train_case("binary", 1:9, c("rectangular", "triangular", "biweight", "triweight")),
       train_case("wide", c(2, 10, 30), c("optimal", "epanechnikov")),
       train_case("votes", c(1, 4, 12, 69), kernels, scale = FALSE),
       train_case("grades", c(2, 6, 11), c("rectangular", "cos"), ykernel = 1),
       train_case("terms", c(3, 8), "optimal", formula = "y ~ u * f"),
       train_case("tiny", 1:4, kernels),
       cv_case("decimals", 10, 5, 1), cv_case("votes", 4, 3, 2), cv_case("grades", 5, 4, 3),
       cv_case("decimals", 40, 3, 4)))

name <- sprintf("kknn-%s-hard.json", packageVersion("kknn"))
meta <- list(r = R.version.string, kknn = as.character(packageVersion("kknn")), seed = seed,
             platform = R.version$platform, date = format(Sys.Date()),
             script = "r_reference/record_kknn_hard.R",
             script_sha256 = digest::digest(file = script, algo = "sha256"))
file <- file.path(here, "recorded", name)
write(toJSON(list(meta = meta, data = lapply(data, function(d) lapply(as.list(d), column)),
                  cases = cases), auto_unbox = TRUE, null = "null"), file)
sums <- file.path(here, "recorded", "SHA256SUMS")
lines <- readLines(sums)
lines <- c(lines[!endsWith(lines, paste0("  ", name))],
           paste0(digest::digest(file = file, algo = "sha256"), "  ", name))
writeLines(lines[order(sub(".*  ", "", lines), method = "radix")], sums)
cat(name, length(cases), "cases\n")
