package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ein"
	"ein/internal/lists"
	"ein/lang/describe"
	"ein/lang/diag"
	"ein/lang/ide"
	"ein/lang/show"
	"ein/lang/source"
)

// The commands that the client may execute. Each takes the URI of an open program; the command for a
// statement also takes a position in it, and the command that binds an input takes the input and the
// file. The last takes the code of a diagnostic instead.
const (
	commandRun          = "ein.run"
	commandCost         = "ein.cost"
	commandExplain      = "ein.explain"
	commandRunStatement = "ein.runStatement"
	commandBind         = "ein.bind"
	commandExplainCode  = "ein.explainCode"
)

// command is a command that the client can run by name.
type command struct {
	name, title string
	lens        bool // is shown above a program
	run         func(ctx context.Context, args []protocol.LSPAny) (string, error)
}

// commands lists the commands. Those about a program refuse one with errors, and work on the text
// of when they were asked for.
func (s *server) commands() []command {
	about := func(write func(context.Context, *ein.Program) (string, error)) func(context.Context, []protocol.LSPAny) (string, error) {
		return func(ctx context.Context, args []protocol.LSPAny) (string, error) {
			f, err := s.named(ctx, args)
			if err != nil {
				return "", err
			}
			if d := f.findings().First(); d != nil {
				return "", jsonrpc2.Errorf(requestFailed, "%v", failure(f.document().File().Source, *d))
			}
			return s.report(ctx, f, f.text, write)
		}
	}
	return []command{
		{commandRun, "Run", true, about(s.run)},
		{commandCost, "Cost", true, about(func(_ context.Context, p *ein.Program) (string, error) {
			return describe.Cost(p.Certificate(), p.Source(), 0), nil
		})},
		{commandExplain, "Explain", true, about(func(_ context.Context, p *ein.Program) (string, error) {
			return p.Plan().Plan(), nil
		})},
		{commandRunStatement, "Run a statement", false, s.runStatement},
		{commandBind, "Bind an input", false, s.bindInput},
		{commandExplainCode, "Explain a diagnostic", false, func(_ context.Context, args []protocol.LSPAny) (string, error) {
			var code diag.Code
			if err := arguments(args, &code); err != nil {
				return "", err
			}
			page, ok := diag.Explain(code)
			if !ok {
				return "", jsonrpc2.Errorf(jsonrpc2.InvalidParams, "there is no diagnostic %.20q", code)
			}
			return page, nil
		}},
	}
}

func (s *server) commandNames() []string {
	return lists.Map(s.commands(), func(c command) string { return c.name })
}

// CodeLens puts the commands for a program above its first statement, if it has no
// errors.
func (s *server) CodeLens(_ context.Context, f *file, _ *struct{}) ([]protocol.CodeLens, error) {
	list := []protocol.CodeLens{}
	d := f.document()
	if len(d.File().Stmts) == 0 || d.Diagnostics().HasErrors() {
		return list, nil
	}
	at := f.mapper().rangeOf(d.File().Stmts[0].Pos())
	for _, c := range s.commands() {
		if !c.lens {
			continue
		}
		list = append(list, protocol.CodeLens{Range: at, Command: protocol.Command{
			Title: c.title, Command: c.name, Arguments: []protocol.LSPAny{encoded(f.sent)},
		}})
	}
	return list, nil
}

// ExecuteCommand runs a command. Its output is the result. The server also shows it to the user, unless
// the client says that it does so itself: most clients throw the results of commands away.
func (s *server) ExecuteCommand(ctx context.Context, params *protocol.ExecuteCommandParams) (protocol.LSPAny, error) {
	for _, c := range s.commands() {
		if c.name != params.Command {
			continue
		}
		ctx, end := s.begin(ctx, params.WorkDoneToken, c.title)
		defer end()
		text, err := c.run(ctx, params.Arguments)
		if err != nil {
			return nil, err
		}
		var about string
		_ = json.Unmarshal(params.Arguments[0], &about) // the command has read it
		behindIt := c.name == commandRunStatement && s.client.hintsAgain
		if !s.client.can("experimental.ein.commandResults") && !behindIt { // an extension of ours: a client that knows no better leaves it out
			go s.show(c, about, text)
		}
		return encoded(text), nil
	}
	return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "there is no command %.40q; there are %s", params.Command, strings.Join(s.commandNames(), ", "))
}

// arguments reads the arguments of a command, each into its type.
func arguments(args []protocol.LSPAny, to ...any) error {
	if len(args) != len(to) {
		return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "arguments of the command: expected %d, found %d", len(to), len(args))
	}
	for i := range to {
		if err := json.Unmarshal(args[i], to[i]); err != nil {
			return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "argument %d: %v", i+1, err)
		}
	}
	return nil
}

// named is the open program that the first argument of a command names. The other arguments are read
// into rest.
func (s *server) named(ctx context.Context, args []protocol.LSPAny, rest ...any) (*file, error) {
	var u uri.URI
	if err := arguments(args, append([]any{&u}, rest...)...); err != nil {
		return nil, err
	}
	return s.file(ctx, u)
}

// report applies a command to the program of a file with the given text.
func (s *server) report(ctx context.Context, f *file, program string, write func(context.Context, *ein.Program) (string, error)) (string, error) {
	text := ""
	p, err := s.program(ctx, f, program)
	if err == nil {
		text, err = write(ctx, p)
	}
	var e *ein.Error
	switch {
	case ctx.Err() != nil:
		return "", protocol.ErrRequestCancelled
	case errors.As(err, &e):
		return "", jsonrpc2.Errorf(requestFailed, "%v", failure(e.File, *e.Diags.First()))
	case err != nil:
		return "", jsonrpc2.Errorf(requestFailed, "%v", err)
	}
	return text, nil
}

// program is the program of a file with the given text and the data of its inputs. Its errors are
// mistakes of the user.
func (s *server) program(ctx context.Context, f *file, text string) (*ein.Program, error) {
	declared := f.document().Inputs()
	sources, problems := s.sources(f, declared)
	for _, list := range problems {
		return nil, errors.New(list[0].Message)
	}
	inputs := lists.Map(sources, func(src dataSource) ein.Input { return src.Input })
	if len(inputs) < len(declared) {
		i := slices.IndexFunc(declared, func(in ide.Input) bool {
			has, _ := s.sources(f, []ide.Input{in})
			return has == nil
		})
		in := declared[max(i, 0)].Name
		return nil, fmt.Errorf("the input `%s` has no data; the setting ein.inputs gives it, as in {%q: \"FILE\"}, to all inputs of the program", in, in)
	}
	limits := ein.Limits{MaxBytes: s.opt.MaxMemory, MaxOps: s.opt.MaxOps}
	if said, err := s.session.snapshot().said(f); err == nil { // else the program has a problem, and does not run
		limits.MaxBytes, limits.MaxOps = said.Memory.Least(limits.MaxBytes), said.Ops.Least(limits.MaxOps)
	}
	p, err := ein.CompileContext(ctx, f.name(), text, ein.Options{
		Profile: f.profile, Limits: limits, Open: openRegular, Tables: s.opt.Tables,
	})
	if err != nil {
		return nil, err
	}
	return p.Bind(ctx, inputs...)
}

// failure is a diagnostic as one message.
func failure(f *source.File, d diag.Diagnostic) error {
	message := fmt.Sprintf("%s[%s]: %s", d.Severity, d.Code, d.Message)
	switch {
	case d.At == nil && f != nil:
		message = fmt.Sprintf("line %d: %s", f.Position(d.Span.Start).Line, message)
	case d.At != nil && *d.At != (source.Position{}):
		message = d.At.String() + ": " + message
	}
	return errors.New(strings.Join(append([]string{message}, d.Notes...), "\n"))
}

// run runs a program under the limits of the server and prints what ein run does.
func (s *server) run(ctx context.Context, p *ein.Program) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.opt.Timeout, fmt.Errorf("the time limit of %v is over", s.opt.Timeout))
	defer cancel()
	result, err := p.Run(ctx)
	if err != nil && ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := result.Text(ctx, &b, show.Options{Nodes: len(p.Labels()) > 0, Hint: "`ein run --full` shows all"}); err != nil {
		return "", err
	}
	for _, w := range result.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", w.Message)
	}
	return b.String(), nil
}

// runs is the commands in progress, which the user can stop.
type runs struct {
	kept[protocol.ProgressToken, context.CancelFunc]
	count atomic.Int64
}

// begin shows progress until end is called, under the client's token or else one of the server,
// which the client has to accept first. Either token also cancels what is going on.
func (s *server) begin(parent context.Context, token protocol.ProgressToken, title string) (ctx context.Context, end func()) {
	ctx, cancel := context.WithCancel(parent)
	visible := token != nil
	if !visible {
		token = protocol.String(fmt.Sprintf("ein-%d", s.runs.count.Add(1)))
	}
	s.runs.change(token, func(context.CancelFunc) context.CancelFunc { return cancel })
	if !visible && s.client.can("window.workDoneProgress") {
		err := s.peer.WorkDoneProgressCreate(ctx, &protocol.WorkDoneProgressCreateParams{Token: token})
		visible = err == nil
	}
	tell := func(value any) {
		if visible {
			s.warn("cannot show progress", s.peer.Progress(s.ctx, &protocol.ProgressParams{Token: token, Value: encoded(value)}))
		}
	}
	yes := true
	tell(&protocol.WorkDoneProgressBegin{Kind: "begin", Title: title, Cancellable: &yes})
	return ctx, func() {
		cancel()
		s.runs.drop(token)
		tell(&protocol.WorkDoneProgressEnd{Kind: "end"})
	}
}

// WorkDoneProgressCancel stops the command whose progress the user cancels.
func (s *server) WorkDoneProgressCancel(_ context.Context, params *protocol.WorkDoneProgressCancelParams) error {
	if cancel, ok := s.runs.get(params.Token); ok {
		cancel()
	}
	return nil
}

// contentScheme is the scheme of documents that only the server has: the output of commands, and the
// library.
const contentScheme = "ein"

// shownMessage is how much of an output fits in a message, in bytes.
const shownMessage = 4000

// show shows an output to the user: as a document if the client can ask for its text, or else as a
// message.
func (s *server) show(c command, argument, text string) {
	var err error
	if s.client.content && s.client.can("window.showDocument.support") {
		err = s.showReport(c, argument, text)
	} else {
		params := &protocol.ShowMessageParams{Type: protocol.MessageTypeInfo, Message: shorten(text, shownMessage)}
		err = s.peer.ShowMessage(s.ctx, params)
	}
	s.warn("cannot show the output of a command", err, "command", c.name)
}

// showReport shows text as a document of the scheme ein. One that is shown already is refreshed.
func (s *server) showReport(c command, argument, text string) error {
	u, err := uri.From(uri.Components{Scheme: contentScheme, Path: "/" + path.Join("report", c.title, path.Base(argument)+".txt"), Query: argument})
	if err != nil {
		return err
	}
	_, known := s.reports.change(u, func(string) string { return text })
	ctx, cancel := context.WithTimeout(s.ctx, time.Minute)
	defer cancel()
	if known {
		if err := s.peer.TextDocumentContentRefresh(ctx, &protocol.TextDocumentContentRefreshParams{URI: u}); err != nil {
			return err
		}
	}
	_, err = s.peer.ShowDocument(ctx, &protocol.ShowDocumentParams{URI: u})
	return err
}

// TextDocumentContent returns the text of a document that only the server has.
func (s *server) TextDocumentContent(_ context.Context, params *protocol.TextDocumentContentParams) (*protocol.TextDocumentContentResult, error) {
	prelude, reference := ide.LibraryPages()
	for _, page := range []ide.LibraryPage{prelude, reference} {
		if params.URI == libraryURI(page) {
			return &protocol.TextDocumentContentResult{Text: page.Text}, nil
		}
	}
	text, ok := s.reports.get(params.URI)
	if !ok {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "there is no document %s", params.URI)
	}
	return &protocol.TextDocumentContentResult{Text: text}, nil
}

// shorten cuts a text at the end of a line and says how much is missing.
func shorten(text string, most int) string {
	text = strings.TrimRight(text, "\n")
	if len(text) <= most {
		return text
	}
	cut := strings.LastIndexByte(text[:most], '\n')
	if cut < 0 {
		cut = most
	}
	return strings.ToValidUTF8(text[:cut], "") + fmt.Sprintf("\n... and %d bytes more, which the command gives as its result", len(text)-cut)
}
