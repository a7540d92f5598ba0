package race

import (
	"slices"
	"testing"
)

// TestBlocksHaveNoKeysOfPairs checks which keys a race of blocks leaves out: none pages
// pairs or chooses other contestants.
func TestBlocksHaveNoKeysOfPairs(t *testing.T) {
	var left []string
	for _, b := range slices.DeleteFunc(new(Screen).bindings(), ofPairs) {
		left = append(left, b.Keys...)
	}
	if want := []string{"space", "x", "enter", "v", "up", "down", "p", "s", "y", "esc"}; !slices.Equal(left, want) {
		t.Errorf("keys %q, want %q", left, want)
	}
}
