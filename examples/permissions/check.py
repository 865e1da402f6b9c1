import pandas as pd
import networkx as nx

g = nx.from_pandas_edgelist(pd.read_csv("members.csv"), "member", "group", create_using=nx.DiGraph)
grants = pd.read_csv("grants.csv")
people = set(pd.read_csv("people.csv").name)
access = nx.compose(g, nx.from_pandas_edgelist(grants, "group", "resource", create_using=nx.DiGraph))

def may(g):
    levels = {}
    for p in access:
        groups = nx.descendants(g, p) | {p} if p in g else {p}
        for r, level in grants[grants.group.isin(groups)].groupby("resource")["level"].max().items():
            levels[p, r] = level
    return levels

now = may(g)
cut = g.copy()
cut.remove_edge("on-call", "operators")
then = may(cut)
payments = {v: int(now.get((v, "payments"), 0)) if v in people else 0 for v in access}
answers = {
    "Payments": payments,
    "CanPay": {v for v in people if payments[v] >= 2},
    "Why": nx.shortest_path(access, "olaf", "payments"),
    "Conflict": {v for v in people if payments[v] and (v, "invoices") in now},
    "Useless": {v for v in g if g.in_degree(v) and not any(p == v for p, _ in now)},
    "Lose": {p for p, r in now if p in people and then.get((p, r), 0) < now[p, r]},
}
