package naive

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ein/lang/source"
	"ein/lang/syntax"
	"ein/testdata"
)

// prelude is the standard prelude, or nothing where it is not there yet.
func prelude(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("../../stdlib/*.ein")
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		text += string(b) + "\n"
	}
	return text
}

func TestConformance(t *testing.T) {
	lib := prelude(t)
	for _, c := range testdata.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			if c.UsesPrelude() && lib == "" {
				t.Skip("no prelude")
			}
			opt := Options{Inputs: map[string]Tensor{}, Labels: c.Labels, Prelude: lib}
			for name, in := range c.Inputs {
				opt.Inputs[name] = Tensor(in)
			}
			outs, err := Run(syntax.Parse(source.NewFile(c.Name, c.Source), syntax.Options{}), opt)
			if c.Error == "" {
				if err != nil {
					t.Fatal(err)
				}
				if err := testdata.Match(c.Want, Format(outs)); err != nil {
					t.Errorf("%v\n%s", err, Format(outs))
				}
				return
			}
			e, ok := err.(*Error)
			if !ok {
				t.Fatalf("want an error of class %s, got %s", c.Class, Format(outs))
			}
			if !c.HasClass(e.Class.String()) {
				t.Errorf("want class %s, got %v", c.Class, e)
			}
			if !regexp.MustCompile("(?is)" + c.Error).MatchString(e.Message) {
				t.Logf("message %q does not match %q", e.Message, c.Error)
			}
		})
	}
}

// TestAbuse is the corpus read by the parser and this engine: none may panic,
// and each must end with the answer that it wants.
func TestAbuse(t *testing.T) {
	for _, c := range testdata.Abuse() {
		t.Run(c.Name, func(t *testing.T) {
			if c.Heavy || testing.Short() {
				t.Skip("not for an engine that takes the definition literally")
			}
			_, err := Run(syntax.Parse(source.NewFile(c.Name, c.Source()), syntax.Options{}), Options{})
			got := "ok"
			if err != nil {
				got = err.(*Error).Class.String()
			}
			if c.WantClass != "" && !slices.Contains(strings.Split(c.WantClass, "|"), got) {
				t.Errorf("want %s, got %s (%v)", c.WantClass, got, err)
			}
		})
	}
}
