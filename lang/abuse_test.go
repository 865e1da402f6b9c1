package lang_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"ein/internal/corpus"
	"ein/lang"
)

// TestAbuse runs the abuse corpus both ways: each text ends in the outcome it
// should, without a panic, a hang or a heap out of proportion to its length.
func TestAbuse(t *testing.T) {
	for _, c := range corpus.Abuse() {
		t.Run(c.Name, func(t *testing.T) {
			text := c.Source()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			for _, plain := range []bool{false, true} {
				if plain && testing.Short() {
					break
				}
				_, _, class, message := run(t, text, lang.Options{NoOpt: plain})
				if class == "" {
					class = "ok"
				}
				if c.WantClass != "" && !strings.Contains("|"+c.WantClass+"|", "|"+class+"|") {
					t.Errorf("plain=%v: %s, want %s: %.300s", plain, class, c.WantClass, message)
				}
			}
			runtime.ReadMemStats(&after)
			// Only memory is held to a bound; a hang runs into the test's own limit.
			if used := after.TotalAlloc - before.TotalAlloc; used > 6<<30 {
				t.Errorf("allocated %d MiB for %d KiB of text", used>>20, len(text)>>10)
			}
			t.Logf("%d KiB, %v, %d MiB", len(text)>>10, time.Since(start).Round(time.Millisecond), (after.TotalAlloc-before.TotalAlloc)>>20)
		})
	}
}
