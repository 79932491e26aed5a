# Neighbours and nearest-neighbour predictions by other packages, on scaled columns without ties.
# needs: FNN, class
cases <- list()
set.seed(11)
x <- matrix(rnorm(120 * 3), 120)
y <- sin(x[, 1]) + x[, 2]^2 + rnorm(120, sd = .3)
label <- factor(ifelse(x[, 1] + rnorm(120) > 0, "b", "a"))
train <- 1:90
new <- 91:120
scale_by <- apply(x[train, ], 2, sd)
a <- sweep(x[train, ], 2, scale_by, "/")
b <- sweep(x[new, ], 2, scale_by, "/")
cases$x <- as.vector(x)
cases$y <- y
cases$label <- as.integer(label)
for (k in c(1, 3, 7, 15)) {
  found <- FNN::get.knnx(a, b, k)
  cases[[paste0("neighbour rows, k = ", k)]] <- as.vector(t(found$nn.index))
  cases[[paste0("distances, k = ", k)]] <- as.vector(t(found$nn.dist))
  cases[[paste0("FNN knn.reg, k = ", k)]] <- FNN::knn.reg(a, b, y[train], k)$pred
  # an odd k and two classes: no vote can tie
  cases[[paste0("class knn, k = ", k)]] <- as.integer(class::knn(a, b, label[train], k))
  cases[[paste0("FNN knn.reg leave-one-out, k = ", k)]] <-
    FNN::knn.reg(sweep(x, 2, apply(x, 2, sd), "/"), y = y, k = k)$pred
}
cases
