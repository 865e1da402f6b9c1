import pandas as pd
import networkx as nx

g = nx.from_pandas_edgelist(pd.read_csv("ties.csv"), "from", "to")
groups = {v: k for k, c in enumerate(nx.connected_components(g)) for v in c}
between = nx.betweenness_centrality(g, normalized=False)
answers = {
    "Friends": dict(g.degree()),
    "Group": groups,
    "Groups": nx.number_connected_components(g),
    "Between": between,
    "Broker": max(between, key=between.get),
    "Irreplaceable": set(nx.articulation_points(g)),
    "Core": set(nx.k_core(g, 3)),
    "Meet": {w for f in g["ben"] for w in g[f]} - set(g["ben"]) - {"ben"},
}
