package engine

import (
	"fmt"
	"slices"
)

// Mode is a batching mode.
type Mode uint8

const (
	// Continuous lets sequences join and leave at every step. Prompts are cut
	// into chunks that share steps with decodes (vLLM V1).
	Continuous Mode = iota
	// Static starts a batch together. The next batch waits for its longest
	// sequence.
	Static
	// None serves one request at a time.
	None
	// PrefillFirst runs whole prompts first, while decodes stall (vLLM of
	// 2023).
	PrefillFirst
	// Disaggregated prefills on one group of devices and decodes on another.
	// The cache moves between them.
	Disaggregated
	numModes
)

var modeNames = [numModes]string{"continuous", "static", "none", "prefill-first", "disaggregated"}

// String returns the mode's name.
func (m Mode) String() string { return modeNames[m] }

// ModeOf returns the mode of that name; "" is Continuous.
func ModeOf(word string) (Mode, error) {
	if word == "" {
		return Continuous, nil
	}
	if i := slices.Index(modeNames[:], word); i >= 0 {
		return Mode(i), nil
	}
	return 0, fmt.Errorf("batching mode %q: one of %v", word, modeNames)
}
