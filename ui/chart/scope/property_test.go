package scope

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/stats"
	_ "tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
)

// current reports whether a role is one of the trace.
func current(st themes.Role) bool {
	return st == themes.Dim || st >= themes.Heat(0) && st <= themes.Heat(themes.Levels-1)
}

// dotsOf are the dots of some roles in each column, from the bottom.
func dotsOf(s *Scope, g *draw.Grid, some func(themes.Role) bool) (dots [][]int, arrows map[int]bool) {
	dots, arrows = make([][]int, s.win.Columns), map[int]bool{}
	for x := range s.plot.W {
		for y := range s.plot.H {
			text, st := g.At(s.plot.X+x, s.plot.Y+y)
			r := []rune(text + " ")[0]
			if r == '↑' || r == '↓' {
				arrows[2*x], arrows[2*x+1] = true, true
			}
			if r < 0x2800 || r > 0x28ff || !some(st) {
				continue
			}
			for dx := range 2 {
				for dy := range 4 {
					if draw.Dot(r, dx, dy) == r {
						dots[2*x+dx] = append(dots[2*x+dx], 4*(s.plot.H-1-y)+3-dy)
					}
				}
			}
		}
	}
	for _, d := range dots {
		slices.Sort(d)
	}
	return dots, arrows
}

// anyGaps are gaps from 50 µs to 20 s, in bursts and alone.
func anyGaps(t *rapid.T) []float64 {
	base := rapid.Float64Range(math.Log(0.05), math.Log(3000)).Draw(t, "base")
	gaps := make([]float64, rapid.IntRange(0, 400).Draw(t, "chunks"))
	for i := range gaps {
		gaps[i] = math.Exp(base + rapid.Float64Range(-0.7, 0.7).Draw(t, "gap"))
		switch rapid.IntRange(0, 20).Draw(t, "kind") {
		case 0:
			gaps[i] = 0
		case 1:
			gaps[i] = math.Exp(rapid.Float64Range(math.Log(0.05), math.Log(20e3)).Draw(t, "far"))
		}
	}
	return gaps
}

// TestTraceIsExact checks what is drawn against the gaps of random streams, at
// random sizes and zooms. The shortest and the longest gap of every column of
// dots and their median are drawn to half a dot; nothing else is drawn except
// the stems of stalls. A failure prints its seed.
func TestTraceIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		state := rapid.SampledFrom([]metrics.State{metrics.Decoding, metrics.Done}).Draw(t, "state")
		st := request(rapid.Float64Range(0, 500).Draw(t, "lead"), rapid.Float64Range(0.1, 5000).Draw(t, "ttft"), anyGaps(t), state)
		d := of(&st)
		d.Zoom = Zoom(rapid.IntRange(0, int(Around)).Draw(t, "zoom"))
		d.Linear = rapid.Bool().Draw(t, "linear")
		d.Reading = rapid.SampledFrom([]float64{0, 189}).Draw(t, "reading")
		var s Scope
		w, h := rapid.IntRange(AxisWidth+2, 260).Draw(t, "w"), rapid.IntRange(2, 40).Draw(t, "h")
		g := drawn(&s, d, w, h)
		checkTrace(t, &s, d, g, current)
	})
}

// TestEarlierRunsAreExact checks an earlier run and a pinned one in the same
// way, behind a stream that still waits.
func TestEarlierRunsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st := request(rapid.Float64Range(0, 500).Draw(t, "lead"), rapid.Float64Range(0.1, 900).Draw(t, "ttft"), anyGaps(t), metrics.Done)
		st.ID = 2
		of2 := of(&st)
		run := &metrics.Run{Stream: st, Figures: *of2.Figures}
		waiting := request(0, 0, nil, metrics.Waiting)
		d := of(&waiting)
		d.Zoom, d.Linear = Zoom(rapid.IntRange(0, int(Around)).Draw(t, "zoom")), rapid.Bool().Draw(t, "linear")
		role := themes.Faint
		if d.Past = []*metrics.Run{run}; rapid.Bool().Draw(t, "pinned") {
			d.Pinned, role = run, themes.Aggregate
		}
		var s Scope
		g := drawn(&s, d, rapid.IntRange(AxisWidth+2, 260).Draw(t, "w"), rapid.IntRange(2, 40).Draw(t, "h"))
		of2.Figures.Stalls = nil // only the trace has stems
		checkTrace(t, &s, of2, g, func(st themes.Role) bool { return st == role })
	})
}

// fataler is what checkTrace needs of a test.
type fataler interface{ Fatalf(string, ...any) }

// checkTrace compares the dots with the gaps of the stream.
func checkTrace(t fataler, s *Scope, d *Data, g *draw.Grid, some func(themes.Role) bool) {
	rows := float64(4 * s.plot.H)
	height := func(ms float64) float64 { // in dots above the lower edge, limited to the picture
		f := math.Log(ms/s.y.Min) / math.Log(s.y.Max/s.y.Min)
		if !s.y.Log {
			f = (ms - s.y.Min) / (s.y.Max - s.y.Min)
		}
		return min(max(2+f*(rows-4), 0), rows)
	}
	near := func(dot int, ms float64) bool { return math.Abs(float64(dot)+0.5-height(ms)) <= 0.5+1e-6 }
	columns := make([][]float64, s.win.Columns)
	stems := map[int][]float64{}
	for i := range d.Stream.Chunks {
		at := (float64(d.Stream.Chunks[i].At - d.Stream.Marks.Sent)) / 1e6
		x := int(math.Floor((at-s.win.Origin)/s.win.Step)) - s.win.First
		if x < 0 || x >= s.win.Columns {
			continue
		}
		if i > 0 && d.Stream.Chunks[i].Read != d.Stream.Chunks[i-1].Read {
			columns[x] = append(columns[x], float64(d.Stream.Chunks[i].At-d.Stream.Chunks[i-1].At)/1e6)
		}
		for _, stall := range d.Figures.Stalls {
			if stall.Chunk == i {
				stems[x] = append(stems[x], stall.Ms)
			}
		}
	}
	dots, arrows := dotsOf(s, g, some)
	for x, gaps := range columns {
		got := dots[x]
		switch {
		case arrows[x]: // its cells at the edge hold the arrow
			continue
		case len(gaps) == 0 && len(got) > 0:
			t.Fatalf("column %d has no known gap, but the dots %v", x, got)
		case len(gaps) == 0, outside(s.y, gaps) && len(got) == 0:
			continue
		case outside(s.y, gaps) && len(stems[x]) == 0:
			t.Fatalf("column %d has the gaps %v outside the axis, but the dots %v", x, gaps, got)
		case len(got) == 0:
			t.Fatalf("column %d has the gaps %v, but no dot", x, gaps)
		}
		slices.Sort(gaps)
		low, mid, high := gaps[0], stats.Quantile(gaps, 0.5), gaps[len(gaps)-1]
		if len(stems[x]) > 0 {
			low = min(low, d.Figures.Gaps.P50.V)
		}
		if !near(got[0], low) || !near(got[len(got)-1], high) {
			t.Fatalf("column %d of %+v: dots %v, gaps %v: want %.2f to %.2f", x, s.y, got, gaps, height(low), height(high))
		}
		if len(stems[x]) > 0 {
			continue
		}
		if outside(s.y, []float64{mid}) {
			continue
		}
		m := slices.IndexFunc(got, func(y int) bool { return near(y, mid) })
		if m < 0 {
			t.Fatalf("column %d: no dot of %v is the median %v of %v, at %.2f", x, got, mid, gaps, height(mid))
		}
		if got[len(got)-1]-got[0] < 5 {
			continue
		}
		// A long line is broken beside the median alone.
		y := int(min(math.Floor(height(mid)), rows-1))
		for v := got[0] + 1; v < got[len(got)-1]; v++ {
			if blank := !slices.Contains(got, v); blank != (v == y-1 || v == y+1) {
				t.Fatalf("column %d: dots %v, median at %d", x, got, y)
			}
		}
	}
}

// outside reports whether all gaps lie above the axis, or all below it.
func outside(y chart.Scale, gaps []float64) bool {
	_, low := y.Dot(slices.Min(gaps))
	_, high := y.Dot(slices.Max(gaps))
	return low > 0 || high < 0
}

// TestBandIsExact checks the edges of the wait: its start and its end to half
// a dot, and every phase between them in its place.
func TestBandIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		connect, queue, prefill := rapid.Float64Range(0, 400).Draw(t, "connect"), rapid.Float64Range(0, 3000).Draw(t, "queue"), rapid.Float64Range(1, 9000).Draw(t, "prefill")
		st := request(connect, 0, nil, metrics.Waiting)
		d := of(&st)
		d.Now = st.Marks.Sent + metrics.Stamp((queue+prefill)*1e6)
		d.Phases = []Phase{{connect, true, themes.Network, Lined}, {queue, false, themes.Queue, Checked}, {prefill, false, themes.Prefill, Solid}}
		var s Scope
		g := drawn(&s, d, rapid.IntRange(30, 200).Draw(t, "w"), rapid.IntRange(8, 20).Draw(t, "h"))
		from, to := (-connect-s.win.from())/s.win.Step, (queue+prefill-s.win.from())/s.win.Step
		for x := range s.win.Columns {
			cell := s.plot.X + x/2
			text, st := g.At(cell, s.plot.Bottom()-1)
			r := []rune(text + " ")[0]
			full := false
			for y := range 4 {
				full = full || r >= 0x2800 && draw.Dot(r, x%2, y) == r
			}
			mid := float64(x) + 0.5
			if want := mid > from && mid < to; full != want && math.Abs(mid-from) > 1e-6 && math.Abs(mid-to) > 1e-6 {
				t.Fatalf("column %d: dots %v, the wait is %.2f to %.2f", x, full, from, to)
			}
			if !full {
				continue
			}
			want, edges := themes.Network, [...]float64{-connect, 0, queue}
			if mid > (0-s.win.from())/s.win.Step {
				want = themes.Queue
			}
			if mid > (queue-s.win.from())/s.win.Step {
				want = themes.Prefill
			}
			for _, e := range edges {
				if math.Abs(mid-(e-s.win.from())/s.win.Step) <= 2 {
					want = st // a cell has one color
				}
			}
			if st != want {
				t.Fatalf("column %d has role %d, want %d", x, st, want)
			}
		}
	})
}

// TestDistributionIsExact checks the bars to half a dot.
func TestDistributionIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st := request(0, 100, anyGaps(t), metrics.Done)
		if f := metrics.Measure(&st, metrics.Options{}); f.AtOnce() {
			return // no gap is the model's, and none is drawn
		}
		d := of(&st)
		var s Scope
		g := drawn(&s, d, rapid.IntRange(distFrom, 200).Draw(t, "w"), rapid.IntRange(10, 30).Draw(t, "h"))
		rows, most := make([]int, s.plot.H), 0
		for i := range st.Chunks {
			if ms, ok := st.Gap(i); ok {
				f := math.Log(ms/s.y.Min) / math.Log(s.y.Max/s.y.Min)
				row := int(min(max(2+f*float64(4*s.plot.H-4), 0), float64(4*s.plot.H-1))) / 4
				rows[row]++
				most = max(most, rows[row])
			}
		}
		w, _ := g.Size()
		_, dist := Split(draw.Rect{W: w, H: 9})
		for row, n := range rows {
			dots := 0
			for x := dist.X + 2; x < dist.Right(); x++ {
				text, _ := g.At(x, s.plot.Bottom()-1-row)
				dots += map[string]int{"⣿": 2, "⡇": 1}[text]
			}
			want := 2 * float64(longest(dist.W-2)) * float64(n) / float64(max(most, 1))
			if math.Abs(float64(dots)-want) > 0.5+1e-9 && !(n > 0 && dots == 1 && want < 1) {
				t.Fatalf("row %d: %d dots for %d of %d gaps, want %.2f", row, dots, n, most, want)
			}
		}
	})
}

// TestStepsDrawTheSame draws a stream as it grows, and at every step once more
// without anything kept.
func TestStepsDrawTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st := request(20, 300, anyGaps(t), metrics.Decoding)
		chunks := st.Chunks
		zoom, w, h := Zoom(rapid.IntRange(0, int(Around)).Draw(t, "zoom")), rapid.IntRange(20, 200).Draw(t, "w"), rapid.IntRange(3, 30).Draw(t, "h")
		var s Scope
		for n := 0; n < len(chunks); {
			n = min(n+rapid.IntRange(1, 30).Draw(t, "more"), len(chunks))
			st.Chunks, st.Now = chunks[:n], chunks[n-1].At
			d := of(&st)
			d.Zoom = zoom
			got := drawn(&s, d, w, h)
			fresh := Scope{pace: s.pace, ranges: s.ranges}
			if want := drawn(&fresh, d, w, h); got.Plain() != want.Plain() {
				t.Fatalf("with %d chunks, in steps:\n%s\nat once:\n%s", n, got.Plain(), want.Plain())
			}
		}
	})
}

// TestAnyStreamIsDrawn draws streams whose stamps and marks make no sense.
func TestAnyStreamIsDrawn(t *testing.T) {
	stamp := rapid.OneOf(rapid.Just(metrics.NoStamp), rapid.Just(metrics.Stamp(math.MaxInt64)), rapid.Map(rapid.Int64(), func(n int64) metrics.Stamp { return metrics.Stamp(n) }),
		rapid.Map(rapid.Int64Range(-1e9, 100e9), func(n int64) metrics.Stamp { return metrics.Stamp(n) }))
	rapid.Check(t, func(t *rapid.T) {
		var s Scope
		for range 3 {
			st := request(0, 5, anyGaps(t), metrics.State(rapid.IntRange(0, 7).Draw(t, "state")))
			st.Marks.Start, st.Marks.Sent, st.Marks.End = stamp.Draw(t, "start"), stamp.Draw(t, "sent"), stamp.Draw(t, "end")
			for i := range st.Chunks {
				if rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
					st.Chunks[i].At = stamp.Draw(t, "at")
				}
			}
			d := of(&st)
			d.Now, d.Zoom, d.Linear = stamp.Draw(t, "now"), Zoom(rapid.IntRange(0, int(Around)).Draw(t, "zoom")), rapid.Bool().Draw(t, "linear")
			d.Cursor = rapid.IntRange(-2, len(st.Chunks)+1).Draw(t, "cursor")
			d.Open = rapid.SampledFrom([]float64{0, -1, 5, 1e12, math.Inf(1), math.NaN()}).Draw(t, "open")
			d.Phases = []Phase{{rapid.Float64().Draw(t, "phase"), rapid.Bool().Draw(t, "before"), themes.Queue, Sparse}}
			w, h := rapid.IntRange(0, 200).Draw(t, "w"), rapid.IntRange(0, 40).Draw(t, "h")
			drawn(&s, d, w, h)
			for range 3 {
				if i, ok := s.ChunkAt(&st, rapid.IntRange(-1, w).Draw(t, "x"), rapid.IntRange(-1, h).Draw(t, "y")); ok && i >= len(st.Chunks) {
					t.Fatalf("chunk %d of %d", i, len(st.Chunks))
				}
			}
		}
	})
}
