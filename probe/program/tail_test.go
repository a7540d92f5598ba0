package program

import (
	"strings"
	"testing"
	"unicode/utf8"

	"tokscope/metrics/testkit"
)

const fakeKey = "h5Kq9-zWm2_Tx7Lp4Rv8"

func noKeys(text string) string { return strings.ReplaceAll(text, fakeKey, "[redacted]") }

// TestTailHoldsNoKey: of what a program prints no part of a key is repeated, however the
// writes and the bounds cut it.
func TestTailHoldsNoKey(t *testing.T) {
	flood := strings.Repeat(fakeKey, keptTail/len(fakeKey)+10)
	for before := 0; before <= shownTail+2*len(fakeKey); before += 3 {
		for _, text := range []string{
			fakeKey + strings.Repeat("x", before) + " the end",
			strings.Repeat("x", keptTail-before) + " " + fakeKey + strings.Repeat(" y", before) + " the end",
			flood + strings.Repeat("x", before) + " the end",
			"a word " + flood + strings.Repeat("\u00e9", before) + " the end",
		} {
			var said Tail
			for rest := []byte(text); len(rest) > 0; {
				n := min(1+before%11, len(rest))
				if len(text) > 2000 {
					n = min(4096+before, len(rest))
				}
				_, _ = said.Write(rest[:n])
				rest = rest[n:]
			}
			got := said.Text(noKeys)
			testkit.Given(t, strings.HasSuffix(got, "the end") && len(got) <= shownTail && utf8.ValidString(got),
				"after %d: %q", before, got)
			for i := range len(fakeKey) - 4 {
				testkit.Given(t, !strings.Contains(got, fakeKey[i:i+5]), "after %d: %q holds a part of the key", before, got)
			}
		}
	}
}
