package metrics

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
)

func TestParseLengths(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "1000": "1000", "200..4000": "200..4000", " 500 - 1500 ": "500..1500", "1000±200": "1000±200",
		"1000+-200":      "1000±200",
		"100,1000,10000": "100,1000,10000", "7,7": "7,7", "5-5": "5", "5..5": "5", "2000000±2000000": "2000000±2000000",
	} {
		l, err := ParseLengths(text)
		testkit.That(t, err == nil && l.String() == want, "%q: %q, %v; want %q", text, l, err, want)
		if again, err := ParseLengths(l.String()); err != nil || again.String() != want {
			t.Errorf("%q does not come back: %q, %v", want, again, err)
		}
	}
	for _, text := range []string{
		"x", "-5", "0", "5-", "5..", "..5", "9-3", "9..3", "1..2..3", "1...3", "±5", "10±", "1,,2", "1,2..3", "2000001",
		"99999999999", "1.5", "NaN", "1e3",
		strings.Repeat("1,", 1000) + "1",
	} {
		l, err := ParseLengths(text)
		if err == nil {
			t.Errorf("%q was taken as %v", text, l)
		} else if !strings.Contains(err.Error(), "give ") && !strings.Contains(err.Error(), "below the first") {
			t.Errorf("%q: %v says no next step", text, err)
		}
	}
}

// Drawn lengths lie within the bounds, with the expected mean and deviation.
// The same seed draws the same lengths.
func TestDrawProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"1000", "1..1", "500..1500", "1000±200", "40±12", "100,1000,10000", "3,4",
			"7,7"}).Draw(t, "text")
		seed := rapid.Uint64().Draw(t, "seed")
		l := testkit.Must(ParseLengths(text))(t)
		a, b := rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 1))
		least, most := l.Bounds()
		sum, squares, low, high := 0.0, 0.0, math.MaxInt, 0
		const n = 4000
		for range n {
			v := l.Draw(a)
			testkit.Need(t, v, l.Draw(b), "not repeatable")
			testkit.Given(t, v >= 1 && v >= least && v <= most, "%s gave %d, outside %d to %d", text, v, least, most)
			sum, squares, low, high = sum+float64(v), squares+float64(v)*float64(v), min(low, v), max(high, v)
		}
		mean := sum / n
		e := l.Expected()
		testkit.Given(t, math.Abs(mean-e) <= 0.1*e, "%s: mean %v, expected %v", text, mean, e)
		have, want := math.Sqrt(max(squares/n-mean*mean, 0)), l.Deviation()
		testkit.Given(t, math.Abs(have-want) <= 0.1*want+1e-4, "%s: deviation %v, want %v", text, have, want)
		testkit.Need(t, high > low, l.Varies(), text, "from", low, "to", high, "varies")
	})
	none := Lengths{}
	if n := none.Draw(rand.New(rand.NewPCG(1, 1))); n != 0 || none.Expected() != 0 || none.Deviation() != 0 ||
		none.Varies() {
		t.Errorf("no lengths gave %d", n)
	}
}

// A message has the largest length with commas.
func TestTheLargestLengthIsNamed(t *testing.T) {
	n, err := strconv.Atoi(strings.ReplaceAll(maxLengthText, ",", ""))
	testkit.That(t, err == nil && n == MaxLength, "%q is not %d", maxLengthText, MaxLength)
}
