package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
)

// TestRunLength compares the exact mean with simulated alarms.
func TestRunLength(t *testing.T) {
	random := testkit.Rand(t, 14)
	for _, c := range []struct {
		up, height int
		p          float64
	}{{3, 12, 0.1}, {3, 12, 0.5}, {1, 5, 0.5}, {4, 7, 1}, {2, 1, 0.2}} {
		const rounds = 4000
		sum, square := 0.0, 0.0
		for range rounds {
			watch, n := Cusum{Up: c.up, Height: c.height}, 1
			for !watch.Add(random.Float64() < c.p) {
				n++
			}
			sum += float64(n)
			square += float64(n) * float64(n)
		}
		mean := sum / rounds
		error4 := 4 * math.Sqrt(max(square/rounds-mean*mean, 0)/rounds)
		watch := Cusum{Up: c.up, Height: c.height}
		want := watch.RunLength(c.p)
		testkit.That(t, math.Abs(mean-want) <= error4+1e-9, "%+v: %v values to an alarm, computed %v", c, mean, want)
	}
	never := Cusum{Up: 3, Height: 12}
	got := never.RunLength(0)
	testkit.That(t, math.IsInf(got, 1), "no exceedance: %v", got)
}

// TestRunLengthFalls with the share of exceedances and grows with the height.
func TestRunLengthFalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Cusum{Up: rapid.IntRange(1, 6).Draw(t, "up"), Height: rapid.IntRange(1, 60).Draw(t, "height")}
		p := rapid.Float64Range(0.02, 0.9).Draw(t, "p")
		higher := Cusum{Up: c.Up, Height: c.Height + 1}
		if a, b := c.RunLength(p), c.RunLength(p+0.05); !(a >= b) || !(b >= 1) {
			t.Fatalf("%v at %v, %v at %v", a, p, b, p+0.05)
		}
		if a, b := c.RunLength(p), higher.RunLength(p); !(b >= a*(1-1e-9)) {
			t.Fatalf("height %d: %v, one more: %v", c.Height, a, b)
		}
	})
}

// trueShare draws m values and returns the share of the distribution above the
// k-th smallest: what the limit of a baseline really is.
func trueShare(random *rand.Rand, m, k int) float64 {
	xs := make([]float64, m)
	for i := range xs {
		xs[i] = random.Float64()
	}
	slices.Sort(xs)
	return 1 - xs[k-1]
}

// TestAlarmsAsOftenAsComputed plays the series themselves, not their rates.
func TestAlarmsAsOftenAsComputed(t *testing.T) {
	random := testkit.Rand(t, 14)
	watch := Cusum{Up: 3, Height: 10}
	share := trueShare(random, 50, 45)
	const values = 400_000
	alarms := 0
	for range values {
		if watch.Add(random.Float64() < share) {
			alarms++
			watch.Reset()
		}
	}
	want := values / watch.RunLength(share)
	testkit.That(t, math.Abs(float64(alarms)-want) <= 5*math.Sqrt(want),
		"%d alarms in %d values, computed %.1f", alarms, values, want)
}

// TestDelayOfAChange: a change is found soon, and Since dates it.
func TestDelayOfAChange(t *testing.T) {
	random := testkit.Rand(t, 14)
	var delays, errors []int
	for range 1000 {
		watch := Cusum{Up: 3, Height: 14}
		for range 200 {
			if watch.Add(random.Float64() < 0.1) {
				watch.Reset()
			}
		}
		n := 1
		for !watch.Add(random.Float64() < 0.9) {
			n++
		}
		delays = append(delays, n)
		errors = append(errors, watch.Since()-n)
	}
	slices.Sort(delays)
	slices.Sort(errors)
	t.Logf("nine of ten exceed: found after %d values (median), %d (p90); dated %+d to %+d values (p10 to p90)",
		delays[500], delays[900], errors[100], errors[900])
	testkit.That(t, delays[500] <= 7 && delays[900] <= 10 && errors[100] >= -2 && errors[900] <= 6,
		"found after %d, %d values; dated %d to %d", delays[500], delays[900], errors[100], errors[900])
}

// TestChangeIsFound: a step of three deviations is found in its place. Of 3,000 series 25 had
// it elsewhere: fewer than 95 of 100 are right in one run of 4,000.
func TestChangeIsFound(t *testing.T) {
	random := testkit.Rand(t, 14)
	series := 100
	if testing.Short() {
		series = 25
	}
	exact := 0
	for range series {
		xs := make([]float64, 80)
		at := 20 + random.IntN(40)
		for i := range xs {
			xs[i] = 100 + 5*random.NormFloat64()
			if i >= at {
				xs[i] += 15
			}
		}
		got := ChangePoints(xs, 0.01, 1)
		if len(got) == 0 {
			t.Errorf("a change at %d is not found", at)
			continue
		}
		if slices.ContainsFunc(got, func(c int) bool { return c >= at-2 && c <= at+2 }) {
			exact++
		}
	}
	testkit.That(t, exact >= series-series/20, "%d of %d changes are within 2 values of their place", exact, series)
}

// TestNoChangeIsNamed in series of noise more often than the level says.
func TestNoChangeIsNamed(t *testing.T) {
	random := testkit.Rand(t, 14)
	series := 150
	if long {
		series = 3000
	}
	named := 0
	for i := range series {
		xs := make([]float64, 60)
		for j := range xs {
			xs[j] = math.Exp(0.5 * random.NormFloat64())
		}
		if len(ChangePoints(xs, 0.05, uint64(i))) > 0 {
			named++
		}
	}
	t.Logf("a change is named in %d of %d series of noise", named, series)
	bound := 0.05*float64(series) + 4*math.Sqrt(0.05*0.95*float64(series))
	testkit.That(t, float64(named) <= bound, "a change is named in %d of %d series of noise", named, series)
}
