# R's random numbers: every kind after every seed.
cases <- list()
for (seed in c(0L, 1L, 42L, 2147483647L, -5L)) {
  add <- function(name, value) cases[[paste0(name, ", seed ", seed)]] <<- value
  set.seed(seed); add("runif(10)", runif(10))
  set.seed(seed); add("rnorm(10)", rnorm(10))
  set.seed(seed); add("rnorm(5, 3, 2)", rnorm(5, 3, 2))
  set.seed(seed); add("rexp(10)", rexp(10))
  set.seed(seed); add("sample(10)", sample(10))
  set.seed(seed); add("sample(1e6, 5)", sample(1e6, 5))
  set.seed(seed); add("sample(2e7, 5)", sample(2e7, 5))
  set.seed(seed); add("sample(7, 9, replace)", sample(7, 9, TRUE))
  set.seed(seed); add("sample(5, 3, prob)", sample(5, 3, prob = 1:5))
  set.seed(seed); add("sample(5, 9, replace, prob)", sample(5, 9, TRUE, 1:5))
  set.seed(seed); add("sample(300, 20, replace, prob): Walker", sample(300, 20, TRUE, 1:300))
  set.seed(seed); add("runif, rnorm, sample, rexp in turn", c(runif(2), rnorm(3), sample(9), rexp(1)))
  suppressWarnings(set.seed(seed, sample.kind = "Rounding"))
  add("sample(10) before R 3.6", sample(10))
  set.seed(seed, sample.kind = "Rejection")
}
cases
