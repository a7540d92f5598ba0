package scope

import (
	"slices"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/ui/draw"
	"tokscope/ui/uitest/golden"
)

// request is a stream that was sent at 1 s, after a connection of lead ms.
// Every gap, in ms, ends with a chunk; a gap of 0 is a chunk in the same read.
func request(lead, ttft float64, gaps []float64, state metrics.State) metrics.Stream {
	s := metrics.Stream{ID: 1, State: state, Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1}
	s.Marks.Sent = 1e9
	s.Marks.Start = s.Marks.Sent - metrics.Stamp(lead*1e6)
	at, read := s.Marks.Sent+metrics.Stamp(ttft*1e6), int32(0)
	add := func() {
		s.Text = append(s.Text, "word "...)
		s.Chunks = append(s.Chunks, metrics.Chunk{At: at, Read: read, TextEnd: int32(len(s.Text)), Tokens: -1})
	}
	if ttft > 0 {
		add()
	}
	for _, g := range gaps {
		if g > 0 {
			read++
			at += metrics.Stamp(g * 1e6)
		}
		add()
	}
	s.Now, s.LastData = at, at
	if state.Ended() {
		s.Marks.End = at
	}
	return s
}

// of is the data of a stream at its end, or now.
func of(s *metrics.Stream) *Data {
	f := metrics.Measure(s, metrics.Options{})
	return &Data{Stream: s, Figures: &f, Now: s.Now, Cursor: -1}
}

// drawn draws d into a panel of w by h without a frame.
func drawn(s *Scope, d *Data, w, h int) *draw.Grid {
	g := draw.New(w, h)
	var p draw.Canvas
	p.Begin(g, nil)
	left, right := Split(draw.Rect{W: w, H: h})
	if d.Zoom == Wait {
		left, right = draw.Rect{W: w, H: h}, draw.Rect{}
	}
	s.Draw(&p, left, right, d)
	return g
}

// TestColumnsAreComputedOnce counts: with one more chunk a frame, every frame
// computes the column of the newest chunk and at most one more.
func TestColumnsAreComputedOnce(t *testing.T) {
	st := request(0, 100, slices.Repeat([]float64{7}, 3000), metrics.Decoding)
	chunks := st.Chunks
	d := of(&st)
	var s Scope
	st.Chunks = chunks[:1000]
	d.Now = chunks[999].At
	drawn(&s, d, 120, 16)
	before, frames := s.sweep.computed, 0
	for n := 1001; n <= len(chunks); n++ {
		st.Chunks, d.Now = chunks[:n], chunks[n-1].At
		drawn(&s, d, 120, 16)
		frames++
	}
	if n := s.sweep.computed - before; n > 2*frames {
		t.Errorf("%d columns were computed in %d frames", n, frames)
	}
}

// TestAClickFindsItsChunk clicks on the dot of every chunk that has a cell
// alone.
func TestAClickFindsItsChunk(t *testing.T) {
	st := request(0, 200, slices.Repeat([]float64{40, 90}, 12), metrics.Done)
	d := of(&st)
	var s Scope
	drawn(&s, d, 160, 20)
	for i := 1; i < len(st.Chunks); i++ {
		x, ok := s.placeOf(d, i)
		ms, _ := st.Gap(i)
		y, _ := s.y.Dot(ms)
		got, found := s.ChunkAt(&st, s.plot.X+x/2, s.plot.Bottom()-1-y/4)
		testkit.That(t, ok && found && got == i, "chunk %d at column %d: found %d", i, x, got)
	}
}

// TestHeldGapsHaveNoDistribution holds that gaps of an answer that was held back and let
// go, which have no percentiles, have no bars beside them either.
func TestHeldGapsHaveNoDistribution(t *testing.T) {
	for _, c := range []struct {
		name string
		ttft float64
		gaps []float64
		bars bool
	}{
		{"40 within 2 ms", 1100, slices.Repeat([]float64{0.05}, 39), false},
		{"with a pause", 2600, slices.Concat(slices.Repeat([]float64{0.03}, 50), []float64{3}, slices.Repeat([]float64{0.04},
			50)), false},
		{"300 within 30 ms", 60_000, slices.Repeat([]float64{0.12, 0.08}, 150), false},
		{"2,500 tok/s", 1100, slices.Repeat([]float64{0.4}, 200), true},
		{"24 s of prefill", 24_000, slices.Repeat([]float64{10, 11}, 20), true},
	} {
		st := request(20, c.ttft, c.gaps, metrics.Done)
		var s Scope
		g := drawn(&s, of(&st), 117, 14)
		_, right := Split(draw.Rect{W: 117, H: 14})
		bars := 0
		for y := range 14 {
			for x := right.X; x < right.Right(); x++ {
				if text, _ := g.At(x, y); text == "⣿" || text == "⡇" {
					bars++
				}
			}
		}
		if bars > 0 != c.bars {
			t.Errorf("%s: %d cells of bars\n%s", c.name, bars, g.Plain())
		}
	}
}

// TestGolden holds pictures that a person can review.
func TestGolden(t *testing.T) {
	even := slices.Concat(slices.Repeat([]float64{7, 8, 6.5, 7.5}, 25), []float64{310},
		slices.Repeat([]float64{7, 8, 6.5, 7.5}, 15), []float64{0, 0, 0}, slices.Repeat([]float64{7, 9}, 20))
	phases := func(d *Data) []Phase {
		st := d.Stream
		last := float64(st.Chunks[len(st.Chunks)-1].At-st.Marks.Sent) / 1e6
		all := []Phase{{"tcp", -30, 0, 30, Connecting, false, heat(30), Lined}, {"queue", 0, 20, 20, Waiting, false,
			heat(20), Checked}, {"prefill", 20, 250, 230, Waiting, false, heat(230), Solid},
			{"unexplained", 250, 276, 26, Waiting, false, heat(26), Sparse}, {"decode", 276, last, last - 276, Decoding, false,
				heat(7), Stroke}}
		for _, x := range d.Figures.Stalls {
			to := float64(x.At-st.Marks.Sent) / 1e6
			all = append(all, Phase{"paused", to - x.Ms, to, x.Ms, Paused, false, heat(x.Ms), Dotted})
		}
		return all
	}
	sheet := golden.NewSheet(t, "scope")
	for _, c := range []struct {
		name string
		set  func(*Data)
		st   metrics.State
		gaps []float64
		w, h int
	}{
		{"done, 117x14", func(*Data) {}, metrics.Done, even, 117, 14},
		{"following, 117x14", func(d *Data) { d.Zoom = Follow }, metrics.Decoding, even, 117, 14},
		{"stalling, 72x9", func(d *Data) { d.Now += 900e6; d.Open = 900 }, metrics.Decoding, even, 72, 9},
		{"linear, 117x14", func(d *Data) { d.Linear = true }, metrics.Done, even, 117, 14},
		{"around the cursor, 117x14", func(d *Data) { d.Zoom, d.Cursor = Around, 101 }, metrics.Done, even, 117, 14},
		{"wait, 60x9", func(d *Data) { d.Zoom = Wait }, metrics.Done, even, 60, 9},
		{"small, 36x4", func(*Data) {}, metrics.Done, even, 36, 4},
		{"many chunks, 117x14", func(*Data) {}, metrics.Done, slices.Repeat([]float64{4, 9, 5, 30, 4}, 800), 117, 14},
	} {
		st := request(30, 276, c.gaps, c.st)
		d := of(&st)
		d.Phases = phases(d)
		c.set(d)
		var s Scope
		sheet.Screen(c.name, drawn(&s, d, c.w, c.h))
	}
}

// TestDrawAllocatesNothing checks that a frame with a new chunk allocates
// nothing once the buffers have their size.
func TestDrawAllocatesNothing(t *testing.T) {
	st := request(0, 100, slices.Repeat([]float64{7, 8, 6}, 1000), metrics.Decoding)
	chunks := st.Chunks
	d := of(&st)
	var s Scope
	var p draw.Canvas
	g := draw.New(160, 18)
	left, right := Split(g.Bounds())
	n := 1000
	frame := func() {
		n++
		st.Chunks, d.Now = chunks[:n], chunks[n-1].At+metrics.Stamp(time.Millisecond)
		p.Begin(g, nil)
		s.Draw(&p, left, right, d)
	}
	for range 100 {
		frame()
	}
	testkit.Allocates(t, 1, 200, frame, "a frame") // the strings of a frame share one block
}

// TestAStallStaysInView checks the window around a stall: the chunk before it
// is in view while it lasts, and still for a while after it has ended.
func TestAStallStaysInView(t *testing.T) {
	gaps := slices.Concat(slices.Repeat([]float64{10}, 60), []float64{9000}, slices.Repeat([]float64{10}, 200))
	st := request(0, 200, gaps, metrics.Decoding)
	chunks := st.Chunks
	var s Scope
	draw := func(n int, silence float64) *Data {
		st.Chunks = chunks[:n]
		st.Now = chunks[n-1].At + metrics.Stamp(silence*1e6)
		d := of(&st)
		if d.Now = st.Now; silence > 500 {
			d.Open = silence
		}
		drawn(&s, d, 120, 16)
		return d
	}
	for ms := 10.0; ms < 9000; ms += 100 {
		if d := draw(61, ms); !inView(&s, d, 60) {
			t.Fatalf("after %v ms of silence the last chunk is not in view", ms)
		}
	}
	for n := 62; n < 200; n += 10 {
		if d := draw(n, 1); !inView(&s, d, 61) {
			t.Errorf("%d chunks after the stall it is not in view", n-62)
		}
	}
	testkit.That(t, s.win.Step*2 >= 100, "a cell is %v ms", s.win.Step*2)
}

func inView(s *Scope, d *Data, chunk int) bool {
	_, ok := s.placeOf(d, chunk)
	return ok
}

// TestReducedMotionMovesInQuarters counts the windows of 10 s of a stream.
func TestReducedMotionMovesInQuarters(t *testing.T) {
	st := request(0, 200, slices.Repeat([]float64{10}, 1000), metrics.Decoding)
	chunks := st.Chunks
	var s Scope
	seen := map[int]bool{}
	for n := 1; n < len(chunks); n++ {
		st.Chunks, st.Now = chunks[:n], chunks[n-1].At
		d := of(&st)
		d.Still = true
		drawn(&s, d, 100, 16)
		if seen[s.win.First] = true; !inView(&s, d, n-1) {
			t.Fatalf("chunk %d is not in view", n-1)
		}
	}
	if n := len(seen); n > 25 {
		t.Errorf("%d windows in 10 s", n)
	}
}

// TestTheAxisOfTimeDoesNotJumpWhileWaiting follows a connection of 400 ms and a wait of a
// minute: 0 never moves to the left before the request is sent, later by a cell at most,
// and the band grows to the same share of the width and stays there.
func TestTheAxisOfTimeDoesNotJumpWhileWaiting(t *testing.T) {
	var s Scope
	zero, end := -1, 0
	for ms := 0.0; ms < 60e3; ms += 33 {
		st := request(400, 0, nil, metrics.Waiting)
		if d := of(&st); ms < 400 {
			st.State, st.Marks.Sent = metrics.Connecting, metrics.NoStamp
			d.Now = st.Marks.Start + metrics.Stamp(ms*1e6)
			drawn(&s, d, 120, 18)
		} else {
			d.Now = st.Marks.Start + metrics.Stamp(ms*1e6)
			drawn(&s, d, 120, 18)
		}
		x, to := s.win.edge(0), s.win.edge(max(ms-400, 0))
		testkit.Given(t, zero < 0 || (ms >= 400 || x >= zero) && (ms < 433 || x >= zero-2 && x <= zero),
			"after %v ms 0 moved from column %d to %d", ms, zero, x)
		if most := int((1 - ahead) * float64(s.win.Columns)); ms >= 433 && (to < end-2 || to > most+4) {
			t.Fatalf("after %v ms the band ends in column %d, before in %d of %d", ms, to, end, most)
		}
		zero, end = x, to
	}
	testkit.That(t, end >= s.win.Columns*8/10, "the band ends in column %d of %d", end, s.win.Columns)
}

// TestAThirdOfAMillisecondIsSeen holds that 7.1 and 7.4 ms lie apart at rest, beside a
// stall too, on both axes.
func TestAThirdOfAMillisecondIsSeen(t *testing.T) {
	for _, linear := range []bool{false, true} {
		st := request(0, 100, slices.Concat(slices.Repeat([]float64{7.1}, 60), []float64{2000}, slices.Repeat([]float64{7.4},
			60)), metrics.Done)
		d := of(&st)
		d.Linear = linear
		var s Scope
		drawn(&s, d, 118, 16)
		low, _ := s.y.Dot(7.1)
		high, _ := s.y.Dot(7.4)
		testkit.That(t, high > low, "linear %v: dots %d and %d of %+v", linear, low, high, s.y)
	}
}

// TestTheCloseUpHasTheLongestGap holds that the close-up of an ended stream without a
// cursor shows the end of its longest gap, and with one the cursor.
func TestTheCloseUpHasTheLongestGap(t *testing.T) {
	gaps := slices.Repeat([]float64{7}, 3000)
	gaps[1200] = 400
	st := request(0, 100, gaps, metrics.Done)
	d := of(&st)
	d.Zoom = Around
	var s Scope
	for cursor, chunk := range map[int]int{-1: 1201, 2500: 2500} {
		d.Cursor = cursor
		drawn(&s, d, 117, 14)
		if x, ok := s.placeOf(d, chunk); !ok || x < 0 || x >= s.win.Columns {
			t.Errorf("cursor %d: chunk %d is at column %d of %d", cursor, chunk, x, s.win.Columns)
		}
	}
}
