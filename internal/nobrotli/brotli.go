// Package brotli stands where the reader of Parquet expects a codec that Ein does not
// take: the real one, with its dictionaries, is a megabyte of the command. A file that
// needs it is refused by name before any page of it is read, so nothing here is
// called.
package brotli

import (
	"errors"
	"io"
)

var errAbsent = errors.New("brotli is not supported")

// Reader fails.
type Reader struct{}

// NewReader returns a Reader.
func NewReader(io.Reader) *Reader { return &Reader{} }

// Read fails.
func (*Reader) Read([]byte) (int, error) { return 0, errAbsent }

// Reset fails.
func (*Reader) Reset(io.Reader) error { return errAbsent }

// WriterOptions are those of the real package.
type WriterOptions struct{ Quality, LGWin int }

// Writer fails.
type Writer struct{}

// NewWriterOptions returns a Writer.
func NewWriterOptions(io.Writer, WriterOptions) *Writer { return &Writer{} }

// Write fails.
func (*Writer) Write([]byte) (int, error) { return 0, errAbsent }

// Flush fails.
func (*Writer) Flush() error { return errAbsent }

// Close fails.
func (*Writer) Close() error { return errAbsent }

// Reset does nothing.
func (*Writer) Reset(io.Writer) {}
