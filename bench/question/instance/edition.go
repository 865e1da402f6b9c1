package instance

import (
	"fmt"
	"slices"
	"strings"

	"ein/bench/question/graph"
	"ein/internal/lists"
)

// Version is the generator of the paper's sizes and wordings, and Default the
// one to be used where nothing else is asked for. What an id of either gives never
// changes; any change is a new generator.
const (
	Version = "cb1"
	Default = "cb2"
)

// edition is a generator as a value: what its ids leave out.
type edition struct {
	name     string
	n        Range
	density  Range // permille; sparse is by the size
	explicit bool
	most     int // nodes
	parts    int // of labels and domains
	hops     bool
}

// sparse is a density that falls as the size grows: every node has as many edges.
var sparse = Range{-1, -1}

var editions = []edition{
	{name: "cb1", n: Range{4, 10}, density: Range{100, 500}, most: MaxNodes, parts: MaxParts},
	{name: "cb2", n: Range{8, 24}, density: sparse, explicit: true, most: graph.MaxNet, parts: MaxParts / 2, hops: true},
}

// Versions returns the names of the generators.
func Versions() []string {
	return lists.Map(editions, func(e edition) string { return e.name })
}

func editionOf(name string) (*edition, error) {
	if i := slices.IndexFunc(editions, func(e edition) bool { return e.name == name }); i >= 0 {
		return &editions[i], nil
	}
	return nil, fmt.Errorf("there is no generator %q; there are %s", clip(name), strings.Join(Versions(), " and "))
}

// Preset is sizes of cb2 under a name. An id writes them out.
type Preset struct {
	Name       string
	N, Density Range
}

// Presets is the table of presets.
var Presets = []Preset{
	{"demo", Range{6, 8}, sparse},
	{"paper", Range{4, 10}, Range{100, 500}},
	{"standard", Range{8, 24}, sparse},
	{"hard", Range{24, 120}, sparse},
}

// PresetNames returns the names of the presets.
func PresetNames() []string {
	return lists.Map(Presets, func(x Preset) string { return x.Name })
}

// PresetID returns an id of cb2 with the settings of a preset, which has to be there.
func PresetID(preset, split, category string, index int, seed uint64) ID {
	p := &Presets[slices.Index(PresetNames(), preset)]
	id := NewID(split, category, index, seed)
	id.Version, id.N, id.Density, id.Explicit = Default, p.N, p.Density, true
	return id
}

// Standard returns an id of a generator with its default settings.
func Standard(version, split, category string, index int, seed uint64) (ID, error) {
	e, err := editionOf(version)
	if err != nil {
		return ID{}, err
	}
	id := NewID(split, category, index, seed)
	id.Version, id.N, id.Density, id.Explicit = e.name, e.n, e.density, e.explicit
	return id, nil
}
