package category

import "ein/internal/lists"

// Table lists the categories, by level.
var Table = []Category{
	triangleCount,
	reachability,
	negativeReach,
	degreeCount,
	degreeMax,
	sccSame,
	setIntersect,
	setDifference,
	ancestor,
	sibling,
	cousin,

	reachThenCount,
	reachThenFilter,
	kinshipChain,
	triangleInSubgraph,
	pathAndCompare,
	sccThenCount,
	degreeThenReach,
	intersectThenSize,

	multiQuery,
	conditional,
	aggregateOverSet,
	kinshipComplex,
	graphComparison,
	chainOfFilters,
	mixedDomain,
}

// Lookup finds a category in Table by its exact name.
func Lookup(name string) (*Category, bool) {
	for i := range Table {
		if c := &Table[i]; c.Name == name {
			return c, true
		}
	}
	return nil, false
}

// Names lists the names of the categories.
func Names() []string {
	return lists.Map(Table, func(x Category) string { return x.Name })
}
