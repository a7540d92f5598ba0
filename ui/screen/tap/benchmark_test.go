package tap

import (
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/ui/draw"
	"tokscope/ui/uitest"
)

// frameAllocations bounds the allocations of a frame at 200x50, as on Live.
const frameAllocations = 200

// TestFrameAllocates checks the budget of a frame of 500 turns.
func TestFrameAllocates(t *testing.T) {
	v, g, pic := scene(uitest.TapLong), draw.New(199, 48), newPicture()
	testkit.Allocates(t, frameAllocations, 20, func() { pic.Draw(g, g.Bounds(), v) }, "a frame of 500 turns")
}
