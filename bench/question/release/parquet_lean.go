//go:build lean

package release

import (
	"errors"
	"io"
)

// parquetMissing says why this build cannot write Parquet.
var parquetMissing = errors.New("this build of ein has no Parquet writer (build tag lean); a release needs the full build")

func writeParquet[T any](io.Writer, func(yield func(*T) error) error) error { return parquetMissing }
