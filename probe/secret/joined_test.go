package secret

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
)

// cuts draws text cut into pieces.
func cuts(t *rapid.T, text string) []string {
	var out []string
	for text != "" {
		n := rapid.IntRange(1, min(len(text), 7)).Draw(t, "n")
		out, text = append(out, text[:n]), text[n:]
	}
	return out
}

// However a text with a key is cut, at most three bytes of the key come before
// the marker, and nothing else is lost.
func TestJoinedRemovesSplitKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := keys().Draw(t, "key")
		s := NewScrubber(NewSecret("h5Kq9-zWm2_Tx7Lp4Rv8"), NewSecret(key))
		before := rapid.SampledFrom([]string{"", "a ", "the key is ", key[:3], key[:len(key)/2], "sk-"}).Draw(t, "before")
		form := rapid.SampledFrom([]string{"plain", "base64"}).Draw(t, "form")
		after := rapid.SampledFrom([]string{"", " ", "\n and more", "."}).Draw(t, "after")
		j := s.Joined()
		var got []byte
		for _, p := range cuts(t, before+forms(key)[form]+after) {
			got = j.Append(got, []byte(p))
			testkit.Given(t, !strings.Contains(string(got), key), "%q holds the key", got)
		}
		got = j.End(got)
		testkit.Given(t, !strings.Contains(string(got), forms(key)[form]) && strings.Contains(string(got), Redacted),
			"%s form of %q survives in %q", form, key, got)
		testkit.Given(t, form != "plain" || strings.HasSuffix(string(got), Redacted+after),
			"the end of the text is lost: %q", got)
	})
}

// The end of a removed key begins no other one. A whole text loses no more.
func TestJoinedEndsWithTheKey(t *testing.T) {
	const key = "!!!!!!!!!!!!!!!!!.!!!"
	s := NewScrubber(NewSecret(key))
	for _, cut := range [][]string{{key, "."}, {key[:9], key[9:], "."}, {key[:9], key[9:] + "."}} {
		j := s.Joined()
		var got []byte
		for _, p := range cut {
			got = j.Append(got, []byte(p))
		}
		if got, want := string(j.End(got)), Redacted+"."; got != want || got != s.String(strings.Join(cut, "")) {
			t.Errorf("%q becomes %q, want %q; joined %q", cut, got, want, s.String(strings.Join(cut, "")))
		}
	}
	// A key that follows another one is removed too, and one that was cut.
	j := s.Joined()
	got := j.Append(nil, []byte(key))
	got = j.Append(got, []byte(key[:6]))
	testkit.Is(t, string(j.End(j.Append(got, []byte(key[6:])))), Redacted+Redacted, "two keys become")
}

// A text without a key passes unchanged, and only what may begin a key waits.
func TestJoinedKeepsOtherText(t *testing.T) {
	const key = "h5Kq9-zWm2_Tx7Lp4Rv8"
	rapid.Check(t, func(t *rapid.T) {
		s := NewScrubber(NewSecret(key))
		part := rapid.SampledFrom([]string{"h5K", "h5Kq9-zW", "words ", "h5", "x", "é", "h5Kq9-zWm2_Tx7Lp4Rv"})
		text := strings.Join(rapid.SliceOfN(part, 0, 8).Draw(t, "parts"), "") + "!"
		j := s.Joined()
		var got []byte
		fed := 0
		for _, p := range cuts(t, text) {
			got = j.Append(got, []byte(p))
			if !strings.HasPrefix(text, string(got)) {
				t.Fatalf("%q of %q", got, text)
			}
			if fed += len(p); !j.Holds() && len(got) != fed {
				t.Fatalf("%q of %q, and nothing is held back", got, text[:fed])
			}
		}
		got = j.End(got)
		testkit.Need(t, string(got), text)
	})
	s := NewScrubber(NewSecret(key))
	j := s.Joined()
	var got []string
	for _, p := range []string{"say h5", "Kq9", "-z", "oo", "m h5K", "."} {
		got = append(got, string(j.Append(nil, []byte(p))))
	}
	testkit.Is(t, strings.Join(got, "|"), "say h5|||Kq9-zoo|m h5K|.")
	dst, word := make([]byte, 0, 1<<20), []byte(" word")
	testkit.Allocates(t, 0, 100, func() { dst = j.Append(dst[:0], word) }, "Append")
	var none *Scrubber
	plain := none.Joined()
	testkit.Is(t, string(plain.End(plain.Append(nil, []byte("abc")))), "abc", "a nil Scrubber")
}

func BenchmarkJoined(b *testing.B) {
	s := NewScrubber(NewSecret("sk-proj-0123456789abcdef0123456789abcdef"))
	j, dst, word := s.Joined(), make([]byte, 0, 64), []byte(" words")
	b.ReportAllocs()
	for b.Loop() {
		dst = j.Append(dst[:0], word)
	}
}
