package run

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"ein/internal/compact"
	"ein/internal/words"
)

// Diff says how two configurations differ, a line for each member; no line means they are equal. It
// compares the configuration in force. The version of ein and the name of the file of instances do
// not count, since the contents that they stand for are compared.
func Diff(a, b Config) []string {
	a, b = a.Current(), b.Current()
	a.Ein, b.Ein = "", ""
	a.Format, b.Format = 0, 0
	a.Instances.File, b.Instances.File = "", ""
	x, y := map[string]string{}, map[string]string{}
	flatten(x, "", tree(&a))
	flatten(y, "", tree(&b))
	names := maps.Clone(x)
	maps.Copy(names, y)
	var out []string
	for _, k := range slices.Sorted(maps.Keys(names)) {
		if x[k] != y[k] {
			out = append(out, k+": "+contrast(x[k], y[k]))
		}
	}
	return out
}

// tree returns a configuration as JSON values.
func tree(c *Config) any {
	var v any
	if err := json.Unmarshal(compact.Must(c), &v); err != nil { // everything in it has been JSON
		panic("BUG: run: " + err.Error())
	}
	return v
}

// flatten collects the leaves by their paths. Lists are leaves.
func flatten(to map[string]string, path string, v any) {
	if m, ok := v.(map[string]any); ok {
		for k, x := range m {
			p := k
			if path != "" {
				p = path + "." + k
			}
			flatten(to, p, x)
		}
		return
	}
	to[path] = string(compact.Must(v))
}

// contrast shows two values, long ones from the place where they begin to differ.
func contrast(a, b string) string {
	const most, before = 80, 20 // a SHA-256 is shown whole
	shown := func(s string) string { return cmp.Or(s, "not set") }
	if len(a) <= most && len(b) <= most {
		return shown(a) + ", now " + shown(b)
	}
	if a == "" || b == "" {
		return words.Clip(shown(a), most) + ", now " + words.Clip(shown(b), most)
	}
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	from := len(words.Cut(a, max(0, at-before)))
	return fmt.Sprintf("from byte %d on: %s, now %s", at, strconv.Quote(words.Clip(a[from:], most)), strconv.Quote(words.Clip(b[from:], most)))
}
