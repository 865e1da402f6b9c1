package graphio

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// sniffLen is how much of a file is read to detect its format.
const sniffLen = 1 << 16

const (
	gzipMagic   = "\x1f\x8b"
	sqliteMagic = "SQLite format 3\x00"
)

var errTooLarge = errors.New("over the size limit")

// limited fails once more than max bytes have been read, so that a small compressed file cannot
// expand without end.
type limited struct {
	r      io.Reader
	n, max int64
}

// Read reads one byte more than max at most, which tells a file that is too large from one that
// ends there.
func (l *limited) Read(p []byte) (int, error) {
	if l.n > l.max {
		return 0, errTooLarge
	}
	if room := l.max - l.n + 1; int64(len(p)) > room {
		p = p[:room]
	}
	n, err := l.r.Read(p)
	l.n += int64(n)
	if l.n > l.max {
		return n, errTooLarge
	}
	return n, err
}

// input is the decompressed content of a file.
type input struct {
	*bufio.Reader
	name string
	gzip bool  // it was compressed
	max  int64 // of its bytes
	mem  *memory

	taken []*bufio.Reader
}

// buffers are those of files that have been read: a server reads many small ones.
var buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, sniffLen) }}

// buffered reads through a buffer, until close.
func (in *input) buffered(r io.Reader) *bufio.Reader {
	b := buffers.Get().(*bufio.Reader)
	b.Reset(r)
	in.taken = append(in.taken, b)
	return b
}

// close gives back the buffers: nothing reads from them or refers to their bytes any longer.
func (in *input) close() {
	for _, b := range in.taken {
		b.Reset(nil)
		buffers.Put(b)
	}
}

// open undoes gzip if the first bytes say so, whatever the name says.
func (in *input) open(r io.Reader) error {
	outer := in.buffered(r)
	var inner io.Reader = outer
	if head, _ := outer.Peek(len(gzipMagic)); string(head) == gzipMagic {
		in.gzip = true
		z, err := gzip.NewReader(outer)
		if err != nil {
			return in.fail(err)
		}
		z.Multistream(false)
		inner = &gzipMembers{outer, z}
	}
	in.Reader = in.buffered(&limited{r: inner, max: in.max})
	return nil
}

// gzipMembers reads the members of a gzip file one after the other.
type gzipMembers struct {
	in *bufio.Reader
	z  *gzip.Reader
}

// notGzip is how many bytes come after the last member of a gzip file, of those
// that were looked at.
type notGzip int64

const maxNotGzip = 1 << 20

func (n notGzip) Error() string {
	if n == maxNotGzip {
		return fmt.Sprintf("the gzip data is followed by at least %d bytes that are not gzip", int64(n))
	}
	return fmt.Sprintf("the gzip data is followed by %s not gzip", plural(int(n), "byte that is", "bytes that are"))
}

// Read goes from one member to the next. What follows the last and is not gzip is counted and
// reported, and not dropped.
func (m *gzipMembers) Read(p []byte) (int, error) {
	for {
		n, err := m.z.Read(p)
		if !errors.Is(err, io.EOF) {
			return n, err
		}
		if n > 0 {
			return n, nil
		}
		head, err := m.in.Peek(len(gzipMagic))
		if len(head) == 0 {
			return 0, err
		}
		if string(head) != gzipMagic {
			n, err := io.CopyN(io.Discard, m.in, maxNotGzip)
			if err != nil && !errors.Is(err, io.EOF) {
				return 0, err
			}
			return 0, notGzip(n)
		}
		if err := m.z.Reset(m.in); err != nil {
			return 0, err
		}
		m.z.Multistream(false)
	}
}

// fail turns an error of the reader into one for people.
func (in *input) fail(err error) *Error {
	e := &Error{File: in.name, Err: err}
	var corrupt flate.CorruptInputError
	var after notGzip
	switch {
	case errors.Is(err, errTooLarge):
		e.Limit = true
		e.Msg = fmt.Sprintf("larger than the limit of %d bytes", in.max)
		if in.gzip {
			e.Msg += " once decompressed"
		}
	case errors.As(err, &after):
		e.Msg = after.Error()
	case in.gzip && errors.Is(err, io.ErrUnexpectedEOF):
		e.Msg = "the gzip data ends early: the file is truncated"
	case in.gzip && errors.Is(err, gzip.ErrChecksum):
		e.Msg = "the gzip data is damaged: the checksum does not match"
	case in.gzip && (errors.Is(err, gzip.ErrHeader) || errors.As(err, &corrupt)):
		e.Msg = "the gzip data is damaged"
	default:
		e.Msg = "cannot read: " + err.Error()
	}
	return e
}

// sniff returns the first bytes without a byte order mark, and refuses files that are in no format
// read here.
func (in *input) sniff() ([]byte, error) {
	head, err := in.Peek(sniffLen)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, in.fail(err)
	}
	if bom := []byte("\xef\xbb\xbf"); bytes.HasPrefix(head, bom) {
		// The bytes are in the buffer, so this cannot fail.
		_, _ = in.Discard(len(bom))
		head = head[len(bom):]
	}
	if encoding(head) == utf16Marked {
		text := &utf16Text{in: in.Reader, order: binary.LittleEndian}
		if head[0] == 0xfe {
			text.order = binary.BigEndian
		}
		_, _ = in.Discard(2)
		in.Reader = in.buffered(text)
		return in.sniff()
	}
	if is, hint := unread(head); is != "" {
		return nil, &Error{File: in.name, Msg: "the file is " + is + ", which is not read", Hint: hint}
	}
	return head, nil
}

// utf16Text reads UTF-16, as Excel and PowerShell write text, as UTF-8. Half a character becomes a
// byte that is not UTF-8, which is an error to whoever reads it.
type utf16Text struct {
	in    *bufio.Reader
	order binary.ByteOrder
	char  []byte // the rest of the last character
}

func (t *utf16Text) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(t.char) == 0 {
			b, err := t.in.Peek(4)
			if len(b) == 0 {
				return n, err
			}
			r, size := rune(0xdfff), min(len(b), 2) // half of one
			if size == 2 {
				r = rune(t.order.Uint16(b))
			}
			if len(b) == 4 && utf16.IsSurrogate(r) {
				if both := utf16.DecodeRune(r, rune(t.order.Uint16(b[2:]))); both != utf8.RuneError {
					r, size = both, 4
				}
			}
			_, _ = t.in.Discard(size)
			t.char = append(t.char, 0xff)
			if utf8.ValidRune(r) {
				t.char = utf8.AppendRune(t.char[:0], r)
			}
		}
		k := copy(p[n:], t.char)
		n, t.char = n+k, t.char[k:]
	}
	return n, nil
}

const utf8Hint = "iconv, or saving it again as UTF-8, converts it"

const utf16Marked = "UTF-16"

// encoding names what a text is in whose characters take two or four bytes, by a byte order mark or
// by the zeros in its first two characters.
func encoding(head []byte) string {
	zeros := ""
	for _, c := range head[:min(len(head), 4)] {
		zeros += string("0x"[min(c/'\t', 1)]) // no text has the characters before it
	}
	marked := bytes.HasPrefix(head, []byte("\xff\xfe"))
	switch {
	case zeros == "x000", zeros == "000x", marked && zeros == "xx00", bytes.HasPrefix(head, []byte("\x00\x00\xfe\xff")):
		return "UTF-32"
	case marked, bytes.HasPrefix(head, []byte("\xfe\xff")):
		return utf16Marked
	case zeros == "x0x0", zeros == "0x0x":
		return "UTF-16 without a byte order mark"
	}
	return ""
}

type foreignText struct {
	is    string
	begin *regexp.Regexp
}

// foreign are texts in formats that are not read, after their comments.
var foreign = sync.OnceValue(func() (list []foreignText) {
	for _, f := range [][2]string{
		{"XML or HTML", `<(\?xml|!doctype|!--|[a-z]+[\s>])`},
		{"DOT", `(strict\s+)?(di)?graph(\s+(".*"|[^\s{"]+))?\s*\{`},
		{"GML", `((creator|version|comment)\s.*\n\s*)*graph\s*\[`},
		{"Pajek", `\*(network|vertices|arcs|edges)\b`},
		{"DIMACS", `(c(\s.*)?\n)*p\s+(edge|col|sp|max)\s+\d+\s+\d+\s*\n`},
		{"graph6 or sparse6", `>>(di)?(graph|sparse)6<<`},
	} {
		list = append(list, foreignText{f[0], regexp.MustCompile(`(?i)^(\s*((#|//|%).*\n|/\*(?s:.*?)\*/))*\s*` + f[1])})
	}
	return list
})

// unread names a format that people have and that is not read here, by its first bytes. As rows of
// text it would give errors that say nothing.
func unread(head []byte) (is, hint string) {
	begins := func(with ...string) bool {
		return slices.ContainsFunc(with, func(w string) bool { return bytes.HasPrefix(head, []byte(w)) })
	}
	const few, often = 4, 8 // zeros that any text may have, and of how many bytes one is zero
	switch wide := encoding(head); {
	case begins("PK\x03\x04"):
		return "a zip archive, such as .xlsx or .npz", "save a table as CSV, an array as .npy, a sparse one as .mtx, by scipy.io.mmwrite"
	case begins("\x28\xb5\x2f\xfd", "\xfd7zXZ") || begins("BZh") && len(head) > 6 && string(head[4:7]) == "1AY":
		return "compressed with bzip2, xz or zstd", "decompress it first"
	case begins("\x80\x02", "\x80\x03", "\x80\x04", "\x80\x05"):
		return "a pickle of Python", "save a table as CSV, an array as .npy"
	case begins("ARROW1\x00", "\xff\xff\xff\xff", "\x89HDF", "ORC\n", "Obj\x01"):
		return "Arrow, HDF5, ORC or Avro", "save the table as CSV or Parquet"
	case begins(npyMagic, "PAR1", sqliteMagic):
		return "", ""
	case wide != "":
		return wide, utf8Hint
	case bytes.Count(head, []byte{0}) > few+len(head)/often:
		return "binary data of unknown format", "save a table as CSV or Parquet, an array as .npy"
	}
	for _, f := range foreign() {
		if f.begin.Match(head) {
			return f.is, "save the edges as CSV, or as the JSON of node_link_data in NetworkX"
		}
	}
	return "", ""
}

// detect returns the format of a file, by the ending of its name before .gz, otherwise by its first
// bytes.
func detect(name string, head []byte) Format {
	if f, ok := FormatOf(name); ok {
		return f
	}
	trimmed := bytes.TrimLeft(head, " \t\r\n")
	switch {
	case bytes.HasPrefix(head, []byte(npyMagic)):
		return NPY
	case bytes.HasPrefix(head, []byte("PAR1")):
		return Parquet
	case bytes.HasPrefix(head, []byte(sqliteMagic)):
		return SQLite
	case len(head) >= len(mmMagic) && strings.EqualFold(string(head[:len(mmMagic)]), mmMagic):
		return MatrixMarket
	case len(trimmed) > 0 && (trimmed[0] == '[' || trimmed[0] == '{'):
		return JSON
	}
	return Edges
}

// FormatOf returns the format that the ending of a file name stands for.
func FormatOf(name string) (Format, bool) {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	for _, f := range formats {
		if slices.ContainsFunc(strings.Fields(f.endings), func(end string) bool { return strings.HasSuffix(name, end) }) {
			return f.name, true
		}
	}
	return "", false
}

// commas returns the dialect of CSV. The separator is what a first line such as sep=; tells Excel;
// else a comma, or a semicolon if the first row has one and no comma, as spreadsheets write it where
// numbers have commas.
func commas(head []byte) dialect {
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, "\r\n"), []byte("\n"))
	said := strings.ToLower(strings.Trim(string(line), "\"\r"))
	if sep, ok := strings.CutPrefix(said, "sep="); ok && len(sep) == 1 && strings.Contains(",;|\t", sep) {
		return dialect{sep: sep[0], told: true}
	}
	if !unquoted(line, ',') && unquoted(line, ';') {
		return dialect{sep: ';'}
	}
	return dialect{sep: ','}
}

// unquoted reports whether a line has a character outside quotes.
func unquoted(line []byte, c byte) bool {
	for i, part := range bytes.Split(line, []byte{'"'}) {
		if i%2 == 0 && bytes.IndexByte(part, c) >= 0 {
			return true
		}
	}
	return false
}

// separator returns the separator of an edge list: a tab if the first row has one, else a comma if
// it has one, else 0 for blanks. A relation without any in the first row has one column.
func separator(head []byte, kind Kind) byte {
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' || line[0] == '%' {
			continue
		}
		line, _, _ = bytes.Cut(line, []byte(" {'")) // the attributes that NetworkX writes, with commas
		for _, sep := range []byte{'\t', ','} {
			if unquoted(line, sep) {
				return sep
			}
		}
		if kind == Relation && !unquoted(line, ' ') {
			return ','
		}
		break
	}
	return 0
}
