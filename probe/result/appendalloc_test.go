//go:build !race

// With the race detector a pool loses buffers on purpose.

package result

import (
	"encoding/json"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

// A line takes the JSON of a value without a copy, and it is that of encoding/json.
func TestAppendJSONMakesNoCopy(t *testing.T) {
	v := map[string]string{"plain": strings.Repeat("word ", 20_000), "html": "<a & b>"}
	want, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 0, 2*len(want))
	taken := testkit.Allocated(func() {
		for range 20 {
			if b, err = Sentences(nil).Append(b[:0], v); err != nil {
				t.Fatal(err)
			}
		}
	})
	if string(b) != string(want) {
		t.Errorf("%.100s… instead of %.100s…", b, want)
	}
	if taken > 8*uint64(len(want)) { // the encoder's buffer may be lost to a collection, and grow anew
		t.Errorf("20 times %d bytes took %d, as much as copies of them", len(want), taken)
	}
	if b, err = Sentences(nil).Append([]byte("kept"), func() {}); err == nil || string(b) != "kept" {
		t.Errorf("a function became %q, %v", b, err)
	}
}
