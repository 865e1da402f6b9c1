package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"ein/internal/job"
)

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
	if len(b) >= job.MaxLine {
		return nil, fmt.Errorf("the reply to %s takes %d bytes, the most is %d", r.ID, len(b), job.MaxLine)
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
