package live

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/chart/scope"
	"tokscope/ui/draw"
	"tokscope/ui/screen"
)

// drawnBy draws v with s on a terminal of w by h.
func drawnBy(s *picture, v *View, w, h int) *draw.Grid {
	g := draw.New(w-1, h-2)
	s.Draw(g, g.Bounds(), v)
	return g
}

// lit is the text that the cursor lights up.
func lit(g *draw.Grid, r draw.Rect) string {
	var b strings.Builder
	for y := r.Y; y < r.Bottom(); y++ {
		for x := r.X; x < r.Right(); x++ {
			if text, st := g.At(x, y); st == themes.Badge {
				b.WriteString(text)
			}
		}
	}
	return b.String()
}

// TestCursorLinksTextAndScope moves the cursor over every chunk. Its word lights
// up in the text, its cell in the scope, and the line says its gap. A click on
// the word and one on the cell find the same chunk.
func TestCursorLinksTextAndScope(t *testing.T) {
	v := layOut("reused", "prefill 90ms", "30 x 40ms", "stall 900ms", "20 x 60ms", "done").view(-1)
	st := &v.Stream
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		s := newPicture()
		drawnBy(s, v, size[0], size[1])
		for i := len(st.Chunks) - 1; i >= 0; i-- {
			s.MoveCursor(st, -1)
			g := drawnBy(s, v, size[0], size[1])
			if got, want := strings.TrimSpace(lit(g, s.body.area)), strings.TrimSpace(string(st.ChunkText(i))); got != want {
				t.Fatalf("%v, chunk %d: %q is lit, want %q\n%s", size, i, got, want, g.Plain())
			}
			area := s.scope.scope.Area()
			area.Y, area.H = area.Y-1, area.H+2 // what lies outside is marked at the edges
			n := len([]rune(lit(g, area)))
			testkit.That(t, n == 1 || i <= 0, "%v, chunk %d: %d cells of the scope are marked", size, i, n)
			if ms, ok := st.Gap(i); ok {
				find(t, g, (&canvas{}).Ms(ms)+" after ")
			}
			for y := range size[1] {
				for x := range size[0] {
					if _, role := g.At(x, y); role == themes.Badge && s.body.area.Contains(x, y) {
						s.PointAt(st, onText, x, y)
					}
				}
			}
			testkit.Is(t, s.scope.cursor, i, size, "a click on the word of chunk … finds")
		}
		s.MoveCursor(st, 1-len(st.Chunks)) // stays at the first chunk
		testkit.Is(t, s.scope.cursor, 0, "to the left of the first chunk")
		s.MoveCursor(st, 5)
		if s.Edge(-1); s.scope.cursor != 0 || s.body.at.top != 0 {
			t.Errorf("home leads to chunk %d, row %d", s.scope.cursor, s.body.at.top)
		}
		s.MoveCursor(st, len(st.Chunks))
		testkit.That(t, s.scope.cursor == -1 && s.body.follow, "beyond the last chunk is %d", s.scope.cursor)
	}
}

// TestCursorSaysWhatTheChunkWas checks the facts of one chunk of each kind, and that the
// cursor on a gap says what the socket counted in it, and in no other.
func TestCursorSaysWhatTheChunkWas(t *testing.T) {
	counted := with("done", func(v *View) {
		v.Stream.Chunks = slices.Clone(v.Stream.Chunks)
		v.Stream.Chunks[9].Tokens, v.Stream.Chunks[9].Kernel = 2, false
	})
	path := withPath(layOut("reused", "prefill 90ms", "30 x 40ms", "stall 700ms", "20 x 60ms", "done").view(-1),
		func(p *metrics.Path) {
			p.Gaps = []metrics.PathGap{{Chunk: 31, Ms: 700, Usual: 40, RTT: 12, Segments: 1, Together: 1, Counted: true}}
		})
	const boxed = "100x30 120x40 200x50 300x80"
	for _, c := range []struct {
		view   *View
		cursor int
		sizes  string
		words  []string
	}{
		{scene("done"), 0, "120x40", []string{"the first chunk, 41.0 ms after sent", "180 B, read ", "kernel stamp"}},
		{scene("done"), 61, "120x40", []string{"31.0 ms after chunk 61, 492 ms after sent"}},
		{scene("done"), 103, "120x40", []string{"gap unknown: in one read with 103"}},
		{counted, 9, "120x40", []string{"2 tokens, user stamp"}},
		{counted, 9, "40x12", []string{"chunk 10 "}},
		{with("done", func(v *View) { v.Glyphs = themes.ASCIIGlyphs() }), 9, "120x40", []string{"chunk 10 \"", "not:“"}},
		{path, 31, boxed, []string{"the server or a proxy paused"}},
		{path, 34, boxed, []string{"not:out of order: sent late"}},
	} {
		for _, size := range at(c.sizes) {
			s := newPicture()
			drawnBy(s, c.view, size[0], size[1])
			s.setCursor(c.cursor)
			says(t, fmt.Sprint("chunk ", c.cursor, " at ", size), drawnBy(s, c.view, size[0], size[1]), c.words...)
		}
	}
}

// TestTheCauseOfAPauseIsNotCut holds that the box of a chunk says less where it is narrow,
// whatever the socket counted, and cuts nothing.
func TestTheCauseOfAPauseIsNotCut(t *testing.T) {
	for cause, gap := range map[string]metrics.PathGap{
		"the server or a proxy paused": {Usual: 40, Segments: 1, Together: 1},
		"the server or a proxy held":   {Usual: 40, Segments: 1, Together: 31},
		"lost or reordered packets":    {Usual: 40, Segments: 40, OutOfOrder: 31, Together: 12},
		"perhaps a lost last packet":   {Usual: 40, RTT: 100, Segments: 1, Together: 1},
		"no sign of loss":              {Segments: 1, Together: 1},
	} {
		gap.Chunk, gap.Ms, gap.Counted = 31, 700, true
		v := withPath(layOut("reused", "prefill 90ms", "30 x 40ms", "stall 700ms", "20 x 60ms", "done").view(-1),
			func(p *metrics.Path) { p.Gaps = []metrics.PathGap{gap} })
		for w := besideW + 1; w <= 200; w += 11 {
			for _, h := range []int{34, 40, 50} {
				s := newPicture()
				drawnBy(s, v, w, h)
				s.setCursor(31)
				g := drawnBy(s, v, w, h)
				x, y, _ := find(t, g, "╭ chunk 32")
				box := ""
				for row := y + 1; row < h-3; row++ {
					for col := x; col < w-1; col++ {
						text, _ := g.At(col, row)
						box += text
					}
					box += "\n"
				}
				text := strings.Join(strings.Fields(strings.ReplaceAll(box, "│", " ")), " ")
				testkit.That(t, !strings.Contains(box, "…") && strings.Contains(text, cause),
					"%dx%d, the box cuts %q, or lacks it:\n%s", w, h, cause, box)
			}
		}
	}
}

// TestZoomGoesThroughItsWindows checks the order of the windows, and that a new
// stream is followed again.
func TestZoomGoesThroughItsWindows(t *testing.T) {
	v := scene("decoding")
	s := newPicture()
	for _, want := range []string{"follow", "whole run", "wait", "close-up", "follow"} {
		find(t, drawnBy(s, v, 120, 40), "scope ─ "+want+" ─")
		s.scope.nextZoom(false)
	}
	v = scene("done")
	s = newPicture()
	for _, want := range []string{"whole run", "wait", "close-up", "whole run"} {
		find(t, drawnBy(s, v, 120, 40), "scope ─ "+want+" ─")
		s.scope.nextZoom(true)
	}
	v = scene("decoding")
	v.Stream.ID++
	find(t, drawnBy(s, v, 120, 40), "scope ─ follow ─")
	s.scope.linear = true
	find(t, drawnBy(s, v, 120, 40), "scope ─ follow ─ linear")
	testkit.Is(t, s.scope.zoom, scope.Auto, "the zoom")
}

// TestPinShowsDifferences pins the first of two runs. The next one is shown with
// its differences, and the list marks the reference.
func TestPinShowsDifferences(t *testing.T) {
	v := layOut("reused", "prefill 54ms", "100 x 10ms", "done").view(-1)
	v.Stream.ID = 4
	s := newPicture()
	v.Pinned = &v.Runs[0]
	ref := &v.Runs[0].Figures
	g := drawnBy(s, v, 120, 40)
	find(t, g, "vs #1 +8.00 ms")
	find(t, g, "+3.00 ms")
	find(t, g, "pinned #1")
	find(t, drawnBy(s, v, 120, 48), " 1=")
	if f := &v.Figures; f.TTFT.V-ref.TTFT.V != 8 || f.TPOT.V-ref.TPOT.V != 3 {
		t.Errorf("TTFT %v less %v, TPOT %v less %v", f.TTFT.V, ref.TTFT.V, f.TPOT.V, ref.TPOT.V)
	}
	find(t, drawnBy(s, v, 80, 24), "run 4 vs #1:  TTFT +8.00 ms  TPOT +3.00 ms  speed −42.9 tok/s")
	v.Figures.TPOT = metrics.Unknown(metrics.WhyNoTokens)
	find(t, drawnBy(s, v, 80, 24), "TPOT –")
	v.Pinned = nil
	testkit.Lacks(t, drawnBy(s, v, 120, 40).Plain(), "vs #")
}

// TestTheCursorFollowsTheMouse presses on the scope and drags: the cursor goes
// along. A press on a word does the same in the text.
func TestTheCursorFollowsTheMouse(t *testing.T) {
	view := layOut("reused", "prefill 90ms", "50 x 40ms", "done").view(-1)
	v := onRuns(&sessionBackend{runs: view.Runs}, &screen.Look{Glyphs: themes.UnicodeGlyphs()})
	v.view = *view
	g := drawnBy(v.pic, &v.view, 120, 40)
	at := v.pic.scope.scope.Area()
	press := func(x, y int) {
		_, held := v.Click(g.TargetAt(x, y), tea.Mouse{X: x, Y: y})
		testkit.Given(t, held, "the mouse is not followed from %d,%d", x, y)
	}
	press(at.X+at.W/4, at.Y+5)
	first := v.pic.scope.cursor
	v.Update(screen.Pointer{Held: true, X: at.X + at.W/2, Y: at.Y + 5})
	second := v.pic.scope.cursor
	testkit.That(t, first >= 5 && second > first+5, "pressed on chunk %d, dragged to %d", first, second)
	x, y, _ := find(t, g, "prefill: ")
	press(x+1, y)
	testkit.Is(t, string(v.view.Stream.ChunkText(v.pic.scope.cursor)), "prefill: ", "the word under the mouse")
}

// withPath is a path of 12 ms with what f adds.
func withPath(v *View, f func(p *metrics.Path)) *View {
	p := &metrics.Path{Source: metrics.PathTCPInfo, RTT: 12 * time.Millisecond, Segments: 90, Acked: metrics.NoStamp}
	f(p)
	v.Stream.Path = p
	v.Figures = metrics.Measure(&v.Stream, metrics.Options{})
	return v
}

// TestTheCursorIsSeenFromTheWait holds that a cursor that is moved in the zoom of the wait
// is on the screen: the scope goes on to the chunks around it.
func TestTheCursorIsSeenFromTheWait(t *testing.T) {
	v := scene("done")
	s := newPicture()
	drawnBy(s, v, 120, 40)
	s.scope.zoom = scope.Wait
	find(t, drawnBy(s, v, 120, 40), "first token")
	s.MoveCursor(&v.Stream, -1)
	g := drawnBy(s, v, 120, 40)
	find(t, g, "scope ─ close-up ─")
	if lit(g, s.scope.scope.Area()) == "" {
		t.Errorf("no cell is marked:\n%s", g.Plain())
	}
}
