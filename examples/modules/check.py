import pandas as pd
import networkx as nx

g = nx.from_pandas_edgelist(pd.read_csv("imports.tsv", sep="\t"), "module", "imports", create_using=nx.DiGraph)
layer = pd.read_csv("layers.tsv", sep="\t").set_index("module").layer
place = {v: i for i, v in enumerate(g)}
order = list(nx.lexicographical_topological_sort(g.reverse(), key=place.get))
rebuilt = pd.Series({v: len(nx.ancestors(g, v)) + 1 for v in g})
answers = {
    "BuildOrder": order,
    "Forbidden": {f"{u} -> {v}": 1 for u, v in g.edges if layer[v] > layer[u]},
    "Implied": {f"{u} -> {v}": 1 for u, v in set(g.edges) - set(nx.transitive_reduction(g).edges)},
    "Rebuilt": rebuilt.to_dict(),
    "Costly": set(rebuilt.sort_values(ascending=False, kind="stable").index[:3]),
}
