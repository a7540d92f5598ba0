package scope

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/stats"
	_ "tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// current reports whether a role is one of the trace.
func current(st themes.Role) bool {
	return st >= themes.Heat(0) && st <= themes.Heat(themes.Levels-1)
}

// dotsOf are the dots of some roles in each column, from the bottom, and the columns
// with a mark of what lies outside.
func dotsOf(s *Scope, g *draw.Grid, some func(themes.Role) bool) (dots [][]int, marks map[int]bool) {
	dots, marks = make([][]int, s.win.Columns), map[int]bool{}
	for x := range s.plot.W {
		for y := range s.plot.H {
			text, st := g.At(s.plot.X+x, s.plot.Y+y)
			r := []rune(text + " ")[0]
			if r == '▲' || r == '▼' {
				marks[2*x], marks[2*x+1] = true, true
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
	return dots, marks
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

// anyData is a random stream at a random moment, zoom and scale, with the phases that
// its figures have.
func anyData(t *rapid.T) *Data {
	state := rapid.SampledFrom([]metrics.State{metrics.Decoding, metrics.Done}).Draw(t, "state")
	lead, ttft := rapid.Float64Range(0, 500).Draw(t, "lead"), rapid.Float64Range(0.1, 5000).Draw(t, "ttft")
	st := request(lead, ttft, anyGaps(t), state)
	d := of(&st)
	queue := ttft * rapid.Float64Range(0, 1).Draw(t, "queue")
	last := float64(st.Chunks[len(st.Chunks)-1].At-st.Marks.Sent) / 1e6
	d.Phases = []Phase{{"tcp", -lead, 0, lead, Connecting, false, heat(lead), Lined}, {"queue", 0, queue, queue, Waiting,
		false, heat(queue), Checked},
		{"prefill", queue, ttft, ttft - queue, Waiting, false, heat(ttft - queue), Solid},
		{"decode", ttft, last, last - ttft, Decoding, false, heat(d.Figures.Gaps.P50.V), Stroke}}
	for _, x := range d.Figures.Stalls {
		to := float64(x.At-st.Marks.Sent) / 1e6
		d.Phases = append(d.Phases, Phase{"paused", to - x.Ms, to, x.Ms, Paused, false, heat(x.Ms), Dotted})
	}
	d.Zoom = Zoom(rapid.IntRange(0, int(Around)).Draw(t, "zoom"))
	d.Linear = rapid.Bool().Draw(t, "linear")
	if state == metrics.Decoding {
		d.Open = rapid.SampledFrom([]float64{0, 0, 12, 900}).Draw(t, "open")
		d.Now += metrics.Stamp(d.Open * 1e6)
	}
	return d
}

// TestPicturesAgreeWithFigures reads the cells of random streams at random sizes and zooms
// back and holds them against the figures. A failure prints its seed.
func TestPicturesAgreeWithFigures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := anyData(t)
		var s Scope
		w, h := rapid.IntRange(34, 260).Draw(t, "w"), rapid.IntRange(2, 40).Draw(t, "h")
		g := drawn(&s, d, w, h)
		if d.Zoom == Wait {
			checkWaterfall(t, &s, d, g)
			return
		}
		if checkBand(t, &s, d, g); s.plot.H == 0 {
			return
		}
		last := float64(d.Stream.Chunks[len(d.Stream.Chunks)-1].At-d.Stream.Marks.Sent) / 1e6
		if d.Stream.State.Ended() && d.Zoom != Follow && s.win.to() > max(last, s.win.from()+1)+s.win.Step {
			t.Fatalf("%v of a stream that ended at %v reaches to %v", d.Zoom, last, s.win.to())
		}
		checkTrace(t, &s, d, g, current)
		checkFit(t, &s, d)
		checkColors(t, &s, d, g)
		checkNumbers(t, &s, g)
		if to := planOf(h); to.marks {
			above := func(c *column) (float64, bool) { return c.max, c.highOff > 0 }
			below := func(c *column) (float64, bool) { return c.min, c.lowOff < 0 }
			checkMarks(t, &s, d, g, s.plot.Y-1, "▲", above, func(a, b float64) float64 { return max(a, b) })
			checkMarks(t, &s, d, g, s.plot.Bottom(), "▼", below, func(a, b float64) float64 { return min(a, b) })
		}
	})
}

// checkBand holds that every column of dots of the band has the pattern of the phase that
// lies there, to half a dot, in the color of a phase of its cell, and that the names of the
// wait add up to it.
func checkBand(t fataler, s *Scope, d *Data, g *draw.Grid) {
	at := func(ms float64) float64 { return (ms - s.win.from()) / s.win.Step }
	own := func(x int) (f *Phase, near bool) {
		mid := float64(x) + 0.5
		for i := range d.Phases {
			from, to := at(d.Phases[i].From), at(d.Phases[i].To)
			near = near || math.Abs(mid-from) < 1e-6 || math.Abs(mid-to) < 1e-6
			if mid > from && mid < to {
				f = &d.Phases[i]
			}
		}
		return f, near
	}
	to := planOf(rowsOf(g))
	y := s.plot.Y - 1
	for _, row := range [...]bool{to.names, to.marks} {
		if row {
			y--
		}
	}
	for x := range s.win.Columns {
		text, st := g.At(s.plot.X+x/2, y)
		r := []rune(text + " ")[0]
		f, near := own(x)
		other, edge := own(x ^ 1)
		for dot := range 4 {
			set := r >= 0x2800 && draw.Dot(r, x%2, 3-dot) == r
			if want := f != nil && f.Fill.dot(x, dot); set != want && !near {
				t.Fatalf("column %d of the band, dot %d: %v, of %+v in %+v", x, dot, set, f, s.win)
			}
		}
		if f != nil && !near && !edge && st != f.Role && (other == nil || st != other.Role) {
			t.Fatalf("column %d of the band has role %d, of %+v in\n%s", x, st, f, g.Plain())
		}
	}
	if !to.names {
		return
	}
	whole, sum := 0.0, 0.0
	for i := range d.Phases {
		if f := &d.Phases[i]; f.Kind == Waiting && f.To > s.win.from() && f.From < s.win.to() {
			whole += f.Ms
		}
	}
	row := textAt(g, s.plot.X, y+1, s.plot.W)
	for i := range s.list {
		n := &s.list[i]
		want := n.Name + " " + format.Ms(n.Ms)
		if n.Kind == Paused && n.n > 1 {
			want = strconv.Itoa(n.n) + "× " + want
			if n.longest > 0 {
				want += ", longest " + format.Ms(n.longest)
			}
		}
		if n.Kind == Decoding && n.text == " "+n.Name { // there is no room for its time
			want = n.Name
		}
		if !strings.Contains(row, want) || n.To <= s.win.from() || n.From >= s.win.to() && n.n == 1 {
			t.Fatalf("%q of %+v lacks %q", row, s.win, want)
		}
		if n.Kind == Waiting {
			sum += n.Ms
		}
	}
	if math.Abs(sum-whole) > 1e-6 && s.plot.W > 40 {
		t.Fatalf("%q adds up to %v of %v ms", row, sum, whole)
	}
}

// checkWaterfall holds that every part of the wait has a row with its name, its time, and
// a bar from where it began to where it ended, to half a dot; a shorter one has its cell.
func checkWaterfall(t fataler, s *Scope, d *Data, g *draw.Grid) {
	if s.plot.H < 4 {
		return
	}
	for i := range d.Phases {
		f := &d.Phases[i]
		if f.Kind > Waiting || f.Ms == 0 {
			continue
		}
		row := 0
		for ; row < s.plot.H; row++ {
			if strings.HasPrefix(textAt(g, 0, s.plot.Y+row, s.plot.X), f.Name+" ") {
				break
			}
		}
		label := textAt(g, 0, s.plot.Y+row, s.plot.X)
		if row == s.plot.H || !strings.Contains(label, " "+format.Ms(f.Ms)) {
			t.Fatalf("%s of %s has the row %q", f.Name, format.Ms(f.Ms), label)
		}
		first, last := -1, -1
		for x := range s.win.Columns {
			text, _ := g.At(s.plot.X+x/2, s.plot.Y+row)
			r := []rune(text + " ")[0]
			for dot := range 4 {
				if r >= 0x2800 && draw.Dot(r, x%2, dot) == r {
					if last = x; first < 0 {
						first = x
					}
				}
			}
		}
		from, to := (f.From-s.win.from())/s.win.Step, (f.To-s.win.from())/s.win.Step
		if first < 0 || math.Abs(float64(first)-from) > 1.5 || math.Abs(float64(last+1)-to) > 2.5 ||
			to-from > 3 && math.Abs(float64(last+1)-to) > 1.5 {
			t.Fatalf("the bar of %s is in %d to %d, want %.2f to %.2f", f.Name, first, last+1, from, to)
		}
	}
}

// checkFit holds that the axis has the middle 98 % of the gaps, is at least a factor of
// three long, and not longer than they need.
func checkFit(t fataler, s *Scope, d *Data) {
	var gaps []float64
	for i := range d.Stream.Chunks {
		if ms, ok := d.Stream.Gap(i); ok && ms > 0 {
			gaps = append(gaps, ms)
		}
	}
	if len(gaps) < 3 {
		return
	}
	slices.Sort(gaps)
	k := int(math.Ceil(float64(len(gaps)) / 100))
	lo, hi := gaps[k], gaps[len(gaps)-1-k]
	if lo < s.y.Min*(1-1e-9) || hi > s.y.Max*(1+1e-9) || s.y.Max < 3*s.y.Min*(1-1e-9) {
		t.Fatalf("the axis has %v to %v, the middle of the gaps %v to %v", s.y.Min, s.y.Max, lo, hi)
	}
	if most := loose * max(3, 1.05*hi/lo); s.y.Max > most*s.y.Min {
		t.Fatalf("the axis has %v to %v for gaps of %v to %v", s.y.Min, s.y.Max, lo, hi)
	}
}

// checkColors holds that a dot has the color of the median of a column in its cell,
// whatever its row.
func checkColors(t fataler, s *Scope, d *Data, g *draw.Grid) {
	for x := range s.plot.W {
		for y := range s.plot.H {
			text, st := g.At(s.plot.X+x, s.plot.Y+y)
			if r := []rune(text + " ")[0]; r < 0x2800 || r > 0x28ff || !current(st) {
				continue
			}
			ok := d.Open > 0 && st == heat(d.Open)
			for _, c := range s.sweep.cols[2*x : 2*x+2] {
				ok = ok || c.known > 0 && st == heat(c.mid)
			}
			if !ok {
				t.Fatalf("cell %d, %d has role %d, its columns are %+v", x, y, st, s.sweep.cols[2*x:2*x+2])
			}
		}
	}
}

// checkNumbers holds that a number of an axis stands where its value is, and has the
// color of that.
func checkNumbers(t fataler, s *Scope, g *draw.Grid) {
	for y := range s.plot.H {
		text := strings.TrimSpace(textAt(g, s.plot.X-AxisWidth, s.plot.Y+y, AxisWidth-1))
		if text == "" {
			continue
		}
		ms := parsed(t, text)
		if row, off := s.y.Row(ms); row != y || off != 0 {
			t.Fatalf("%q stands in row %d, its value in %d", text, y, row)
		}
		if _, st := g.At(s.plot.X-3, s.plot.Y+y); st != heat(ms) {
			t.Fatalf("%q has role %d", text, st)
		}
	}
	if planOf(rowsOf(g)).foot < 2 {
		return
	}
	for x, text := range words(textAt(g, s.plot.X, s.plot.Bottom()+1, s.plot.W)) {
		if text == s.zero {
			text = "0 ms"
		}
		if ms := parsed(t, text); s.win.column(ms+math.Abs(ms)*1e-7+s.win.Step*1e-6)/2 != x {
			t.Fatalf("%q stands in column %d, its time does not", text, x)
		}
	}
}

// checkMarks holds that every cell with a gap outside the axis has a mark, no other one
// has, and that the value beside marks that touch is that of the gap farthest outside.
func checkMarks(t fataler, s *Scope, d *Data, g *draw.Grid, y int, sign string, of func(*column) (float64, bool),
	far func(a, b float64) float64) {
	want := map[int]float64{}
	for x := range s.sweep.cols {
		if ms, ok := of(&s.sweep.cols[x]); ok && s.sweep.cols[x].known > 0 {
			if was, ok := want[x/2]; ok {
				ms = far(was, ms)
			}
			want[x/2] = ms
		}
	}
	if x, ok := s.now(d); ok && sign == "▲" {
		if _, off := s.y.Dot(d.Open); off > 0 {
			want[x/2] = far(want[x/2], d.Open)
		}
	}
	row := textAt(g, s.plot.X, y, s.plot.W)
	for x, r := range []rune(row) {
		if marked := string(r) == sign; marked != (want[x] > 0) {
			t.Fatalf("cell %d of %q, want a mark: %v", x, row, want[x])
		}
	}
	value := func(x, step int) string {
		ms := want[x]
		for x += step; want[x] > 0; x += step {
			ms = far(ms, want[x])
		}
		if ms != d.Open {
			return format.Ms(ms)
		}
		num, unit := format.AppendStopwatch(nil, ms)
		return string(num) + " " + unit
	}
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune("─├┴╎", r) {
			return ' '
		}
		return r
	}, row)
	cells, most := []rune(plain), 0.0
	for _, ms := range want {
		if most == 0 || far(ms, most) == ms {
			most = ms
		}
	}
	want[-1] = most // the farthest of all also has the place of its neighbors
	farthest, found := value(-1, -1), false
	delete(want, -1)
	for x, text := range words(strings.ReplaceAll(plain, sign, " ")) {
		end := x + len([]rune(text))
		left := x >= 2 && string(cells[x-2]) == sign
		right := end+1 < len(cells) && string(cells[end+1]) == sign
		if sign == "▲" && !left && !right && strings.ContainsRune("─├", []rune(row)[x-2]) { // in the line of its gap
			for end < len(cells) && cells[end] == ' ' {
				end++
			}
			if want[end] == 0 || value(end, 1) != text && value(end, -1) != text && text != farthest {
				t.Fatalf("%q of %q stands in the line of another gap: %v", text, row, want)
			}
		} else if text != farthest && (left == right || left && value(x-2, -1) != text || right && value(end+1, 1) != text) {
			t.Fatalf("%q of %q is no value of a mark: %v", text, row, want)
		}
		found = found || text == farthest
	}
	if roomy := sign == "▲" && s.plot.W > 60 && len(want) < 8; !found && len(want) > 0 && roomy {
		t.Fatalf("%q lacks %q, the farthest outside", row, farthest)
	}
}

// rowsOf is the height of the scope in g.
func rowsOf(g *draw.Grid) int {
	_, h := g.Size()
	return h
}

// words are the texts of a row by their first column; two blanks part them.
func words(row string) map[int]string {
	found, cells := map[int]string{}, []rune(row+"  ")
	for x := 0; x < len(cells); x++ {
		if cells[x] == ' ' {
			continue
		}
		end := x
		for string(cells[end:end+2]) != "  " {
			end++
		}
		found[x] = string(cells[x:end])
		x = end
	}
	return found
}

// parsed is the time that a text says, in ms.
func parsed(t fataler, text string) float64 {
	text = strings.TrimRightFunc(text, func(r rune) bool { return r >= '⠀' && r <= '⣿' }) // the mark of its height
	num, unit, _ := strings.Cut(strings.Replace(text, "−", "-", 1), " ")
	ms, err := strconv.ParseFloat(strings.ReplaceAll(num, ",", ""), 64)
	if of := map[string]float64{"µs": 1e-3, "ms": 1, "s": 1e3, "min": 60e3, "h": 3600e3}[unit]; err == nil && of > 0 {
		return ms * of
	}
	t.Fatalf("%q is no time", text)
	return 0
}

// textAt is the text of n cells.
func textAt(g *draw.Grid, x, y, n int) string {
	var b strings.Builder
	for i := range n {
		text, _ := g.At(x+i, y)
		b.WriteString(cmp.Or(text, " "))
	}
	return b.String()
}

// TestEarlierRunsAreExact checks an earlier run and a pinned one in the same
// way, behind a stream that still waits.
func TestEarlierRunsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st := request(rapid.Float64Range(0, 500).Draw(t, "lead"), rapid.Float64Range(0.1, 900).Draw(t, "ttft"), anyGaps(t),
			metrics.Done)
		st.ID = 2
		of2 := of(&st)
		run := &metrics.Run{Stream: st, Figures: *of2.Figures}
		waiting := request(0, 0, nil, metrics.Waiting)
		d := of(&waiting)
		d.Zoom = rapid.SampledFrom([]Zoom{Auto, Follow, Whole, Around}).Draw(t, "zoom")
		d.Linear = rapid.Bool().Draw(t, "linear")
		role := themes.Faint
		if d.Past = []*metrics.Run{run}; rapid.Bool().Draw(t, "pinned") {
			d.Pinned, role = run, themes.Aggregate
		}
		var s Scope
		g := drawn(&s, d, rapid.IntRange(AxisWidth+2, 260).Draw(t, "w"), rapid.IntRange(3, 40).Draw(t, "h"))
		checkTrace(t, &s, of2, g, func(st themes.Role) bool { return st == role })
	})
}

// fataler is what the checks need of a test.
type fataler interface{ Fatalf(string, ...any) }

// checkTrace compares the dots with the gaps of the stream: the shortest and the longest
// gap of every column of dots and their median are drawn to half a dot, and nothing else
// but the stem of the gap under way.
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
	for i := range d.Stream.Chunks {
		at := (float64(d.Stream.Chunks[i].At - d.Stream.Marks.Sent)) / 1e6
		x := int(math.Floor((at-s.win.Origin)/s.win.Step)) - s.win.First
		if x < 0 || x >= s.win.Columns {
			continue
		}
		if i > 0 && d.Stream.Chunks[i].Read != d.Stream.Chunks[i-1].Read {
			columns[x] = append(columns[x], float64(d.Stream.Chunks[i].At-d.Stream.Chunks[i-1].At)/1e6)
		}
	}
	stem, _ := s.now(d)
	dots, marks := dotsOf(s, g, some)
	for x, gaps := range columns {
		got := dots[x]
		switch {
		case marks[x], d.Open > 0 && x/2 == stem/2: // its cells at the edge hold the mark
			continue
		case len(gaps) == 0 && len(got) > 0:
			t.Fatalf("column %d has no known gap, but the dots %v", x, got)
		case len(gaps) == 0, outside(s.y, gaps) && len(got) == 0:
			continue
		case outside(s.y, gaps):
			t.Fatalf("column %d has the gaps %v outside the axis, but the dots %v", x, gaps, got)
		case len(got) == 0:
			t.Fatalf("column %d has the gaps %v, but no dot", x, gaps)
		}
		slices.Sort(gaps)
		low, mid, high := gaps[0], stats.Quantile(gaps, 0.5), gaps[len(gaps)-1]
		if !near(got[0], low) || !near(got[len(got)-1], high) {
			t.Fatalf("column %d of %+v: dots %v, gaps %v: want %.2f to %.2f", x, s.y, got, gaps, height(low), height(high))
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
				dot := math.Floor(2 + f*float64(4*s.plot.H-4))
				if dot < 0 || dot >= float64(4*s.plot.H) {
					continue // it has a mark
				}
				row := int(dot) / 4
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
			want := 2 * float64(max((dist.W-2)/2, 1)) * float64(n) / float64(max(most, 1))
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
		zoom, w, h := Zoom(rapid.IntRange(0, int(Around)).Draw(t, "zoom")), rapid.IntRange(20, 200).Draw(t, "w"),
			rapid.IntRange(3, 30).Draw(t, "h")
		var s Scope
		for n := 0; n < len(chunks); {
			n = min(n+rapid.IntRange(1, 30).Draw(t, "more"), len(chunks))
			st.Chunks, st.Now = chunks[:n], chunks[n-1].At
			d := of(&st)
			d.Zoom = zoom
			got := drawn(&s, d, w, h)
			fresh := Scope{pace: s.pace, ranges: ranges{lo: s.ranges.lo, hi: s.ranges.hi}}
			if want := drawn(&fresh, d, w, h); got.Plain() != want.Plain() {
				t.Fatalf("with %d chunks, in steps:\n%s\nat once:\n%s", n, got.Plain(), want.Plain())
			}
		}
	})
}

// TestAnyStreamIsDrawn draws streams whose stamps and marks make no sense.
func TestAnyStreamIsDrawn(t *testing.T) {
	stamp := rapid.OneOf(rapid.Just(metrics.NoStamp), rapid.Just(metrics.Stamp(math.MaxInt64)),
		rapid.Map(rapid.Int64(), func(n int64) metrics.Stamp { return metrics.Stamp(n) }),
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
			d.Now, d.Zoom, d.Linear = stamp.Draw(t, "now"), Zoom(rapid.IntRange(0, int(Around)).Draw(t, "zoom")),
				rapid.Bool().Draw(t, "linear")
			d.Cursor = rapid.IntRange(-2, len(st.Chunks)+1).Draw(t, "cursor")
			d.Open = rapid.SampledFrom([]float64{0, -1, 5, 1e12, math.Inf(1), math.NaN()}).Draw(t, "open")
			from, to := rapid.Float64().Draw(t, "from"), rapid.Float64().Draw(t, "to")
			d.Phases = []Phase{{"odd", from, to, to - from, Kind(rapid.IntRange(0, int(Tool)).Draw(t, "kind")),
				rapid.Bool().Draw(t, "running"), themes.Text, Sparse}}
			w, h := rapid.IntRange(0, 200).Draw(t, "w"), rapid.IntRange(0, 40).Draw(t, "h")
			drawn(&s, d, w, h)
			for range 3 {
				if i, ok := s.ChunkAt(&st, rapid.IntRange(-1, w).Draw(t, "x"), rapid.IntRange(-1, h).Draw(t, "y")); ok &&
					i >= len(st.Chunks) {
					t.Fatalf("chunk %d of %d", i, len(st.Chunks))
				}
			}
		}
	})
}
