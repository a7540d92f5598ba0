//go:build !windows

package journey

import (
	"testing"
)

// The seesaw: a load begins on the embedded endpoint, the slider moves it while
// everything streams, a lane opens in Live, and two presses end it.
func TestSeesaw(t *testing.T) {
	t.Parallel()
	x := start(t, 120, 40, nil, "--max-tokens", "50")
	x.until("done")
	x.do("<tab> > space start")
	x.do("<space> > 1 user: | speed over users | lanes ─ 1 | goodput")
	x.until("tok/s aggregate")
	x.do("u 8 <enter> > 8 users: | lanes ─ 8 | at 8 users")
	x.do("v > frontier")
	x.do("v > over time")
	x.do("v <down> <enter> > user 1 of the load | TTFT | speed")
	x.do("<esc> > 8 users")
	for _, size := range [][2]int{{40, 12}, {200, 50}, {1, 1}, {80, 24}} {
		x.resize(size[0], size[1])
	}
	x.until("8 users", "aggregate", "lanes", "goodput")
	x.do("x x > ended")
	// The load has ended, and its slowest request opens.
	x.do("/ > filter | ended | all requests") // many proposals cover the title of the list
	x.do("<down> <enter> > requests ─ / sort:-ttft | TTFT↓")
	x.do("<enter> > n/N request | back to the list | phases")
	x.do("<esc> > requests ─ / sort:-ttft")
	x.do("<esc> > ended; each can be opened | esc back")
	x.quits()
	x.restored()
}
