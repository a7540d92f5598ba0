package live

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/ui/draw"
	"tokscope/ui/sanitize"
	"tokscope/ui/screen"
	"tokscope/ui/uitest/golden"
)

// anyView draws an arbitrary view: random chunks of hostile text, marks in
// any order, figures of any stream.
func anyView(t *rapid.T) *View {
	stamp := rapid.Custom(func(t *rapid.T) metrics.Stamp {
		if rapid.IntRange(0, 4).Draw(t, "none") == 0 {
			return metrics.NoStamp
		}
		return metrics.Stamp(rapid.Int64Range(-1e9, 200e9).Draw(t, "stamp"))
	})
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{" ", "\n", "word ", "汉字", "e\u0301\u0302", "👩‍👧",
		"\x1b]8;;", "\t", "ก็", strings.Repeat("x", 300)}))
	s := metrics.Stream{ID: rapid.IntRange(0, 9).Draw(t, "id"),
		State: metrics.State(rapid.IntRange(0, 7).Draw(t, "state")), Marks: metrics.NewMarks(), LiveTokens: -1,
		Usage: metrics.NoUsage(), Finish: text.Draw(t, "finish")}
	for _, m := range []*metrics.Stamp{&s.Marks.Start, &s.Marks.GotConn, &s.Marks.Sent, &s.Marks.Headers, &s.Marks.End,
		&s.LastData, &s.DataDeadline} {
		*m = stamp.Draw(t, "mark")
	}
	at := metrics.Stamp(0)
	for range rapid.IntRange(0, 60).Draw(t, "chunks") {
		at += metrics.Stamp(rapid.Int64Range(-1e6, 3e9).Draw(t, "gap"))
		s.Text = append(s.Text, text.Draw(t, "text")...)
		s.Chunks = append(s.Chunks, metrics.Chunk{At: at, Read: int32(rapid.IntRange(0, 5).Draw(t, "read")),
			TextEnd: int32(len(s.Text)),
			Kind:    metrics.Kind(rapid.IntRange(0, 3).Draw(t, "kind")), Choice: uint8(rapid.IntRange(0, 1).Draw(t, "choice")),
			Tokens: -1})
	}
	if s.State >= metrics.Failed {
		s.Fault = &metrics.Fault{Message: text.Draw(t, "message"), Next: text.Draw(t, "next"), Body: text.Draw(t, "body")}
	}
	for range rapid.IntRange(0, 3).Draw(t, "server") {
		s.Server = append(s.Server, metrics.ServerTime{Name: text.Draw(t, "name"),
			D: time.Duration(rapid.Int64Range(-1e9, 1e12).Draw(t, "d"))})
	}
	s.Progress = metrics.Progress{Total: rapid.IntRange(-1, 9).Draw(t, "total"), Processed: rapid.IntRange(-5, 20).Draw(t,
		"processed")}
	s.Work.Prompt = text.Draw(t, "prompt")
	v := &View{Stream: s, Now: metrics.Stamp(rapid.Int64Range(-1e9, 300e9).Draw(t, "now")), Frozen: rapid.Bool().Draw(t,
		"frozen"),
		Look: screen.Look{Definitions: rapid.IntRange(0, 5).Draw(t, "defs") == 0,
			Units: rapid.SampledFrom(append(Units, "")).Draw(t, "units"), ReducedMotion: rapid.Bool().Draw(t, "reduced")}}
	v.Figures = metrics.Measure(&s, metrics.Options{})
	for range rapid.IntRange(0, 3).Draw(t, "runs") {
		v.Runs = append(v.Runs, metrics.Run{Stream: s, Figures: v.Figures})
	}
	return v
}

// TestDrawStaysInside draws any view at any size and scroll position. Nothing
// panics, nothing outside the rectangle is touched, and every cell inside is
// covered.
func TestDrawStaysInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newPicture()
		g := draw.New(rapid.IntRange(0, 210).Draw(t, "w"), rapid.IntRange(0, 60).Draw(t, "h"))
		for range rapid.IntRange(1, 3).Draw(t, "frames") {
			v := anyView(t)
			w, h := g.Size()
			r := draw.Rect{X: rapid.IntRange(0, 3).Draw(t, "x"), Y: rapid.IntRange(0, 3).Draw(t, "y"),
				W: rapid.IntRange(-1, w).Draw(t, "rw"), H: rapid.IntRange(-1, h).Draw(t, "rh")}
			golden.Inside(t, g, r, false, func() { s.Draw(g, r, v) })
			switch rapid.IntRange(0, 8).Draw(t, "move") {
			case 5:
				s.MoveCursor(&v.Stream, rapid.IntRange(-9, 9).Draw(t, "cursor"))
			case 6:
				s.PointAt(&v.Stream, rapid.SampledFrom([]draw.Target{onScope, onText}).Draw(t, "target"),
					rapid.IntRange(-1, w).Draw(t, "px"), rapid.IntRange(-1, h).Draw(t, "py"))
			case 7:
				s.scope.nextZoom(rapid.Bool().Draw(t, "ended"))
				s.scope.linear = rapid.Bool().Draw(t, "linear")
			case 8:
				if v.Pinned = nil; len(v.Runs) > 0 && rapid.Bool().Draw(t, "pinned") {
					v.Pinned = &v.Runs[len(v.Runs)-1]
				}
			case 0:
				s.Move(rapid.IntRange(-99, 99).Draw(t, "lines"))
			case 1:
				s.Page(rapid.IntRange(-3, 3).Draw(t, "pages"))
			case 2:
				s.Edge(-1)
			case 3:
				s.Edge(1)
			}
			s.Animating(v)
		}
	})
}

// TestWrapIsAppendOnly checks that text in pieces, cut even inside a
// character, is laid out as if it came at once. Complete rows never change.
func TestWrapIsAppendOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "of", "token ", " ", "\n", "weights", "汉",
			"字、", "e\u0301", "\t", "é", "👍🏽", "\xff", "स\u094d", "त\u094d", "री", "\u1112", "\u1161", "👩\u200d", "बा"}), 0,
			80).Draw(t, "text"), ""))
		width := rapid.IntRange(1, 30).Draw(t, "width")
		whole := metrics.Stream{ID: 1, State: metrics.Done, Text: text, Chunks: []metrics.Chunk{{TextEnd: int32(len(text))}}}
		var want lines
		want.update(&whole, width)

		part := metrics.Stream{ID: 1, State: metrics.Decoding}
		var got lines
		var seen []string
		for at := 0; at < len(text); {
			at = min(at+rapid.IntRange(1, 9).Draw(t, "piece"), len(text))
			part.Text = text[:at]
			part.Chunks = append(part.Chunks, metrics.Chunk{TextEnd: int32(at)})
			got.update(&part, width)
			for i, row := range seen {
				now := got.row(i)
				testkit.Given(t, strings.HasPrefix(now, row), "row %d was %q and became %q", i, row, now)
			}
			seen = seen[:0]
			for i := range got.spans {
				seen = append(seen, got.row(i))
			}
		}
		part.State = metrics.Done
		got.update(&part, width)
		testkit.Need(t, got.all(), want.all(), "in pieces")
		for i := range got.rows() {
			if w := draw.Width(got.row(i)); w > width && draw.LastCluster(got.row(i)) < len(got.row(i)) {
				t.Fatalf("row %q is %d columns wide, more than %d", got.row(i), w, width)
			}
		}
		if n := len(got.chunkEnds); n > 0 && int(got.chunkEnds[n-1]) != got.text.Len() {
			t.Fatalf("the last chunk ends at %d of %d", got.chunkEnds[n-1], got.text.Len())
		}
		a := strings.Map(noBlank, got.all())
		testkit.Given(t, a == strings.Map(noBlank, sanitize.Block(string(text))), "text lost: %q of %q", a, text)
	})
}

func (t *lines) row(i int) string {
	r := t.at(i)
	return t.text.String()[r.from:r.to]
}

func (t *lines) all() string {
	var rows []string
	for i := range t.rows() {
		rows = append(rows, t.row(i))
	}
	return strings.Join(rows, "\n")
}

func noBlank(r rune) rune {
	if r == ' ' || r == '\n' {
		return -1
	}
	return r
}

// TestNothingJumps checks that labels keep their places, whatever the numbers
// beside them.
func TestNothingJumps(t *testing.T) {
	labels := []string{"TTFT", "TPOT", "speed", "tokens  ", "longest", "10 s", "100 ms", "0.1 ms", "reading", "session",
		"runs "}
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom(sizes).Draw(t, "size")
		v := scene(rapid.SampledFrom([]string{"waiting", "decoding", "done", "truncated"}).Draw(t, "scene"))
		want := places(frame(v, size[0], size[1]), labels)
		number := func(m *metrics.Value) {
			if m.OK {
				m.V = rapid.SampledFrom([]float64{0, 0.004, 0.5, 9.96, 41, 999.6, 1234, 12345, 99999}).Draw(t, "number")
			}
		}
		f := &v.Figures
		for _, m := range []*metrics.Value{&f.TTFT, &f.TPOT, &f.Speed, &f.Tokens, &f.Longest, &f.WPM, &f.TimesReading,
			&f.Gaps.P50, &f.Gaps.P95, &f.Gaps.P99, &f.ITL.P99, &f.LiveSpeed, &f.ChunkSpeed} {
			number(m)
		}
		v.Observer.LateP99 = time.Duration(rapid.Int64Range(0, 900e3).Draw(t, "late"))
		testkit.Need(t, places(frame(v, size[0], size[1]), labels), want, "labels moved")
	})
}

// places lists the first place of each label in the part of the screen
// without the model's text.
func places(g *draw.Grid, labels []string) string {
	var b strings.Builder
	rows := strings.Split(g.Plain(), "\n")
	for _, label := range labels {
		for y, row := range rows {
			if i := strings.Index(row, label); i >= 0 {
				b.WriteString(label + "@" + strconv.Itoa(draw.Width(row[:i])) + "," + strconv.Itoa(y) + " ")
				break
			}
		}
	}
	return b.String()
}

// A place in a text is never within a character: what is drawn from there would begin
// with a mark.
func TestPlacesAreWhole(t *testing.T) {
	for _, text := range []string{"नमस्ते स्त्री", "मि के", "a👩\u200d👧b", "\u1112\u1161\u11ab e\u0301x"} {
		s := metrics.Stream{ID: 1, Text: []byte(text), Chunks: []metrics.Chunk{{TextEnd: int32(len(text))}}}
		var l lines
		l.update(&s, 40)
		whole := map[int32]bool{}
		for at := 0; at < len(text); {
			whole[int32(at)] = true
			n, _ := draw.Cluster(text[at:])
			at += n
		}
		for at := range len(text) {
			p := l.place(&s, at)
			testkit.That(t, whole[p] && p <= int32(at), "byte %d of %q is at %d", at, text, p)
		}
	}
}

// A text at the bound of an answer takes at most five times its size in all the memory
// that it and its many short rows were ever in.
func TestALargeTextMovesOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: two texts of 62 MB")
	}
	whole := 62e6
	text := []byte(strings.Repeat("lorem ipsum dolor sit amet consectetur\n", int(whole)/39+1))
	for _, piece := range []int{900, 1 << 20} {
		s := metrics.Stream{ID: 1, State: metrics.Decoding}
		var l lines
		took := float64(testkit.Allocated(func() {
			for end := 0; end < len(text); {
				end = min(end+piece, len(text))
				s.Text = text[:end]
				s.Chunks = append(s.Chunks, metrics.Chunk{TextEnd: int32(end)})
				l.update(&s, 60)
			}
		}))
		if took > 5*whole || l.text.Len() < len(text) {
			t.Errorf("in pieces of %d: %.1f bytes each, more than 5", piece, took/whole)
		}
	}
}
