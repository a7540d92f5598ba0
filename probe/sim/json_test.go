package sim

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzAppendJSON(f *testing.F) {
	for _, s := range []string{"", "plain", "\x00\x1f\x7f\"\\/", "\u2028\u2029", "\xff\xfe", "é全😀", hostileText} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		raw := appendJSON(nil, s)
		var back string
		if err := json.Unmarshal(raw, &back); err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		if want := strings.ToValidUTF8(s, "\ufffd"); utf8.ValidString(s) && back != want {
			t.Fatalf("%q came back as %q", s, back)
		}
		if !utf8.Valid(raw) {
			t.Fatalf("%q is no UTF-8", raw)
		}
	})
}
