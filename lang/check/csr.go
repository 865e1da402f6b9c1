package check

import (
	"ein/vm/kernel"
	"ein/vm/tensor"
)

func buildCSR(n int, es []edge) (tensor.CSR, int) {
	src, dst := make([]int32, len(es)), make([]int32, len(es))
	for i, e := range es {
		src[i], dst[i] = e.from, e.to
	}
	return kernel.BuildCSR(n, n, src, dst, nil)
}
