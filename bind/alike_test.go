package bind

import (
	"strings"
	"testing"

	"ein/vm/graphio"
	"ein/vm/tensor"
)

// TestAlike: labels that look the same are two nodes, which is noted.
func TestAlike(t *testing.T) {
	for csv, want := range map[string]string{
		"x,y\na,b\nb,c\n":                          "",
		"x,y\na\u00a0,b\na,c\n":                    `two nodes: "a" and "a\u00a0"`,
		"x,y\nnew\u00a0york,a\u200b\nnew york,a\n": `two nodes: "new york" and "new\u00a0york", and 1 pair more`,
		"x,y\na\u00a0,\u200ba\n":                   `two nodes: "a\u00a0" and "\u200ba"`,
		"x,y\n\"a \",b\nb,a\n":                     `two nodes: "a" and "a "`,
		"x,y\ncafe\u0301,b\nb,caf\u00e9\n":         `two nodes: "caf\u00e9" and "cafe\u0301"`,
		"x,y\ncafe,b\nb,caf\u00e9\n":               "",
		"x,y\n👩\u200d👧,b\nb,é\n":                   "",
	} {
		for _, d := range []Declared{
			{"A", graphio.Graph, nil},
			{"A", graphio.Relation, []tensor.Column{{Name: "x", Domain: new(tensor.Domain{Name: nodes})}, {Name: "y", Domain: new(tensor.Domain{Name: nodes})}}},
		} {
			r := Reader{}
			raw, err := r.Read(t.Context(), Input{Name: "A", Data: strings.NewReader(csv), Options: graphio.Options{Format: graphio.CSV, Header: graphio.HeaderYes}}, d)
			if err != nil {
				t.Fatal(err)
			}
			data, err := Bind([]graphio.Decl{{Name: "A", Raw: raw}}, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, w := range data.Warnings {
				if w.Code == "alike" && w.Note {
					got = w.Msg
				}
			}
			if want == "" && got != "" || !strings.HasSuffix(got, want) {
				t.Errorf("%q as %v: %s, want %s", csv, d.Kind, got, want)
			}
		}
	}
}
