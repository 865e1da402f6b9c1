package prompt

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"ein/internal/lists"
	"ein/stdlib"
)

// Mode is how a model is asked: for the answer, for the answer after some
// thinking, for a program whose output is the answer, or for the answer with tools that
// run programs.
type Mode string

// The modes.
const (
	Direct Mode = "direct"
	CoT    Mode = "cot"
	Ein    Mode = "ein"
	Python Mode = "python"
	Rules  Mode = "rules" // in Ein, as facts, rules and queries
	Tool   Mode = "ein-tool"
)

// Modes returns all modes.
func Modes() []Mode { return []Mode{Direct, CoT, Ein, Python, Rules, Tool} }

//go:embed prompts/*.md prompts/paper/*.md
var embedded embed.FS

// Prompts maps modes to their system prompts.
type Prompts map[Mode]string

// DefaultPrompts returns the prompts of this version of the benchmark. They state the same
// conventions in every mode.
func DefaultPrompts() Prompts {
	p := embeddedIn("prompts")
	_, language, _ := strings.Cut(p[Ein], "\n\n") // behind what it says about the reply
	p[Tool] += "\n\n" + language
	return p
}

// PaperPrompts returns the prompts of the paper, word for word. It has none for the modes python
// and rules.
func PaperPrompts() Prompts { return embeddedIn("prompts/paper") }

// embeddedIn returns the prompts in an embedded folder. An error in them is a bug. The card of
// the rules comes from the standard library, so that it is kept in one place.
func embeddedIn(dir string) Prompts {
	sub, err := fs.Sub(embedded, dir)
	if err != nil {
		panic("BUG: prompt: " + err.Error())
	}
	p := Prompts{}
	if err := p.Override(sub); err != nil {
		panic("BUG: prompt: " + err.Error())
	}
	if text := p[Rules]; text != "" {
		p[Rules] = strings.Replace(text, "{card}", strings.TrimSpace(stdlib.RulesCard), 1)
	}
	return p
}

// Override replaces prompts by those in a folder, in files named after the mode, such as direct.md.
// Any other file ending in .md is an error: it could only be a prompt that would not be used.
func (p Prompts) Override(dir fs.FS) error {
	names, err := fs.Glob(dir, "*.md")
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return errors.New("it has no prompts: expected " + fileNames())
	}
	for _, name := range names {
		mode := Mode(strings.TrimSuffix(name, path.Ext(name)))
		if !slices.Contains(Modes(), mode) {
			return fmt.Errorf("%s is not the prompt of a mode: expected %s", name, fileNames())
		}
		b, err := fs.ReadFile(dir, name)
		if err != nil {
			return err
		}
		text := strings.TrimSpace(strings.ReplaceAll(string(b), "\r\n", "\n"))
		if text == "" {
			return fmt.Errorf("%s is empty", name)
		}
		p[mode] = text
	}
	return nil
}

func fileNames() string {
	s := lists.Map(Modes(), func(m Mode) string { return string(m) + ".md" })
	return strings.Join(s[:len(s)-1], ", ") + " or " + s[len(s)-1]
}
