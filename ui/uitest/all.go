package uitest

// AllBackend is a backend of all screens.
type AllBackend struct {
	*ReplayBackend
	*Memory
}

// NewAll returns one without a history and without an open replay.
func NewAll() *AllBackend { return &AllBackend{NewReplay(), &Memory{}} }
