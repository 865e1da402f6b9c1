package repl

import (
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// keys translates what a keyboard sends into the keys that readline knows. Readline does not know
// Home and End of tmux and rxvt, nor arrows with Ctrl or Alt; and its Ctrl-C only closes a menu or
// a search, so that the user has to press it again to give up the line.
type keys struct {
	io.ReadCloser
	held  string // the beginning of a key
	ready string
	ended bool // there is no more: that was no Ctrl-D
	paste bool // the terminal says that what comes is pasted

	mu     sync.Mutex
	pasted []string // what the runes of this name stand for
}

// pasted is a rune that no text has. The library draws the line anew for each rune, so it gets one
// for many that come at once.
const (
	pasted    = '\uFDD2'
	minPasted = 64 // bytes
)

// What a terminal puts around a pasted text, once it is told to.
const (
	pasteBegins = "\x1b[200~"
	pasteEnds   = "\x1b[201~"
	markPastes  = "\x1b[?2004h"
	leavePastes = "\x1b[?2004l"
)

const (
	closeMenu = "\a"
	wordLeft  = "\x1bb"
	wordRight = "\x1bf"
)

var decoded = map[string]string{
	"\x03":     closeMenu + "\x03",
	"\x1b\x03": closeMenu + "\x03",
	"\x1b\r":   string(lineEnd), // Alt-Enter
	"\x1b[1~":  "\x01", "\x1b[7~": "\x01",
	"\x1b[4~": "\x05", "\x1b[8~": "\x05",
	"\x1b[1;3C": wordRight, "\x1b[1;5C": wordRight, "\x1b[5C": wordRight, "\x1bOc": wordRight,
	"\x1b[1;3D": wordLeft, "\x1b[1;5D": wordLeft, "\x1b[5D": wordLeft, "\x1bOd": wordLeft,
	"\x1b[3;5~": "\x1bd",
}

// Read implements io.Reader.
func (k *keys) Read(p []byte) (int, error) {
	for k.ready == "" {
		buf := make([]byte, 4096)
		n, err := k.ReadCloser.Read(buf)
		k.decode(string(buf[:n]))
		if err != nil && k.ready == "" {
			k.ended = true
			return 0, err
		}
	}
	n := copy(p, k.ready)
	k.ready = k.ready[n:]
	return n, nil
}

// decode takes what was read. A key may be read in parts.
func (k *keys) decode(read string) {
	from := len(k.ready) // the characters since the last key
	pack := func() {
		if len(k.ready)-from >= minPasted {
			k.mu.Lock()
			k.pasted = append(k.pasted, k.ready[from:])
			k.mu.Unlock()
			k.ready = k.ready[:from] + string(pasted)
		}
	}
	for i := range len(read) {
		if k.held != "" && k.held[0] >= utf8.RuneSelf && read[i] < utf8.RuneSelf { // a character that broke off
			k.ready, k.held = k.ready+k.held, ""
		}
		k.held += read[i : i+1]
		switch {
		case k.held == "\x1b", k.held == "\x1b[", k.held == "\x1bO":
			continue
		case strings.HasPrefix(k.held, "\x1b[") && read[i] >= ' ' && read[i] < '@':
			continue // its parameters
		case !utf8.FullRuneInString(k.held):
			continue
		case k.held == pasteBegins, k.held == pasteEnds:
			k.paste = k.held == pasteBegins
		case k.paste && k.held == "\t": // no key, which would complete the word before it
			k.ready += " "
		case k.held[0] >= ' ' && k.held != "\x7f":
			k.ready += k.held
		default:
			pack()
			if key, ok := decoded[k.held]; ok {
				k.ready += key
			} else {
				k.ready += k.held
			}
			from = len(k.ready)
		}
		k.held = ""
	}
	pack()
}

// next is what the next rune for many stands for.
func (k *keys) next() []rune {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.pasted) == 0 { // somebody typed that rune
		return []rune{utf8.RuneError}
	}
	run := []rune(k.pasted[0])
	k.pasted = k.pasted[1:]
	return run
}
