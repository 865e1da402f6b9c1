import pandas as pd
import networkx as nx

parts, sup = pd.read_csv("parts.csv"), pd.read_csv("suppliers.csv")
g = nx.from_pandas_edgelist(parts, "product", "part", "pieces", create_using=nx.DiGraph)
products = {v for v in g if g.in_degree(v) == 0}
nodes = list(g) + [s for s in sup.supplier.unique()]
sole = sup[~sup.part.duplicated(keep=False)]
halted = {
    s: {p for q in sole[sole.supplier == s].part for p in nx.ancestors(g, q) & products}
    for s in sup.supplier.unique()
}
damage = {v: len(halted.get(v, ())) for v in nodes}

def need(item, n, total):
    total[item] = total.get(item, 0) + n
    for part, d in g[item].items() if item in g else ():
        need(part, n * d["pieces"], total)
    return total

total = need("cargo-bike", 4, need("city-bike", 10, {}))
answers = {
    "Products": products,
    "Damage": damage,
    "Worst": max(halted, key=lambda s: len(halted[s])),
    "WithoutPolar": halted["polar-magnet"],
    "ToBuy": {v: total.get(v, 0) if v in set(sup.part) else 0 for v in nodes},
}
