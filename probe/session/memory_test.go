package session

import (
	"os"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// The end of a request takes memory for its figures, and none for the JSON of them:
// a thousand may end within a moment. It is 3.1 times the size of the lines, 3.7
// with a copy of the request, and 4.1 with a copy of the JSON.
func TestMemoryOfEnds(t *testing.T) {
	const requests, most = 300, 3.5
	f := testkit.Must(Create(t.TempDir(), Options{Version: "test", Started: time.Unix(0, 0)}))(t)
	finish := func(from int) {
		for id := from; id < from+requests; id++ {
			v := begun(id)
			v.State = metrics.Done
			figures := metrics.Figures{}
			f.End(v, &figures)
		}
	}
	for id := range 2 * requests {
		f.Begin(begun(id))
	}
	f.Await(time.Minute)
	before := size(t, f)
	finish(0) // makes what is used again
	testkit.Is(t, f.Close(), nil)
	written := size(t, f) - before
	// A closed file queues no lines: their memory depends on the speed of the disk.
	taken := testkit.Allocated(func() { finish(requests) })
	if ratio := float64(taken) / float64(written); ratio > most || written < 100*requests {
		t.Errorf("%d ends of %d bytes allocated %.2f times as much, at most %v", requests, written, ratio, most)
	} else {
		t.Logf("%.2f", ratio)
	}
}

func size(t *testing.T, f *File) int64 {
	t.Helper()
	info := testkit.Must(os.Stat(f.Path()))(t)
	return info.Size()
}
