package secret

import (
	"fmt"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

const theKey = "sk-proj-Ab+/\"\\&<é1234567890"

func TestSecretIsNeverPrinted(t *testing.T) {
	s := NewSecret(theKey)
	type outer struct {
		Open   Secret
		hidden Secret
	}
	type deep struct {
		in  outer
		ptr *outer
		m   map[string]Secret
		l   []Secret
	}
	o := outer{s, s}
	values := map[string]any{
		"secret": s, "pointer": &s, "struct": o, "struct pointer": &o,
		"deep": deep{o, &o, map[string]Secret{"k": s}, []Secret{s}}, "slice": []Secret{s}, "array": [1]Secret{s},
	}
	for name, v := range values {
		out := testkit.Printed(v)
		for _, part := range []string{theKey, theKey[:12], "1234567890", fmt.Sprintf("%x", theKey[:8]),
			fmt.Sprintf("%X", theKey[:8])} {
			testkit.That(t, !strings.Contains(out, part), "%s: the key shows (%q)", name, part)
		}
	}
	got := fmt.Sprintf("%s %v %q %x %d", s, s, s, s, s)
	testkit.That(t, got == strings.TrimSpace(strings.Repeat(Redacted+" ", 5)), "printed as %s", got)
	testkit.That(t, s.Reveal() == theKey && NewSecret("").String() == "" && NewSecret("").Empty() && !s.Empty(),
		"Reveal, String or Empty is wrong")
}
