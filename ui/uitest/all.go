package uitest

import "context"

// AllBackend is a backend of all screens.
type AllBackend struct {
	*ReplayBackend
	*Memory
}

// NewAll returns one without a history and without an open replay.
func NewAll() *AllBackend { return &AllBackend{NewReplay(), &Memory{}} }

// OpenReplay implements the backend of History.
func (b *AllBackend) OpenReplay(ctx context.Context, path string, id int) error {
	return b.Memory.OpenReplay(ctx, path, id)
}
