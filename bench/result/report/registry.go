package report

// Builder makes a section.
type Builder struct {
	ID, Short, Title, Text string
	build                  func(*Report, *Section) error
}

// Comparison is the section that compares every two runs, modes and encodings.
const Comparison = "comparison"

// Registry lists the sections in their order. A table without rows is left out, and so is a section
// without tables.
var Registry = []Builder{
	{"levels", "Levels", "Accuracy by level", "L1 is one operation, L2 a chain of two or three, L3 a composition. The slope is L1 minus L3.", buildLevels},
	{Comparison, "Comparison", "Comparison", "Each pair of models and modes, on the questions that both answered.", buildComparison},
	{"reliability", "Reliability", "Reliability", "", buildReliability},
	{"samples", "Samples", "Several samples", "", buildSamples},
	{"turns", "Turns", "Turns with tools", "", buildTurns},
	{"scoring", "Scoring", "Strict against lenient", "Lenient also accepts what a question leaves open: the source of a set, and one more or less in five count categories.", buildScoring},
	{"size", "Nodes", "Accuracy by number of nodes", "", nodes.build},
	{"depth", "Hops", "Accuracy by hops", "", hops.build},
	{"operations", "Operations", "Accuracy by operations", "", operations.build},
	{"density", "Density", "Accuracy by density", "", densities.build},
	{"tokens", "Tokens", "Tokens and cost", "Visible tokens are output tokens without reasoning. Tokens per correct answer are the tokens of all answers divided by the number of correct ones.", buildTokens},
	{"encodings", "Encodings", "Encodings of the graph", "The same graphs and questions, as sentences, as JSON and as a matrix.", buildEncodings},
	{"outcomes", "Outcomes", "What became of the replies", "Every scored reply has one outcome; infrastructure errors and missing replies are counted beside them.", buildOutcomes},
	{"categories", "Categories", "Accuracy by category", "", buildCategories},
	{"attribution", "Attribution", "Why wrong answers are wrong", "", buildAttribution},
	{"memorization", "Memorization", "Memorization", "", buildMemorization},
}
