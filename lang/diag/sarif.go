package diag

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ein/internal/lists"
)

// The part of SARIF 2.1.0 that a linter needs.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string        `json:"id"`
		ShortDescription *sarifMessage `json:"shortDescription,omitempty"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations"`
		Related   []sarifLocation `json:"relatedLocations,omitempty"`
		Fixes     []sarifFix      `json:"fixes,omitempty"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifMessage `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
		ByteOffset  int `json:"byteOffset"`
		ByteLength  int `json:"byteLength"`
	}
	sarifFix struct {
		Description sarifMessage  `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  *sarifRegion `json:"deletedRegion"`
		Inserted sarifMessage `json:"insertedContent"`
	}
)

// SARIF writes a SARIF 2.1.0 log of one run over any number of files; version
// is that of the tool and may be empty.
func SARIF(w io.Writer, version string, reports ...Report) error {
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "ein", Version: version, Rules: []sarifRule{}}},
		ColumnKind: "unicodeCodePoints",
		Results:    []sarifResult{},
	}
	var codes []Code
	for _, r := range reports {
		for i := range r.List {
			codes = append(codes, r.List[i].Code)
		}
	}
	slices.Sort(codes)
	codes = slices.Compact(codes)
	for _, c := range codes {
		rule := sarifRule{ID: string(c)}
		if title := c.Title(); title != "" {
			rule.ShortDescription = &sarifMessage{title}
		}
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
	}
	for _, r := range reports {
		for _, d := range ToJSON(r.List, r.File) {
			index, _ := slices.BinarySearch(codes, d.Code)
			run.Results = append(run.Results, sarifDiagnostic(&d, index))
		}
	}
	return encode(w, sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	})
}

// sarifDiagnostic returns a diagnostic as a result of SARIF; rule is the place of its code in the
// list of rules.
func sarifDiagnostic(d *JSONDiagnostic, rule int) sarifResult {
	file := sarifArtifact{URI: uri(d.File)}
	at := func(start, end JSONPosition, message *sarifMessage) sarifLocation {
		return sarifLocation{sarifPhysical{file, region(start, end)}, message}
	}
	out := sarifResult{
		RuleID: string(d.Code), RuleIndex: rule, Level: d.Severity, Message: sarifMessage{strings.Join(append([]string{d.Message}, d.Notes...), "\n")},
		Locations: []sarifLocation{at(d.Start, d.End, nil)},
	}
	out.Related = lists.Map(d.Related, func(r JSONRelated) sarifLocation { return at(r.Start, r.End, &sarifMessage{r.Message}) })
	edit := func(e JSONEdit) sarifReplacement {
		return sarifReplacement{region(e.Start, e.End), sarifMessage{e.NewText}}
	}
	out.Fixes = lists.Map(d.Fixes, func(fix JSONFix) sarifFix {
		return sarifFix{sarifMessage{fix.Title}, []sarifChange{{file, lists.Map(fix.Edits, edit)}}}
	})
	return out
}

// region is nil for a place that has no offset, which is not in a program.
func region(start, end JSONPosition) *sarifRegion {
	if start.Offset < 0 {
		return nil
	}
	return &sarifRegion{start.Line, start.Column, end.Line, end.Column, start.Offset, end.Offset - start.Offset}
}

// uri is a path as a URI reference.
func uri(path string) string {
	const plain = "/-._~"
	var b strings.Builder
	for i := range len(path) {
		switch c := path[i]; {
		case c == '\\':
			b.WriteByte('/')
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte(plain, c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
