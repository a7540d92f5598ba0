package stats

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"tokscope/metrics/testkit"
)

// reference holds what published implementations answer: testdata/reference.py
// writes it and names their versions.
type reference struct {
	Two []struct {
		A, B                []float64
		U, P, Shift, Lo, Hi float64
		Exact               bool
	}
	Tied []struct {
		A, B []float64
		P    float64
	}
	Blocks []struct {
		A, B     []float64
		P, Shift float64
		Lo, Hi   *float64 // null: no level that the sizes allow
	}
	Holm    struct{ P, Adjusted []float64 }
	Changes []struct {
		X     []float64
		At    []int
		First int
		Q     float64
	}
	Mixture []struct {
		S, N   int
		P, Log float64
	}
	Beta []struct {
		M, K int
		Q    float64
	}
}

func published(t *testing.T) (r reference) {
	t.Helper()
	data := testkit.Must(os.ReadFile("testdata/reference.json"))(t)
	testkit.OK(t, json.Unmarshal(data, &r))
	return r
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	testkit.That(t, math.Abs(got-want) <= tolerance, "%s: %v, published %v", what, got, want)
}

// TestTwoSamplesAsPublished compares with R's wilcox.test. R finds the interval of
// large or tied samples by another approximation, so there it is near only, as is
// its p-value of small tied samples, which it does not count out.
func TestTwoSamplesAsPublished(t *testing.T) {
	for _, c := range published(t).Two {
		u, p := MannWhitney(c.A, c.B)
		near(t, "U", u, c.U, 0)
		digits := 1e-9
		if !c.Exact && max(len(c.A), len(c.B)) <= exactLimit {
			digits = 2e-3
		}
		near(t, "p", p, c.P, digits)
		shift, lo, hi := HodgesLehmann(c.A, c.B, 0.05)
		tolerance := 1e-9
		if !c.Exact {
			tolerance = 0.01
		}
		near(t, "shift", shift, c.Shift, tolerance)
		near(t, "lo", lo, c.Lo, tolerance)
		near(t, "hi", hi, c.Hi, tolerance)
	}
}

// TestTiesAsPublished compares with permutation_test of scipy over all divisions.
func TestTiesAsPublished(t *testing.T) {
	for _, c := range published(t).Tied {
		_, p := MannWhitney(c.A, c.B)
		near(t, "p", p, c.P, 1e-9)
	}
}

// TestPermutationAsPublished compares with permutation_test of scipy over all divisions,
// and with the shifts that it does not reject at 0.025.
func TestPermutationAsPublished(t *testing.T) {
	for _, c := range published(t).Blocks {
		shift, lo, hi, p := Permutation(c.A, c.B, 0.025)
		near(t, "p", p, c.P, 1e-12)
		near(t, "shift", shift, c.Shift, 1e-9)
		if c.Lo == nil {
			testkit.That(t, len(c.A) >= 5 || math.IsInf(lo, -1) && math.IsInf(hi, 1),
				"%d values bound the shift: %v to %v", len(c.A), lo, hi)
			continue
		}
		near(t, "lo", lo, *c.Lo, 1e-9)
		near(t, "hi", hi, *c.Hi, 1e-9)
	}
}

func TestHolmAsPublished(t *testing.T) {
	h := published(t).Holm
	for i, got := range Holm(h.P) {
		near(t, "Holm", got, h.Adjusted[i], 1e-12)
	}
}

func TestChangePointsAsPublished(t *testing.T) {
	for i, c := range published(t).Changes {
		at := ChangePoints(c.X, 0.01, 1)
		testkit.That(t, slices.Equal(at, c.At), "series %d changes at %v, published %v", i, at, c.At)
		if len(c.At) == 0 {
			continue // the largest distance may lie nearer to an end than MinSegment
		}
		first, q := divide(c.X)
		near(t, "first division", float64(first), float64(c.First), 0)
		near(t, "distance", q, c.Q, 1e-9)
	}
}

func TestDistributionsAsPublished(t *testing.T) {
	r := published(t)
	for _, c := range r.Mixture {
		near(t, "binomial", logBinomial(c.S, c.N, c.P), c.Log, 1e-9)
	}
	for _, c := range r.Beta {
		near(t, "share above the baseline's p90", ShareAbove(c.M, c.K, 0.9), c.Q, 1e-9)
	}
}
