package dialect

import (
	"encoding/binary"
	"math/bits"
)

// Strings are scanned eight bytes at a time. Half of an event's bytes are in
// strings, and the budget for an event is 1.5 µs. Let x be a word in which a
// wanted byte has become 0. (x - ones) &^ x & highs is nonzero exactly if
// there is such a byte. Its lowest bit belongs to the first one; higher bits
// may be borrowed from it.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// toQuote returns the index, from i on, of the first quote or backslash, or len(b). With
// highs as other, any byte that is not ASCII ends the search too; with 0 none does.
func toQuote(b []byte, i int, other uint64) int {
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		q, e := w^ones*'"', w^ones*'\\'
		if hit := ((q-ones)&^q|(e-ones)&^e)&highs | w&other; hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c == '"' || c == '\\' || uint64(c)&other != 0 {
			return i
		}
	}
	return len(b)
}
