package model

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"ein/internal/compact"
)

// Profile says what may be sent to a family of models. A parameter that may not be sent is an error
// before anything is asked: a model that gets less than the user believes makes a run that means
// something else than it seems to.
type Profile struct {
	Name     string `json:"name"`
	Provider string `json:"provider"`
	Source   string `json:"source"`         // of what stands here
	Date     string `json:"date"`           // on which it was read there
	Note     string `json:"note,omitempty"` // what the source does not say
	// Models is the models by the ids of the provider, with the day on which it says that
	// they end, or "". A date or a stage behind an id does not count, unless it is listed.
	// Without models a profile is chosen otherwise.
	Models map[string]string `json:"models,omitempty"`

	Temperature float64 `json:"temperature,omitempty"` // the highest; 0: none may be sent
	TopP        bool    `json:"top_p,omitempty"`
	// Either is a temperature or a top_p, not both.
	Either     bool     `json:"temperature_or_top_p,omitempty"`
	SampleWith string   `json:"sample_with_effort,omitempty"` // with which alone these two may be sent
	Seed       bool     `json:"seed,omitempty"`
	Stops      int      `json:"stop,omitempty"`    // most stop sequences
	Efforts    []string `json:"efforts,omitempty"` // of reasoning; * is any
	Thinking   Thinking `json:"thinking,omitzero"`

	Role      string `json:"role,omitempty"`       // of the system prompt, where that is a message
	MaxField  string `json:"max_field,omitempty"`  // name of the budget, where there are several
	MaxOutput int    `json:"max_output,omitempty"` // budget where one has to be sent and none is asked for
}

// Thinking says how a budget of reasoning may be given.
type Thinking struct {
	Min  int  `json:"min,omitempty"` // 0 with Max 0: no number of tokens
	Max  int  `json:"max,omitempty"`
	Off  bool `json:"off,omitempty"`
	Auto bool `json:"auto,omitempty"` // -1: up to the model
}

// Anything is a limit that the provider may have and this package does not know. In a
// file it is -1.
const Anything = 1 << 30

// BuiltIn is the file of the built-in profiles.
//
//go:embed profiles.json
var BuiltIn string

// Profiles returns the profiles of a file, then the built-in ones. The first that has a model
// counts. A model without one gets the profile named after its provider, with which everything is
// sent and the server decides.
func Profiles(own []Profile) []Profile {
	return append(slices.Clip(own), builtInProfiles()...)
}

var builtInProfiles = sync.OnceValue(func() []Profile {
	list, err := ReadProfiles(strings.NewReader(BuiltIn))
	if err != nil {
		panic("BUG: model: profiles.json: " + err.Error())
	}
	return list
})

// ReadProfiles reads a file of profiles: {"profiles": [...]}, in the form of Profile.
func ReadProfiles(r io.Reader) ([]Profile, error) {
	const most = 4 << 20
	var file struct {
		Profiles []Profile `json:"profiles"`
	}
	if err := compact.StrictFile(r, most, &file, `not a profile file: expected {"profiles": [...]}`); err != nil {
		return nil, err
	}
	for i := range file.Profiles {
		p := &file.Profiles[i]
		if p.Name == "" || services()[p.Provider].wire == nil {
			return nil, fmt.Errorf("profile %d, %q: expected a name, and openai, anthropic or gemini as the provider", i+1, p.Name)
		}
		for id, end := range p.Models {
			if _, err := time.Parse(time.DateOnly, end); end != "" && err != nil {
				return nil, fmt.Errorf("profile %s: %s ends on %q: expected a day such as 2026-11-22, or \"\"", p.Name, id, end)
			}
		}
		if p.Temperature < 0 {
			p.Temperature = Anything
		}
		for _, n := range []*int{&p.Stops, &p.Thinking.Max} {
			if *n < 0 {
				*n = Anything
			}
		}
		if p.Provider == "openai" {
			p.Role, p.MaxField = cmp.Or(p.Role, "system"), cmp.Or(p.MaxField, "max_completion_tokens")
		}
		if p.Provider == "anthropic" {
			p.MaxOutput = cmp.Or(p.MaxOutput, defaultOutput)
		}
	}
	return file.Profiles, nil
}

// defaultOutput is the default budget for Anthropic, which requires one.
const defaultOutput = 8192

// stages matches what may follow the id of a model: a date, a number or a stage.
var stages = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(-\d{4}-\d{2}-\d{2}|-(preview|exp)(-\d{2}-\d{2,4})?|-\d{3,8}|-latest)+$`)
})

// base returns the id of a model without a stage or date at its end, and without the wrapping of a
// fine-tuned one.
func base(id string) string {
	if tuned, ok := strings.CutPrefix(id, "ft:"); ok {
		id, _, _ = strings.Cut(tuned, ":")
	}
	return stages().ReplaceAllString(id, "")
}

// has reports whether a profile covers a model, and the day on which the model is retired.
func (p *Profile) has(id string) (end string, ok bool) {
	if end, ok = p.Models[id]; ok {
		return end, true
	}
	id = base(id)
	if end, ok = p.Models[id]; ok {
		return end, true
	}
	for m := range p.Models {
		if base(m) == id {
			return "", true // the ends of others of the family are not its own
		}
	}
	return "", false
}

// findProfile returns the profile of the options, or that of a server that is not the
// provider's own, or that of the name.
func findProfile(provider, name string, o *Options) (*Profile, error) {
	provider = cmp.Or(services()[provider].profiles, provider)
	want := o.Profile
	if want == "" && o.BaseURL != "" {
		want = provider
		if provider == "openai" {
			want = "compatible"
		}
	}
	var names []string
	for _, p := range Profiles(o.Profiles) {
		if p.Provider != provider {
			continue
		}
		if _, ok := p.has(name); want == "" && (ok || p.Name == provider) || p.Name == want {
			return &p, nil
		}
		names = append(names, p.Name)
	}
	return nil, fmt.Errorf("%[2]s has no profile %[1]q: expected %[3]s", want, provider, strings.Join(names, ", "))
}

// Notes says what a user should know before a model is asked: that it has no profile, that it will
// be retired, or that others may read the key.
func Notes(m Model, now time.Time) []string {
	c := clientOf(m)
	if c == nil {
		return nil
	}
	list := c.exposed()
	if !c.own {
		return list
	}
	end, known := c.profile.has(c.name)
	if !known && c.profile.Name == c.profile.Provider {
		list = append(list, fmt.Sprintf("no profile for %s: all parameters of the format are sent, and the server decides", c.Name()))
	}
	if day, err := time.Parse(time.DateOnly, end); err == nil {
		verb := "will be retired"
		if now.After(day) {
			verb = "was retired"
		}
		list = append(list, fmt.Sprintf("%s %s on %s (%s)", c.Name(), verb, end, c.profile.Source))
	}
	return list
}

// check says which parameter may not be sent.
func (p *Profile) check(model string, q *Params) *Error {
	refuse := func(hint, format string, args ...any) *Error {
		return &Error{Class: Denied, Message: fmt.Sprintf(format, args...) + " (profile " + p.Name + ")", Hint: hint}
	}
	sampling := p.SampleWith == "" || q.Effort == p.SampleWith
	switch {
	case q.Temperature != nil && p.Temperature == 0:
		return refuse("Leave the temperature out; the run then records that none was sent.", "%s does not accept a temperature", model)
	case q.Temperature != nil && !(*q.Temperature >= 0 && *q.Temperature <= p.Temperature):
		return refuse("Choose a temperature in that range.", "%s accepts temperatures from 0 to %v, found %v", model, p.Temperature, *q.Temperature)
	case q.TopP != nil && !p.TopP:
		return refuse("Leave top_p out.", "%s does not accept top_p", model)
	case q.TopP != nil && !(*q.TopP >= 0 && *q.TopP <= 1):
		return refuse("Choose a top_p in that range.", "expected a top_p from 0 to 1, found %v", *q.TopP)
	case q.Temperature != nil && q.TopP != nil && p.Either:
		return refuse("Leave one of them out.", "%s accepts a temperature or a top_p, not both", model)
	case (q.Temperature != nil || q.TopP != nil) && !sampling:
		return refuse(fmt.Sprintf("Leave them out, or choose the effort %q.", p.SampleWith), "%s accepts a temperature or top_p only with the effort %q", model, p.SampleWith)
	case q.Seed != nil && !p.Seed:
		return refuse("Leave the seed out.", "%s does not accept a seed", model)
	case len(q.Stop) > p.Stops:
		return refuse("Leave stop sequences out.", "%s accepts at most %d stop sequences, found %d", model, p.Stops, len(q.Stop))
	case slices.Contains(q.Stop, ""):
		return refuse("Leave it out.", "a stop sequence is empty")
	case q.MaxTokens < 0:
		return refuse("Choose a positive number, or leave it out.", "the output budget is %d tokens", q.MaxTokens)
	case q.Effort != "" && len(p.Efforts) == 0:
		return refuse("Leave the effort out.", "%s does not accept a reasoning effort", model)
	case q.Effort != "" && p.Efforts[0] != "*" && !slices.Contains(p.Efforts, q.Effort):
		return refuse("Choose one of these.", "%s accepts the efforts %s, found %q", model, strings.Join(p.Efforts, ", "), q.Effort)
	}
	return p.checkThinking(model, q, refuse)
}

// checkThinking refuses a budget for reasoning that the model does not accept, before a request
// is paid for. refuse makes the error of a hint and a message.
func (p *Profile) checkThinking(model string, q *Params, refuse func(hint, format string, args ...any) *Error) *Error {
	if q.Thinking == nil {
		return nil
	}
	t, n := p.Thinking, *q.Thinking
	switch {
	case t == Thinking{}:
		return refuse("Leave it out; if the model accepts a reasoning effort, choose that.", "%s does not accept a thinking budget", model)
	case n == 0 && !t.Off:
		return refuse("Choose a small budget.", "thinking cannot be turned off for %s", model)
	case n == -1 && !t.Auto:
		return refuse("Choose a number of tokens.", "%s cannot choose a thinking budget itself", model)
	case n < -1:
		return refuse("0 turns thinking off, -1 leaves it to the model.", "the thinking budget is %d tokens", n)
	case n > 0 && t.Max == 0:
		return refuse("Use -1, which leaves it to the model, and an effort.", "%s does not accept a number of tokens as its thinking budget", model)
	case n > 0 && (n < t.Min || n > t.Max):
		return refuse("Choose a budget in that range.", "%s accepts thinking budgets from %d to %d tokens, found %d", model, t.Min, t.Max, n)
	case p.Provider == "gemini" && q.Effort != "":
		return refuse("Leave one of them out.", "%s accepts a thinking budget or an effort, not both", model)
	case p.Provider != "anthropic" || n == 0:
		return nil
	case q.Temperature != nil || q.TopP != nil:
		return refuse("Leave them out, or turn thinking off.", "%s accepts neither temperature nor top_p with thinking on", model)
	case n >= p.budget(q):
		return refuse("Raise the output budget, which includes thinking.", "the thinking budget of %d tokens does not fit in the output budget of %d", n, p.budget(q))
	}
	return nil
}

// budget returns how many tokens of output a request asks for.
func (p *Profile) budget(q *Params) int { return cmp.Or(q.MaxTokens, p.MaxOutput) }

// ProfileOf returns the name of the profile of a model at its provider's own address.
func ProfileOf(provider, name string) (string, error) {
	p, err := findProfile(provider, name, &Options{})
	if err != nil {
		return "", err
	}
	return p.Name, nil
}
