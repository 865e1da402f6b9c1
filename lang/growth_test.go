package lang_test

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"ein/lang"
	"ein/lang/diag"
)

func TestGrowth(t *testing.T) {
	if os.Getenv("GROWTH") == "" {
		t.Skip()
	}
	only := os.Getenv("GROWTH")
	for _, h := range hostile {
		if only != "all" && !strings.Contains(h.name, only) {
			continue
		}
		var s string
		var times []time.Duration
		var big int
		var code diag.Code
		var stages string
		for _, n := range []int{100_000, 200_000, 400_000, 1_000_000} {
			text := h.make(n)
			t0 := time.Now()
			f := lang.Parse("h.ein", text, lang.Options{})
			t1 := time.Now()
			p := lang.Check(f, lang.Options{})
			t2 := time.Now()
			big = 0
			var b strings.Builder
			_ = diag.Text{}.Render(&b, p.Diags, p.File.Source)
			_ = diag.JSON(io.Discard, diag.Report{File: p.File.Source, List: p.Diags})
			for i := range p.Diags {
				b.Reset()
				_ = diag.Text{}.Render(&b, p.Diags[i:i+1], p.File.Source)
				big = max(big, b.Len())
				if i == 0 {
					code = p.Diags[0].Code
				}
			}
			t3 := time.Now()
			if len(p.Diags) == 0 {
				code = ""
			}
			times = append(times, t3.Sub(t0))
			s += fmt.Sprintf("%8.1f", float64(t3.Sub(t0).Microseconds())/1000)
			stages = fmt.Sprintf("parse %.0f check %.0f render %.0f", float64(t1.Sub(t0).Milliseconds()), float64(t2.Sub(t1).Milliseconds()), float64(t3.Sub(t2).Milliseconds()))
			if t3.Sub(t0) > 8*time.Second {
				break
			}
			if !p.Diags.HasErrors() && n == 1_000_000 {
				t4 := time.Now()
				if p.Bound {
					c := lang.Code(p, lang.Options{})
					_, _ = lang.Module(c, lang.Options{})
				}
				stages += fmt.Sprintf(" code %d", time.Since(t4).Milliseconds())
			}
		}
		flag := ""
		if len(times) < 4 || times[3] > 15*times[0] && times[3] > 100*time.Millisecond {
			flag = "  <<<<"
		}
		fmt.Printf("%-40s %s  %s bytes %d  %s%s\n", h.name, s, code, big, stages, flag)
	}
}
