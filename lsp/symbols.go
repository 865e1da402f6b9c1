package lsp

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ein/internal/lists"
	"ein/lang/ide"
)

var symbolKinds = map[ide.Kind]protocol.SymbolKind{
	ide.KindInput:    protocol.SymbolKindField,
	ide.KindFunction: protocol.SymbolKindFunction,
}

func symbolKind(k ide.Kind) protocol.SymbolKind {
	return cmp.Or(symbolKinds[k], protocol.SymbolKindVariable)
}

// DocumentSymbol returns the outline of a file: its definitions, with their shapes where
// the client has room for them.
func (s *server) DocumentSymbol(_ context.Context, f *file, _ *struct{}) (protocol.DocumentSymbolResult, error) {
	if !s.client.can("textDocument.documentSymbol.hierarchicalDocumentSymbolSupport") {
		return flat(f), nil
	}
	list, m := protocol.DocumentSymbolSlice{}, f.mapper()
	for _, sym := range f.document().Symbols(true) {
		out := protocol.DocumentSymbol{
			Name: sym.Text, Kind: symbolKind(sym.Kind), Range: m.rangeOf(sym.Span), SelectionRange: m.rangeOf(sym.Name),
		}
		if sym.Detail != "" {
			out.Detail = &sym.Detail
		}
		list = append(list, out)
	}
	return list, nil
}

// flat returns the definitions of a file as a list.
func flat(f *file) protocol.SymbolInformationSlice {
	m := f.mapper()
	return lists.Map(f.document().Symbols(false), func(sym ide.Symbol) protocol.SymbolInformation {
		return protocol.SymbolInformation{
			BaseSymbolInformation: protocol.BaseSymbolInformation{Name: sym.Text, Kind: symbolKind(sym.Kind)},
			Location:              protocol.Location{URI: f.sent, Range: m.rangeOf(sym.Name)},
		}
	})
}

// Symbols looks for a definition in the open files and the programs of the workspace
// folders.
func (s *server) Symbols(ctx context.Context, params *protocol.WorkspaceSymbolParams) (protocol.WorkspaceSymbolResult, error) {
	list := protocol.SymbolInformationSlice{}
	query := strings.ToLower(params.Query)
	add := func(symbols protocol.SymbolInformationSlice) {
		for _, sym := range symbols {
			if strings.Contains(strings.ToLower(sym.Name), query) {
				list = append(list, sym)
			}
		}
	}
	snap := snapshotOf(ctx)
	for _, f := range snap.sorted() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		add(flat(f))
	}
	err := s.closed.each(ctx, snap, s.opt.MaxText, add)
	if err != nil && ctx.Err() == nil {
		s.complain(err) // what was found is still of use
	}
	return list, ctx.Err()
}

// closed is the programs of the workspace that are not open, by path.
type closed struct {
	mu    sync.Mutex
	files map[string]closedFile
}

// closedFile is the symbols of a file that is not open, good as long as size and time of change
// are the same.
type closedFile struct {
	size    int64
	changed time.Time
	symbols protocol.SymbolInformationSlice
}

// maxEntries bounds how many files and folders are looked at for programs.
const maxEntries = 50_000

// each calls do with the definitions of each program, maxText bytes of them together.
// A file that is as it was is not read again.
func (c *closed) each(ctx context.Context, snap *snapshot, maxText int, do func(protocol.SymbolInformationSlice)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.files
	c.files = map[string]closedFile{}
	entries, root := 0, ""
	visit := func(path string, d fs.DirEntry, err error) error {
		if d == nil {
			return nil // there is no such folder any more
		}
		if entries++; entries > maxEntries {
			return fmt.Errorf("definitions are looked for in the first %d files and folders of the workspace; a smaller folder has them all", maxEntries)
		}
		switch name := d.Name(); {
		case ctx.Err() != nil:
			return ctx.Err()
		case d.IsDir() && path != root && (err != nil || strings.HasPrefix(name, ".") || name == "node_modules"):
			return filepath.SkipDir
		case err != nil || !d.Type().IsRegular() || filepath.Ext(name) != ".ein" || snap.files[uri.File(path)] != nil:
			return nil
		}
		if _, again := c.files[path]; again {
			return nil // a folder in another
		}
		info, err := d.Info()
		if err != nil {
			return nil // it has gone
		}
		if maxText -= int(info.Size()); maxText < 0 {
			return fmt.Errorf("the programs of the workspace are too large to look for definitions in all of them; %s is the first that is left out", path)
		}
		now, ok := before[path]
		if !ok || now.size != info.Size() || !now.changed.Equal(info.ModTime()) {
			text, err := os.ReadFile(path)
			if err != nil {
				return nil
			}
			f := &file{sent: uri.File(path), text: string(text), profile: snap.settings.profile(), encoding: snap.encoding}
			now = closedFile{info.Size(), info.ModTime(), flat(f.finish())}
		}
		c.files[path] = now
		do(now.symbols)
		return nil
	}
	for _, dir := range snap.folders {
		root = dir + string(filepath.Separator) // so that a link to a folder is one
		if err := filepath.WalkDir(root, visit); err != nil {
			return err
		}
	}
	return nil
}
