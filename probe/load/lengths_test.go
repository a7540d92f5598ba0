package load

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestParseLengths(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "1000": "1000", " 500 - 1500 ": "500-1500", "1000±200": "1000±200", "1000+-200": "1000±200", "100,1000,10000": "100,1000,10000", "7,7": "7,7", "5-5": "5",
	} {
		l, err := ParseLengths(text)
		if err != nil || l.String() != want {
			t.Errorf("%q: %q, %v; want %q", text, l, err, want)
		}
		if again, err := ParseLengths(l.String()); err != nil || again.String() != want {
			t.Errorf("%q does not come back: %q, %v", want, again, err)
		}
	}
	for _, text := range []string{"x", "-5", "0", "5-", "9-3", "±5", "10±", "1,,2", "99999999999", "1.5"} {
		if l, err := ParseLengths(text); err == nil {
			t.Errorf("%q was taken as %v", text, l)
		}
	}
}

// What is drawn lies within what was asked for, around what is expected, and
// the same seed draws the same.
func TestDrawProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"1000", "1-1", "500-1500", "1000±200", "40±12", "100,1000,10000", "3,4"}).Draw(t, "text")
		seed := rapid.Uint64().Draw(t, "seed")
		l, err := ParseLengths(text)
		if err != nil {
			t.Fatal(err)
		}
		a, b := rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 1))
		sum, low, high := 0.0, math.MaxInt, 0
		const n = 2000
		for range n {
			v := l.Draw(a)
			if v != l.Draw(b) {
				t.Fatal("not repeatable")
			}
			if v < 1 || len(l.Choices) == 0 && (v < l.Low || v > l.High) {
				t.Fatalf("%s gave %d", text, v)
			}
			sum, low, high = sum+float64(v), min(low, v), max(high, v)
		}
		if e := l.Expected(); math.Abs(sum/n-e) > 0.1*e {
			t.Fatalf("%s: mean %v, expected %v", text, sum/n, e)
		}
		if (high > low) != l.Varies() {
			t.Fatalf("%s: from %d to %d, varies %v", text, low, high, l.Varies())
		}
	})
	if n := (Lengths{}).Draw(rand.New(rand.NewPCG(1, 1))); n != 0 || (Lengths{}).Expected() != 0 {
		t.Errorf("no lengths gave %d", n)
	}
}
