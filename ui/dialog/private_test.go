package dialog

import (
	"strings"
	"testing"
	"unicode"

	"tokscope/metrics/testkit"
)

// Characters without a shape, typed into a field of lengths, are drawn as the
// editor draws them in the text: never raw.
func TestFieldsDrawNothingRaw(t *testing.T) {
	d := ofLoad()
	into(d, 1)
	typeIn(d, "20\ue000\u202e\u200b\U000f0000 0")
	for _, r := range drawn(d, 120, 40) {
		testkit.That(t, r == '\n' || !unicode.In(r, unicode.Co, unicode.Cf, unicode.Cc), "%U is drawn", r)
	}
	s := drawn(d, 120, 40)
	testkit.That(t, strings.Contains(s, "20"), "the field is empty:\n%s", s)
}
