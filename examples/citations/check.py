import pandas as pd
import networkx as nx

g = nx.from_pandas_edgelist(pd.read_csv("citations.csv"), "citing", "cited", create_using=nx.DiGraph)
year = pd.read_csv("papers.csv").set_index("paper").year
cited = pd.Series(dict(g.in_degree()))
order = cited.sort_values(ascending=False, kind="stable")
answers = {
    "Cited": cited.to_dict(),
    "Top": set(order.index[:3]),
    "H": int(sum(n >= i + 1 for i, n in enumerate(order))),
    "Rank": nx.pagerank(g, tol=1e-12, max_iter=1000),
    "WithD": {v: 0 if v == "D2004" else len(set(g.predecessors(v)) & set(g.predecessors("D2004"))) for v in g},
    "Wrong": {f"{u} -> {v}": 1 for u, v in g.edges if year[v] > year[u]},
    "Hidden": nx.descendants(g, "H2012") - set(g["H2012"]),
}
