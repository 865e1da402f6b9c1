package run

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"

	"ein/internal/compact"
	"ein/internal/job"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// How a line ends, newline aside: crcBegin, eight digits, crcEnd.
const (
	crcBegin = `,"crc":"`
	crcEnd   = `"}`
	crcLen   = len(crcBegin) + 8 + len(crcEnd)
)

// seal makes the line of a reply or a score: its object, with the CRC-32C of the object as the last
// member, and a newline.
func seal(key *Key, v any) ([]byte, error) {
	b, err := compact.JSON(v)
	if err != nil {
		return nil, err
	}
	sum := crc32.Checksum(b, castagnoli)
	b = fmt.Appendf(b[:len(b)-1], crcBegin+"%08x"+crcEnd, sum)
	if len(b) >= job.MaxLine {
		return nil, fmt.Errorf("the line of %s takes %d bytes, the most is %d", key.ID, len(b), job.MaxLine)
	}
	return append(b, '\n'), nil
}

// unseal reads a line without its newline, and returns its checksum.
func unseal(line []byte, v any) (sum string, err error) {
	if line, err = compact.Text(line); err != nil {
		return "", err
	}
	at := len(line) - crcLen
	if at < 0 {
		return "", errors.New("it is too short for an object with its checksum")
	}
	body := append(bytes.Clone(line[:at]), '}')
	sum = fmt.Sprintf("%08x", crc32.Checksum(body, castagnoli))
	switch end, want := string(line[at:]), crcBegin+sum+crcEnd; {
	case !strings.HasPrefix(end, crcBegin) || !strings.HasSuffix(end, crcEnd):
		return "", errors.New("it does not end with a checksum")
	case end != want:
		return "", fmt.Errorf("the checksum does not match the content: the line ends in %s, expected %s", end, want)
	}
	return sum, strict(body, v)
}

func strict(b []byte, v any) error { return compact.Strict(b, v, "it cannot be read") }
