import pandas as pd
import networkx as nx

g = nx.from_pandas_edgelist(pd.read_csv("calls.csv"), "caller", "callee", create_using=nx.DiGraph)
groups = list(nx.strongly_connected_components(g))
answers = {
    "Affected": nx.ancestors(g, "query"),
    "Way": nx.shortest_path(g, "main", "connect"),
    "Dead": set(g) - nx.descendants(g, "main") - {"main"},
    "Recursive": {v for c in groups for v in c if len(c) > 1 or g.has_edge(v, v)},
    "Together": max(map(len, groups)),
    "Private": {v for v in g if g.in_degree(v) == 1 and g.out_degree(v) == 0},
}
