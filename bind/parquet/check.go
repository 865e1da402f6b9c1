package parquet

import (
	"cmp"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// checker looks at the pages of a column of a row group before the library does.
type checker struct {
	*table
	meta  format.ColumnMetaData
	at    int64 // of the next page
	until int64
	held  uint64 // taken for the dictionary
	page  uint64 // and for the page at hand
}

const (
	maxPage   = 1 << 30 // bytes
	maxValues = 1 << 26 // of a page
)

// The fields of a header of a page; see skimmer.
const (
	pageType, pageFull, pagePacked                                      = 1, 2, 3
	plainPage, dictionaryPage, newPage                                  = 500, 700, 800
	countIn, encodingIn, newEncodingIn, newDefIn, newRepIn, newPackedIn = 1, 2, 4, 5, 6, 7
)

// oldDictionary is PLAIN_DICTIONARY, which many write to this day.
const oldDictionary format.Encoding = 2

// newChecker makes a checker of a column in a row group. It refuses what lies outside the file
// before anything is read.
func newChecker(t *table, group, index int) (*checker, error) {
	meta := t.file.Metadata().RowGroups[group].Columns[index].MetaData
	from := cmp.Or(meta.DictionaryPageOffset, meta.DataPageOffset)
	n := meta.TotalCompressedSize
	if meta.NumValues != t.file.Metadata().RowGroups[group].NumRows {
		return nil, errDamaged
	}
	if from < 0 || n < 0 || from > t.size || n > t.size-from {
		return nil, errDamaged
	}
	switch meta.Codec {
	case format.Uncompressed, format.Snappy, format.Gzip, format.Zstd:
	default:
		return nil, fmt.Errorf("it is compressed by %v, expected snappy, gzip, zstd or nothing", meta.Codec)
	}
	return &checker{table: t, meta: meta, at: from, until: from + n}, nil
}

// end returns the memory that was taken.
func (c *checker) end() { c.ledger.Give(c.held + c.page) }

// next looks at the next page with values, and at a dictionary before it.
func (c *checker) next() error {
	c.ledger.Give(c.page)
	c.page = 0
	for c.at < c.until {
		dictionary, err := c.one()
		if err != nil || !dictionary {
			return err
		}
	}
	return nil
}

// one looks at a page.
func (c *checker) one() (dictionary bool, err error) {
	const least, most = 1 << 10, 1 << 20 // of a header, which may have the least and the largest text
	var s *skimmer
	for n := int64(least); ; n *= 1 << 5 {
		n = min(n, c.until-c.at)
		head, err := c.bytes(c.at, n)
		if err != nil {
			return false, err
		}
		if s = skim(head); !s.bad {
			break
		}
		if n >= min(most, c.until-c.at) {
			return false, errDamaged
		}
	}
	c.at += int64(s.at)
	packed, full, part, encoding := s.numbers[pagePacked], s.numbers[pageFull], 0, encodingIn
	switch format.PageType(s.numbers[pageType]) {
	case format.DataPage:
		part = plainPage
	case format.DataPageV2:
		part, encoding = newPage, newEncodingIn
	case format.DictionaryPage:
		part, dictionary = dictionaryPage, true
	default:
		return false, errDamaged
	}
	values := s.numbers[part+countIn]
	if packed < 0 || packed > c.until-c.at || full < 0 || values < 0 || !dictionary && values > c.meta.NumValues || dictionary && values > 8*full {
		return false, errDamaged
	}
	if full > maxPage || values > maxValues {
		return false, limit(fmt.Sprintf("a page of %d bytes with %d values, more than the limit of %d bytes or %d values", full, values, maxPage, maxValues))
	}
	switch e := format.Encoding(s.numbers[part+encoding]); e {
	case format.Plain, format.ByteStreamSplit, oldDictionary, format.RLEDictionary, format.RLE:
	default:
		// A few bytes of the others stand for any number of values.
		return false, fmt.Errorf("it is encoded as %v, expected plain or split values or a dictionary; version 1 of the format has no other", e)
	}
	takes := uint64(packed) + 2*uint64(full) + 32*uint64(values)
	if err := c.ledger.Take(takes); err != nil {
		return false, err
	}
	if dictionary {
		c.held += takes
	} else {
		c.page += takes
	}
	from := c.at
	c.at += packed
	if part == newPage {
		levels := s.numbers[part+newDefIn] + s.numbers[part+newRepIn]
		if s.numbers[part+newDefIn] < 0 || s.numbers[part+newRepIn] < 0 || levels > packed || levels > full {
			return false, errDamaged
		}
		from, packed, full = from+levels, packed-levels, full-levels
		if is, said := s.numbers[part+newPackedIn]; said && is == 0 || packed == 0 {
			return dictionary, nil
		}
	}
	return dictionary, c.unpacks(from, packed, full)
}

// unpacks compares the size of a decompressed page with what the page states.
func (c *checker) unpacks(at, packed, full int64) (err error) {
	body := io.NewSectionReader(c.table.at, at, packed)
	var plain io.Reader
	switch c.meta.Codec {
	case format.Snappy:
		const length = 10 // bytes, at most
		head, err := c.bytes(at, min(packed, length))
		if err != nil {
			return err
		}
		if n, err := snappy.DecodedLen(head); err != nil || int64(n) != full {
			return errDamaged
		}
		return nil
	case format.Gzip:
		if plain, err = gzip.NewReader(body); err != nil {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
	case format.Zstd:
		z, err := zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPage), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
		defer z.Close()
		plain = z
	default:
		if packed != full {
			return errDamaged
		}
		return nil
	}
	n, err := io.Copy(io.Discard, io.LimitReader(plain, full+1))
	if err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	if n != full {
		return errDamaged
	}
	return nil
}

// maxWindow bounds how much earlier output a page of zstd may refer to.
const maxWindow = 32 << 20
