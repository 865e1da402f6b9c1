import pandas as pd
import networkx as nx

t = pd.read_csv("lines.csv")
g = nx.from_pandas_edgelist(t, "from", "to", ["mw", "km"])
lines = list(zip(t["from"], t.to))

def listed(edges):
    edges = {frozenset(e) for e in edges}
    return {f"{u} -> {v}": 1 for u, v in lines if frozenset((u, v)) in edges}

left = g.copy()
left.remove_edge("north-b", "center")
wire = nx.minimum_spanning_tree(g, weight="km")
answers = {
    "Critical": listed(nx.bridges(g)),
    "Stations": set(nx.articulation_points(g)),
    "Most": nx.maximum_flow_value(g, "plant-north", "south", capacity="mw"),
    "MostLeft": nx.maximum_flow_value(left, "plant-north", "south", capacity="mw"),
    "Kilometres": wire.size(weight="km"),
    "Spare": listed(set(map(frozenset, g.edges)) - set(map(frozenset, wire.edges))),
}
