import pandas as pd
import networkx as nx

t = pd.read_csv("flights.csv")
t["trip"] = t.minutes + 45
g = nx.from_pandas_edgelist(t, "origin", "dest", ["minutes", "price", "trip"], create_using=nx.DiGraph)
hops = nx.single_source_shortest_path_length(g, "OSL")
price = nx.single_source_dijkstra_path_length(g, "OSL", weight="price")
between = nx.betweenness_centrality(g)
answers = {
    "Quickest": nx.dijkstra_path(g, "BGO", "JTR", weight="minutes"),
    "InTheAir": nx.dijkstra_path_length(g, "BGO", "JTR", weight="minutes"),
    "Cheapest": nx.dijkstra_path(g, "BGO", "JTR", weight="price"),
    "Least": nx.dijkstra_path_length(g, "BGO", "JTR", weight="price"),
    "Fewest": nx.shortest_path(g, "BGO", "JTR"),
    "Trip": nx.dijkstra_path(g, "BGO", "JTR", weight="trip"),
    "Takes": nx.dijkstra_path_length(g, "BGO", "JTR", weight="trip") - 45,
    "OneChange": {v for v, d in hops.items() if 1 <= d <= 2},
    "Affordable": {v for v, p in price.items() if p <= 150} - {"OSL"},
    "Hub": max(between, key=between.get),
}
