package run

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
)

// MaxLine bounds a line of a run directory in bytes: a reply of the longest length
// that is scored, in escapes, with its reasoning.
const MaxLine = 64 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// How a line ends, newline aside: crcBegin, eight digits, crcEnd.
const (
	crcBegin = `,"crc":"`
	crcEnd   = `"}`
	crcLen   = len(crcBegin) + 8 + len(crcEnd)
)

// seal gives the line of a reply: its object with the CRC-32C of the object as
// the last member, and a newline.
func seal(r *Reply) ([]byte, error) {
	b, err := marshal(r)
	if err != nil {
		return nil, err
	}
	sum := crc32.Checksum(b, castagnoli)
	b = fmt.Appendf(b[:len(b)-1], crcBegin+"%08x"+crcEnd, sum)
	if len(b) >= MaxLine {
		return nil, fmt.Errorf("the reply to %s takes %d bytes, the most is %d", r.ID, len(b), MaxLine)
	}
	return append(b, '\n'), nil
}

// unseal reads a line without its newline.
func unseal(line []byte) (*Reply, error) {
	at := len(line) - crcLen
	if at < 0 {
		return nil, errors.New("it is too short for a reply with its checksum")
	}
	body := append(bytes.Clone(line[:at]), '}')
	want := fmt.Sprintf(crcBegin+"%08x"+crcEnd, crc32.Checksum(body, castagnoli))
	switch end := string(line[at:]); {
	case !strings.HasPrefix(end, crcBegin) || !strings.HasSuffix(end, crcEnd):
		return nil, errors.New("it does not end with a checksum")
	case end != want:
		return nil, fmt.Errorf("the checksum is not that of the content: the line ends in %s, expected %s", end, want)
	}
	r := &Reply{}
	if err := strict(body, r); err != nil {
		return nil, err
	}
	return r, nil
}

// marshal is compact JSON. Programs are full of < and >, which stay as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// strict reads one JSON value and nothing else.
func strict(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("it cannot be read: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more after the object")
	}
	return nil
}

// rawLine is a line of a file.
type rawLine struct {
	text       []byte // without the newline; valid until the next
	offset     int64
	number     int // from 1
	terminated bool
	tooLong    bool // text is cut off then
}

// lines gives the lines of r in their order, until there are no more or yield
// returns an error. Memory is that of one line.
func lines(r io.Reader, yield func(*rawLine) error) error {
	in := bufio.NewReaderSize(r, 1<<16)
	l := rawLine{}
	var buf []byte
	for {
		l.number++
		l.terminated, l.tooLong = false, false
		buf = buf[:0]
		length := int64(0)
		var err error
		for {
			var part []byte
			part, err = in.ReadSlice('\n')
			length += int64(len(part))
			if len(buf)+len(part) <= MaxLine {
				buf = append(buf, part...)
			} else {
				l.tooLong = true
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				break
			}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if length == 0 {
			return nil
		}
		l.terminated = err == nil
		l.text = bytes.TrimSuffix(buf, []byte("\n"))
		if err := yield(&l); err != nil {
			return err
		}
		l.offset += length
		if err != nil {
			return nil
		}
	}
}
