# What R makes of formulas: terms, columns, their terms, and the model matrix, with R's default
# contrasts as lm sees them (unused levels dropped) and with those of kknn.
#
#   Rscript r_reference/formulas.R OUT.json
#
# needs kknn and jsonlite. Numbers are text of 17 digits. The reference of pycvstat/data/formula.

suppressPackageStartupMessages({library(kknn); library(jsonlite)})
invisible(Sys.setlocale("LC_COLLATE", "C"))

num <- function(x) ifelse(is.na(unname(x)), "NA", sprintf("%.17g", as.numeric(x)))

make_data <- function() {
  set.seed(4)
  n <- 14
  d <- data.frame(
    y = rnorm(n), x = rnorm(n), z = runif(n, 1, 9), i = rep_len(c(3, 1, 5, 2, 4), n),
    f = factor(rep_len(c("mid", "lo", "hi"), n), levels = c("lo", "mid", "hi")),
    g = rep_len(c("b", "a", "C", "\u00e9"), n),
    o = factor(rep_len(c("s", "l", "m", "xl", "xxl"), n), levels = c("s", "m", "l", "xl", "xxl"),
               ordered = TRUE),
    l = rep_len(c(TRUE, FALSE, FALSE), n),
    u = factor(rep_len(c("p", "q"), n), levels = c("p", "never", "q")),
    stringsAsFactors = FALSE)
  d[["a b"]] <- rnorm(n)
  d[["we`ird"]] <- rnorm(n)
  d[["h h"]] <- rep_len(c("k", "m", "k"), n)
  d
}

formulas <- c(
  "y ~ x", "y ~ .", "y ~ . - u", "y ~ f", "y ~ f + g + o + l", "y ~ 0 + f + g", "y ~ f - 1",
  "y ~ x + f - 1", "y ~ x:f", "y ~ f:g", "y ~ f*g", "y ~ f:g + f", "y ~ 0 + f:g", "y ~ f/x",
  "y ~ f/g", "y ~ x %in% f", "y ~ f + x %in% f", "y ~ f*o", "y ~ o:x", "y ~ o", "y ~ 0 + o",
  "y ~ l", "y ~ 0 + l", "y ~ l:f", "y ~ l*x", "y ~ (f + g + x)^2", "y ~ (f + g + x)^3 - f:g:x",
  "y ~ (f + o)^2 - o", "y ~ f*g*l - f:g", "y ~ f:l:g", "y ~ f + g:l", "y ~ g:f:x + f",
  "y ~ x*z*i", "y ~ I(x^2) + I(x*z) + I(z/i)",
  paste("y ~ log(z) + sqrt(z) + exp(x) + abs(x) + log2(z) + log10(z) + log1p(z) + sin(x) + cos(x)",
        "+ tan(x)"),
  "y ~ floor(z) + ceiling(z) + sign(x) + expm1(x) + sinh(x) + cosh(x) + tanh(x)",
  "y ~ asin(x/10) + acos(x/10) + atan(x)", "y ~ log(z, 3) + log(z, base = 2) + log(z, 10)",
  "y ~ factor(i)", "y ~ factor(i)*f", "y ~ ordered(i) + x",
  "y ~ factor(i, levels = c(5, 4, 3, 2, 1))", "y ~ factor(l)", "y ~ as.factor(i)",
  "y ~ factor(i, labels = c('one', 'two', 'three', 'four', 'five'))",
  "y ~ ordered(g, levels = c('C', 'b', 'a', '\u00e9'))", "y ~ poly(x, 3)",
  "y ~ poly(x, 3, raw = TRUE)", "y ~ poly(x, degree = 2):f", "y ~ poly(x, 1)",
  "y ~ poly(log(z), 2)", "y ~ poly(x, 2)*poly(z, 2)", "y ~ poly(i, 4)",
  "y ~ scale(x) + scale(z, center = FALSE) + scale(z, scale = FALSE) + scale(i, 2, 3)",
  "y ~ cut(x, c(-Inf, -1, 0, 1, Inf))",
  "y ~ cut(z, c(0, 2.123456, 5, 10), labels = c('A', 'B', 'C'))",
  "y ~ cut(z, breaks = c(1, 2.5, 5, 9), right = FALSE, include.lowest = TRUE)",
  "y ~ cut(z, breaks = c(0, 2.5, 5, 9), ordered_result = TRUE)", "y ~ I(x > 0)",
  "y ~ I(x > 0 & z < 5 | l)", "y ~ I(!l)", "y ~ I(g == 'a') + I(i %in% c(1, 2))",
  "y ~ I(g != 'a'):x", "y ~ I(f == 'lo' | g == 'a')",
  "y ~ I(x < 0) + I(x >= z) + I(i == 3) + I(i != 3)", "y ~ `a b` + `a b`:f + `we\\`ird`",
  "y ~ `h h`*f", "y ~ u", "y ~ u:f", "y ~ f + offset(x)", "y ~ offset(log(z)) + x + offset(i)",
  "y ~ 1", "y ~ x + 0 + 1", "y ~ x + (0 + f)", "y ~ TRUE + x", "y ~ x + FALSE", "y ~ -1 + x",
  "y ~ x - (f - 1)", "y ~ -z + x",
  paste("y ~ I(100000*x) + I(x/1000) + I(x*0.0001) + I(2^3*x) + I(-x^2) + I((-x)^2) + I(i %% 2)",
        "+ I(i %/% 2) + I(x + -1) + I(123456*x)"),
  "y ~ exp(-x^2/2) + I(1L*x) + I(0x10*x) + I(.5*x) + I(1e-20*x) + I(x^-1/2)",
  "y ~ I(pi*x) + sin(2*pi*z)", "y ~ x^2", "y ~ (x + z)^2L", "y ~ f:x + g:x", "y ~ f:x + x",
  "y ~ x:z:f + x:f", "y ~ 0 + x:f + o", "y ~ 0 + f:x + g:x", "y ~ g %in% f", "y ~ f + f:o:l",
  "y ~ o + o:f - 1", "y ~ l + l:o", "y ~ l:x - 1", "y ~ factor(i):factor(l):x",
  "y ~ (x + f + l + o)^3", "y ~ x + x:x + f:f", "log(z) ~ .", "I(x - y) ~ .",
  "x + y ~ z", "z^2 ~ x", "-z ~ x + f", "l ~ x", "f ~ x", "o ~ x + f", "factor(i) ~ x",
  "I(x > 0) ~ z", "cut(z, c(0, 5, 10)) ~ x")

kknn_contrasts <- function(terms) {
  classes <- attr(terms, "dataClasses")[-1]
  wanted <- c(factor = "contr.dummy", character = "contr.dummy", ordered = "contr.ordinal")
  chosen <- wanted[classes]
  as.list(setNames(chosen, names(classes))[!is.na(chosen)])
}

matrix_case <- function(text, data, coding) {
  frame <- model.frame(as.formula(text), data, drop.unused.levels = coding == "contrasts")
  terms <- attr(frame, "terms")
  arguments <- if (coding == "kknn") kknn_contrasts(terms)
  X <- model.matrix(terms, frame, contrasts.arg = if (length(arguments)) arguments)
  y <- unname(model.response(frame))
  offset <- model.offset(frame)
  list(formula = text, coding = coding, columns = as.list(colnames(X)),
       assign = as.list(attr(X, "assign")), labels = as.list(attr(terms, "term.labels")),
       orders = as.list(attr(terms, "order")), intercept = attr(terms, "intercept") == 1,
       X = lapply(seq_len(nrow(X)), function(row) as.list(num(unname(X[row, ])))),
       y = as.list(if (is.numeric(y)) num(y) else as.character(y)), levels = as.list(levels(y)),
       offset = if (!is.null(offset)) as.list(num(offset)))
}

column <- function(v) list(
  type = if (is.ordered(v)) "ordered" else class(v)[1], levels = as.list(levels(v)),
  values = if (is.numeric(v)) num(v) else as.character(v))

data <- make_data()
cases <- c(lapply(formulas, matrix_case, data, "contrasts"),
           lapply(grep("log|scale|I[(]|poly|cut|offset", formulas, value = TRUE, invert = TRUE),
                  matrix_case, data, "kknn"))
meta <- list(r = R.version.string, kknn = as.character(packageVersion("kknn")),
             platform = R.version$platform, date = format(Sys.Date()),
             made_by = "Rscript r_reference/formulas.R OUT.json")
write(toJSON(list(meta = meta, data = lapply(as.list(data), column), cases = cases),
             auto_unbox = TRUE, null = "null"), commandArgs(TRUE)[1])
