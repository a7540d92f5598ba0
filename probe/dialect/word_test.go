package dialect

import (
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
)

// The eight-byte scan must find what a byte-by-byte scan finds, for every
// start and every neighbor of the text.
func TestWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		near := rapid.SampledFrom([]byte{
			'a', 'a', 'a', 'a', 0, 1, ' ', 0x7f, '"', '"' - 1, '"' + 1, '\\', '\\' - 1, '\\' + 1, 0x80, 0x81, '"' | 0x80,
			'\\' | 0x80, 0xff,
		})
		b := rapid.SliceOfN(near, 0, 40).Draw(t, "bytes")
		from := rapid.IntRange(0, len(b)).Draw(t, "from")
		special, quote := len(b), len(b)
		for i := len(b) - 1; i >= from; i-- {
			if b[i] == '"' || b[i] == '\\' {
				special, quote = i, i
			} else if b[i] >= 0x80 {
				special = i
			}
		}
		testkit.Is(t, toQuote(b, from, highs), special, "toQuote", b, from, "highs")
		testkit.Is(t, toQuote(b, from, 0), quote, "toQuote", b, from, "0")
	})
}
