package model

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"ein/internal/compact"
)

// MaxResponse bounds the body of a response in bytes. A reply of a million tokens
// has about four million.
const MaxResponse = 32 << 20

// maxFailure bounds how much of the body of a failure is read.
const maxFailure = 1 << 20

// charsPerTokenMost is more characters than the tokens of any prompt have on average. English prose
// has 4 to 5, numbers and names have fewer.
const charsPerTokenMost = 6

// wire is the format of a provider.
type wire interface {
	path(model string) string
	sign(h http.Header, key string)
	body(model string, p *Profile, r *Request) any
	// reply reads a whole answer. Its error says what makes it another format.
	reply(body []byte) (*Response, error)
	// streams is the members of a body that ask for a stream, and pieces puts one together again.
	streams() string
	pieces() pieces
	// fault is what a body says of a failure; the status decides what it leaves empty.
	fault(status int, body []byte) fault
	batches() batchAPI
	// batch is the calls that submit requests at once; of all but the last, the answer has an id
	// that the next one is made with.
	batch(model, tag string, bodies []json.RawMessage) []func(id string) (*call, error)
	// line is the name of a request and its answer or its failure, of a file of results.
	line(text []byte) (custom string, body []byte, failed *Error, err error)
}

// service is a provider: its format, its address, and the variables that may hold its key.
type service struct {
	wire wire
	base string
	keys []string // variables of the environment
	list string   // path of the list of models
	// profiles is the provider of its profiles, if it is another.
	profiles string
}

// services are the providers over HTTP, with what is known of each: format, address, names of the
// key in the environment, path of the list of models, and the provider whose profiles it shares.
func services() map[string]service {
	return map[string]service{
		"openai":           {openAI{}, "https://api.openai.com/v1", []string{"OPENAI_API_KEY"}, "/models", ""},
		"openai-responses": {responses{}, "https://api.openai.com/v1", []string{"OPENAI_API_KEY"}, "/models", "openai"},
		"anthropic":        {anthropic{}, "https://api.anthropic.com", []string{"ANTHROPIC_API_KEY"}, "/v1/models", ""},
		"gemini":           {gemini{}, "https://generativelanguage.googleapis.com", []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, "/v1beta/models", ""},
	}
}

// client asks a model over HTTP.
type client struct {
	provider, name string
	service        service
	profile        *Profile
	url            string
	own            bool // the provider's own server
	http           *http.Client
	opt            *Options
	fileKey        string // the key, if it came from a file
	now            func() time.Time
}

// openClient makes the model of a provider that is reached over HTTP.
func openClient(provider string) func(string, *Options) (Model, error) {
	return func(name string, o *Options) (Model, error) {
		c := &client{provider: provider, name: name, service: services()[provider], own: o.BaseURL == "", opt: o, now: time.Now}
		if strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f || r == utf8.RuneError }) {
			return nil, errors.New("the name contains spaces or control characters")
		}
		var err error
		if c.profile, err = findProfile(provider, name, o); err != nil {
			return nil, err
		}
		base := c.service.base
		if !c.own {
			base = o.BaseURL
		}
		if err := checkBase(base); err != nil {
			return nil, err
		}
		c.url = strings.TrimRight(base, "/") + c.service.wire.path(name)
		if o.KeyFile != "" {
			if c.fileKey, err = keyFile(o.KeyFile); err != nil {
				return nil, err
			}
		}
		c.http = httpClient(o)
		return c, nil
	}
}

// checkBase refuses addresses that would put a secret into a record of the run.
func checkBase(base string) error {
	u, err := url.Parse(base)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("the base URL is not an address such as http://localhost:8000/v1")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("the base URL may only have an address and a path; keys come from the environment or a file")
	}
	return nil
}

// httpClient returns the client of the options, or one of our own. It follows no redirections,
// because a key must not follow them.
func httpClient(o *Options) *http.Client {
	var c http.Client
	if o.HTTP != nil {
		c = *o.HTTP
	} else {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.MaxIdleConnsPerHost, t.MaxIdleConns = 256, 256
		// One connection for a request, so that none holds others up. The tag of make build
		// leaves HTTP/2 out; other builds do the same.
		t.Protocols = new(http.Protocols)
		t.Protocols.SetHTTP1(true)
		c.Transport = t
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

// Name implements Model.
func (c *client) Name() string { return c.provider + ":" + c.name }

// Close closes idle connections.
func (c *client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// Body implements Model. The error is an *Error for a parameter that the model does
// not take.
func (c *client) Body(r *Request) (json.RawMessage, error) {
	if err := c.profile.check(c.name, &r.Params); err != nil {
		return nil, err
	}
	if w, ok := c.service.wire.(interface{ refuses(*Params) *Error }); ok {
		if err := w.refuses(&r.Params); err != nil {
			return nil, err
		}
	}
	body, err := compact.JSON(c.service.wire.body(c.name, c.profile, r))
	if err == nil && r.Params.Extra != nil {
		if body, err = merge(body, r.Params.Extra); err != nil {
			return nil, &Error{Class: Denied, Message: "the extra body: " + short(err.Error()), Hint: "It may only add members that ein does not send itself; for the others, use the flags of ein.", Err: err}
		}
	}
	return body, err
}

// Sent returns the body of a request as it is sent, with what the transport adds, such as the wish
// for a stream.
func Sent(m Model, r *Request) (json.RawMessage, error) {
	body, err := m.Body(r)
	if c, ok := m.(*client); ok && err == nil && c.opt.Stream {
		return c.streamed(body)
	}
	return body, err
}

// streamed returns a body that asks for a stream.
func (c *client) streamed(body json.RawMessage) (json.RawMessage, error) {
	if members := c.service.wire.streams(); members != "" {
		return merge(body, json.RawMessage(members))
	}
	return body, nil
}

// key looks the key up when it is needed, so that a plan can be made without one.
func (c *client) key() (string, *Error) {
	if c.fileKey != "" {
		return c.fileKey, nil
	}
	for _, name := range c.service.keys {
		key := strings.TrimSpace(c.opt.Env(name))
		if key == "" {
			continue
		}
		if err := checkKey(key); err != nil {
			return "", &Error{Class: Denied, Message: name + " in the environment: " + err.Error(), Hint: hintKey}
		}
		return key, nil
	}
	if !c.own {
		return "", nil // local servers have none
	}
	return "", &Error{Class: Denied, Message: "no key for " + c.provider, Hint: "Set " + strings.Join(c.service.keys, " or ") + ", or name a file that holds the key (--key-file)."}
}

// base returns the URL of the provider, without the path for requests.
func (c *client) base() string { return strings.TrimSuffix(c.url, c.service.wire.path(c.name)) }

// clientOf returns the client of a model, also of one that is recorded; nil if it has none.
func clientOf(m Model) *client {
	if r, ok := m.(*recorder); ok {
		m = r.Model
	}
	c, _ := m.(*client)
	return c
}

// WaitFor waits until the server of a model answers anything but that it is not ready. If the
// context ends first, the error is the last one. A model without a server is always ready.
func WaitFor(ctx context.Context, m Model) error {
	c := clientOf(m)
	if c == nil {
		return nil
	}
	address := c.base() + c.service.list
	var last error
	for {
		key, _ := c.key() // without one it says that it is there as well
		err := c.send(ctx, key, &call{method: http.MethodGet, url: address}, func(*received) error { return nil })
		var e *Error
		switch {
		case err == nil || errors.As(err, &e) && e.Status > 0 && e.Status < http.StatusInternalServerError:
			return nil
		case e != nil:
			last = c.withoutKey(key, e)
		}
		select {
		case <-ctx.Done():
			return cmp.Or(last, ctx.Err())
		case <-time.After(time.Second):
		}
	}
}

// Ask implements Model.
func (c *client) Ask(ctx context.Context, r *Request) (*Response, error) {
	body, err := c.Body(r)
	if err != nil {
		return nil, err
	}
	key, denied := c.key()
	if denied != nil {
		return nil, denied
	}
	out, err := c.exchange(ctx, key, body)
	if err == nil {
		err = c.checkContext(r, out)
	}
	if err != nil {
		return nil, c.withoutKey(key, err)
	}
	redact(c.secrets(key), &out.Text, &out.Reasoning, &out.Model, &out.RequestID)
	return out, nil
}

// withoutKey removes secrets from an error.
func (c *client) withoutKey(key string, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		secrets := c.secrets(key)
		redact(secrets, &e.Message, &e.Code)
		if e.Err != nil {
			if was := e.Err.Error(); string(hide(secrets, []byte(was))) != was {
				e.Err = nil
			}
		}
		return e
	}
	return err
}

// exchange sends a request and reads the reply by the type of its content, because a server
// may answer a request for a stream with a whole document.
func (c *client) exchange(ctx context.Context, key string, body []byte) (*Response, error) {
	q := &call{method: http.MethodPost, url: c.url, kind: "application/json", body: body, stream: c.opt.Stream}
	if q.stream {
		var err error
		if q.body, err = c.streamed(body); err != nil {
			return nil, err
		}
		if address, ok := strings.CutSuffix(q.url, ":generateContent"); ok {
			q.url = address + ":streamGenerateContent?alt=sse"
		}
	}
	var out *Response
	err := c.send(ctx, key, q, func(r *received) (err error) {
		if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); q.stream && kind == "text/event-stream" {
			out, err = c.readStream(r)
			return err
		}
		text, err := r.all(MaxResponse)
		if err == nil {
			out, err = c.read(r, text)
		}
		return err
	})
	return out, err
}

// call is a request over HTTP.
type call struct {
	method, url, kind string
	body              []byte
	stream            bool              // the timeout is of each piece
	header            map[string]string // besides
}

// received is a successful response whose body has not been read yet.
type received struct {
	*http.Response
	secrets []string
	now     time.Time // by the server
	cut     func(error) error
}

// all reads the body.
func (r *received) all(most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r.Body, most+1))
	switch {
	case err != nil:
		return nil, r.cut(fmt.Errorf("the response was cut off after %d bytes: %w", len(text), err))
	case int64(len(text)) > most:
		return nil, &Error{Class: Protocol, Status: r.StatusCode, Message: fmt.Sprintf("the response is longer than %d bytes", most)}
	}
	return hide(r.secrets, text), nil
}

// send makes a request, and has a successful response read.
func (c *client) send(parent context.Context, key string, q *call, read func(*received) error) error {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	timer := time.AfterFunc(c.opt.Timeout, cancel)
	defer timer.Stop()
	req, err := http.NewRequestWithContext(ctx, q.method, q.url, bytes.NewReader(q.body))
	if err != nil {
		return &Error{Class: Denied, Message: err.Error(), Err: err}
	}
	if q.body != nil {
		req.Header.Set("Content-Type", q.kind)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "ein")
	if c.provider == "anthropic" {
		req.Header.Set("Anthropic-Version", anthropicVersion)
	}
	if key != "" {
		c.service.wire.sign(req.Header, key)
	}
	for name, value := range q.header {
		req.Header.Set(name, value)
	}
	maps.Copy(req.Header, c.opt.Headers)
	resp, err := c.http.Do(req)
	if err != nil {
		return c.unreached(parent, ctx, q.url, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if q.stream {
		resp.Body = &alive{resp.Body, func() { timer.Reset(c.opt.Timeout) }}
	}
	r := &received{resp, c.secrets(key), serverNow(resp.Header, c.now()), func(err error) error { return c.unreached(parent, ctx, q.url, err) }}
	if resp.StatusCode == http.StatusOK {
		return read(r)
	}
	// A failure whose body is cut off is still that failure.
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxFailure))
	if parent.Err() != nil {
		return parent.Err()
	}
	return failure(c.service.wire, resp.StatusCode, resp.Header, hide(r.secrets, text), r.now)
}

// read makes a Response from the body of a successful answer.
func (c *client) read(resp *received, text []byte) (*Response, error) {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return nil, &Error{Class: Protocol, Status: resp.StatusCode, Hint: hintBaseURL,
			Message: short(fmt.Sprintf("the response is %q, expected application/json: %s", resp.Header.Get("Content-Type"), preview(text)))}
	}
	return c.complete(resp, text)
}

// complete makes a Response from a body and the headers.
func (c *client) complete(resp *received, text []byte) (*Response, error) {
	// Gateways report failures of those behind them with success.
	if status := inner(text); status != 0 {
		return nil, failure(c.service.wire, status, resp.Header, text, resp.now)
	}
	out, err := c.parse(text)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"X-Request-Id", "Request-Id"} {
		if id := resp.Header.Get(name); id != "" {
			out.RequestID = id
		}
	}
	out.Limits = limits(resp.Header, resp.now)
	return out, nil
}

// parse makes a Response from a body in the format of the provider.
func (c *client) parse(text []byte) (*Response, error) {
	wrong := func(err error, format string, args ...any) *Error {
		return &Error{Class: Protocol, Status: http.StatusOK, Message: short(fmt.Sprintf(format, args...)), Err: err}
	}
	out, err := c.service.wire.reply(text)
	if e, ok := errors.AsType[*Error](err); ok {
		return nil, e
	}
	if err != nil {
		return nil, wrong(err, "the response is not in %s format: %v: %s", c.provider, err, preview(text))
	}
	u := &out.Usage
	if u.Input < 0 || u.CachedInput < 0 || u.Output < 0 || u.Reasoning < 0 {
		return nil, wrong(nil, "the response has a negative token count: %+v", *u)
	}
	// A part that is larger than the whole was not counted in it.
	if u.CachedInput > u.Input {
		u.Input += u.CachedInput
	}
	if u.Reasoning > u.Output {
		u.Output += u.Reasoning
	}
	if len(out.Calls) > 0 && (out.Finish == Stop || out.Finish == Other) { // not where they are cut off
		out.Finish = ToolCalls
	}
	out.Limits = noLimits
	return out, nil
}

// inner returns the status of an error inside a successful answer, or 0 if it has none. An error
// without a status counts as a server error.
func inner(text []byte) int {
	var b struct {
		Choices    *json.RawMessage `json:"choices"`
		Content    *json.RawMessage `json:"content"`
		Candidates *json.RawMessage `json:"candidates"`
		Error      *json.RawMessage `json:"error"`
	}
	if json.Unmarshal(text, &b) != nil || b.Error == nil ||
		b.Choices != nil || b.Content != nil || b.Candidates != nil {
		return 0
	}
	var e struct {
		Code json.RawMessage `json:"code"`
	}
	_ = json.Unmarshal(*b.Error, &e) // an error that is a string has no code
	if n, err := strconv.Atoi(scalar(e.Code)); err == nil && n >= 400 && n < 600 {
		return n
	}
	return http.StatusInternalServerError
}

// unreached returns the error of a request that got no complete response.
func (c *client) unreached(parent, ctx context.Context, address string, err error) error {
	if parent.Err() != nil {
		return parent.Err()
	}
	e := &Error{Class: Transport, Err: err}
	var (
		u          *url.Error
		op         *net.OpError
		unresolved *net.DNSError
		unknown    x509.UnknownAuthorityError
		host       x509.HostnameError
		invalid    x509.CertificateInvalidError
		record     tls.RecordHeaderError
	)
	if errors.As(err, &u) {
		err = u.Err // the address is said below, the method is always the same
	}
	e.Message = short(err.Error())
	switch {
	case ctx.Err() != nil:
		e.Message = fmt.Sprintf("no complete answer within %v", c.opt.Timeout)
	case errors.As(err, &unresolved):
		e.Hint = "Check the network and the base URL: the host name cannot be resolved."
	case errors.As(err, &op) && op.Op == "dial":
		e.Hint = hintServer
	case errors.As(err, &unknown), errors.As(err, &host), errors.As(err, &invalid):
		e.Class, e.Hint = Denied, "The server's certificate is not trusted: check the base URL, or install the certificate authority."
	case errors.As(err, &record), strings.Contains(e.Message, "HTTP response to HTTPS client"):
		e.Class, e.Hint = Denied, "The server does not speak HTTPS at this address: check the scheme of the base URL."
	}
	if !c.own {
		e.Message = address + ": " + e.Message
	}
	return e
}

// checkContext finds prompts that a server has silently cut, as Ollama does with those longer than
// its context: the input then has far fewer tokens than the prompt can have. Servers that report 0
// do not count.
func (c *client) checkContext(r *Request, out *Response) error {
	if c.own || c.opt.NoContextCheck || out.Usage.Input == 0 {
		return nil
	}
	chars := utf8.RuneCountInString(r.System) + utf8.RuneCountInString(r.User)
	least := int64(chars / charsPerTokenMost)
	if out.Usage.Input >= least {
		return nil
	}
	return &Error{Class: Denied, Status: http.StatusOK,
		Message: fmt.Sprintf("the server counted %d input tokens, expected at least %d for a prompt of %d characters: it probably truncated the prompt", out.Usage.Input, least, chars),
		Hint:    "Give the model a longer context (Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx), or pass --no-context-check if the server counts tokens differently."}
}
