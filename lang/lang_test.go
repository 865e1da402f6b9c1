package lang_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ein/lang"
	"ein/vm/tensor"
)

func csrInput(n int, kind tensor.Kind) *tensor.Value {
	v := &tensor.Value{Type: tensor.Type{Kind: kind, Shape: tensor.ShapeOf(n, n)}, Layout: tensor.Sparse}
	var w []float64
	if kind != tensor.Bool {
		w = []float64{2, 3}
	}
	v.CSR, _ = tensor.BuildCSR(n, n, []int32{0, 1}, []int32{1, 0}, w)
	return v
}

// TestNormalise: a small graph is packed and stays the same graph; a large one
// and one with weights stay sparse.
func TestNormalise(t *testing.T) {
	inputs := map[string]*tensor.Value{"small": csrInput(5, tensor.Bool), "weights": csrInput(5, tensor.Int), "large": csrInput(100_000, tensor.Bool)}
	want := inputs["small"].ToDense()
	lang.Normalise(inputs)
	for name, layout := range map[string]tensor.Layout{"small": tensor.Packed, "weights": tensor.Sparse, "large": tensor.Sparse} {
		if got := inputs[name].Layout; got != layout {
			t.Errorf("%s is %v, want %v", name, got, layout)
		}
	}
	if got := inputs["small"].ToDense(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestLoad: a text that is no program gives no module, an error that names the
// file, and its diagnostics.
func TestLoad(t *testing.T) {
	for _, text := range []string{"x = y", "x = = 1", "input A: graph\nx = sum(A)"} {
		m, p, err := lang.Load("name.ein", text, lang.Options{})
		var e *lang.Error
		if m != nil || !errors.As(err, &e) || len(p.Diags) == 0 || !strings.HasPrefix(err.Error(), "name.ein: ") {
			t.Errorf("%q: %v %v", text, m, err)
		}
	}
	if m, _, err := lang.Load("name.ein", "x = 1", lang.Options{}); err != nil || m.Workers < 1 {
		t.Errorf("%v", err)
	}
}
