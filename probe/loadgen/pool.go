package loadgen

import (
	"context"
	"time"
)

// sleep waits for d or for wake. It returns false when ctx ends first.
func sleep(ctx context.Context, d time.Duration, wake <-chan struct{}) bool {
	if d <= 0 && wake == nil {
		return ctx.Err() == nil
	}
	t := time.NewTimer(max(d, 0))
	defer t.Stop()
	select {
	case <-t.C:
	case <-wake:
	case <-ctx.Done():
		return false
	}
	return true
}
