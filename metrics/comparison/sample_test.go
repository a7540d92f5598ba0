package comparison

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/condition"
	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
)

// sampleWith returns a sample of groups with these setups, each with n requests of
// one TTFT.
func sampleWith(n int, ttft float64, setups ...Setup) *Sample {
	s := &Sample{Source: "test"}
	for _, setup := range setups {
		s.Groups = append(s.Groups, *groupOf(setup, entries(n, func(i int) map[history.Figure]float64 {
			return map[history.Figure]float64{history.TTFT: ttft + float64(i)}
		})))
	}
	return s
}

// TestCompareRefuses: what differs in a point is not compared, unless that is
// allowed; what one source does not say differs in nothing.
func TestCompareRefuses(t *testing.T) {
	base := Setup{Model: "m", Workload: "chat", MaxTokens: 40, Connection: "reused", Proto: "HTTP/1.1", Users: 1,
		Stamps: "kernel", Counted: "server"}
	for want, change := range map[Point]func(*Setup){
		PointModel:      func(s *Setup) { s.Model = "other" },
		PointWorkload:   func(s *Setup) { s.MaxTokens = 41 },
		PointConnection: func(s *Setup) { s.Connection = "cold" },
		PointUsers:      func(s *Setup) { s.Users = 2 },
		PointStamps:     func(s *Setup) { s.Stamps = "body" },
		PointDefinition: func(s *Setup) { s.Counted = "estimated" },
	} {
		other := base
		change(&other)
		a, b := sampleWith(9, 100, base), sampleWith(9, 200, other)
		c := Compare(a, b, nil)
		testkit.That(t, len(c.Pairs) == 0 && slices.Equal(c.Refused, []Point{want}) && len(c.OnlyA) == 1 && len(c.OnlyB) == 1,
			"%s: %d pairs, refused for %v", want, len(c.Pairs), c.Refused)
		if c = Compare(a, b, []Point{want}); len(c.Pairs) != 1 || !slices.Equal(c.Allowed, []Point{want}) ||
			c.Refused != nil || c.Pairs[0].Row(history.TTFT).State != Higher {
			t.Errorf("%s allowed: %d pairs, allowed %v", want, len(c.Pairs), c.Allowed)
		}
	}
	other := base
	other.Settings = "extra.top_k=40" // none is known: nothing was asked for
	if c := Compare(sampleWith(9, 100, base), sampleWith(9, 200, other), nil); !slices.Equal(c.Refused,
		[]Point{PointWorkload}) {
		t.Errorf("other settings: refused for %v", c.Refused)
	}
	if c := Compare(sampleWith(9, 100, base), sampleWith(9, 200, Setup{MaxTokens: 40, Users: 1}),
		nil); len(c.Pairs) != 1 || len(c.Allowed) != 0 {
		t.Errorf("unknown points: %d pairs, allowed %v", len(c.Pairs), c.Allowed)
	}
}

// TestCompareByUsers: groups are compared at equal users, in their order, tested
// together; those of one sample alone are named.
func TestCompareByUsers(t *testing.T) {
	at := func(users int) Setup { return Setup{Model: "m", Users: users} }
	a, b := sampleWith(20, 100, at(8), at(1), at(4)), sampleWith(20, 100, at(1), at(8), at(16))
	c := Compare(a, b, nil)
	if len(c.Pairs) != 2 || c.Pairs[0].A.Users != 1 || c.Pairs[1].B.Users != 8 || len(c.OnlyA) != 1 ||
		c.OnlyA[0].Users != 4 || len(c.OnlyB) != 1 || c.OnlyB[0].Users != 16 {
		t.Fatalf("%+v", c)
	}
	if c.Pairs[0].Tested != 2 || c.Pairs[1].Tested != 2 || c.Different() != 0 {
		t.Errorf("tested %d, different %d", c.Pairs[0].Tested, c.Different())
	}
	testkit.Is(t, c.A.N(), 60, "requests")
}

// TestCompareMedians: a source without single values has ratios, no interval, and
// no condition on it is met.
func TestCompareMedians(t *testing.T) {
	sweep := func(ttft float64, failed int) *Sample {
		g := Group{Setup: Setup{Users: 4}, Requests: 100, Failed: failed}
		g.Medians[history.TTFT] = metrics.Known(ttft, 100-failed)
		return &Sample{Groups: []Group{g}}
	}
	c := Compare(sweep(100, 0), sweep(300, 40), nil)
	r := c.Pairs[0].Row(history.TTFT)
	testkit.That(t, r.State == Single && r.Ratio == 3 && r.NA == 100 && r.NB == 60 && c.Pairs[0].Failures.State == Higher,
		"%+v, failures %+v", r, c.Pairs[0].Failures)
	k, err := condition.Parse("ttft > 1.2x")
	testkit.OK(t, err)
	testkit.That(t, !c.Judge(k, false) && c.Verdicts[0].Outcome == condition.Unknown, "%+v", c.Verdicts)
	if k, err = condition.Parse("failures > 20%"); err != nil || !c.Judge(k, false) || c.Judge(k, true) {
		t.Errorf("%v: %+v", err, c.Verdicts)
	}
}

// TestJudgeTurned: A against B is the inverse of B against A.
func TestJudgeTurned(t *testing.T) {
	c := Compare(sampleWith(20, 100, Setup{Model: "m"}), sampleWith(20, 300, Setup{Model: "m"}), nil)
	k := testkit.Must(condition.Parse("ttft > 2x"))(t)
	testkit.That(t, c.Judge(k, false) && !c.Judge(k, true), "%+v", c.Verdicts)
	there, back := c.Verdicts[0], c.Verdicts[1]
	x := there.Low * back.High
	testkit.That(t, x >= 0.999 && x <= 1.001, "%+v and %+v", there, back)
}

// TestCompareKeepsEveryLoad: the loads of two documents of sweeps, which have medians
// and no requests, stand in a pair or alone, whatever is allowed to differ, each at
// equal users first, and no median or failure is lost.
func TestCompareKeepsEveryLoad(t *testing.T) {
	sweep := func(users ...int) *Sample {
		s := &Sample{}
		for _, u := range users {
			g := Group{Setup: Setup{Model: "m", Users: u}, Requests: 100, Failed: u}
			g.Medians[history.TTFT] = metrics.Known(float64(100*u), 100-u)
			s.Groups = append(s.Groups, g)
		}
		return s
	}
	rapid.Check(t, func(t *rapid.T) {
		loads := func(name string) []int {
			return rapid.SliceOfNDistinct(rapid.IntRange(1, 9), 0, 5, rapid.ID[int]).Draw(t, name)
		}
		a, b := loads("a"), loads("b")
		var allow []Point
		if rapid.Bool().Draw(t, "allow") {
			allow = []Point{PointUsers}
		}
		c := Compare(sweep(a...), sweep(b...), allow)
		var inA, inB []int
		for i := range c.Pairs {
			p := &c.Pairs[i]
			inA, inB = append(inA, p.A.Users), append(inB, p.B.Users)
			r := p.Row(history.TTFT)
			if r == nil || r.A != float64(100*p.A.Users) || r.B != float64(100*p.B.Users) || p.Failures.FailedA != p.A.Users ||
				p.Failures.FailedB != p.B.Users {
				t.Fatalf("%v against %v: %+v, failures %+v", p.A, p.B, r, p.Failures)
			}
			testkit.Given(t, p.A.Users == p.B.Users || !slices.Contains(b, p.A.Users) && !slices.Contains(a, p.B.Users),
				"%d users against %d: both samples have one of them", p.A.Users, p.B.Users)
		}
		for _, s := range c.OnlyA {
			inA = append(inA, s.Users)
		}
		for _, s := range c.OnlyB {
			inB = append(inB, s.Users)
		}
		slices.Sort(inA)
		slices.Sort(inB)
		if !slices.Equal(inA, slices.Sorted(slices.Values(a))) || !slices.Equal(inB, slices.Sorted(slices.Values(b))) {
			t.Fatalf("loads %v and %v, accounted for %v and %v", a, b, inA, inB)
		}
		testkit.Given(t, allow == nil || len(c.Pairs) == min(len(a), len(b)), "%d pairs of %v and %v", len(c.Pairs), a, b)
	})
}
