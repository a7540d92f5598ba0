package tap

import (
	"math"
	"slices"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/metrics/turn"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/screen"
	"tokscope/ui/uitest"
	"tokscope/ui/uitest/golden"
)

// TestLanesAreTheirTime holds that on both axes each activity of a lane has as many columns as
// its time, to one, that what lies before another is left of it, and that only a cut wait
// is shorter.
func TestLanesAreTheirTime(t *testing.T) {
	for _, state := range states {
		v := scene(state)
		var turns []*turn.Turn
		for i := range v.Session.Turns {
			turns = append(turns, &v.Session.Turns[i])
		}
		if len(turns) == 0 {
			continue
		}
		for _, w := range []int{20, 66, 150} {
			for _, own := range []bool{false, true} {
				a := newAxis(turns, own, w)
				for _, x := range turns {
					checkLane(t, a, x, w)
				}
			}
		}
	}
}

func checkLane(t *testing.T, a *axis, x *turn.Turn, w int) {
	t.Helper()
	column := func(at metrics.Stamp) int { return a.column(a.at(x, at)) }
	at, gap := column(x.Stream().Marks.Start), float64(min(gapMost, w/2/len(a.cuts)))
	for _, s := range x.Spans {
		from, to := column(s.From), column(s.To)
		testkit.That(t, from == at && to >= from && to <= w,
			"%v at column %d, want %d; it ends at %d of %d", s.Activity, from, at, to, w)
		at = to
		d := float64(s.To-s.From) / a.step
		switch got := float64(to - from); {
		case got <= d+1 && got >= d-1:
		case s.Activity == turn.You && (a.own || d > got && math.Abs(got-gap) <= 1):
		default:
			t.Errorf("%v of %.1f columns has %v", s.Activity, d, got)
		}
	}
}

// TestMarks holds that a lane shows each activity by its own mark, in Unicode and in ASCII, for
// as many columns as it has.
func TestMarks(t *testing.T) {
	for _, gl := range []*themes.Glyphs{themes.UnicodeGlyphs(), themes.ASCIIGlyphs()} {
		seen := map[rune]turn.Activity{}
		for a := turn.Upload; a <= turn.You; a++ {
			b, taken := seen[glyph(a, gl)]
			testkit.That(t, !taken, "%v and %v look the same", a, b)
			seen[glyph(a, gl)] = a
		}
		var spans []turn.Span
		for a := turn.Upload; a <= turn.You; a++ {
			spans = append(spans, turn.Span{Activity: a, From: metrics.Stamp(a) * 4e9, To: metrics.Stamp(a+1) * 4e9})
		}
		x := &turn.Turn{Spans: spans, Run: &metrics.Run{Stream: metrics.NoStream(0)}}
		x.Run.Stream.Marks.Start = spans[0].From
		a := &axis{step: 1e9, from: spans[0].From}
		p := newPicture()
		g := draw.New(80, 1)
		p.Begin(g, gl)
		p.lane(p.Line(0, 0, 80), a, x)
		for i := range 4 * len(spans) {
			want := glyph(turn.Upload+turn.Activity(i/4), gl)
			got, _ := g.At(i, 0)
			testkit.That(t, got == string(want), "column %d is %q, want %q", i, got, want)
		}
	}
}

// TestEveryTurnHasARow holds that each turn is in one row, and that the rows of a subagent stand
// together below the turn beside which it began.
func TestEveryTurnHasARow(t *testing.T) {
	r := testkit.Rand(t, 1)
	for range 200 {
		var s turn.View
		mains := 0
		for c := range 1 + r.IntN(6) {
			conv := turn.Conversation{Number: c + 1}
			if c > 0 && r.IntN(3) > 0 && mains > 0 {
				conv.Of = 1
				of := s.Conversations[0].Turns
				conv.Beside = of[r.IntN(len(of))]
			} else {
				mains++
			}
			for range 1 + r.IntN(4) {
				id := len(s.Turns) + 1
				run := &metrics.Run{Stream: metrics.NoStream(0)}
				run.Stream.ID = id
				s.Turns = append(s.Turns, turn.Turn{Run: run, Conversation: c + 1})
				conv.Turns = append(conv.Turns, id)
			}
			s.Conversations = append(s.Conversations, conv)
		}
		r.Shuffle(len(s.Turns), func(i, j int) { s.Turns[i], s.Turns[j] = s.Turns[j], s.Turns[i] })
		v := View{Session: s}
		rows := v.order()
		sorted := slices.Sorted(slices.Values(rows))
		testkit.Given(t, len(rows) == len(s.Turns) && len(slices.Compact(sorted)) == len(s.Turns),
			"%d turns have the rows %v", len(s.Turns), rows)
		main := 0 // Stream.ID of the last turn of a main conversation
		for _, i := range rows {
			switch c := &s.Conversations[s.Turns[i].Conversation-1]; {
			case c.Of == 0:
				main = s.Turns[i].Stream().ID
			case c.Beside != main:
				t.Fatalf("a subagent beside turn %d stands below turn %d", c.Beside, main)
			}
		}
	}
}

// TestGolden holds every state at 80x24 and at 120x40.
func TestGolden(t *testing.T) { golden.Screens(t, states, shown, [2]int{80, 24}, [2]int{120, 40}) }

// TestGoldenSizes holds a state at the other sizes, from each turn's own start, and in ASCII.
func TestGoldenSizes(t *testing.T) {
	sheet := golden.NewSheet(t, "sizes")
	for _, name := range []string{"no request", "silent", "failed"} {
		sheet.Screen(name+", 40x12", shown(name, 40, 12))
	}
	sheet.Screen("thinking, 200x50", shown("thinking", 200, 50))
	v := scene("thinking")
	v.Own = true
	sheet.Screen("thinking, each from its start, 120x40", frame(v, 120, 40))
	v = scene("failed")
	v.Look.Glyphs = themes.ASCIIGlyphs()
	sheet.Screen("failed, ASCII, 120x40", frame(v, 120, 40))
}

// TestEverySizeDraws draws every state at many sizes.
func TestEverySizeDraws(*testing.T) { golden.EverySize(states, shown, 130, 45, 7, 3) }

// frameAllocations bounds the allocations of a frame at 200x50, as on Live.
const frameAllocations = 200

// TestFrameAllocates checks the budget of a frame of 500 turns.
func TestFrameAllocates(t *testing.T) {
	v, g, pic := scene(uitest.TapLong), draw.New(199, 48), newPicture()
	testkit.Allocates(t, frameAllocations, 20, func() { pic.Draw(g, g.Bounds(), v) }, "a frame of 500 turns")
}

// scene returns what the screen shows of a session with a name.
func scene(name string) *View {
	b := uitest.NewTap(name)
	v := &View{About: b.About(), Session: b.View(), Live: b.Live(), Follow: true,
		Look: &screen.Look{Glyphs: themes.UnicodeGlyphs()}}
	v.take()
	return v
}

var states = uitest.TapStates

// frame draws v as the root would on a terminal of w by h, without its rows.
func frame(v *View, w, h int) *draw.Grid {
	g := draw.New(max(w-1, 0), max(h-2, 0))
	p := newPicture()
	p.Draw(g, g.Bounds(), v)
	return g
}

var made = map[string]*View{}

// shown draws one of the states.
func shown(name string, w, h int) *draw.Grid {
	if made[name] == nil {
		made[name] = scene(name)
	}
	return frame(made[name], w, h)
}
