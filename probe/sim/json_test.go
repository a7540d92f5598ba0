package sim

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"tokscope/metrics/testkit"
)

func FuzzAppendJSON(f *testing.F) {
	for _, s := range []string{"", "plain", "\x00\x1f\x7f\"\\/", "\u2028\u2029", "\xff\xfe", "é全😀", hostileText} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		raw := appendJSON(nil, s)
		var back string
		err := json.Unmarshal(raw, &back)
		testkit.Given(t, err == nil, "%q: %v", raw, err)
		want := strings.ToValidUTF8(s, "\ufffd")
		testkit.Given(t, !utf8.ValidString(s) || back == want, "%q came back as %q", s, back)
		testkit.Given(t, utf8.Valid(raw), "%q is no UTF-8", raw)
	})
}
