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
	"strings"
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
	initial  settings    // those of initialize
	session  *session
	requests inFlight
	slots    chan struct{} // one for each request that is worked on
	out      *outbox       // what is told to the client
	asks     *outbox       // what is asked of it; nothing waits for the answers
	pending  jobs          // checks that wait until typing pauses
	data     jobs          // reading of data
	watched  kept[uri.URI, watchedFiles]
	runs     runs
	reports  kept[uri.URI, string] // the texts of documents, the last for each command and program
	closed   closed
	values   kept[uri.URI, []value] // of statements that were run by themselves, the newest last

	dispatch func(context.Context, *jsonrpc2.Request) (any, error)
}

// newServer makes a server that talks to peer. A panic in what it does in the background is
// logged and ends that task only.
func newServer(ctx context.Context, opt Options, peer protocol.Client) *server {
	s := &server{
		ctx: ctx, opt: opt, log: opt.Log, peer: peer,
		exited:  make(chan struct{}),
		session: newSession(),
		slots:   make(chan struct{}, max(2, runtime.GOMAXPROCS(0))),
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
	s.out, s.asks = &outbox{ctx: ctx, run: guarded}, &outbox{ctx: ctx, run: guarded}
	return s
}

// client is what the client can do, with what more than one capability or method decides.
type client struct {
	capabilities
	pull           bool // asks for diagnostics itself
	unnecessary    bool // greys out what is tagged so
	related        bool
	markdown       bool // in hovers
	markdownHelp   bool // in signatures
	literalActions bool
	configuration  bool
	content        bool                                           // asks for the text of documents that only the server has
	hintsAgain     bool                                           // pulls hints again when it is told to
	refreshes      []func(protocol.Client, context.Context) error // the requests that make it pull again
}

// initializeParams is the part of protocol.InitializeParams that the server reads. All of its
// types would add 0.3 MB to the binary.
type initializeParams struct {
	Capabilities          capabilities                `json:"capabilities"`
	InitializationOptions protocol.LSPAny             `json:"initializationOptions"`
	WorkspaceFolders      *[]protocol.WorkspaceFolder `json:"workspaceFolders"`
	RootURI               *uri.URI                    `json:"rootUri"`
	RootPath              *string                     `json:"rootPath"`
}

// capabilities is what the client says it can do, by the names of protocol.ClientCapabilities.
type capabilities map[string]any

// at is the value at a path of names, or nil.
func (c capabilities) at(path string) any {
	var v any = map[string]any(c)
	for name := range strings.SplitSeq(path, ".") {
		members, _ := v.(map[string]any)
		v = members[name]
	}
	return v
}

func (c capabilities) can(path string) bool { return c.at(path) == true }

// lists reports whether there is a list with an item.
func (c capabilities) lists(path string, item any) bool {
	list, _ := c.at(path).([]any)
	return slices.Contains(list, item)
}

// takesMarkdown reports whether a list of formats begins with Markdown.
func (c capabilities) takesMarkdown(path string) bool {
	list, _ := c.at(path).([]any)
	return len(list) > 0 && list[0] == string(protocol.MarkupKindMarkdown)
}

// newClient reads from the capabilities what the server makes use of. What a client does not
// mention, it cannot do.
func newClient(c capabilities) client {
	kinds, _ := c.at("textDocument.codeAction.codeActionLiteralSupport.codeActionKind.valueSet").([]any)
	out := client{
		capabilities:   c,
		literalActions: len(kinds) > 0,
		markdown:       c.takesMarkdown("textDocument.hover.contentFormat"),
		markdownHelp:   c.takesMarkdown("textDocument.signatureHelp.signatureInformation.documentationFormat"),
		configuration:  c.can("workspace.configuration"),
		content:        c.at("workspace.textDocumentContent") != nil,
	}
	for _, path := range []string{"textDocument.diagnostic", "textDocument.publishDiagnostics"} {
		out.related = out.related || c.can(path+".relatedInformation")
		out.unnecessary = out.unnecessary || c.lists(path+".tagSupport.valueSet", float64(protocol.DiagnosticTagUnnecessary))
	}
	again := func(what string) bool { return c.can("workspace." + what + ".refreshSupport") }
	for what, ask := range map[string]func(protocol.Client, context.Context) error{
		"diagnostics": protocol.Client.DiagnosticRefresh, "inlayHint": protocol.Client.InlayHintRefresh,
		"semanticTokens": protocol.Client.SemanticTokensRefresh, "codeLens": protocol.Client.CodeLensRefresh,
	} {
		if again(what) {
			out.refreshes = append(out.refreshes, ask)
		}
	}
	out.hintsAgain = again("inlayHint")
	// Neovim asks, but is not told when to ask again; it is sent what is new instead.
	out.pull = c.at("textDocument.diagnostic") != nil && (again("diagnostics") || c.at("textDocument.publishDiagnostics") == nil)
	return out
}

// negotiate picks the encoding of positions. UTF-16 is what a client has that names
// none.
func negotiate(c capabilities) encoding {
	for e, kind := range encodings {
		if c.lists("general.positionEncodings", string(kind)) {
			return encoding(e)
		}
	}
	return utf16Units
}

// Initialize learns what the client can do and says what the server does.
func (s *server) Initialize(_ context.Context, params *initializeParams) (object, error) {
	s.client = newClient(params.Capabilities)
	encoding := negotiate(params.Capabilities)
	var err error
	if s.initial, err = parseSettings(params.InitializationOptions); err != nil {
		s.complain(err)
	}
	// Not a setting: a workspace has settings of its own.
	var client struct {
		Trusted bool `json:"trusted"`
	}
	_ = json.Unmarshal(params.InitializationOptions, &client) // parseSettings tells of an error
	s.session.update(func(next *snapshot) {
		next.encoding, next.settings, next.folders, next.trusted = encoding, s.initial, folders(params), client.Trusted
	})
	s.phase.Store(up)
	server := object{
		"positionEncoding": encodings[encoding],
		"textDocumentSync": object{"openClose": true, "change": protocol.TextDocumentSyncKindIncremental, "save": true},
		"hoverProvider":    true, "definitionProvider": true, "referencesProvider": true, "documentHighlightProvider": true,
		"documentSymbolProvider": true, "workspaceSymbolProvider": true, "inlayHintProvider": true,
		"documentFormattingProvider": true, "documentRangeFormattingProvider": true,
		"foldingRangeProvider": true, "selectionRangeProvider": true,
		"completionProvider":               object{"triggerCharacters": []string{"[", "(", ",", "\"", ":"}, "completionItem": object{"labelDetailsSupport": true}},
		"signatureHelpProvider":            object{"triggerCharacters": []string{"(", ","}, "retriggerCharacters": []string{")"}},
		"documentOnTypeFormattingProvider": object{"firstTriggerCharacter": "\n", "moreTriggerCharacter": []string{";", "}"}},
		"renameProvider":                   true,
		"codeLensProvider":                 object{},
		"executeCommandProvider":           object{"commands": s.commandNames(), "workDoneProgress": true},
		"semanticTokensProvider":           object{"legend": legend(), "range": true, "full": true},
	}
	workspace := object{"workspaceFolders": object{"supported": true, "changeNotifications": true}}
	if s.client.content {
		workspace["textDocumentContent"] = object{"schemes": []string{contentScheme}}
	}
	server["workspace"] = workspace
	if s.client.pull {
		// Those of the workspace would be those of the open files, and clients that ask for them keep what they have of
		// a file that is closed.
		server["diagnosticProvider"] = object{"interFileDependencies": false, "workspaceDiagnostics": false}
	}
	// Options are for clients that know them.
	if s.client.can("textDocument.rename.prepareSupport") {
		server["renameProvider"] = object{"prepareProvider": true}
	}
	if s.client.literalActions {
		server["codeActionProvider"] = object{"codeActionKinds": []protocol.CodeActionKind{
			protocol.CodeActionKindQuickFix, protocol.CodeActionKindRefactorExtract, protocol.CodeActionKindRefactorInline,
			protocol.CodeActionKindRefactorRewrite, protocol.CodeActionKindSourceFixAll,
		}}
	}
	about := object{"name": "ein"}
	if s.opt.Version != "" {
		about["version"] = s.opt.Version
	}
	return object{"serverInfo": about, "capabilities": server}, nil
}

// object is a JSON object. What the server can do is written as one: with the types
// that the library has for it the binary would have 0.2 MB more.
type object map[string]any

// folders returns the paths of the workspace, by the newest of the three ways to give
// them.
func folders(params *initializeParams) (paths []string) {
	switch {
	case params.WorkspaceFolders != nil && len(*params.WorkspaceFolders) > 0:
		paths = withFolders(paths, *params.WorkspaceFolders)
	case params.RootURI != nil && params.RootURI.IsFile():
		paths = []string{params.RootURI.FsPath()}
	case params.RootPath != nil && *params.RootPath != "":
		paths = []string{filepath.Clean(*params.RootPath)}
	}
	return paths
}

// withFolders adds the paths of folders, of those that this machine has: others have paths of elsewhere.
func withFolders(paths []string, list []protocol.WorkspaceFolder) []string {
	for _, f := range list {
		if f.URI.IsFile() {
			paths = append(paths, f.URI.FsPath())
		}
	}
	return paths
}

// Initialized asks for the settings and to hear of their changes.
func (s *server) Initialized(context.Context, *protocol.InitializedParams) error {
	go func() {
		if s.client.can("workspace.didChangeConfiguration.dynamicRegistration") {
			registration := protocol.Registration{
				ID: "ein.settings", Method: protocol.MethodWorkspaceDidChangeConfiguration,
				RegisterOptions: encoded(map[string]string{"section": section}),
			}
			s.warn("the client does not tell of changed settings", s.peer.RegisterCapability(s.ctx, &protocol.RegistrationParams{Registrations: []protocol.Registration{registration}}))
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
	case len(list[0]) == 0 || string(list[0]) == "null":
		s.adopt(s.initial)
	default:
		s.configure(list[0])
	}
}

// configure takes over settings. What is wrong is told, and what could be read of them counts.
func (s *server) configure(raw []byte) {
	given, err := parseSettings(raw)
	if err != nil {
		s.complain(err)
	}
	s.adopt(given)
}

func (s *server) adopt(given settings) {
	s.session.update(func(next *snapshot) { next.settings = given })
	s.checkAll()
}

// checkAll checks the open files.
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
		s.warn("cannot show a message", s.peer.ShowMessage(s.ctx, params))
	})
}

// warn logs what the client could not be told or asked, unless the connection has ended.
func (s *server) warn(what string, err error, about ...any) {
	if err != nil && s.ctx.Err() == nil {
		s.log.Warn(what, append(about, "error", err)...)
	}
}

// DidChangeConfiguration brings the settings, or says that they have changed.
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
		next.folders = withFolders(list, params.Event.Added)
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
