import pandas as pd
import networkx as nx

g = nx.from_pandas_edgelist(pd.read_csv("parents.csv"), "commit", "parent", create_using=nx.DiGraph)
log = pd.read_csv("log.csv")

def reach(v):
    return nx.descendants(g, v) | {v}

shared = reach("c10") & reach("c13")
suspects = reach("c12") - reach("c3")
answers = {
    "New": reach("c12") - reach("c7"),
    "Unreleased": set(g) - reach("c12"),
    "Base": {v for v in shared if not nx.ancestors(g, v) & shared},
    "Merges": {v for v in g if g.out_degree(v) > 1},
    "Heads": {v for v in g if g.in_degree(v) == 0},
    "ByAuthor": log.groupby("author", sort=False).lines.sum().tolist(),
    "Commits": log.groupby("month").size().tolist(),
    "Written": log.groupby("month").lines.sum().tolist(),
    "Try": min((v for v in g if v in suspects), key=lambda v: abs(2 * len(reach(v) & suspects) - len(suspects))),
}
