package instance_test

import (
	"testing"

	"ein/bench/question/category"
	"ein/bench/question/instance"
	"ein/lang"
	"ein/lang/check"
	"ein/lang/syntax"
)

// TestRules: an instance as rules gives its answer, and is in the form
// of ein fmt.
func TestRules(t *testing.T) {
	for _, version := range instance.Versions() {
		for i := range category.Table {
			for k := range 12 {
				id, err := instance.Standard(version, "train", category.Table[i].Name, k, 1)
				if err != nil {
					t.Fatal(err)
				}
				in, _, err := instance.Generate(id)
				if err != nil {
					t.Fatal(err)
				}
				text, err := in.Rules()
				if err != nil {
					t.Fatal(err)
				}
				f := lang.Parse("p.ein", text, lang.Options{})
				if formatted, _ := syntax.Format(f); formatted != text {
					t.Fatalf("ein fmt changes\n%s\nto\n%s", text, formatted)
				}
				// That a node is in no fact, or no rule can fire, is the answer here.
				for _, d := range lang.Check(f, lang.Options{Profile: check.Logic}).Diags {
					if d.Code != "W0826" && d.Code != "W0822" {
						t.Errorf("%s: %s %s\n%s", id, d.Code, d.Message, text)
					}
				}
				got, err := instance.Run(check.Logic, text, category.Table[i].Result, in.Nodes)
				if err != nil || string(got.JSON(in.Nodes)) != string(in.Answer) {
					t.Errorf("%s: %s, %v, want %s\n%s", id, got.JSON(in.Nodes), err, in.Answer, text)
				}
			}
		}
	}
}
