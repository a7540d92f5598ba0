package tap

import (
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/ui/draw"
	"tokscope/ui/uitest"
)

// frameAllocations bounds the allocations of a frame at 200x50, as on Live.
const frameAllocations = 200

// BenchmarkFrame draws a session of 500 turns at 200x50. BenchmarkTake does what is done when
// something has changed.
func BenchmarkFrame(b *testing.B) {
	v, g, pic := scene(uitest.TapLong), draw.New(199, 48), newPicture()
	b.ReportAllocs()
	for b.Loop() {
		pic.Draw(g, g.Bounds(), v)
	}
}

func BenchmarkTake(b *testing.B) {
	v := scene(uitest.TapLong)
	b.ReportAllocs()
	for b.Loop() {
		v.take()
	}
}

// TestFrameAllocates checks the budget of a frame of 500 turns.
func TestFrameAllocates(t *testing.T) {
	v, g, pic := scene(uitest.TapLong), draw.New(199, 48), newPicture()
	testkit.Allocates(t, frameAllocations, 20, func() { pic.Draw(g, g.Bounds(), v) }, "a frame of 500 turns")
}
