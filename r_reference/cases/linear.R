# Linear models: coefficients, standard errors, statistics, p values; predictions.
# needs: MASS, quantreg, glmnet, nnet
cases <- list()
cars <- mtcars
rownames(cars) <- NULL
table_of <- function(name, fit, ...) {
  found <- summary(fit, ...)$coefficients
  cases[[paste0(name, ": coefficients")]] <<- unname(found[, 1])
  cases[[paste0(name, ": standard errors")]] <<- unname(found[, 2])
  cases[[paste0(name, ": statistics")]] <<- unname(found[, 3])
  cases[[paste0(name, ": p values")]] <<- unname(found[, 4])
  cases[[paste0(name, ": fitted")]] <<- unname(fitted(fit))
}
for (f in c("mpg ~ wt", "mpg ~ wt + hp", "mpg ~ .", "mpg ~ wt * hp", "mpg ~ factor(cyl) + wt",
            "mpg ~ factor(cyl) * wt", "mpg ~ poly(wt, 2) + hp", "log(mpg) ~ log(wt) + I(hp^2)",
            "mpg ~ 0 + factor(gear)", "mpg ~ (wt + hp + qsec)^2")) {
  table_of(paste("lm", f), lm(as.formula(f), cars))
}
table_of("glm am ~ wt, binomial", glm(am ~ wt, binomial, cars))
table_of("glm carb ~ hp + wt, poisson", glm(carb ~ hp + wt, poisson, cars))
table_of("glm mpg ~ wt, Gamma log", glm(mpg ~ wt, Gamma(link = "log"), cars))
table_of("glm vs ~ mpg, binomial probit", glm(vs ~ mpg, binomial("probit"), cars))
table_of("lm mpg ~ wt + hp, weights qsec", lm(mpg ~ wt + hp, cars, weights = qsec))
table_of("glm carb ~ hp + wt, negative binomial",
         glm(carb ~ hp + wt, MASS::negative.binomial(1), cars), dispersion = 1)
odds <- summary(nnet::multinom(factor(cyl) ~ qsec, cars, trace = FALSE, reltol = 1e-16,
                               maxit = 5000, Hess = TRUE))
cases[["multinom factor(cyl) ~ qsec: coefficients"]] <- as.vector(t(odds$coefficients))
cases[["multinom factor(cyl) ~ qsec: standard errors"]] <- as.vector(t(odds$standard.errors))
cases[["rlm mpg ~ wt + hp, bisquare: coefficients"]] <-
  unname(coef(MASS::rlm(mpg ~ wt + hp, cars, psi = MASS::psi.bisquare)))
cases[["rlm mpg ~ wt + hp: coefficients"]] <-
  unname(coef(MASS::rlm(mpg ~ wt + hp, cars)))
for (tau in c(0.25, 0.5, 0.9)) {
  cases[[paste0("rq mpg ~ wt + hp, tau = ", tau, ": coefficients")]] <-
    unname(coef(quantreg::rq(mpg ~ wt + hp, tau, cars)))
}
x <- as.matrix(cars[, c("wt", "hp", "qsec", "drat")])
for (alpha in c(0, 0.5, 1)) for (lambda in c(0.1, 1)) {
  fit <- glmnet::glmnet(x, cars$mpg, alpha = alpha, lambda = lambda, thresh = 1e-22, maxit = 1e7)
  cases[[paste0("glmnet alpha = ", alpha, ", lambda = ", lambda, ": fitted")]] <-
    as.vector(predict(fit, x))
}
cases
