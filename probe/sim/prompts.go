package sim

import (
	"tokscope/probe/sim/physics"
	"tokscope/probe/sim/text"
)

// blocks are the hashes of the whole blocks of a prompt's tokens, each one
// including all before it.
func blocks(prompt string) (tokens int, hashes []uint64) {
	h := uint64(14695981039346656037)
	for prompt != "" {
		t := text.Next(prompt)
		prompt = prompt[len(t):]
		for i := range len(t) {
			h = (h ^ uint64(t[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
		tokens++
		if tokens%physics.Block == 0 {
			hashes = append(hashes, h)
		}
	}
	return tokens, hashes
}
