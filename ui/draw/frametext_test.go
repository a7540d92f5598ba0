package draw

import (
	"strings"
	"testing"
)

// Strings of a frame stay valid after the next frame has begun.
func TestKept(t *testing.T) {
	var k FrameText
	k.Begin()
	b := []byte("41 ms")
	a := k.Keep(b)
	copy(b, "99999")
	c := k.Keep(b)
	k.Begin()
	if d := k.Keep([]byte("other")); a != "41 ms" || c != "99999" || d != "other" {
		t.Errorf("%q %q %q", a, c, d)
	}
}

// A frame costs one allocation once its size is known.
func TestFrameAllocation(t *testing.T) {
	var k FrameText
	b := []byte(strings.Repeat("x", 50))
	if n := testing.AllocsPerRun(100, func() {
		k.Begin()
		for range 200 {
			k.Keep(b)
		}
	}); n > 1 {
		t.Errorf("%v allocations a frame", n)
	}
}

func TestASCII(t *testing.T) {
	for s, want := range map[string]string{"plain": "plain", "ttft ≤ 500 ms … ×38": "ttft <= 500 ms ~ x38", "“a” ▲ ╎ 世": `"a" ! : ?`, "µs": "us"} {
		if got := string(AppendASCII(nil, s)); got != want || !IsASCII(got) || IsASCII(s) != (s == want) {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
