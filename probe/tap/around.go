package tap

import (
	"context"
	"time"
)

// lookEvery is how often Around looks.
const lookEvery = 500 * time.Millisecond

// Around waits until a child of this program, or one of theirs, holds a TCP connection to port:
// it may go around the tap. It returns false when a request has come or ctx has ended before.
// Only Linux tells: elsewhere nothing is found.
func (t *Tap) Around(ctx context.Context, port int) bool {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
		if t.came.Load() {
			return false
		}
		if childHolds(port) {
			return true
		}
	}
}
