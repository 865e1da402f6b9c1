package check

import (
	"testing"

	"ein/internal/corpus"
	"ein/vm/tensor"
)

// TestConformance checks the programs of the corpus that all engines share: those
// with a value check, those with a static error do not.
func TestConformance(t *testing.T) {
	for _, c := range corpus.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			cfg := Config{Labels: c.Labels, Inputs: make(map[string]*tensor.Value)}
			for name, in := range c.Inputs {
				kind := tensor.Bool
				for _, x := range in.Data {
					if x != 0 && x != 1 {
						kind = tensor.Real
					}
				}
				v := dense(kind, tensor.ShapeOf(in.Dims...), in.Data)
				cfg.Inputs[name] = &v
			}
			p := checkText(c.Source, cfg)
			checkPlaces(t, p)
			checkFixes(t, c.Source, cfg, p)
			switch failed := p.Diags.HasErrors(); {
			case failed && (c.Error == "" || !c.HasClass("static") && !c.HasClass("syntax") && !c.HasClass("limit")):
				t.Errorf("it does not check:\n%s", render(t, p))
			case !failed && (c.Class == "static" || c.Class == "syntax"):
				t.Errorf("it checks:\n%s", c.Source)
			case !failed && p.Bound:
				for _, o := range p.Outputs {
					if !o.Node.Type.Shape.Known() {
						t.Errorf("the shape of %s is unknown", o.Name)
					}
				}
			}
		})
	}
}
