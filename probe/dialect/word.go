package dialect

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Strings are walked eight bytes at a time: half of an event's bytes stand in
// strings, and the budget for an event is 1.5 µs. With x a word of which a byte
// that is looked for has become 0, (x - ones) &^ x & highs is not 0 exactly if
// there is such a byte, and its lowest bit belongs to the first one (higher
// bits may be borrowed from it).
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// toSpecial returns where, from i on, the first quote, backslash or byte
// beyond ASCII is; len(b) without one.
func toSpecial(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		q, e := w^ones*'"', w^ones*'\\'
		if hit := ((q-ones)&^q | (e-ones)&^e | w) & highs; hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return i
		}
	}
	return len(b)
}

// toQuote returns where, from i on, the first quote or backslash is; len(b)
// without one.
func toQuote(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		q, e := w^ones*'"', w^ones*'\\'
		if hit := ((q-ones)&^q | (e-ones)&^e) & highs; hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c == '"' || c == '\\' {
			return i
		}
	}
	return len(b)
}
