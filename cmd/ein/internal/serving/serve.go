// Package serving implements the servers for other programs: ein serve and ein mcp. It reads their
// flags and data and handles shutdown; package serve answers requests.
//
// What a run may use depends on who can ask: more with --stdio, where the client has started the
// server, than over HTTP, where whoever is on the machine can. Other machines need a token. A
// server ends in the order that load balancers and clients need: not ready, then no new connection,
// then no unanswered request.
package serving

import (
	"context"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"ein/bench/judge/verdict"
	"ein/bind"
	"ein/serve"

	"ein/cmd/ein/internal/cli"
)

// Verbs returns the verbs that serve. Tables are the readers of formats that this build has.
func Verbs(tables bind.Tables) cli.Verbs {
	return cli.Verbs{
		"serve": func(a *cli.App) *cobra.Command { return serveVerb(a, tables) },
		"mcp":   func(a *cli.App) *cobra.Command { return mcpVerb(a, tables) },
	}
}

// What one program may use: of who has started the server, and of everybody.
const (
	ownMemory    = 8 << 30
	sharedMemory = 256 << 20
	sharedOutput = 1_000_000
)

// serveFlags are the flags of both verbs; most set a field of the options.
type serveFlags struct {
	serve.Options
	stdio         bool
	listen, token string
	inputs        []string
	delay, drain  time.Duration
	given         func(flag string) bool // on the command line
}

// newFlags returns the flags with their defaults.
func newFlags(tables bind.Tables) *serveFlags {
	f := &serveFlags{delay: 5 * time.Second, drain: time.Minute}
	f.Reward, f.Body, f.Tables, f.Data = serve.Strict, serve.DefaultBody, tables, map[string]string{}
	f.Open = func(_ context.Context, path string) (io.ReadCloser, error) { return os.Open(path) }
	return f
}

// addLimits declares the flags for what one program may use, and its data.
func (f *serveFlags) addLimits(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.inputs, "input", nil, "bind `NAME=FILE` to the input NAME of programs that bring no data for it; repeatable")
	cli.MemoryFlag(cmd, &f.Limits.MaxBytes, " of a run")
	cli.Count.Flag(cmd, &f.Limits.MaxOps, "max-ops", "maximum operations of a run, such as 1e9")
	cli.Count.Flag(cmd, &f.Limits.MaxOutputElements, "max-output", "maximum elements of all outputs of a run")
	cli.Duration.Flag(cmd, &f.Timeout, "timeout", "maximum time for a run")
}

// addDrain declares the flags for the end of a server.
func (f *serveFlags) addDrain(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.token, "token-file", "", "`file` with the token that clients must send")
	cli.Pause.Flag(cmd, &f.delay, "drain-delay", "how long requests are still taken after SIGTERM or SIGHUP")
	cli.Duration.Flag(cmd, &f.drain, "drain-timeout", "how long requests in progress may take after that")
}

// settle reads the flags for data.
func (f *serveFlags) settle(a *cli.App) error {
	for _, arg := range f.inputs {
		in, err := bind.Parse(arg)
		if err != nil {
			return a.Usage("--input %v", err)
		}
		info, err := os.Stat(in.Path)
		if err == nil && !info.Mode().IsRegular() {
			err = errors.New("it is read for each request, and so must be a regular file")
		}
		if err != nil {
			return a.Fail(cli.Unreadable(in.Path, err))
		}
		if f.Data[in.Name] != "" {
			return a.Usage("--input: %s is bound twice", in.Name)
		}
		_, f.Data[in.Name], _ = strings.Cut(arg, "=")
	}
	return nil
}

// serveVerb declares ein serve.
func serveVerb(a *cli.App, tables bind.Tables) *cobra.Command {
	f := newFlags(tables)
	body := uint64(serve.DefaultBody)
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve an API that runs, checks and scores programs",
		Long: `Serves other programs: over HTTP at --listen, or the parent process with --stdio.
docs/serving.md and /openapi.json of the server describe the calls. A request may
lower the limits, never raise them.

Over HTTP a run may by default use 256 MiB, 2^30 operations, a million output elements
and 10 seconds; with --stdio, 8 GiB and no other limit, and requests in progress at the
end of the input have no --drain-timeout by default. An address that other machines
can reach needs --token-file, whose text clients send as
"Authorization: Bearer TOKEN".

On SIGTERM, an interrupt, or SIGHUP (a closed terminal; there is nothing to reload),
/readyz reports that the server is shutting down. It accepts requests for --drain-delay
more, and gives those in progress --drain-timeout to finish. The exit code is 5 if some
did not. A SIGTERM or interrupt after that exits at once. Under nohup, SIGHUP is ignored.`,
		Example: `  ein serve
  ein serve --listen 0.0.0.0:8080 --token-file token --reward shaped
  ein serve --stdio`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.RunE = func(*cobra.Command, []string) error {
		f.given, f.Body = cmd.Flags().Changed, int64(min(body, serve.MaxMessage))
		if err := f.settle(a); err != nil {
			return err
		}
		if f.stdio {
			return a.Fail(serveStdio(a, f))
		}
		f.share()
		return a.Fail(serveHTTP(a, f, (*serve.Server).Handler))
	}
	flags, section := cmd.Flags(), cli.Headings(cmd)
	flags.StringVar(&f.listen, "listen", "127.0.0.1:8080", "`address` to listen on; port 0 picks a free port")
	flags.BoolVar(&f.stdio, "stdio", false, "serve one program on standard input and output")
	f.addDrain(cmd)
	section("Serving")
	f.addLimits(cmd)
	cli.Size.Flag(cmd, &body, "max-body", "maximum bytes of a request over HTTP")
	section("Programs")
	cli.One(serve.Strict, serve.Relaxed, serve.Lenient, serve.Shaped).Flag(cmd, &f.Reward, "reward", "reward of a reply: 1 if right in this scoring mode, or shaped")
	cli.Opt(cli.Real("a number from 0 to 1", func(x float64) bool { return x >= 0 && x <= 1 })).Flag(cmd, &f.Constant, "constant-output-reward", "maximum `reward` of a program whose output depends on no graph (default: no limit)")
	flags.StringSliceVar(&f.Splits, "allow-split", nil, "held-out `split` that clients may request; * allows all")
	flags.BoolVar(&f.ShowAnswers, "show-answers", false, "include answers and programs in instances")
	flags.StringVar(&f.Sandbox.Python, "python", "python3", "`command` of a Python with networkx, for Python programs")
	section("Scoring")
	return cmd
}

// unless sets a limit that no flag sets.
func unless[T any](f *serveFlags, flag string, to *T, value T) {
	if !f.given(flag) {
		*to = value
	}
}

// serveStdio answers one program over the pipes until its input ends. That program has started
// the server, so it may use more memory than a stranger; flags of HTTP are refused, not ignored.
func serveStdio(a *cli.App, f *serveFlags) error {
	for _, flag := range []string{"listen", "token-file", "drain-delay", "max-body"} {
		if f.given(flag) {
			return a.Usage("--%s is about HTTP, and --stdio is not", flag)
		}
	}
	unless(f, "max-memory", &f.Limits.MaxBytes, ownMemory)
	unless(f, "drain-timeout", &f.drain, math.MaxInt64)
	// An interrupt at the terminal is for the program that asks: it cancels what it no
	// longer wants.
	signal.Ignore(syscall.SIGINT)
	// A heap of a few megabytes would be collected at every thousandth small program. Memory
	// that nobody touches counts as heap, and takes none.
	ballast := make([]byte, 16<<20)
	defer runtime.KeepAlive(ballast)
	s := serve.New(f.Options)
	defer s.Close()
	return s.Stdio(context.Background(), polled(a.In), a.Out, f.drain)
}

// share sets the limits of a server for several clients.
func (f *serveFlags) share() {
	unless(f, "max-memory", &f.Limits.MaxBytes, sharedMemory)
	unless(f, "max-ops", &f.Limits.MaxOps, verdict.DefaultOps)
	unless(f, "max-output", &f.Limits.MaxOutputElements, sharedOutput)
	unless(f, "timeout", &f.Timeout, verdict.DefaultTimeout)
}

// serveHTTP serves until a signal and then drains: for --drain-delay it reports that it is not
// ready but answers, as load balancers take time to notice; then it takes no connection, and
// gives those that it has --drain-timeout for their answers. Without a token it serves only this
// machine.
func serveHTTP(a *cli.App, f *serveFlags, handler func(*serve.Server) http.Handler) error {
	local, err := serve.Loopback(f.listen)
	if err != nil {
		return a.Usage("--listen %v", err)
	}
	if f.token != "" {
		text, err := os.ReadFile(f.token)
		if err != nil {
			return a.Usage("--token-file: %v", err)
		}
		if f.Token = strings.TrimSpace(string(text)); len(f.Token) < 16 {
			return a.Usage("--token-file: %s has a token of %d characters, expected at least 16, as `openssl rand -hex 16` gives", f.token, len(f.Token))
		}
		if strings.ContainsFunc(f.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return a.Usage("--token-file: %s has more than one word, or characters that no header has; expected a token, as `openssl rand -hex 16` gives", f.token)
		}
	} else if !local {
		return a.Usage("--listen %s can be reached by other machines, and would answer them all: give --token-file as well", f.listen)
	}
	ctx, stop := a.Context(0)
	defer stop()
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", f.listen)
	if err != nil {
		return a.Outside("cannot serve at %s: %v", f.listen, err)
	}
	s := serve.New(f.Options)
	defer s.Close()
	h := handler(s)
	if f.Token == "" {
		h = serve.Local(h, "--token-file")
	}
	base, end := context.WithCancelCause(context.Background())
	defer end(nil)
	last := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if ctx.Err() != nil { // the next request on this connection could meet its end
			w.Header().Set("Connection", "close")
		}
		h.ServeHTTP(w, req)
	})
	server := &http.Server{BaseContext: func(net.Listener) context.Context { return base }, Handler: last, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	busy := &busy{conns: map[net.Conn]bool{}}
	server.ConnState = busy.note
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	if err := a.Print("http://" + l.Addr().String() + "\n"); err != nil {
		return err
	}
	hangup := make(chan os.Signal, 1)
	if !signal.Ignored(syscall.SIGHUP) { // which nohup does
		signal.Notify(hangup, syscall.SIGHUP)
	}
	select {
	case err := <-ended:
		return a.Outside("the server has ended: %v", err)
	case <-hangup: // others may follow, as a shell and the system both send one
		stop()
	case <-ctx.Done():
	}
	s.Drain()
	if f.delay > 0 {
		a.Note("draining: requests are taken for another %v", f.delay)
		time.Sleep(f.delay)
	}
	// Shutdown would close connections whose first request it has not read yet. So first
	// nobody is let in any more, and those who are there get their answers: busy has
	// them all once Serve has returned.
	_ = l.Close()
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		a.Note("the server took no more requests before the end of the delay: %v", err)
	}
	server.SetKeepAlivesEnabled(false)
	s.Hang()
	late, stop := context.WithTimeout(context.Background(), f.drain)
	defer stop()
	if busy.wait(late) != nil || s.Wait(late) != nil {
		end(context.DeadlineExceeded) // which the answers then say
		last, stop := context.WithTimeout(context.Background(), time.Second)
		defer stop()
		_ = busy.wait(last)
		return a.Outside("some requests were not answered within %v", f.drain)
	}
	return server.Close()
}

// busy knows the connections whose request is being read or answered.
type busy struct {
	mu    sync.Mutex
	conns map[net.Conn]bool
}

// note follows the state of a connection. One that has just come is busy too: its first request may
// be on its way.
func (b *busy) note(c net.Conn, state http.ConnState) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if delete(b.conns, c); state == http.StateNew || state == http.StateActive {
		b.conns[c] = true
	}
}

// wait waits until there are none, or for the end of the context.
func (b *busy) wait(ctx context.Context) error {
	for {
		b.mu.Lock()
		n := len(b.conns)
		b.mu.Unlock()
		if n == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}
