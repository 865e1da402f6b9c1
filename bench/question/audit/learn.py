"""Learns answers from features, for the Go half of this package.

Each line of standard input is one category and one set of features; each line of
standard output says how many of the test instances were right. The first line of
output says which versions are there.
"""

import json
import platform
import sys

hello = {"python": platform.python_version()}
try:
    import numpy as np
    import sklearn
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    hello["sklearn"] = sklearn.__version__
except ImportError as e:
    hello["missing"] = str(e)
print(json.dumps(hello), flush=True)

# Boosting grows one tree a class and round, which takes too long with many.
MOST_CLASSES = 6


def learners(classes):
    yield "forest", RandomForestClassifier(100, min_samples_leaf=2, random_state=0, n_jobs=-1)
    if classes <= MOST_CLASSES:
        yield "boosted", HistGradientBoostingClassifier(max_iter=80, random_state=0)
    yield "logistic", make_pipeline(StandardScaler(), LogisticRegression(max_iter=300))


def right(kind, scores, classes, y, group):
    """How many instances are right, by the scores of the rows."""
    if kind == "class":
        return int((classes[scores.argmax(1)] == y).sum())
    yes = scores[:, list(classes).index(1)] if 1 in classes else np.zeros(len(y))
    wrong, best = set(), {}
    for g, p, t in zip(group, yes, y):
        if kind == "set" and (p > 0.5) != (t == 1):
            wrong.add(g)
        if kind == "label" and (g not in best or p > best[g][0]):
            best[g] = (p, t)
    if kind == "set":
        return len(set(group)) - len(wrong)
    return sum(1 for p, t in best.values() if t == 1)


for line in sys.stdin:
    job = json.loads(line)
    x, y = np.array(job["x"], dtype=float), np.array(job["y"])
    group, train = np.array(job["group"]), np.array(job["train"], dtype=bool)
    out = {}
    classes = len(set(y[train]))
    for name, model in learners(classes):
        if classes < 2:
            out[name] = right(job["kind"], np.ones((int((~train).sum()), 1)), np.array([y[train][0]]), y[~train], group[~train])
            continue
        model.fit(x[train], y[train])
        model.n_jobs = 1  # threads would add the votes of a forest in no order, and the last bit may decide
        out[name] = right(job["kind"], model.predict_proba(x[~train]), model.classes_, y[~train], group[~train])
    print(json.dumps(out), flush=True)
