package metrics

import "testing"

// TestPathCause holds what each kind of evidence leads to, with the numbers
// that were measured over links of 2 × 20 ms.
func TestPathCause(t *testing.T) {
	base := PathGap{Ms: 320, Usual: 20, RTT: 40, Segments: 1, Together: 1, Counted: true}
	with := func(f func(g *PathGap)) PathGap { g := base; f(&g); return g }
	for name, c := range map[string]struct {
		gap  PathGap
		want PathCause
		why  PathWhy
	}{
		"a stall of the server": {base, PathSentLate, ""},
		"3 % loss": {with(func(g *PathGap) {
			g.Ms, g.OutOfOrder, g.Segments, g.Together = 80, 3, 4,
				4
		}), PathOutOfOrder, ""},
		"loss in a slow stream": {with(func(g *PathGap) {
			g.Ms, g.Usual, g.OutOfOrder, g.Together = 340, 150, 1,
				2
		}), PathOutOfOrder, ""},
		"a stall and a reordering": {with(func(g *PathGap) { g.Ms, g.OutOfOrder, g.Together = 900, 1, 2 }),
			PathUndecided, PathTooLong},
		"the retransmission is lost as well": {with(func(g *PathGap) { g.Ms, g.OutOfOrder, g.Together = 520, 24, 26 }),
			PathOutOfOrder, ""},
		"a tail loss": {with(func(g *PathGap) { g.Ms = 288 }), PathUndecided, PathMaybeTail},
		"a tail loss in a slow stream": {with(func(g *PathGap) { g.Ms, g.Usual = 1440, 1200 }), PathUndecided,
			PathMaybeTail},
		"twice the timeout":                {with(func(g *PathGap) { g.Ms = 525 }), PathUndecided, PathMaybeTail},
		"four times":                       {with(func(g *PathGap) { g.Ms = 1020 }), PathUndecided, PathMaybeTail},
		"the same on this machine":         {with(func(g *PathGap) { g.Ms, g.Local = 288, true }), PathSentLate, ""},
		"a buffer":                         {with(func(g *PathGap) { g.Together, g.Segments = 15, 3 }), PathFlushed, ""},
		"a buffer that fits a timeout":     {with(func(g *PathGap) { g.Ms, g.Together = 288, 16 }), PathFlushed, ""},
		"two chunks at once are no buffer": {with(func(g *PathGap) { g.Together = 2 }), PathSentLate, ""},
		"nothing usual":                    {with(func(g *PathGap) { g.Usual = 0 }), PathUndecided, PathNoUsual},
		"not counted": {with(func(g *PathGap) { g.Counted, g.OutOfOrder = false, 3 }), PathUndecided,
			PathUncounted},
	} {
		if got, why := c.gap.Cause(); got != c.want || why != c.why {
			t.Errorf("%s: %s %s, want %s %s", name, got, why, c.want, c.why)
		}
	}
}

// TestPathOfNothing holds that a stream without a path has no evidence.
func TestPathOfNothing(t *testing.T) {
	var p *Path
	if p.Gap(3) != nil || p.ConnectsSince(5) != nil {
		t.Error("a nil path has evidence")
	}
	p = &Path{Gaps: []PathGap{{Chunk: 3}}, Connects: []PathConnect{{At: 4}, {At: 9}}}
	if p.Gap(3) == nil || p.Gap(4) != nil || len(p.ConnectsSince(5)) != 1 || p.ConnectsSince(NoStamp) != nil {
		t.Error("the evidence is not found")
	}
}
