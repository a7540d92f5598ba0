package race

import (
	"testing"
	"time"

	"tokscope/metrics"
)

// TestTrack checks what a recorded lane shows at a time after its request was sent.
func TestTrack(t *testing.T) {
	s := metrics.NoStream(1)
	s.State, s.Text = metrics.Done, []byte("abcd")
	for i := range 4 {
		s.Chunks = append(s.Chunks, metrics.Chunk{At: metrics.Stamp(200 + 100*i), TextEnd: int32(i + 1)})
	}
	track := func(after time.Duration) Track { return trackOf(new(metrics.Meter), &s, false, false, after) }
	if x := track(time.Hour); x.Chunks != 0 || x.Text != "" {
		t.Errorf("before it was sent: %+v", x)
	}
	s.Marks.Sent = 100
	for after, want := range map[time.Duration]int{0: 0, 99: 0, 100: 1, 299: 2, 300: 3, 1e9: 4} {
		if x := track(after); x.Chunks != want || x.Text != "abcd"[:want] || len(x.Gaps) != want {
			t.Errorf("after %d: %+v, want %d chunks", after, x, want)
		}
	}
}
