package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"sync/atomic"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// server is one connection. Its methods that serve the protocol are those of the
// table in methods.go, in one file for each group of features.
type server struct {
	ctx  context.Context // of the connection
	opt  Options
	log  *slog.Logger
	peer protocol.Client

	phase    atomic.Int32
	exited   chan struct{}
	left     atomic.Bool // exited is closed
	client   client      // set once, by initialize
	session  *session
	requests inFlight
	slots    chan struct{} // one for each request that is worked on
	out      *outbox       // what is told to the client
	asks     *outbox       // what is asked of it; nothing waits for the answers
	pending  pending
	data     dataJobs
	watched  watched
	tokens   tokenCache
	runs     runs
	reports  reports
	closed   closed
	values   values

	dispatch func(context.Context, *jsonrpc2.Request) (any, error)
}

func newServer(ctx context.Context, opt Options, peer protocol.Client) *server {
	s := &server{
		ctx: ctx, opt: opt, log: opt.Log, peer: peer,
		exited:   make(chan struct{}),
		session:  newSession(),
		requests: inFlight{requests: map[jsonrpc2.ID]*request{}},
		slots:    make(chan struct{}, max(2, runtime.GOMAXPROCS(0))),
		pending:  pending{cancel: map[uri.URI]*func(){}},
		data:     dataJobs{jobs: map[uri.URI]*dataJob{}},
		watched:  watched{files: map[string]*watchedFile{}},
		tokens:   tokenCache{last: map[uri.URI]sentTokens{}},
		runs:     runs{cancel: map[protocol.ProgressToken]context.CancelFunc{}},
		reports:  reports{text: map[uri.URI]string{}},
		values:   values{kept: map[uri.URI][]value{}},
	}
	s.dispatch = dispatcher(s)
	guarded := func(task func()) {
		defer func() {
			if r := recover(); r != nil {
				s.log.Error("a bug in ein", "panic", r, "stack", string(debug.Stack()))
			}
		}()
		task()
	}
	s.out, s.asks = newOutbox(ctx, guarded), newOutbox(ctx, guarded)
	return s
}

// client is what the other side can do.
type client struct {
	pull              bool // asks for diagnostics itself
	diagnosticVersion bool
	unnecessary       bool // greys out what is tagged so
	related           bool
	markdown          bool // in hovers
	markdownDocs      bool // in completions
	snippets          bool
	labelDetails      bool
	hierarchy         bool // of symbols
	literalActions    bool
	documentChanges   bool
	configuration     bool
	settingsChange    bool // registers for didChangeConfiguration
	watch             bool
	relativePattern   bool
	progress          bool // the server may begin progress of its own
	showDocument      bool
	content           bool // asks for the text of documents that only the server has
	results           bool // shows the results of commands itself
	lineFolding       bool
	refreshes         struct{ diagnostics, hints, tokens, lenses bool }
}

func is(p *bool) bool { return p != nil && *p }

func newClient(c *protocol.ClientCapabilities) client {
	td, ws, win := c.TextDocument, c.Workspace, c.Window
	if td == nil {
		td = &protocol.TextDocumentClientCapabilities{}
	}
	if ws == nil {
		ws = &protocol.WorkspaceClientCapabilities{}
	}
	if win == nil {
		win = &protocol.WindowClientCapabilities{}
	}
	out := client{
		pull:           td.Diagnostic != nil,
		literalActions: td.CodeAction != nil && len(td.CodeAction.CodeActionLiteralSupport.CodeActionKind.ValueSet) > 0,
		hierarchy:      td.DocumentSymbol != nil && is(td.DocumentSymbol.HierarchicalDocumentSymbolSupport),
		markdown:       td.Hover != nil && slices.Contains(td.Hover.ContentFormat, protocol.MarkupKindMarkdown),
		lineFolding:    td.FoldingRange != nil && is(td.FoldingRange.LineFoldingOnly),

		documentChanges: ws.WorkspaceEdit != nil && is(ws.WorkspaceEdit.DocumentChanges),
		configuration:   is(ws.Configuration),
		settingsChange:  ws.DidChangeConfiguration != nil && is(ws.DidChangeConfiguration.DynamicRegistration),
		watch:           ws.DidChangeWatchedFiles != nil && is(ws.DidChangeWatchedFiles.DynamicRegistration),
		relativePattern: ws.DidChangeWatchedFiles != nil && is(ws.DidChangeWatchedFiles.RelativePatternSupport),
		content:         ws.TextDocumentContent != nil,

		progress:     is(win.WorkDoneProgress),
		showDocument: win.ShowDocument != nil && win.ShowDocument.Support,
	}
	// An extension of ours: a client that knows no better leaves it out.
	var experimental struct {
		Ein struct {
			CommandResults bool `json:"commandResults"`
		} `json:"ein"`
	}
	if json.Unmarshal(c.Experimental, &experimental) == nil {
		out.results = experimental.Ein.CommandResults
	}
	if p := td.PublishDiagnostics; p != nil {
		out.diagnosticVersion, out.related = is(p.VersionSupport), is(p.RelatedInformation)
		out.unnecessary = slices.Contains(p.TagSupport.ValueSet, protocol.DiagnosticTagUnnecessary)
	}
	if p := td.Diagnostic; p != nil {
		out.related = out.related || is(p.RelatedInformation)
		out.unnecessary = out.unnecessary || slices.Contains(p.TagSupport.ValueSet, protocol.DiagnosticTagUnnecessary)
	}
	if td.Completion != nil && td.Completion.CompletionItem != nil {
		item := td.Completion.CompletionItem
		out.snippets, out.labelDetails = is(item.SnippetSupport), is(item.LabelDetailsSupport)
		out.markdownDocs = slices.Contains(item.DocumentationFormat, protocol.MarkupKindMarkdown)
	}
	out.refreshes.diagnostics = out.pull && ws.Diagnostics != nil && is(ws.Diagnostics.RefreshSupport)
	out.refreshes.hints = ws.InlayHint != nil && is(ws.InlayHint.RefreshSupport)
	out.refreshes.tokens = ws.SemanticTokens != nil && is(ws.SemanticTokens.RefreshSupport)
	out.refreshes.lenses = ws.CodeLens != nil && is(ws.CodeLens.RefreshSupport)
	return out
}

// refresh is the requests by which the client pulls again.
func (c *client) refresh(peer protocol.Client) (list []func(context.Context) error) {
	for _, r := range []struct {
		can bool
		ask func(context.Context) error
	}{
		{c.refreshes.diagnostics, peer.DiagnosticRefresh},
		{c.refreshes.hints, peer.InlayHintRefresh},
		{c.refreshes.tokens, peer.SemanticTokensRefresh},
		{c.refreshes.lenses, peer.CodeLensRefresh},
	} {
		if r.can {
			list = append(list, r.ask)
		}
	}
	return list
}

// encodings are the ways to count columns, the one that costs us least first.
var encodings = []struct {
	kind     protocol.PositionEncodingKind
	encoding encoding
}{
	{protocol.PositionEncodingKindUTF8, utf8Units},
	{protocol.PositionEncodingKindUTF32, utf32Units},
	{protocol.PositionEncodingKindUTF16, utf16Units},
}

// negotiate picks the encoding of positions. UTF-16 is what a client has that names
// none.
func negotiate(general *protocol.GeneralClientCapabilities) (protocol.PositionEncodingKind, encoding) {
	if general != nil {
		for _, e := range encodings {
			if slices.Contains(general.PositionEncodings, e.kind) {
				return e.kind, e.encoding
			}
		}
	}
	return protocol.PositionEncodingKindUTF16, utf16Units
}

// Initialize learns what the client can do and says what the server does.
func (s *server) Initialize(_ context.Context, params *protocol.InitializeParams) (*protocol.InitializeResult, error) {
	s.client = newClient(&params.Capabilities)
	kind, encoding := negotiate(params.Capabilities.General)
	initial, err := parseSettings(params.InitializationOptions)
	if err != nil {
		s.complain(err)
	}
	// Not a setting: a workspace has settings of its own.
	var client struct {
		Trusted bool `json:"trusted"`
	}
	_ = json.Unmarshal(params.InitializationOptions, &client) // parseSettings tells of an error
	s.session.update(func(next *snapshot) {
		next.encoding, next.settings, next.folders, next.trusted = encoding, initial, folders(params), client.Trusted
	})
	s.phase.Store(up)
	yes := protocol.Boolean(true)
	on, sync := true, protocol.TextDocumentSyncKindIncremental
	result := &protocol.InitializeResult{
		ServerInfo: protocol.ServerInfo{Name: "ein"},
		Capabilities: protocol.ServerCapabilities{
			PositionEncoding: kind,
			TextDocumentSync: &protocol.TextDocumentSyncOptions{OpenClose: &on, Change: &sync, Save: yes},
			HoverProvider:    yes, DefinitionProvider: yes, ReferencesProvider: yes, DocumentHighlightProvider: yes,
			DocumentSymbolProvider: yes, WorkspaceSymbolProvider: yes, InlayHintProvider: yes,
			DocumentFormattingProvider: yes, DocumentRangeFormattingProvider: yes,
			FoldingRangeProvider: yes, SelectionRangeProvider: yes,
			CompletionProvider: &protocol.CompletionOptions{
				TriggerCharacters: []string{"[", "(", ",", "\"", ":"},
				CompletionItem:    &protocol.ServerCompletionItemOptions{LabelDetailsSupport: &on},
			},
			SignatureHelpProvider:            &protocol.SignatureHelpOptions{TriggerCharacters: []string{"(", ","}, RetriggerCharacters: []string{")"}},
			DocumentOnTypeFormattingProvider: protocol.DocumentOnTypeFormattingOptions{FirstTriggerCharacter: "\n", MoreTriggerCharacter: []string{"]", ")", "}"}},
			RenameProvider:                   &protocol.RenameOptions{PrepareProvider: &on},
			CodeActionProvider: &protocol.CodeActionOptions{CodeActionKinds: []protocol.CodeActionKind{
				protocol.CodeActionKindQuickFix, protocol.CodeActionKindRefactorExtract, protocol.CodeActionKindRefactorInline,
				protocol.CodeActionKindRefactorRewrite, protocol.CodeActionKindSourceFixAll,
			}},
			CodeLensProvider:       &protocol.CodeLensOptions{},
			ExecuteCommandProvider: protocol.ExecuteCommandOptions{Commands: s.commandNames(), WorkDoneProgressOptions: protocol.WorkDoneProgressOptions{WorkDoneProgress: &on}},
			SemanticTokensProvider: &protocol.SemanticTokensOptions{
				Legend: legend(), Range: yes, Full: &protocol.SemanticTokensFullDelta{Delta: &on},
			},
			Workspace: &protocol.WorkspaceOptions{
				WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{Supported: &on, ChangeNotifications: yes},
			},
		},
	}
	if s.opt.Version != "" {
		result.ServerInfo.Version = protocol.NewOptional(s.opt.Version)
	}
	if s.client.pull {
		result.Capabilities.DiagnosticProvider = &protocol.DiagnosticOptions{WorkspaceDiagnostics: true}
	}
	if s.client.content {
		result.Capabilities.Workspace.TextDocumentContent = &protocol.TextDocumentContentOptions{Schemes: []string{contentScheme}}
	}
	return result, nil
}

// folders is the paths of the workspace, by the newest of the three ways to give
// them.
func folders(params *protocol.InitializeParams) (paths []string) {
	if list, ok := params.WorkspaceFolders.Get(); ok {
		for _, f := range list {
			paths = append(paths, f.URI.FsPath())
		}
		return paths
	}
	//lint:ignore SA1019 old clients send nothing newer
	root, path := params.RootURI, params.RootPath //nolint:staticcheck // as above
	if root != nil && root.IsFile() {
		return []string{root.FsPath()}
	}
	if path, ok := path.Get(); ok && path != "" {
		return []string{filepath.Clean(path)}
	}
	return nil
}

// Initialized asks for the settings and to hear of their changes.
func (s *server) Initialized(context.Context, *protocol.InitializedParams) error {
	go func() {
		if s.client.settingsChange {
			registration := protocol.Registration{
				ID: "ein.settings", Method: protocol.MethodWorkspaceDidChangeConfiguration,
				RegisterOptions: anything(map[string]string{"section": section}),
			}
			err := s.peer.RegisterCapability(s.ctx, &protocol.RegistrationParams{Registrations: []protocol.Registration{registration}})
			if err != nil && s.ctx.Err() == nil {
				s.log.Warn("the client does not tell of changed settings", "error", err)
			}
		}
		s.pullSettings()
	}()
	return nil
}

const section = "ein"

// pullSettings takes over the settings that the client holds for the workspace.
func (s *server) pullSettings() {
	if !s.client.configuration {
		return
	}
	name := section
	list, err := s.peer.Configuration(s.ctx, &protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: &name}}})
	switch {
	case s.ctx.Err() != nil:
	case err != nil:
		s.log.Warn("no settings from the client", "error", err)
	case len(list) != 1:
		s.log.Warn("asked for one section of settings", "got", len(list))
	case len(list[0]) > 0 && string(list[0]) != "null": // else those of initialize stay
		s.configure(list[0])
	}
}

func (s *server) configure(raw []byte) {
	given, err := parseSettings(raw)
	if err != nil {
		s.complain(err)
	}
	s.session.update(func(next *snapshot) { next.settings = given })
	s.checkAll()
}

func (s *server) checkAll() {
	for u := range s.session.snapshot().files {
		s.checkNow(u)
	}
}

// complain tells the user of something wrong that has no place in a text.
func (s *server) complain(err error) {
	s.log.Warn("told to the user", "error", err)
	s.out.put(func() {
		params := &protocol.ShowMessageParams{Type: protocol.MessageTypeWarning, Message: fmt.Sprintf("ein: %v", err)}
		if err := s.peer.ShowMessage(s.ctx, params); err != nil && s.ctx.Err() == nil {
			s.log.Warn("cannot show a message", "error", err)
		}
	})
}

// DidChangeConfiguration brings the settings, or the news that there are others.
func (s *server) DidChangeConfiguration(_ context.Context, params *protocol.DidChangeConfigurationParams) error {
	if s.client.configuration {
		go s.pullSettings()
		return nil
	}
	s.configure(params.Settings)
	return nil
}

// DidChangeWorkspaceFolders moves what paths in the settings are relative to.
func (s *server) DidChangeWorkspaceFolders(_ context.Context, params *protocol.DidChangeWorkspaceFoldersParams) error {
	s.session.update(func(next *snapshot) {
		list := slices.Clone(next.folders)
		for _, f := range params.Event.Removed {
			list = slices.DeleteFunc(list, func(path string) bool { return path == f.URI.FsPath() })
		}
		for _, f := range params.Event.Added {
			list = append(list, f.URI.FsPath())
		}
		next.folders = list
	})
	s.checkAll()
	return nil
}

// SetTrace is for clients that want traces in their own window; ours go to the log.
func (s *server) SetTrace(context.Context, *protocol.SetTraceParams) error { return nil }

// Shutdown ends the session; only exit follows.
func (s *server) Shutdown(context.Context) error {
	s.phase.Store(down)
	return nil
}

// Exit ends the connection.
func (s *server) Exit(context.Context) error {
	if s.left.CompareAndSwap(false, true) {
		close(s.exited)
	}
	return nil
}
