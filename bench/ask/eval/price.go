package eval

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"ein/bench/ask/model"
	"ein/bench/ask/run"
	"ein/internal/compact"
)

// Prices are dollars per million tokens, by a pattern of PROVIDER:NAME in which * stands for any
// characters.
type Prices map[string]run.Price

// Bounds of a file of prices, and of a price: a dollar for a token.
const (
	maxPrices = 1 << 20
	maxPrice  = 1e6
)

// ReadPrices reads a JSON object such as
//
//	{"openai:some-model*": {"input": 1.25, "cached_input": 0.125, "output": 10}}
func ReadPrices(r io.Reader) (Prices, error) {
	var list map[string]struct {
		Input       *float64 `json:"input"`
		CachedInput *float64 `json:"cached_input"`
		Output      *float64 `json:"output"`
	}
	if err := compact.StrictFile(r, maxPrices, &list, `it is not a price file, {"PATTERN": {"input": ..., "output": ...}}`); err != nil {
		return nil, err
	}
	out := Prices{}
	for _, pattern := range slices.Sorted(maps.Keys(list)) {
		p := list[pattern]
		if p.Input == nil || p.Output == nil {
			return nil, fmt.Errorf(`%q: "input" and "output" are needed, in dollars for a million tokens`, pattern)
		}
		for _, x := range []*float64{p.Input, p.Output, p.CachedInput} {
			if x != nil && (*x < 0 || *x > maxPrice) {
				return nil, fmt.Errorf("%q: %g is not a price: expected 0 to %g dollars for a million tokens", pattern, *x, float64(maxPrice))
			}
		}
		out[pattern] = run.Price{Input: *p.Input, CachedInput: p.CachedInput, Output: *p.Output}
	}
	return out, nil
}

// For returns the price of the longest pattern that matches the name of a model, of several the
// first in the alphabet; nil if none does.
func (p Prices) For(name string) *run.Price {
	list := slices.DeleteFunc(slices.Sorted(maps.Keys(p)), func(pattern string) bool { return !matches(pattern, name) })
	if len(list) == 0 {
		return nil
	}
	return new(p[slices.MaxFunc(list, func(a, b string) int { return len(a) - len(b) })])
}

// matches reports whether a name matches a pattern.
func matches(pattern, name string) bool {
	ok, err := regexp.MatchString("(?s)^"+strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")+"$", name)
	return ok && err == nil
}

// batchPrice is the part of a price that providers charge in batches.
const batchPrice = 0.5

// price returns the price of requests as they are sent now, in batches or alone.
func (o *Options) price() *run.Price {
	if _, err := model.Batches(o.Model); o.Price == nil || o.Batch == 0 || err != nil {
		return o.Price
	}
	p := run.Price{Input: o.Price.Input * batchPrice, Output: o.Price.Output * batchPrice}
	if c := o.Price.CachedInput; c != nil {
		p.CachedInput = new(*c * batchPrice)
	}
	return &p
}

// most returns the highest possible cost of a request, in dollars.
func most(p *run.Price, input, output int64) float64 {
	in := p.Input
	if p.CachedInput != nil {
		in = max(in, *p.CachedInput)
	}
	return (float64(input)*in + float64(output)*p.Output) / 1e6
}

// cost returns the price of some tokens in dollars, 0 without a price.
func cost(p *run.Price, u model.Usage) float64 {
	if p == nil {
		return 0
	}
	cached := p.Input
	if p.CachedInput != nil {
		cached = *p.CachedInput
	}
	return (float64(u.Input-u.CachedInput)*p.Input + float64(u.CachedInput)*cached + float64(u.Output)*p.Output) / 1e6
}
