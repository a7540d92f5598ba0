//go:build !race

// With the race detector a pool loses buffers on purpose.

package history

import (
	"os"
	"testing"
	"time"

	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
)

// TestMemoryOfAWrite holds that a thousand entries are written from one buffer that
// is made once. Grown step by step, with a copy of each line, it took nine times the
// size of the lines. It is 3.7 times.
func TestMemoryOfAWrite(t *testing.T) {
	const most = 5.0
	s := opened(t, t0)
	entries := make([]history.Entry, 1000)
	for i := range entries {
		entries[i] = sample(i, t0.Add(time.Duration(i)*time.Second), "groq", 270)
	}
	add(t, s, entries[:10]...) // the head of the file, and what is used again
	allocated := testkit.Allocated(func() { add(t, s, entries[10:]...) })
	info := testkit.Must(os.Stat(s.Path()))(t)
	if ratio := float64(allocated) / float64(info.Size()); ratio > most {
		t.Errorf("writing entries allocates %.2f times their lines, at most %v", ratio, most)
	}
}
