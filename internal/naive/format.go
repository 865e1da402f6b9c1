package naive

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ein/internal/lists"
)

// Format writes outputs as the command prints them: one line for a scalar or a
// vector, one indented line for each row of a matrix.
func Format(outs []Output) string {
	var b strings.Builder
	for _, o := range outs {
		t := o.Tensor
		b.WriteString(o.Name + " =")
		switch len(t.Dims) {
		case 0:
			b.WriteString(" " + number(t.Data[0]))
		case 1:
			b.WriteString(" " + row(t.Data))
		default:
			if len(t.Data) == 0 {
				fmt.Fprintf(&b, " [] (%dx%d)", t.Dims[0], t.Dims[1])
			}
			n := t.Dims[len(t.Dims)-1]
			for k := 0; k < len(t.Data); k += n {
				b.WriteString("\n  " + row(t.Data[k:k+n]))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func row(xs []float64) string {
	return "[" + strings.Join(lists.Map(xs, number), ", ") + "]"
}

func number(x float64) string {
	if x == 0 {
		return "0" // also -0
	}
	if x == math.Trunc(x) && math.Abs(x) < maxExact {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
