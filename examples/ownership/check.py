import numpy as np
import pandas as pd
import networkx as nx

t = pd.read_csv("stakes.csv")
g = nx.from_pandas_edgelist(t, "owner", "company", "share", create_using=nx.DiGraph)
major = nx.from_pandas_edgelist(t[t.share > 0.5], "owner", "company", create_using=nx.DiGraph)
controlled = nx.descendants(major, "northstar-holding")
s = nx.to_numpy_array(g, weight="share")
held = pd.DataFrame(np.linalg.inv(np.eye(len(g)) - s) - np.eye(len(g)), index=list(g), columns=list(g))
shares = {v: held.loc[v, "crane-service"] if g.in_degree(v) == 0 else 0 for v in g}
group = controlled | {"northstar-holding"}
votes = t[t.owner.isin(group)].groupby("company").share.sum()
answers = {
    "Controlled": controlled,
    "Chain": nx.shortest_path(major, "northstar-holding", "inland-depot"),
    "Shares": shares,
    "Beneficial": {v for v in g if shares[v] > 0.25},
    "ByVotes": set(votes[votes > 0.5].index) - group,
}
