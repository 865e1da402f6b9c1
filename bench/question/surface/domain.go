package surface

// domains begins with kinship, which only kinship categories use; the others
// are for all other categories. No two have a word of their own in common, so that domains can be divided among splits. Every reverse verb is
// active, because a passive one has no base form for "How many does X ...".
var domains = [...]Domain{{
	Name: "kinship", Node: "person", Nodes: "people",
	Forward: Verb{"is a parent of", "are parents of"},
	Reverse: Verb{"is a child of", "are children of"},
	Mutual:  Verb{"is related to", "are related to"},
	Path:    "a line of descent",
	Heirs:   Verb{"child of", "children of"},
}, {
	Name: "fraud detection", Node: "account", Nodes: "accounts",
	Forward: Verb{"wires money to", "wire money to"},
	Reverse: Verb{"gets money from", "get money from"},
	Mutual:  Verb{"shares a device with", "share a device with"},
	Path:    "a money trail",
}, {
	Name: "supply chain", Node: "supplier", Nodes: "suppliers",
	Forward: Verb{"ships parts to", "ship parts to"},
	Reverse: Verb{"buys parts from", "buy parts from"},
	Mutual:  Verb{"trades with", "trade with"},
	Path:    "a supply chain",
}, {
	Name: "cybersecurity", Node: "host", Nodes: "hosts",
	Forward: Verb{"logs in to", "log in to"},
	Reverse: Verb{"accepts logins from", "accept logins from"},
	Mutual:  Verb{"exchanges keys with", "exchange keys with"},
	Path:    "an attack path",
}, {
	Name: "compliance", Node: "department", Nodes: "departments",
	Forward: Verb{"reports to", "report to"},
	Reverse: Verb{"oversees", "oversee"},
	Mutual:  Verb{"coordinates with", "coordinate with"},
	Path:    "a reporting path",
}, {
	Name: "healthcare", Node: "clinic", Nodes: "clinics",
	Forward: Verb{"refers patients to", "refer patients to"},
	Reverse: Verb{"takes referrals from", "take referrals from"},
	Mutual:  Verb{"consults with", "consult with"},
	Path:    "a referral path",
}, {
	Name: "logistics", Node: "warehouse", Nodes: "warehouses",
	Forward: Verb{"dispatches pallets to", "dispatch pallets to"},
	Reverse: Verb{"collects pallets from", "collect pallets from"},
	Mutual:  Verb{"pools trucks with", "pool trucks with"},
	Path:    "a freight path",
}, {
	Name: "social media", Node: "user", Nodes: "users",
	Forward: Verb{"messages", "message"},
	Reverse: Verb{"hears from", "hear from"},
	Mutual:  Verb{"chats with", "chat with"},
	Path:    "a message path",
}, {
	Name: "academia", Node: "paper", Nodes: "papers",
	Forward: Verb{"cites", "cite"},
	Reverse: Verb{"earns citations from", "earn citations from"},
	Mutual:  Verb{"overlaps with", "overlap with"},
	Path:    "a citation path",
}, {
	Name: "banking", Node: "bank", Nodes: "banks",
	Forward: Verb{"lends to", "lend to"},
	Reverse: Verb{"borrows from", "borrow from"},
	Mutual:  Verb{"settles payments with", "settle payments with"},
	Path:    "a lending path",
}, {
	Name: "real estate", Node: "developer", Nodes: "developers",
	Forward: Verb{"leases land to", "lease land to"},
	Reverse: Verb{"rents land from", "rent land from"},
	Mutual:  Verb{"partners with", "partner with"},
	Path:    "a leasing path",
}, {
	Name: "telecommunications", Node: "relay", Nodes: "relays",
	Forward: Verb{"transmits signals to", "transmit signals to"},
	Reverse: Verb{"picks up signals from", "pick up signals from"},
	Mutual:  Verb{"interconnects with", "interconnect with"},
	Path:    "a signal path",
}, {
	Name: "energy", Node: "substation", Nodes: "substations",
	Forward: Verb{"feeds power to", "feed power to"},
	Reverse: Verb{"draws power from", "draw power from"},
	Mutual:  Verb{"balances load with", "balance load with"},
	Path:    "a power path",
}, {
	Name: "government", Node: "agency", Nodes: "agencies",
	Forward: Verb{"delegates tasks to", "delegate tasks to"},
	Reverse: Verb{"handles tasks for", "handle tasks for"},
	Mutual:  Verb{"cooperates with", "cooperate with"},
	Path:    "a delegation path",
}, {
	Name: "transport", Node: "terminal", Nodes: "terminals",
	Forward: Verb{"sends buses to", "send buses to"},
	Reverse: Verb{"receives buses from", "receive buses from"},
	Mutual:  Verb{"swaps drivers with", "swap drivers with"},
	Path:    "a route",
}, {
	Name: "abstract", Node: "node", Nodes: "nodes",
	Forward: Verb{"has an edge to", "have an edge to"},
	Reverse: Verb{"has an edge from", "have an edge from"},
	Mutual:  Verb{"touches", "touch"},
	Path:    "a path",
}}

// targets returns the noun for what x points to: "suppliers that x ships to",
// "children of x".
func (d *Domain) targets(x string, many bool) string {
	switch {
	case many && d.Heirs.Many != "":
		return d.Heirs.Many + " " + x
	case many:
		return d.Nodes + " that " + x + " " + d.Forward.One
	case d.Heirs.One != "":
		return d.Heirs.One + " " + x
	}
	return d.Node + " that " + x + " " + d.Forward.One
}

// Later returns the domain in the words of the generators after cb1: papers cannot
// cite each other in a circle, but authors can.
func (d *Domain) Later() *Domain {
	if d.Node != "paper" {
		return d
	}
	authors := *d
	authors.Node, authors.Nodes = "author", "authors"
	return &authors
}
