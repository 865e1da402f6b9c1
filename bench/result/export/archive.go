package export

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/binary"
	"io"
	"math"
)

// archive writes a zip of very many files. A zip.Writer keeps 250 bytes of each file until
// it is closed and writes the directory; so there is one for each thousand files, and their
// directories are kept compressed, in a tenth of that.
type archive struct {
	to      io.Writer
	at      int64 // bytes written
	section *zip.Writer
	files   int           // of all sections
	closing *bytes.Buffer // what the section writes as it is closed

	directory bytes.Buffer // of the sections before
	deflate   *flate.Writer
	size      int64 // of the directory, inflated
}

const perSection = 1000

func newArchive(to io.Writer) *archive {
	a := &archive{to: to}
	a.deflate, _ = flate.NewWriter(&a.directory, flate.DefaultCompression) // no other level is an error
	return a
}

// Write is called by the writers of sections.
func (a *archive) Write(p []byte) (int, error) {
	if a.closing != nil {
		return a.closing.Write(p)
	}
	n, err := a.to.Write(p)
	a.at += int64(n)
	return n, err
}

func (a *archive) create(name string) (io.Writer, error) {
	if a.files%perSection == 0 {
		if err := a.end(); err != nil {
			return nil, err
		}
		a.section = zip.NewWriter(a)
		a.section.SetOffset(a.at)
	}
	a.files++
	return a.section.Create(name)
}

// Ends of a directory: that of files beyond 32 bits, with where it is, and that of all.
const (
	end64Size = 56
	placeSize = 20
	endSize   = 22
)

// end ends a section. It writes the end of the section's last file to the archive and keeps the
// section's directory.
func (a *archive) end() error {
	if a.section == nil {
		return nil
	}
	if err := a.section.Flush(); err != nil {
		return err
	}
	a.closing = &bytes.Buffer{}
	err := a.section.Close()
	text := a.closing.Bytes()
	a.closing = nil
	if err != nil {
		return err
	}
	last := text[len(text)-endSize:]
	size, from := int64(binary.LittleEndian.Uint32(last[12:])), int64(binary.LittleEndian.Uint32(last[16:]))
	if from == math.MaxUint32 {
		last = text[len(text)-endSize-placeSize-end64Size:]
		size, from = int64(binary.LittleEndian.Uint64(last[40:])), int64(binary.LittleEndian.Uint64(last[48:]))
	}
	file, directory := text[:from-a.at], text[from-a.at:][:size]
	a.size += size
	_, err = a.deflate.Write(directory)
	if err == nil {
		_, err = a.Write(file)
	}
	return err
}

// close writes the directory, in the 64-bit form, which allows more than 65,535 files.
func (a *archive) close() error {
	if err := cmp.Or(a.end(), a.deflate.Close()); err != nil {
		return err
	}
	from := a.at
	if _, err := io.Copy(a, flate.NewReader(&a.directory)); err != nil {
		return err
	}
	const version = 45 // of the format
	o, files := binary.LittleEndian, uint64(a.files)
	var b []byte
	b = o.AppendUint64(append(b, "PK\x06\x06"...), end64Size-12)
	b = o.AppendUint16(o.AppendUint16(b, version), version)
	b = o.AppendUint64(b, 0) // disks
	b = o.AppendUint64(o.AppendUint64(b, files), files)
	b = o.AppendUint64(o.AppendUint64(b, uint64(a.size)), uint64(from))
	b = o.AppendUint32(append(b, "PK\x06\x07"...), 0)
	b = o.AppendUint32(o.AppendUint64(b, uint64(a.at)), 1)
	b = append(b, "PK\x05\x06\x00\x00\x00\x00"...)
	b = append(b, bytes.Repeat([]byte{0xff}, 12)...) // the numbers are above
	_, err := a.Write(append(b, 0, 0))
	return err
}
