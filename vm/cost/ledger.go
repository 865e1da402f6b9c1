package cost

import (
	"fmt"

	"ein/vm/tensor"
)

// Ledger counts the memory that reading a program and its data takes, so that a
// limit on memory holds before there is a certificate to compare with it. What
// reads something takes bytes before it allocates them and gives back what it
// no longer needs. A nil Ledger counts nothing and has no limit. A Ledger is
// not safe for concurrent use.
type Ledger struct {
	// Max is the most bytes that may be taken at one time; 0 is no limit.
	Max uint64
	// Grown, when not nil, is called when more is taken than ever before.
	Grown func(peak uint64)

	used, peak uint64
}

// Take counts n bytes about to be allocated, or refuses them with a
// *MemoryError and counts nothing.
func (l *Ledger) Take(n uint64) error {
	if l == nil {
		return nil
	}
	if l.Max > 0 && (n > l.Max || l.used > l.Max-n) {
		return &MemoryError{Need: tensor.SatAdd(l.used, n), Max: l.Max}
	}
	l.used += n
	if l.used > l.peak {
		l.peak = l.used
		if l.Grown != nil {
			l.Grown(l.peak)
		}
	}
	return nil
}

// Give takes n bytes off the count: nothing refers to them any longer.
func (l *Ledger) Give(n uint64) {
	if l != nil {
		l.used -= min(n, l.used)
	}
}

// Used returns how many bytes are taken now.
func (l *Ledger) Used() uint64 {
	if l == nil {
		return 0
	}
	return l.used
}

// Peak returns the largest number of bytes that were taken at once.
func (l *Ledger) Peak() uint64 {
	if l == nil {
		return 0
	}
	return l.peak
}

// MemoryError says that reading was refused memory.
type MemoryError struct{ Need, Max uint64 }

func (e *MemoryError) Error() string {
	return fmt.Sprintf("reading needs %d bytes of memory, the limit is %d", e.Need, e.Max)
}
