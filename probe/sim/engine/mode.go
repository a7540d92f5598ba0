package engine

import "fmt"

// Mode is a way of batching.
type Mode uint8

const (
	// Continuous: sequences join and leave at every step; prompts are cut into
	// chunks that share steps with decodes (vLLM V1).
	Continuous Mode = iota
	// Static: a batch starts together and the next one waits for its longest.
	Static
	// None: one request at a time.
	None
	// PrefillFirst: whole prompts go first, decodes stall meanwhile (vLLM of 2023).
	PrefillFirst
	// Disaggregated: one group of devices prefills, another decodes; the cache
	// travels between them.
	Disaggregated
	numModes
)

var modeNames = [numModes]string{"continuous", "static", "none", "prefill-first", "disaggregated"}

// String is the mode's word.
func (m Mode) String() string { return modeNames[m] }

// ModeOf finds a mode by its word; "" is Continuous.
func ModeOf(word string) (Mode, error) {
	if word == "" {
		return Continuous, nil
	}
	for i, n := range modeNames {
		if n == word {
			return Mode(i), nil
		}
	}
	return 0, fmt.Errorf("batching mode %q: one of %v", word, modeNames)
}
