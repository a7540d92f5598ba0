package result

import (
	"bytes"
	"encoding/json"
	"testing"

	"tokscope/metrics/testkit"
)

// TestAppendStringKeepsTheText checks that a reader of JSON gets any text back, an
// invalid byte as U+FFFD, and that nothing in between acts on a terminal.
func TestAppendStringKeepsTheText(t *testing.T) {
	random := testkit.Rand(t, 0)
	pieces := []string{"plain words ", "\"", `\`, "\n", "\x00", "\x1b[31m", "\x7f", "é", "漢字", "\u202e", "\u009b",
		"\U000e0041", "\xff", "\xe6\xbc"}
	for range 2000 {
		var text []byte
		for range random.IntN(8) {
			text = append(text, pieces[random.IntN(len(pieces))]...)
		}
		got := AppendString([]byte("before"), text)
		doc, ok := bytes.CutPrefix(got, []byte("before"))
		var back string
		err := json.Unmarshal(doc, &back)
		testkit.Given(t, err == nil && ok, "%q is written as %q: %v", text, got, err)
		testkit.Need(t, back, string([]rune(string(text))))
		for _, r := range string(doc) {
			testkit.Given(t, r >= 0x20 && r != 0x7f && !unsafe(r), "%q is written with %U", text, r)
		}
	}
}

// TestAppendStringAllocatesAtOnce checks that a long text does not grow the line
// piece by piece: with the race detector, slices.Grow allocates twice.
func TestAppendStringAllocatesAtOnce(t *testing.T) {
	text := bytes.Repeat([]byte("word "), 200_000)
	testkit.Allocates(t, 2, 5, func() { AppendString(nil, text) }, "a text of 1 MB")
}
