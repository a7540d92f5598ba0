//go:build !race

// With the race detector a pool loses buffers on purpose.

package result_test

import (
	"testing"

	"tokscope/metrics/testkit"
)

// Writing a document takes memory for one request at a time.
func TestMemoryOfADocument(t *testing.T) {
	doc := documentOf(500)
	var size int
	count := writerFunc(func(p []byte) (int, error) { size += len(p); return len(p), nil })
	allocated := testkit.Allocated(func() { testkit.OK(t, doc.Write(count)) })
	// It was nine times the size with all requests in memory before that.
	if ratio := float64(allocated) / float64(size); ratio > 3 {
		t.Errorf("writing a document allocates %.2f times its size", ratio)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
