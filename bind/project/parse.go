package project

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"

	"ein/bind"
	"ein/internal/words"
	"ein/lang/check"
	"ein/lang/diag"
	"ein/lang/source"
	"ein/vm/graphio"
)

// word is a part of a key.
type word struct {
	name string
	at   source.Position
}

// value is the value of a key: one text, or the texts of an array.
type value struct {
	kind  unstable.Kind
	texts []string
	at    source.Position
}

// reading is one call of Parse.
type reading struct {
	unstable.Parser
	file  *File
	wrong diag.List
	// seen is the keys so far, joined by a character that no key has a use for; a
	// header is one too.
	seen map[string]seenAs
}

// seenAs is how a key came to be, which decides whether it may come again.
type seenAs uint8

const (
	asTable  seenAs = iota + 1 // by what it holds
	asHeader                   // by itself
	asValue
)

// Parse reads the text of a file. It reports all mistakes at once, but stops at what is not TOML.
//
// It uses the parser of the library without its decoder, since only the parser says where each key
// and value is.
func Parse(name string, text []byte) (*File, diag.List) {
	r := &reading{file: &File{name: name, single: map[string]*Settings{}}, seen: map[string]seenAs{}}
	r.Reset(bytes.TrimPrefix(text, []byte("\ufeff"))) // editors of Windows write one
	var table []word
	known := true
	for r.NextExpression() {
		e := r.Expression()
		switch e.Kind {
		case unstable.Table:
			table = r.key(e.Key())
			known = r.enter(table, asHeader) && r.set(table, nil)
		case unstable.ArrayTable:
			table, known = r.key(e.Key()), false
			r.bad(table[0].at, "a list of tables, expected one", "Write the name of a table in single brackets.")
		case unstable.KeyValue:
			if known { // else nothing is known of what the table holds either
				r.entry(table, e)
			}
		}
	}
	if syntax, ok := errors.AsType[*unstable.ParserError](r.Error()); ok {
		at, hint := cap(r.Data())-cap(syntax.Highlight), ""
		if before := bytes.TrimRight(r.Data()[:at], " \t"); bytes.HasSuffix(before, []byte{'='}) {
			hint = `A text is in quotes, as in A = "graph.csv".`
		}
		if !utf8.Valid(text) {
			hint = "Save the file as UTF-8."
		}
		r.bad(r.place(at), syntax.Message, hint)
	} else if err := r.Error(); err != nil {
		r.bad(r.place(0), err.Error(), "")
	}
	for _, s := range append(slices.Collect(maps.Values(r.file.single)), &r.file.all) {
		for _, in := range s.inputs {
			switch {
			case r.wrong != nil:
			case in.Path == "":
				r.bad(in.at, fmt.Sprintf("`%s` has no file", in.Name), "")
			case in.Path == "-":
				r.bad(in.at, fmt.Sprintf("`%s` cannot be standard input", in.Name), "`--input "+in.Name+"=-` binds it.")
			}
		}
	}
	if r.wrong != nil {
		r.wrong.Sort()
		return nil, r.wrong
	}
	return r.file, nil
}

// bad notes a mistake and goes on, so that one reading tells of them all.
func (r *reading) bad(at source.Position, message, hint string) {
	r.wrong = append(r.wrong, wrong(at, message, hint))
}

// place returns the place of a byte.
func (r *reading) place(offset int) source.Position {
	before := r.Data()[:min(max(offset, 0), len(r.Data()))]
	line := bytes.LastIndexByte(before, '\n') + 1
	return source.Position{File: r.file.name, Line: 1 + bytes.Count(before, []byte{'\n'}), Column: 1 + utf8.RuneCount(before[line:])}
}

// key returns the parts of a dotted key, each with its place.
func (r *reading) key(parts unstable.Iterator) (key []word) {
	for parts.Next() {
		key = append(key, word{string(parts.Node().Data), r.place(int(parts.Node().Raw.Offset))})
	}
	return key
}

// enter notes a key, unless it was there before.
func (r *reading) enter(key []word, as seenAs) bool {
	path := ""
	for i, w := range key {
		path += "\x00" + w.name
		now := r.seen[path]
		last := i == len(key)-1
		if now == asValue || last && now >= as || last && as == asValue && now != 0 {
			r.bad(w.at, fmt.Sprintf("`%s` is given twice", w.name), "")
			return false
		}
		if last {
			r.seen[path] = as
		} else if now == 0 {
			r.seen[path] = asTable
		}
	}
	return true
}

// entry takes a key with its value, of a table.
func (r *reading) entry(table []word, e *unstable.Node) {
	key := append(table[:len(table):len(table)], r.key(e.Key())...)
	v := e.Value()
	if v.Kind == unstable.InlineTable {
		if !r.enter(key, asHeader) || !r.set(key, nil) {
			return
		}
		for parts := v.Children(); parts.Next(); {
			r.entry(key, parts.Node())
		}
		return
	}
	last := key[len(key)-1]
	val := value{kind: v.Kind, at: last.at}
	if v.Kind == unstable.Array {
		for items := v.Children(); items.Next(); {
			if items.Node().Kind != unstable.String && last.name == "where" {
				r.bad(val.at, "`where` has an item that is not a quoted string", "")
				return
			}
			val.texts = append(val.texts, string(items.Node().Data))
		}
	} else {
		val.texts = []string{string(v.Data)}
		if v.Raw.Length > 0 {
			val.at = r.place(int(v.Raw.Offset))
		}
	}
	if r.enter(key, asValue) {
		r.set(key, &val)
	}
}

// set gives a setting its value, or, without one, asks only whether it is a table.
func (r *reading) set(key []word, v *value) bool {
	to, own, file := &r.file.all, false, ""
	known := []string{"inputs", "limits", "profile", "programs"}
	if key[0].name == "programs" {
		if len(key) < 2 {
			return r.table(key[0], v)
		}
		own, known = true, known[:3]
		if to = r.file.single[key[1].name]; to == nil {
			to = &Settings{at: key[1].at}
			r.file.single[key[1].name] = to
		}
		if strings.ContainsAny(key[1].name, `/\`) {
			r.bad(key[1].at, fmt.Sprintf("%q is not a program name", key[1].name), "Programs are named without their folder.")
			return false
		}
		if len(key) == 2 {
			return r.table(key[1], v)
		}
		file, key = key[1].name, key[2:]
	}
	switch key[0].name {
	case "profile":
		return r.single(key, v) && r.profile(to, v)
	case "limits":
		if len(key) == 1 {
			return r.table(key[0], v)
		}
		return r.limit(to, key[1:], v)
	case "inputs":
		if len(key) == 1 {
			return r.table(key[0], v)
		}
		return r.input(to, own, key[1:], v)
	}
	if own && key[0].name == "ein" {
		r.bad(key[0].at, "the name of a program is not in quotes", fmt.Sprintf("Write programs.%q.", file+".ein"))
		return false
	}
	return r.unknown(key[0], "setting", known)
}

// unknown reports a name that is none of those known, and suggests the one it is most like.
func (r *reading) unknown(w word, what string, known []string) bool {
	hint := "There are " + strings.Join(known, ", ") + "."
	if near, ok := diag.Suggest(w.name, known); ok {
		hint = fmt.Sprintf("Did you mean `%s`?", near)
	}
	r.bad(w.at, fmt.Sprintf("there is no %s `%s`", what, w.name), hint)
	return false
}

// table reports whether a key has no value of its own, as the name of a table must.
func (r *reading) table(w word, v *value) bool {
	if v != nil {
		r.bad(w.at, fmt.Sprintf("`%s` has a value, expected a table", w.name), "")
	}
	return v == nil
}

// single reports whether a key has a value and no parts.
func (r *reading) single(key []word, v *value) bool {
	if len(key) > 1 || v == nil {
		r.bad(key[0].at, fmt.Sprintf("`%s` is a table, expected a value", key[0].name), "")
		return false
	}
	if v.kind == unstable.Array && key[0].name != "where" {
		r.bad(v.at, fmt.Sprintf("`%s` is a list, expected one value", key[0].name), "")
		return false
	}
	return true
}

// profile sets the profile of the language.
func (r *reading) profile(to *Settings, v *value) bool {
	for _, p := range check.Profiles {
		if v.texts[0] == p.String() {
			to.Profile = &p
			return true
		}
	}
	r.bad(v.at, fmt.Sprintf("there is no profile %q", v.texts[0]), "There are full, core and logic.")
	return false
}

// limit sets a limit, which has the name of its option on the command line.
func (r *reading) limit(to *Settings, key []word, v *value) bool {
	names := []string{"max-memory", "max-ops", "max-output", "timeout"}
	limits := []*Limit{&to.Memory, &to.Ops, &to.Output, &to.Timeout}
	parse := []func(string) (uint64, error){words.ParseBytes, words.ParseCount, words.ParseCount, duration}
	i := slices.Index(names, key[0].name)
	if i < 0 {
		return r.unknown(key[0], "limit", names)
	}
	if !r.single(key, v) {
		return false
	}
	text := v.texts[0]
	if v.kind != unstable.String {
		text = strings.ReplaceAll(text, "_", "")
	}
	n, err := parse[i](text)
	if err != nil {
		r.bad(v.at, fmt.Sprintf("%s cannot be %q: %v", names[i], v.texts[0], err), "")
		return false
	}
	if n > 0 {
		*limits[i] = Limit{n, v.at}
	}
	return true
}

// duration is [words.ParseDuration] with the result of the other limits, in nanoseconds.
func duration(s string) (uint64, error) {
	d, err := words.ParseDuration(s)
	return uint64(d), err
}

// misplaced reports a setting below the head of the table of inputs, where it would be an input that
// no program has.
func (r *reading) misplaced(key word, v *value) bool {
	says := func(p check.Profile) bool { return p.String() == v.texts[0] }
	_, err := words.ParseDuration(v.texts[0])
	hint := "Limits stand in the table [limits]."
	switch {
	case strings.HasPrefix(key.name, "max-"), key.name == "timeout" && err == nil:
	case key.name == "profile" && slices.ContainsFunc(check.Profiles[:], says):
		hint = "It stands before the first table, in brackets."
	default:
		return false
	}
	r.bad(key.at, fmt.Sprintf("`%s` is no input", key.name), hint)
	return true
}

// input sets the data of an input: a file with its options in one text, or a table of
// them.
func (r *reading) input(to *Settings, own bool, key []word, v *value) bool {
	if len(key) == 1 && v != nil && len(v.texts) > 0 && r.misplaced(key[0], v) {
		return false
	}
	at := slices.IndexFunc(to.inputs, func(in input) bool { return in.Name == key[0].name })
	if at < 0 {
		at = len(to.inputs)
		to.inputs = append(to.inputs, input{Input: bind.Input{Name: key[0].name}, at: key[0].at, own: own})
	}
	in := &to.inputs[at]
	if len(key) == 1 && v == nil {
		return true
	}
	part := key[1:]
	if len(part) == 0 {
		var err error
		if v.kind != unstable.String {
			err = errors.New("expected a file in quotes, or a table")
		} else {
			in.Path, in.Options, err = graphio.ParseSpec(v.texts[0])
		}
		if err != nil {
			r.bad(v.at, err.Error(), "")
		}
		return err == nil
	}
	if part[0].name == "file" {
		if !r.single(part, v) {
			return false
		}
		if v.kind != unstable.String {
			r.bad(v.at, "expected a file in quotes", "")
			return false
		}
		in.Path = v.texts[0]
		return true
	}
	known := append(graphio.OptionNames(), "file")
	if !slices.Contains(known, part[0].name) {
		return r.unknown(part[0], "option", known)
	}
	if !r.single(part, v) {
		return false
	}
	for _, text := range v.texts {
		if v.kind == unstable.Integer || v.kind == unstable.Float {
			text = strings.ReplaceAll(text, "_", "")
		}
		if err := in.Options.Set(part[0].name, text); err != nil {
			r.bad(v.at, err.Msg, err.Hint)
			return false
		}
	}
	return true
}
