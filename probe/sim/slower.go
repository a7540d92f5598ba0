package sim

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"tokscope/probe/sim/engine"
)

// slowdown makes steps longer for a part of the server's life.
type slowdown struct {
	from, until     time.Duration // the server's age; until is exclusive
	prefill, decode float64       // factors
}

// Bounds of a slowdown.
const (
	maxAge  = 365 * 24 * time.Hour
	maxSlow = 1000
)

// slow parses what follows "from".
func (s *Scenario) slow(rest string) (err error) {
	const form = "from D [until D] slower Nx prefill, decode or all, such as: from 10m slower 2x prefill"
	f := strings.Fields(rest)
	x := slowdown{until: math.MaxInt64, prefill: 1, decode: 1}
	if len(f) == 6 && f[1] == "until" {
		if x.until, err = age(f[2]); err != nil {
			return err
		}
		f = append(f[:1:1], f[3:]...)
	}
	if len(f) != 4 || f[1] != "slower" {
		return fmt.Errorf("expected %s", form)
	}
	if x.from, err = age(f[0]); err != nil {
		return err
	}
	if x.until <= x.from {
		return fmt.Errorf("it ends at %v, before it begins at %v", x.until, x.from)
	}
	number, ok := strings.CutSuffix(f[2], "x")
	n, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(n >= 1 && n <= maxSlow) {
		return fmt.Errorf("a factor from 1x to %dx expected, not %q", maxSlow, clip(f[2]))
	}
	switch f[3] {
	case "prefill":
		x.prefill = n
	case "decode":
		x.decode = n
	case "all":
		x.prefill, x.decode = n, n
	default:
		return fmt.Errorf("prefill, decode or all expected, not %q", clip(f[3]))
	}
	s.slower = append(s.slower, x)
	return nil
}

// age parses a time since the server's start.
func age(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 || d > maxAge {
		return 0, fmt.Errorf("a time from 0 to %v expected, not %q", maxAge, clip(s))
	}
	return d, nil
}

// slowness returns by what a step that begins at that age of the server is longer.
// The factors of several slowdowns multiply.
func (s *Scenario) slowness(age time.Duration) engine.Slowness {
	out := engine.Slowness{Prefill: 1, Decode: 1}
	for _, x := range s.slower {
		if age >= x.from && age < x.until {
			out.Prefill *= x.prefill
			out.Decode *= x.decode
		}
	}
	out.Prefill, out.Decode = math.Min(out.Prefill, maxSlow), math.Min(out.Decode, maxSlow)
	return out
}
