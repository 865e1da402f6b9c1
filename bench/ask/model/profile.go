package model

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// profile is what may be sent to a family of models. What is asked for and may not
// be sent is an error before anything is asked: a model that is told less than the
// user believes makes a run that says something else than it seems to.
type profile struct {
	name     string
	provider string
	models   *regexp.Regexp // of whole names; nil for one that is chosen otherwise

	temperature float64 // the highest; 0: none may be sent
	topP        bool
	either      bool   // temperature or top_p, not both
	sampleWith  string // the effort with which alone these two may be sent
	seed        bool
	stops       int      // most stop sequences
	efforts     []string // of reasoning
	thinking    thinking

	role      string // of the system prompt, where that is a message
	maxField  string // name of the budget, where there are several
	maxOutput int    // budget where one has to be sent and none is asked for
}

// thinking is how a budget of reasoning may be given.
type thinking struct {
	min, max int // 0, 0: no number of tokens
	off      bool
	auto     bool // -1: up to the model
}

// anything is a limit that the provider may have and this package does not know.
const anything = 1 << 30

var anyEffort = []string{"*"}

// profiles is the table, the first match counts. It holds what the documentation of
// the providers says and what their servers refuse; a name that none matches gets
// the last of its provider, with which everything is sent and the server decides.
func profiles() []profile {
	whole := func(pattern string) *regexp.Regexp { return regexp.MustCompile(`^(?:` + pattern + `)$`) }
	const (
		dated = `(-\d{4}-\d{2}-\d{2})?` // of OpenAI
		stamp = `(-\d{8}|-latest)?`     // of Anthropic
		tail  = `(-preview)?(-\d{2}-\d{2,4}|-\d{3}|-latest)?`
	)
	return []profile{
		{name: "openai-chat", provider: "openai",
			models:      whole(`(ft:)?(gpt-4o(-mini)?|gpt-4\.1(-mini|-nano)?|gpt-4(-turbo)?(-\d{4})?(-preview)?|gpt-3\.5-turbo(-\d{4})?|chatgpt-4o-latest)` + dated + `(:.*)?`),
			temperature: 2, topP: true, seed: true, stops: 4, role: "system", maxField: "max_completion_tokens"},
		{name: "openai-o", provider: "openai", models: whole(`o\d+(-mini)?` + dated),
			seed: true, efforts: []string{"low", "medium", "high"}, role: "developer", maxField: "max_completion_tokens"},
		{name: "openai-gpt-5-chat", provider: "openai", models: whole(`gpt-5(\.\d+)?-chat(-latest)?` + dated),
			seed: true, efforts: []string{"medium"}, role: "developer", maxField: "max_completion_tokens"},
		{name: "openai-gpt-5", provider: "openai", models: whole(`gpt-5(-mini|-nano)?` + dated),
			seed: true, efforts: []string{"minimal", "low", "medium", "high"}, role: "developer", maxField: "max_completion_tokens"},
		{name: "openai-gpt-5.1", provider: "openai", models: whole(`gpt-5\.1` + dated),
			temperature: 2, topP: true, sampleWith: "none", seed: true, efforts: []string{"none", "low", "medium", "high"}, role: "developer", maxField: "max_completion_tokens"},
		{name: "openai-gpt-5.2", provider: "openai", models: whole(`gpt-5\.([2-9]|[1-9]\d)(-mini|-nano)?` + dated),
			temperature: 2, topP: true, sampleWith: "none", seed: true, efforts: []string{"none", "low", "medium", "high", "xhigh", "max"}, role: "developer", maxField: "max_completion_tokens"},
		{name: "openai", provider: "openai",
			temperature: anything, topP: true, seed: true, stops: 4, efforts: anyEffort, role: "system", maxField: "max_completion_tokens"},

		{name: "anthropic-3", provider: "anthropic", models: whole(`claude-3-(opus|sonnet|haiku)` + stamp),
			temperature: 1, topP: true, stops: anything, maxOutput: 4096},
		{name: "anthropic-3.5", provider: "anthropic", models: whole(`claude-3-5-(sonnet|haiku)` + stamp),
			temperature: 1, topP: true, stops: anything, maxOutput: 8192},
		{name: "anthropic-4", provider: "anthropic", models: whole(`claude-3-7-sonnet` + stamp + `|claude-(opus|sonnet)-4(-0)?` + stamp),
			temperature: 1, topP: true, stops: anything, thinking: thinking{min: 1024, max: anything, off: true}, maxOutput: 16384},
		{name: "anthropic-4.5", provider: "anthropic", models: whole(`claude-(opus-4-1|(opus|sonnet|haiku)-4-5)` + stamp),
			temperature: 1, topP: true, either: true, stops: anything, thinking: thinking{min: 1024, max: anything, off: true}, maxOutput: 16384},
		{name: "anthropic-4.6", provider: "anthropic", models: whole(`claude-(opus|sonnet|haiku)-4-6` + stamp),
			temperature: 1, topP: true, either: true, stops: anything, efforts: []string{"low", "medium", "high", "max"},
			thinking: thinking{min: 1024, max: anything, off: true, auto: true}, maxOutput: 16384},
		{name: "anthropic-5", provider: "anthropic", models: whole(`claude-(opus|sonnet|haiku)-(4-([7-9]|[1-9]\d)|[5-9](-\d{1,2})?)` + stamp),
			stops: anything, efforts: []string{"low", "medium", "high", "xhigh", "max"},
			thinking: thinking{off: true, auto: true}, maxOutput: 16384},
		{name: "anthropic", provider: "anthropic",
			temperature: anything, topP: true, stops: anything, efforts: anyEffort,
			thinking: thinking{min: 1, max: anything, off: true, auto: true}, maxOutput: 8192},

		{name: "gemini-2", provider: "gemini", models: whole(`gemini-(1\.5|2\.0)-(pro|flash)(-lite|-8b)?` + tail),
			temperature: 2, topP: true, seed: true, stops: 5},
		{name: "gemini-2.5-pro", provider: "gemini", models: whole(`gemini-2\.5-pro` + tail),
			temperature: 2, topP: true, seed: true, stops: 5, thinking: thinking{min: 128, max: 32768, auto: true}},
		{name: "gemini-2.5-flash", provider: "gemini", models: whole(`gemini-2\.5-flash` + tail),
			temperature: 2, topP: true, seed: true, stops: 5, thinking: thinking{min: 1, max: 24576, off: true, auto: true}},
		{name: "gemini-2.5-flash-lite", provider: "gemini", models: whole(`gemini-2\.5-flash-lite` + tail),
			temperature: 2, topP: true, seed: true, stops: 5, thinking: thinking{min: 512, max: 24576, off: true, auto: true}},
		{name: "gemini-3-pro", provider: "gemini", models: whole(`gemini-3(\.\d+)?-pro` + tail),
			temperature: 2, topP: true, seed: true, stops: 5, efforts: []string{"low", "medium", "high"}},
		{name: "gemini-3-flash", provider: "gemini", models: whole(`gemini-3(\.\d+)?-flash(-lite)?` + tail),
			temperature: 2, topP: true, seed: true, stops: 5, efforts: []string{"minimal", "low", "medium", "high"}},
		{name: "gemini", provider: "gemini",
			temperature: anything, topP: true, seed: true, stops: anything, efforts: anyEffort,
			thinking: thinking{min: 1, max: anything, off: true, auto: true}},

		// Servers that speak the format of OpenAI and are not OpenAI's.
		{name: "compatible", provider: "openai",
			temperature: anything, topP: true, seed: true, stops: anything, efforts: anyEffort, role: "system", maxField: "max_tokens"},
	}
}

// Profiles is the names of the profiles of a provider, for Options.
func Profiles(provider string) []string {
	var s []string
	for _, p := range profiles() {
		if p.provider == provider {
			s = append(s, p.name)
		}
	}
	return s
}

// findProfile is that of the options, or that of a server that is not the
// provider's own, or that of the name.
func findProfile(provider, name string, o *Options) (*profile, error) {
	want := o.Profile
	if want == "" && o.BaseURL != "" {
		want = provider
		if provider == "openai" {
			want = "compatible"
		}
	}
	for _, p := range profiles() {
		switch {
		case p.provider != provider:
		case want == "" && (p.models == nil || p.models.MatchString(name)), p.name == want:
			return &p, nil
		}
	}
	return nil, fmt.Errorf("there is no profile %q of %s: expected %s", want, provider, strings.Join(Profiles(provider), ", "))
}

// check says what of the parameters may not be sent.
func (p *profile) check(model string, q *Params) *Error {
	refuse := func(hint, format string, args ...any) *Error {
		return &Error{Class: Denied, Message: fmt.Sprintf(format, args...) + " (profile " + p.name + ")", Hint: hint}
	}
	sampling := p.sampleWith == "" || q.Effort == p.sampleWith
	switch {
	case q.Temperature != nil && p.temperature == 0:
		return refuse("Leave the temperature out: the run record then says that none was sent.", "%s takes no temperature", model)
	case q.Temperature != nil && !(*q.Temperature >= 0 && *q.Temperature <= p.temperature):
		return refuse("Ask for a temperature in that range.", "the temperature %v is not in 0..%v, which %s takes", *q.Temperature, p.temperature, model)
	case q.TopP != nil && !p.topP:
		return refuse("Leave top_p out.", "%s takes no top_p", model)
	case q.TopP != nil && !(*q.TopP >= 0 && *q.TopP <= 1):
		return refuse("Ask for a top_p in that range.", "top_p %v is not in 0..1", *q.TopP)
	case q.Temperature != nil && q.TopP != nil && p.either:
		return refuse("Leave one of them out.", "%s takes a temperature or a top_p, not both", model)
	case (q.Temperature != nil || q.TopP != nil) && !sampling:
		return refuse(fmt.Sprintf("Leave them out, or ask for the effort %q.", p.sampleWith), "%s takes a temperature or top_p with the effort %q only", model, p.sampleWith)
	case q.Seed != nil && !p.seed:
		return refuse("Leave the seed out.", "%s takes no seed", model)
	case len(q.Stop) > p.stops:
		return refuse("Leave stop sequences out.", "%d stop sequences are too many for %s, which takes %d", len(q.Stop), model, p.stops)
	case slices.Contains(q.Stop, ""):
		return refuse("Leave it out.", "a stop sequence is empty")
	case q.MaxTokens < 0:
		return refuse("Ask for a positive number, or none.", "a budget of %d tokens", q.MaxTokens)
	case q.Effort != "" && len(p.efforts) == 0:
		return refuse("Leave the effort out.", "%s takes no effort of reasoning", model)
	case q.Effort != "" && p.efforts[0] != "*" && !slices.Contains(p.efforts, q.Effort):
		return refuse("Ask for one of these.", "%s takes no effort %q, but %s", model, q.Effort, strings.Join(p.efforts, ", "))
	}
	return p.checkThinking(model, q, refuse)
}

func (p *profile) checkThinking(model string, q *Params, refuse func(hint, format string, args ...any) *Error) *Error {
	if q.Thinking == nil {
		return nil
	}
	t, n := p.thinking, *q.Thinking
	switch {
	case t == thinking{}:
		return refuse("Leave it out; where a model takes an effort of reasoning, ask for that.", "%s takes no budget of thinking", model)
	case n == 0 && !t.off:
		return refuse("Ask for a small budget.", "the thinking of %s cannot be turned off", model)
	case n == -1 && !t.auto:
		return refuse("Ask for a number of tokens.", "%s does not choose a budget of thinking itself", model)
	case n < -1:
		return refuse("0 turns thinking off, -1 leaves it to the model.", "a budget of thinking of %d tokens", n)
	case n > 0 && t.max == 0:
		return refuse("Ask for -1, up to the model, and an effort.", "%s takes no number of tokens as a budget of thinking", model)
	case n > 0 && (n < t.min || n > t.max):
		return refuse("Ask for a budget in that range.", "a budget of thinking of %d tokens is not in %d..%d, which %s takes", n, t.min, t.max, model)
	case p.provider == "gemini" && q.Effort != "":
		return refuse("Leave one of them out.", "%s takes a budget of thinking or an effort, not both", model)
	case p.provider != "anthropic" || n == 0:
		return nil
	case q.Temperature != nil || q.TopP != nil:
		return refuse("Leave them out, or turn thinking off.", "%s takes no temperature and no top_p while it thinks", model)
	case n >= p.budget(q):
		return refuse("Ask for more tokens of output, which include those of thinking.", "a budget of thinking of %d tokens in an output of %d", n, p.budget(q))
	}
	return nil
}

// budget is the tokens of output that are asked for.
func (p *profile) budget(q *Params) int {
	if q.MaxTokens > 0 {
		return q.MaxTokens
	}
	return p.maxOutput
}

// ProfileOf is the name of the profile of a model at its provider's own address.
func ProfileOf(provider, name string) (string, error) {
	p, err := findProfile(provider, name, &Options{})
	if err != nil {
		return "", err
	}
	return p.name, nil
}
