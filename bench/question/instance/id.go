package instance

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ein/bench/question/category"
	"ein/bench/question/surface"
	"ein/internal/words"
	"ein/lang/diag"
)

// Range is from Min to Max, both included.
type Range struct{ Min, Max int }

// The most that an id can ask for.
const (
	MaxNodes   = 1000
	MaxParts   = surface.MaxParts
	maxSplit   = 64
	wholeRange = 1000 // permille
)

// ID says everything that an instance depends on. Its text is
//
//	cb1-SPLIT-CATEGORY-INDEX-sSEED
//
// with the name of its generator and, of these, in this order, what is not the
// default of that:
//
//	-xSEED        the surface has another seed than the structure
//	-nMIN..MAX    the number of nodes, or -nN for exactly N
//	-dMIN..MAX    the density in thousandths, or -dD
//	-hMIN..MAX    the hops needed, or -hH; cb2 only
//	-explicit     the question states its conventions; in cb2 it is -implicit that
//	              leaves them out
//	-json         the graph as JSON, or -matrix as a matrix
//	-pI.K         the labels and domains are those of part I of K
//
// A category that needs more nodes than MIN is asked about that many at least. An
// id has one text and a text one id.
type ID struct {
	Version     string // the generator
	Split       string
	Category    string
	Index       int
	Seed        uint64
	SurfaceSeed uint64
	N           Range
	Density     Range // permille; sparse in cb2
	Depth       Range // hops; 0..0 leaves them to the draw
	Explicit    bool
	Encoding    surface.Encoding
	Part, Parts int // 0, 0 is all labels and domains
}

// NewID returns an id of cb1 with the default settings.
func NewID(split, category string, index int, seed uint64) ID {
	return ID{Version: Version, Split: split, Category: category, Index: index, Seed: seed, SurfaceSeed: seed,
		N: editions[0].n, Density: editions[0].density, Encoding: surface.NL}
}

// Base returns the id of a question in words, which it shares with those in other encodings. A
// text that is no id shares nothing.
func Base(text string) string {
	id, err := ParseID(text)
	if err != nil {
		return text
	}
	id.Encoding = surface.NL
	return id.String()
}

// String returns the one spelling of an id: parts that have their default are left out.
func (id ID) String() string {
	e, err := editionOf(id.Version)
	if err != nil {
		e = &editions[0]
	}
	b := make([]byte, 0, 96)
	b = append(b, id.Version+"-"+id.Split+"-"+id.Category+"-"...)
	b = strconv.AppendInt(b, int64(id.Index), 10)
	b = strconv.AppendUint(append(b, "-s"...), id.Seed, 10)
	if id.SurfaceSeed != id.Seed {
		b = strconv.AppendUint(append(b, "-x"...), id.SurfaceSeed, 10)
	}
	if id.N != e.n {
		b = append(append(b, "-n"...), id.N.String()...)
	}
	if id.Density != e.density {
		b = append(append(b, "-d"...), id.Density.String()...)
	}
	if id.Depth != (Range{}) {
		b = append(append(b, "-h"...), id.Depth.String()...)
	}
	switch {
	case id.Explicit == e.explicit:
	case id.Explicit:
		b = append(b, "-explicit"...)
	default:
		b = append(b, "-implicit"...)
	}
	if id.Encoding != surface.NL {
		b = append(append(b, '-'), id.Encoding...)
	}
	if id.Parts != 0 {
		b = fmt.Appendf(b, "-p%d.%d", id.Part, id.Parts)
	}
	return string(b)
}

// String returns Min..Max, or the number if there is only one.
func (r Range) String() string { return r.Text(strconv.Itoa) }

// Text is String with a function that shows a number.
func (r Range) Text(number func(int) string) string {
	if r.Min == r.Max {
		return number(r.Min)
	}
	return number(r.Min) + ".." + number(r.Max)
}

var versionPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^cb[0-9]+$`) })

const idForm = "an id is " + Version + "-SPLIT-CATEGORY-INDEX-sSEED, as in " + Version + "-heldout-reachability-17-s42, or the same with " + Default

// ParseID reads the text of an id. It accepts only what String writes.
func ParseID(s string) (ID, error) {
	id, err := parseID(s)
	if err != nil {
		return ID{}, fmt.Errorf("id %q: %w", clip(s), err)
	}
	return id, nil
}

// clip keeps messages short.
func clip(s string) string { return words.Clip(s, 200) }

// parseID accepts one spelling of each id, so that ids can be compared as texts.
func parseID(s string) (ID, error) {
	parts := strings.Split(s, "-")
	e, err := editionOf(parts[0])
	switch {
	case err == nil:
	case versionPattern().MatchString(parts[0]):
		return ID{}, fmt.Errorf("made by generator %s; this program has %s", parts[0], strings.Join(Versions(), " and "))
	default:
		return ID{}, errors.New(idForm)
	}
	if len(parts) < 5 {
		return ID{}, fmt.Errorf("it ends after %d of 5 parts; %s", len(parts), idForm)
	}
	id := NewID(parts[1], parts[2], 0, 0)
	id.Version, id.N, id.Density, id.Explicit = e.name, e.n, e.density, e.explicit
	index, err := number(parts[3], math.MaxInt)
	if err != nil {
		return ID{}, fmt.Errorf("the index %q: %w", parts[3], err)
	}
	id.Index = int(index)
	seed, ok := strings.CutPrefix(parts[4], "s")
	if !ok {
		return ID{}, fmt.Errorf("%q where the seed belongs, which is s and a number, as in s42", parts[4])
	}
	if id.Seed, err = number(seed, math.MaxUint64); err != nil {
		return ID{}, fmt.Errorf("the seed %q: %w", seed, err)
	}
	id.SurfaceSeed = id.Seed
	last := -1
	for _, p := range parts[5:] {
		k, err := id.setting(p)
		if err != nil {
			return ID{}, fmt.Errorf("the part %q: %w", p, err)
		}
		if k <= last {
			return ID{}, fmt.Errorf("the part %q is twice or out of order; the order is x, n, d, h, explicit or implicit, json or matrix, p", p)
		}
		last = k
	}
	if err := id.Check(); err != nil {
		return ID{}, err
	}
	if text := id.String(); text != s {
		return ID{}, fmt.Errorf("it states a default; the id is %s", text)
	}
	return id, nil
}

// setting reads one of the parts after the seed, and says where in their order
// it stands.
func (id *ID) setting(p string) (order int, err error) {
	switch p {
	case "explicit", "implicit":
		id.Explicit = p == "explicit"
		return 4, nil
	case string(surface.JSON), string(surface.Matrix):
		id.Encoding = surface.Encoding(p)
		return 5, nil
	case "":
		return 0, errors.New("it is empty")
	}
	rest := p[1:]
	switch p[0] {
	case 'x':
		id.SurfaceSeed, err = number(rest, math.MaxUint64)
		return 0, err
	case 'n':
		id.N, err = parseRange(rest)
		return 1, err
	case 'd':
		id.Density, err = parseRange(rest)
		return 2, err
	case 'h':
		id.Depth, err = parseRange(rest)
		return 3, err
	case 'p':
		part, parts, ok := strings.Cut(rest, ".")
		if !ok {
			return 6, errors.New("a part of the labels is pI.K, as in p1.2")
		}
		i, err1 := number(part, uint64(MaxParts))
		k, err2 := number(parts, uint64(MaxParts))
		id.Part, id.Parts = int(i), int(k)
		if id.Parts == 0 {
			return 6, cmp.Or(err1, err2, fmt.Errorf("the parts are 1 to %d", MaxParts))
		}
		return 6, cmp.Or(err1, err2)
	}
	return 0, errors.New("after the seed there can be xSEED, nMIN..MAX, dMIN..MAX, hMIN..MAX, explicit or implicit, json or matrix, and pI.K")
}

// number reads a decimal in its one form.
func number(s string, most uint64) (uint64, error) {
	if s == "" {
		return 0, errors.New("there is no number")
	}
	n, err := strconv.ParseUint(s, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && n > most:
		return 0, fmt.Errorf("the most is %d", most)
	case err != nil:
		return 0, errors.New("it is not a number of digits")
	case s[0] == '0' && s != "0":
		return 0, errors.New("it begins with 0")
	}
	return n, nil
}

// parseRange parses A..B or one number. A range has one form, so that an id has one too.
func parseRange(s string) (Range, error) {
	low, high, two := strings.Cut(s, "..")
	if !two {
		high = low
	}
	a, err1 := number(low, math.MaxInt32)
	b, err2 := number(high, math.MaxInt32)
	if two && a == b && cmp.Or(err1, err2) == nil {
		return Range{}, fmt.Errorf("a range of one number is written %s", low)
	}
	return Range{int(a), int(b)}, cmp.Or(err1, err2)
}

// Check says what is wrong with an id: which part, and what is possible.
func (id ID) Check() error {
	if err := CheckSplit(id.Split); err != nil {
		return err
	}
	c, err := Category(id.Category)
	if err != nil {
		return err
	}
	e, err := editionOf(id.Version)
	if err != nil {
		return err
	}
	switch n, d := id.N, id.Density; {
	case id.Index < 0:
		return fmt.Errorf("the index %d is negative", id.Index)
	case n.Min > n.Max:
		return fmt.Errorf("the range of nodes %s is empty", n)
	case n.Min < 1 || n.Max > e.most:
		return fmt.Errorf("%s nodes: expected 1 to %d", n, e.most)
	case n.Max < c.Least:
		return fmt.Errorf("%s needs at least %d nodes, and there are %s", c.Name, c.Least, n)
	case id.Depth != (Range{}) && !e.hops:
		return fmt.Errorf("%s has no setting for hops; only cb2 has", e.name)
	case id.Depth != (Range{}) && !c.Hops:
		var search []string
		for i := range category.Table {
			if category.Table[i].Hops {
				search = append(search, category.Table[i].Name)
			}
		}
		return fmt.Errorf("%s needs no search, so no hops can be asked for; those that do are %s", c.Name, strings.Join(search, ","))
	case id.Depth != (Range{}) && (id.Depth.Min < 1 || id.Depth.Min > id.Depth.Max || id.Depth.Max >= n.Max):
		return fmt.Errorf("%s hops: expected 1 to %d with %s nodes", id.Depth, n.Max-1, n)
	case d.Min > d.Max:
		return fmt.Errorf("the range of densities %s is empty", d.permille())
	case (d.Min < 0 || d.Max > wholeRange) && (d != sparse || !e.hops):
		return fmt.Errorf("a density of %s: expected 0 to 1", d.permille())
	case !slices.Contains(surface.Encodings(), id.Encoding):
		return fmt.Errorf("there is no encoding %q; there are nl, json and matrix", clip(string(id.Encoding)))
	case id.Parts == 0 && id.Part == 0: // each has labels for more nodes than can be asked for
		return nil
	case id.Parts < 1 || id.Parts > e.parts || id.Part < 1 || id.Part > id.Parts:
		return fmt.Errorf("there is no part %d of %d; parts are 1 to K of K, with K up to %d", id.Part, id.Parts, e.parts)
	}
	if most := id.partition().MaxNodes(); id.N.Max > most {
		return fmt.Errorf("%s nodes; part %d of %d has labels for %d", id.N, id.Part, id.Parts, most)
	}
	return nil
}

// partition returns the labels and domains that an id may use. In cb2 the sides have a
// half each, and parts are parts of it.
func (id ID) partition() surface.Partition {
	p := surface.Partition{Part: id.Part - 1, Of: id.Parts}
	if id.Parts == 0 {
		p.Part, p.Of = 0, 1
	}
	if id.Version != Version {
		p.Part, p.Of = 2*p.Part+1, 2*p.Of
		if id.training() {
			p.Part--
		}
	}
	return p
}

// training reports whether the split is one of the training side.
func (id ID) training() bool { return strings.HasPrefix(id.Split, trainingSplits) }

// Training reports whether an id is of the training side of cb2.
func (id ID) Training() bool { return id.side() == 1 }

// permille returns a range of densities as people write it.
func (r Range) permille() string {
	if r == sparse {
		return "sparse"
	}
	return r.Text(density)
}

// density returns the shortest decimal of so many thousandths.
func density(permille int) string {
	return strconv.FormatFloat(float64(permille)/wholeRange, 'f', -1, 64)
}

var splitPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_]+$`) })

// CheckSplit says what is wrong with the name of a split.
func CheckSplit(s string) error {
	switch {
	case s == "":
		return errors.New("the split has no name")
	case len(s) > maxSplit:
		return fmt.Errorf("the name of the split %q is too long: expected at most %d characters", clip(s), maxSplit)
	case !splitPattern().MatchString(s):
		return fmt.Errorf("the split %q has a character that is not allowed: use letters, digits and underscores", s)
	}
	return nil
}

// Category finds a category by its exact name. The error suggests a similar one.
func Category(name string) (*category.Category, error) {
	if c, ok := category.Lookup(name); ok {
		return c, nil
	}
	names := category.Names()
	if near, ok := diag.Suggest(name, names); ok {
		return nil, fmt.Errorf("there is no category %q; did you mean %s?", clip(name), near)
	}
	return nil, fmt.Errorf("there is no category %q; there are %s", clip(name), strings.Join(names, ", "))
}
