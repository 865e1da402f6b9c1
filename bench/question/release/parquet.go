//go:build !lean

package release

import (
	"io"

	"github.com/parquet-go/parquet-go"
)

// parquetMissing says why this build cannot write Parquet.
var parquetMissing error

// writeParquet writes rows as one file. It is not compressed, as what compressors write
// changes with their versions; columns of few values have dictionaries.
func writeParquet[T any](w io.Writer, each func(yield func(*T) error) error) error {
	to := parquet.NewGenericWriter[T](w, parquet.CreatedBy("ein", "1", ""), parquet.Compression(&parquet.Uncompressed))
	err := each(func(row *T) error {
		_, err := to.Write([]T{*row})
		return err
	})
	if err != nil {
		return err
	}
	return to.Close()
}
