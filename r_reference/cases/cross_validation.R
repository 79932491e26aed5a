# Cross-validation by R packages, with the folds given.
# needs: boot, MASS, caret, glmnet
cases <- list()
cars <- mtcars
rownames(cars) <- NULL
loo <- function(name, data, fit) {
  delta <- boot::cv.glm(data, fit)$delta
  cases[[paste0("boot cv.glm leave-one-out, ", name, ": pooled")]] <<- delta[1]
  cases[[paste0("boot cv.glm leave-one-out, ", name, ": bias-adjusted")]] <<- delta[2]
}
loo("mammals", MASS::mammals, glm(log(brain) ~ log(body), data = MASS::mammals))
loo("mtcars mpg ~ wt", cars, glm(mpg ~ wt, data = cars))
loo("mtcars mpg ~ wt + hp", cars, glm(mpg ~ wt + hp, data = cars))
loo("mtcars am ~ wt, binomial", cars,
    glm(am ~ wt, binomial, cars))
for (seed in c(1, 2)) for (K in c(4, 10)) {
  set.seed(seed)
  ids <- sample(rep(seq(K), length = 32))
  name <- paste0(", ", K, " folds, seed ", seed)
  for (f in c("mpg ~ wt", "mpg ~ wt + hp + factor(cyl)")) {
    losses <- numeric(32)
    for (k in seq(K)) {
      fit <- lm(as.formula(f), cars[ids != k, ])
      losses[ids == k] <- (cars$mpg[ids == k] - predict(fit, cars[ids == k, ]))^2
    }
    cases[[paste0("lm ", f, name, ": losses")]] <- losses
    cases[[paste0("lm ", f, name, ": fold means")]] <- as.vector(tapply(losses, ids, mean))
    cases[[paste0("lm ", f, name, ": mean of fold means")]] <- mean(tapply(losses, ids, mean))
    cases[[paste0("lm ", f, name, ": pooled")]] <- mean(losses)
  }
  index <- lapply(seq(K), function(k) which(ids != k))
  fit <- caret::train(mpg ~ wt + hp, cars, method = "lm",
                      trControl = caret::trainControl(method = "cv", index = index))
  cases[[paste0("caret RMSE, mean over folds", name)]] <- fit$results$RMSE
  cases[[paste0("caret Rsquared, squared correlation", name)]] <- fit$results$Rsquared
  cases[[paste0("caret MAE", name)]] <- fit$results$MAE
  x <- as.matrix(cars[, c("wt", "hp", "qsec")])
  lambda <- c(3, 1, 0.3, 0.1)
  found <- glmnet::cv.glmnet(x, cars$mpg, alpha = 0, lambda = lambda, foldid = ids,
                             thresh = 1e-20, maxit = 1e7, grouped = FALSE)
  cases[[paste0("cv.glmnet ridge, pooled by lambda", name)]] <- found$cvm
}
cases
