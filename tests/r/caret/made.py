"""Calls of train, made at random: the same in Python and in R, and how both are compared."""

import warnings

import numpy as np
import pandas as pd

from pycvstat import r
from pycvstat.errors import PycvstatError

FURTHER = 2000  # from this seed on calls have weights, saved predictions, x and y
METHODS = ("lm", "glm", "knn", "glmnet", "multinom", "rlm")
LEVELS = ("no", "Yes", "maybe")


def frame(chance, classes):
    """Predictors with and without ties and a factor; a response of numbers or classes."""
    n = int(chance.integers(24, 70))
    x = np.round(chance.normal(size=n), int(chance.choice([1, 8])))
    z = chance.integers(0, 4, n).astype(float)
    w = np.round(chance.normal(size=n) * 30, 2)
    f = np.array(list("uvw"))[chance.integers(0, 3, n)]
    signal = x + 0.5 * z - (f == "v") + chance.normal(size=n)
    if not classes:
        y = np.round(signal, 1) if chance.random() < 0.5 else signal
    else:
        cuts = np.quantile(signal, np.arange(1, classes) / classes)
        y = pd.Categorical.from_codes(np.searchsorted(cuts, signal), LEVELS[:classes])
    return pd.DataFrame({"x": x, "z": z, "w": w, "f": f, "y": y})


def grid(chance, method):
    if method in ("knn", "kknn"):
        ks = sorted({int(k) for k in chance.integers(1, 12, 3)}, key=lambda k: k * 7 % 5)
        extra = {"distance": [1, 2], "kernel": ["rectangular", "inv"]} if method == "kknn" else {}
        return {"k" if method == "knn" else "kmax": ks} | extra
    if method == "glmnet":
        return {"alpha": [1.0, 0.5], "lambda": [0.01, 0.05, 0.002]}
    return {"lm": {"intercept": [True, False]}, "multinom": {"decay": [0.01, 0.5]}}.get(method)


def case(seed, methods=METHODS):
    """The data and the settings of one call."""
    chance = np.random.default_rng(seed)
    method = str(chance.choice(methods))
    several = {"lm": (0,), "rlm": (0,), "multinom": (2, 3), "glm": (0, 2), "glmnet": (0, 2)}
    if seed >= FURTHER:
        del several["glmnet"]
    classes = int(chance.choice(several.get(method, (0, 2, 3))))
    two = classes == 2 and chance.random() < 0.5
    how = str(chance.choice(["cv", "repeatedcv", "boot", "boot632", "LOOCV", "LGOCV", "none"]))
    control = {"method": how}
    if how not in ("LOOCV", "none"):
        control["number"] = int(chance.integers(3, 11))
    if how == "repeatedcv":
        control["repeats"] = 2
    if how not in ("LOOCV", "none"):
        rules = ["best", "oneSE", "tolerance"]
        control["selectionFunction"] = str(chance.choice(rules, p=[0.5, 0.25, 0.25]))
    if chance.random() < 0.3:
        control["returnResamp"] = "all"
    if two:
        control |= {"classProbs": True, "summaryFunction": "twoClassSummary"}
    given = grid(chance, method) if chance.random() < 0.5 else None
    length = int(chance.integers(1, 4))
    if how == "none":
        given, length = None if given is None else {k: v[:1] for k, v in given.items()}, 1
    steps = [None, None, ["center", "scale"], ["range"], ["scale", "pca"], ["zv", "center"]]
    data = frame(chance, classes)
    called = {
        "form": str(
            chance.choice(["y ~ .", "y ~ x + z", "y ~ x + f" if method == "rlm" else "y ~ x * f"])
        ),
        "method": method,
        "preProcess": steps[int(chance.integers(len(steps)))],
        "tuneGrid": given,
        "tuneLength": length,
        "trControl": control,
    }
    return data, called | (further(chance, data, called) if seed >= FURTHER else {})


def further(chance, data, called):
    control, more = called["trControl"], {}
    if control["method"] != "none":
        control["savePredictions"] = str(chance.choice(["all", "final", "none"]))
    if chance.random() < 0.6:
        more["weights"] = [round(float(w), 1) for w in chance.uniform(0.3, 4, len(data))]
    if chance.random() < 0.5:
        more |= {"form": None, "x": ["x", "z", "w"]}
    return more


def as_r(value):
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return value if value == "twoClassSummary" else f"'{value}'"
    if isinstance(value, list):
        return f"c({', '.join(map(as_r, value))})"
    return "NULL" if value is None else repr(value)


HELPERS = """
suppressWarnings(suppressMessages(library(caret))); options(warn = -1)
table_of <- function(d) { out(if (is.null(d)) -1 else nrow(d)); if (!is.null(d)) {
  d <- d[sapply(d, is.numeric)]; for (n in names(d)) { out(utf8ToInt(n)); out(d[[n]]) }; out(0) } }
show <- function(call, data) { fit <- try(eval(call), silent = TRUE); u <- runif(1)
  if (inherits(fit, "try-error")) { out(0); return(invisible()) }
  out(1); out(u); out(utf8ToInt(paste(capture.output(print(fit)), collapse = "\\n")))
  table_of(fit$results); table_of(fit$resample)
  if (!is.null(fit$pred)) for (n in c("pred", "obs")) fit$pred[[n]] <- as.numeric(fit$pred[[n]])
  table_of(fit$pred)
  out(if (is.null(fit$resample)) 0 else utf8ToInt(paste(fit$resample$Resample, collapse = " ")))
  out(utf8ToInt(paste(sapply(fit$bestTune, function(v) format(v, digits = 6)), collapse = " ")))
  p <- predict(fit, data[1:7, ]); out(p); out(runif(1)) }
"""


def in_r(seed, methods=METHODS):
    data, given = case(seed, methods)
    columns = {
        name: f"c({', '.join(repr(float(v)) for v in data[name])})" for name in ("x", "z", "w")
    }
    columns["f"] = f"factor(c({', '.join(repr(str(v)) for v in data['f'])}))"
    y = data["y"]
    columns["y"] = (
        f"c({', '.join(repr(float(v)) for v in (y.cat.codes + 1 if y.dtype == 'category' else y))})"
    )
    if y.dtype == "category":
        levels = as_r(list(y.cat.categories))
        columns["y"] = f"factor({levels}[{columns['y']}], levels = {levels})"
    control = ", ".join(f"{k} = {as_r(v)}" for k, v in given["trControl"].items())
    more = ", trace = FALSE" if given["method"] == "multinom" else ""
    for name in ("preProcess", "tuneLength", *(["weights"] if "weights" in given else [])):
        more += f", {name} = {as_r(given[name])}"
    if given["tuneGrid"]:
        listed = ", ".join(f"{k} = {as_r(v)}" for k, v in given["tuneGrid"].items())
        more += f", tuneGrid = expand.grid({listed})"
    new = "d"
    if "x" in given:
        new = f"d[, {as_r(given['x'])}]"
    form = f"{new}, d$y" if "x" in given else f"{given['form']}, d"
    return (
        f"d <- data.frame({', '.join(f'{k} = {v}' for k, v in columns.items())})\n"
        f"set.seed({seed})\n"
        f"show(quote(train({form}, method = '{given['method']}', "
        f"trControl = trainControl({control}){more})), {new})\n"
    )


def in_python(seed, methods=METHODS):
    """The fit and the number that the caller's stream gives after it; None where it is refused."""
    data, given = case(seed, methods)
    control = dict(given.pop("trControl"))
    if "summaryFunction" in control:
        control["summaryFunction"] = r.caret.twoClassSummary
    r.set_seed(seed)
    given |= {"x": data[given["x"]], "y": data["y"]} if "x" in given else {"data": data}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            fit = r.caret.train(trControl=r.caret.trainControl(**control), **given)
        except PycvstatError as error:
            return None, error
    return fit, r.runif(1)[0]


def text(codes):
    return "".join(chr(int(code)) for code in codes)


def table_in_r(values):
    """A table that R wrote: names and columns of numbers; None where there is none."""
    if values.pop(0)[0] < 0:
        return None
    found = {}
    while len(values[0]) != 1 or values[0][0] != 0:
        name = text(values.pop(0))
        found[name] = values.pop(0)
    values.pop(0)
    return found


def shortly(value):
    return as_r(value).strip("'") if isinstance(value, bool | str) else f"{value:.6g}"


def number(word):
    try:
        return float(word)
    except ValueError:
        return word


def in_numbers(pred):
    """Classes counted from 1."""
    if pred is None or pred["obs"].dtype != "category":
        return pred
    return pred.assign(**{name: pred[name].cat.codes + 1 for name in ("pred", "obs")})


def compare(seed, values, rtol, methods=METHODS):
    """Take R's answer to one call off `values`; what differs, in words."""
    fit, after = in_python(seed, methods)
    if not values.pop(0)[0]:
        return [] if fit is None else ["only R refuses"]
    stream, shown = values.pop(0)[0], text(values.pop(0))
    results, resample, pred = (table_in_r(values) for _ in range(3))
    names, best = text(values.pop(0)), text(values.pop(0))
    predicted, last = values.pop(0), values.pop(0)[0]
    if fit is None:
        return [f"only we refuse: {after}"]
    said = []
    if after != stream:
        said.append("the stream after it")
    for what, ours, theirs in (
        ("results", fit.results, results),
        ("resample", fit.resample, resample),
        ("pred", in_numbers(fit.pred), pred),
    ):
        if (ours is None) != (theirs is None):
            said.append(f"{what}: only one of both")
        elif ours is not None:
            for name, column in theirs.items():
                good = name in ours and len(ours) == len(column)
                good = good and np.allclose(
                    ours[name].astype(float), column, rtol=rtol, atol=rtol, equal_nan=True
                )
                said += [] if good else [f"{what} {name}"]
    if fit.resample is not None and " ".join(fit.resample["Resample"]) != names:
        said.append(f"order of resamples {names}")
    ours = map(shortly, fit.bestTune.values())
    if [number(word) for word in ours] != [number(word) for word in best.split()]:
        said.append(f"best {fit.bestTune} where R has {best}")
    if repr(fit) != shown:
        said.append(f"print\n{fit!r}\nwhere R has\n{shown}")
    data, _ = case(seed, methods)
    found = fit.predict(data[:7])
    found = found.codes + 1 if isinstance(found, pd.Categorical) else found
    if not np.allclose(found, predicted, rtol=rtol, atol=rtol):
        said.append("predictions")
    if r.runif(1)[0] != last:
        said.append("the stream after predictions")
    return said
