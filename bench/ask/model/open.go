package model

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"ein/bench/question/instance"
	"ein/internal/lists"
)

// DefaultTimeout bounds one exchange. A reasoning model may think for minutes.
const DefaultTimeout = 10 * time.Minute

// Options are what a model needs beyond its name. The zero value is a provider at
// its own address, with the key of the environment.
type Options struct {
	// BaseURL is the address of a server that speaks the format of the provider, up
	// to what the provider puts behind it: http://localhost:8000/v1 for openai,
	// https://host for anthropic and gemini.
	BaseURL string
	// Profiles go before the built-in ones.
	Profiles []Profile
	// Profile names what may be sent, of Profiles. "" is that of the name of the
	// model, or with a BaseURL the one that allows all that the format has.
	Profile string
	// Env looks up a variable of the environment; nil is os.Getenv.
	Env func(string) string
	// KeyFile is a file whose only line is the key; "" is the environment.
	KeyFile string
	// HTTP sends requests; nil is a client of its own.
	HTTP *http.Client
	// Headers are sent with each request; what they hold is kept as secret as a key.
	Headers http.Header
	// Stream has answers sent in pieces, as they are made.
	Stream bool
	// Timeout bounds one exchange, of a stream the time in which nothing comes; 0 is
	// DefaultTimeout.
	Timeout time.Duration
	// NoContextCheck accepts replies whose count of input tokens is far below what
	// the prompt must have; see Client.
	NoContextCheck bool
	// Stderr gets what programs of exec write to it; nil is nobody.
	Stderr io.Writer
	// Processes is how many programs of exec run at once; 0 is 1.
	Processes int
	// Instances are what baselines know. They are not changed.
	Instances []*instance.Instance
}

// opener makes the model of a provider. The name has no provider in front.
type opener struct {
	provider string
	what     string // the rest of the name, for messages
	open     func(name string, o *Options) (Model, error)
}

// openers lists the providers in the order in which help shows them.
func openers() []opener {
	return []opener{
		{"openai", "the server's name for the model", openClient("openai")},
		{"openai-responses", "OpenAI's name for the model", openClient("openai-responses")},
		{"anthropic", "Anthropic's name for the model", openClient("anthropic")},
		{"gemini", "Google's name for the model", openClient("gemini")},
		{"exec", "a command that answers JSON lines", openExec},
		{"replay", "a folder of recorded traffic", openReplay},
		{"baseline", "majority, random, oracle, oracle-ein or noisy-ein@RATE", openBaseline},
	}
}

// Providers returns the names of the providers.
func Providers() []string {
	return lists.Map(openers(), func(p opener) string { return p.provider })
}

// Open makes the model PROVIDER:NAME. It asks nothing yet, and looks for no key. A model that is an
// io.Closer has to be closed.
func Open(spec string, o Options) (Model, error) {
	provider, name, found := strings.Cut(spec, ":")
	list := openers()
	i := slices.IndexFunc(list, func(p opener) bool { return p.provider == provider })
	switch {
	case i < 0:
		return nil, fmt.Errorf("model %q: unknown provider %q: expected PROVIDER:NAME, with %s", spec, provider, strings.Join(Providers(), ", "))
	case !found || name == "":
		return nil, fmt.Errorf("model %q: the name is missing: expected %s:NAME, with %s", spec, provider, list[i].what)
	}
	if o.Timeout = cmp.Or(o.Timeout, DefaultTimeout); o.Env == nil {
		o.Env = os.Getenv
	}
	m, err := list[i].open(name, &o)
	if err != nil {
		return nil, fmt.Errorf("model %q: %w", spec, err)
	}
	return m, nil
}

// Ready says why a model cannot be asked, as far as that is known without asking it: a missing key.
// The error is an *Error.
func Ready(m Model) error {
	if c := clientOf(m); c != nil {
		if _, err := c.key(); err != nil {
			return err
		}
	}
	return nil
}

// Close ends what a model keeps running, if anything.
func Close(m Model) error {
	if c, ok := m.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
