package race

import (
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/ui/draw"
)

// frameAllocations bounds the allocations of a frame at 200x50: the text of three
// lanes is wrapped again in each.
const frameAllocations = 200

// TestFrameAllocates checks the budget of a frame whose words have not changed.
func TestFrameAllocates(t *testing.T) {
	v, g, pic := sceneOf("open"), draw.New(199, 48), new(picture)
	testkit.Allocates(t, frameAllocations, 20, func() { pic.Draw(g, g.Bounds(), v) }, "a frame")
}
