package live

import (
	"fmt"
	"math"
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
	"tokscope/ui/keys"
	"tokscope/ui/screen"
)

// TestTheReadersWordIsWhole checks that a word in two chunks is one word in
// the text and in the line below it.
func TestTheReadersWordIsWhole(t *testing.T) {
	for _, c := range []struct{ text, at, want string }{
		{"all of them through its layers", "thro", "through"},
		{"it reads. Then", "reads", "reads"},
		{"日本語の文", "日", "日"},
		{"the end", "end", "end"},
	} {
		var l lines
		l.reset(1, 40)
		l.text.WriteString(c.text)
		from := strings.Index(c.text, c.at)
		to := l.wordEnd(int32(from + len(c.at)))
		got := c.text[from:to]
		testkit.That(t, got == c.want, "%q of %q goes on to %q, not %q", c.at, c.text, got, c.want)
	}
}

// TestADoubtIsSaidOnce checks that the text panel does not repeat a doubt that
// the sentence on top names, and names what that sentence has no room for.
func TestADoubtIsSaidOnce(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {100, 30}, {120, 40}, {200, 50}} {
		v := scene("done")
		v.Figures.Suspect = []metrics.Suspicion{{Code: metrics.SuspectMultiToken, Ratio: 2.76}, {Code: metrics.SuspectCached,
			N: 30, Of: 38}}
		g := frame(v, size[0], size[1]).Plain()
		for _, doubt := range [...]struct{ top, note string }{{"2.76 tokens a chunk", "a chunk carries 2.76 tokens"},
			{"rompt partly from a cache", "prompt tokens came from the server's cache"}} {
			top, rest, _ := strings.Cut(g, "\n")
			named := strings.Contains(top, doubt.top) || strings.Contains(top, doubt.note)
			if noted := strings.Contains(rest, doubt.note) || strings.Contains(rest, "! "+doubt.top); noted && named {
				t.Errorf("%v: %q is said twice:\n%s", size, doubt.top, g)
			} else if !noted && !named && !strings.Contains(g, "more)") {
				t.Errorf("%v: %q is not said:\n%s", size, doubt.top, g)
			}
		}
	}
}

// TestBigFiguresKeepTheirDigits checks that the big figure matches the table
// and the title.
func TestBigFiguresKeepTheirDigits(t *testing.T) {
	v := scene("done")
	p := &newPicture().canvas
	p.Begin(frame(v, 120, 40), v.Glyphs)
	p.see(v, newPicture())
	room := figureColumns(nowWidth(draw.Rect{W: wideW, H: tallH}) - 4)
	for _, num := range []string{"0.61", "1.40", "12.4"} {
		if got := p.shorter(num, room[0]-figureGap); got != num {
			t.Errorf("%s is shown as %s in %d columns", num, got, room[0])
		}
	}
}

// TestCountsRunWithTheText checks that between two looks at the figures every count of
// chunks is that of the text on the screen.
func TestCountsRunWithTheText(t *testing.T) {
	sc := layOut("reused", "think", "prefill 220ms", "60 x 30ms", "done")
	v := sc.view(700 * time.Millisecond)
	later := sc.view(900 * time.Millisecond)
	n := len(later.Stream.Chunks)
	if later.Figures = v.Figures; n <= v.Figures.Chunks {
		t.Fatal("nothing came between the counts")
	}
	g := frame(later, 200, 50)
	for _, text := range []string{"─ %d chunks ─", "reasoning  from 220 ms for 660 ms · %d chunks", "chunks  %d"} {
		find(t, g, fmt.Sprintf(text, n))
	}
	counted := func(v *View) {
		v.Stream.Chunks = slices.Clone(v.Stream.Chunks)
		for i := range v.Stream.Chunks {
			v.Stream.Chunks[i].Tokens = 2
		}
		v.Stream.TokensFrom = metrics.TokensIDs
	}
	counted(v)
	counted(later)
	later.Figures = measured(v).Figures
	g = frame(later, 200, 50)
	find(t, g, fmt.Sprintf("─ %d/400 tokens ─", 2*n))
	find(t, g, fmt.Sprintf("tokens  %d", 2*n))
}

// TestBigFiguresAreApart checks that two big figures beside each other do not
// read as one number: figureGap columns separate them.
func TestBigFiguresAreApart(t *testing.T) {
	for _, size := range [][2]int{{100, 30}, {120, 40}, {200, 50}} {
		v := scene("done")
		v.Figures.TTFT, v.Figures.TPOT, v.Figures.Speed = metrics.Known(20_940, 1), metrics.Known(7.15, 100),
			metrics.Known(76.7, 100)
		g := frame(v, size[0], size[1])
		x0, y, _ := find(t, g, "TPOT ")
		x1, _, _ := find(t, g, "speed tok/s")
		blank := 0
		for x := x0; x < x1; x++ {
			free := true
			for row := y + 1; row <= y+3; row++ {
				if text, _ := g.At(x, row); text != " " && text != "" {
					free = false
				}
			}
			if blank++; !free {
				blank = 0
			}
		}
		if blank < figureGap {
			t.Errorf("%v: %d columns between the figures:\n%s", size, blank, g.Plain())
		}
	}
}

// TestCaptionsAreRead: every caption fits one row at 80x24 and at 120x40, and
// none stays for less than the time to read it twice at 200 words a minute.
func TestCaptionsAreRead(t *testing.T) {
	for i, c := range captions {
		for _, size := range [][2]int{{80, 24}, {120, 40}} {
			v := scene("decoding")
			v.Message = c.text
			find(t, frame(v, size[0], size[1]), c.text)
		}
		if i+1 < len(captions) && captions[i+1].run == c.run {
			words := len(strings.Fields(c.text))
			stays := captions[i+1].after - c.after
			testkit.That(t, stays.Seconds() >= float64(words)/200*60, "%q stays %v", c.text, stays)
		}
	}
	v := scene("done")
	v.Message = lastCaption
	find(t, frame(v, 80, 24), lastCaption)
	w := draw.Width(lastCaption)
	testkit.That(t, w <= 62, "the last caption has %d columns", w)
}

// Calls of functions are drawn as name(arguments), one a line, however they are
// cut, and the parenthesis of the last one closes with the part.
func TestCallsOfFunctions(t *testing.T) {
	var s metrics.Stream
	s.ID, s.State = 1, metrics.Decoding
	add := func(k metrics.Kind, name, text string) {
		s.Text = append(s.Text, name+text...)
		s.Chunks = append(s.Chunks, metrics.Chunk{Kind: k, Name: uint16(len(name)), TextEnd: int32(len(s.Text))})
	}
	var l lines
	check := func(want string) {
		t.Helper()
		l.update(&s, 60)
		testkit.Is(t, l.text.String(), want)
	}
	add(metrics.ToolCall, "weather", "")
	check("weather(")
	add(metrics.ToolCall, "", `{"city":`)
	add(metrics.ToolCall, "", `"Oslo"}`)
	check(`weather({"city":"Oslo"}`)
	add(metrics.ToolCall, "clock", `{"tz":"CET"}`)
	check("weather({\"city\":\"Oslo\"})\nclock({\"tz\":\"CET\"}")
	add(metrics.Content, "", "That is all.")
	check("weather({\"city\":\"Oslo\"})\nclock({\"tz\":\"CET\"})That is all.")
	add(metrics.ToolCall, "bye", "")
	s.State = metrics.Done
	check("weather({\"city\":\"Oslo\"})\nclock({\"tz\":\"CET\"})That is all.bye()")
	n := l.parts[0]
	testkit.That(t, n.first == 0 && n.last == 3, "the first part has chunks %d to %d, want 0 to 3", n.first, n.last)
	testkit.Is(t, l.chunkEnds[len(l.chunkEnds)-1], l.len(), "the last chunk ends at")
}

// TestHiddenThinkingIsSaid: while a model thinks and shows nothing, the wait says so, with
// the server's estimate.
func TestHiddenThinkingIsSaid(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		v := scene("waiting")
		v.Stream.State, v.Stream.Thinking = metrics.Decoding, 1240
		v.Stream.Text = nil
		at := func(ago metrics.Stamp, read int32) metrics.Chunk {
			return metrics.Chunk{At: v.Now - ago, User: v.Now - ago, Read: read, Kind: metrics.Reasoning, Tokens: 620}
		}
		v.Stream.Chunks = []metrics.Chunk{at(1e8, 1), at(5e7, 2)}
		v.Stream.LastData, v.Stream.Marks.Headers = v.Now-5e7, v.Stream.Marks.Sent+1e6
		measured(v)
		ms, ok := v.Stream.Gap(1)
		testkit.That(t, !ok, "a gap of %v ms between estimates", ms)
		says(t, fmt.Sprint(size), frame(v, size[0], size[1]), "▸ thinking                 100 ms", "reasoning 100 ms",
			"about 1,240 tokens", "not:decode")
	}
}

// TestAToolHasItsOwnPattern: the work of a tool is drawn as no other phase, without color too,
// what overlaps counts once, and the phases still add up.
func TestAToolHasItsOwnPattern(t *testing.T) {
	v := layOut("reused", "prefill 500ms", "60 x 20ms", "stall 4s", "60 x 20ms", "done").view(-1)
	last := v.Stream.Chunks[59].At
	v.Stream.Waits = []metrics.Wait{{Name: "web_search", From: last + 1e6, To: last + 3e9},
		{Name: "code", From: last + 2e9, To: last + 3500e6}}
	measured(v).Findings = conclude(v)
	says(t, "two tools", frame(v, 200, 50), "2 tools of the server ran for 3.50 s", "⠤ web_search 3.00 s",
		"⠤ code 500 ms", "not:paused")
	s := newPicture()
	drawnBy(s, v, 120, 40)
	sum := 0.0
	for _, f := range s.scope.list {
		for _, x := range s.scope.list {
			testkit.That(t, (f.Kind == scope.Tool) == (x.Kind == scope.Tool) || f.Fill != x.Fill && f.Role != x.Role,
				"%s looks like %s", f.Name, x.Name)
		}
		if f.Kind >= scope.Waiting {
			sum += f.Ms
		}
	}
	want := float64(v.Stream.Chunks[len(v.Stream.Chunks)-1].At-v.Stream.Marks.Sent) / 1e6
	testkit.That(t, math.Abs(sum-want) <= 1e-6, "the phases add up to %v of %v ms", sum, want)
}

// TestTheClocksAgree holds that the running clock of the row is that of the
// figures in every frame of a wait, whenever the figures were computed.
func TestTheClocksAgree(t *testing.T) {
	sc := layOut("reused", "prefill 12s")
	b := &sessionBackend{runs: make([]metrics.Run, 1)}
	v := onRuns(b, &screen.Look{Glyphs: themes.UnicodeGlyphs()})
	v.view.Max = NoPanel
	for at := 30 * time.Millisecond; at < 900*time.Millisecond; at += 33 * time.Millisecond {
		b.runs[0].Stream = sc.at(at)
		b.left++ // another version
		v.Sample(b.runs[0].Stream.Now, false)
		g := draw.New(119, 38)
		v.Draw(g, g.Bounds())
		row, rest, _ := strings.Cut(g.Plain(), "\n")
		clock, _, _ := strings.Cut(strings.TrimPrefix(row, " No token for "), ";")
		testkit.Given(t, strings.Contains(rest, "wait "+clock), "after %v the row says %q and the panel does not", at, row)
	}
}

// stoppedWait is a request that the person stopped before anything of an answer came.
func stoppedWait() *View {
	v := layOut("connect 12ms", "prefill 100s").view(8192 * ms)
	st := &v.Stream
	st.State, st.Marks.End, st.Marks.Headers, st.Marks.FirstByte = metrics.Cancelled, v.Now, metrics.NoStamp,
		metrics.NoStamp
	st.Fault = &metrics.Fault{Kind: metrics.FaultCancelled, Message: "stopped by you"}
	measured(v)
	v.Runs = append(v.Runs, metrics.Run{Stream: *st, Figures: v.Figures})
	return v
}

// TestAWaitSaysNoZeroAndNoDash checks that before the first chunk no panel has a row that
// says nothing, and that the checklist has what was sent, what came and what is awaited.
func TestAWaitSaysNoZeroAndNoDash(t *testing.T) {
	for _, size := range at("80x24 100x30 120x40 200x50") {
		for _, name := range []string{"idle", "connecting", "waiting", "progress"} {
			v := scene(name)
			g := frame(v, size[0], size[1])
			now := layout(g.Bounds(), false).now
			for y, row := range strings.Split(g.Plain(), "\n") {
				if y < now.Y || y >= now.Bottom() {
					continue
				}
				r := []rune(row)
				testkit.That(t, !strings.Contains(string(r[now.X:]), "– "), "%s at %v: %s", name, size, row)
			}
		}
		says(t, fmt.Sprint("the checklist at ", size), frame(scene("waiting"), size[0], size[1]),
			"✓ connected", "✓ request sent", "▸ waiting for the answer", "· waiting for a token", "410 ms")
	}
	says(t, "the checklist", frame(scene("waiting"), 120, 40), "at most 400 tokens out", "no byte of an answer yet")
}

// TestAPauseHasNoTickAlone checks the sign of an answer that ended as it should and stood
// still for two seconds: in the header, on its panel and in the list.
func TestAPauseHasNoTickAlone(t *testing.T) {
	v := layOut("reused", "prefill 90ms", "60 x 20ms", "stall 2s", "30 x 20ms", "done").view(-1)
	g := frame(v, 120, 40)
	says(t, "paused", g, "▲ done", "▲ stop", "not:✓ done")
	_, _, role := find(t, g, "▲ stop")
	testkit.That(t, role == themes.Warn, "its sign in the list has role %d", role)
	s := &Screen{look: &screen.Look{Glyphs: themes.UnicodeGlyphs()}, view: *v, phase: metrics.Done}
	sign, _ := s.state()
	testkit.That(t, sign == themes.UnicodeGlyphs().Stall, "its sign in the header is %c", sign)
	short := layOut("reused", "prefill 90ms", "60 x 6ms", "stall 90ms", "30 x 6ms", "done").view(-1)
	says(t, "a pause of 90 ms", frame(short, 120, 40), "✓ done", "✓ stop")
	testkit.That(t, len(short.Figures.Stalls) != 0, "it had no pause")
}

// sayer is a host that counts what it is given to say.
type sayer struct {
	screen.Host
	said int
}

func (h *sayer) Say(string) tea.Cmd {
	h.said++
	return nil
}

// TestNextMarkFindsThem checks that n and N go through pauses, changes of what is written
// and the failure, in their order.
func TestNextMarkFindsThem(t *testing.T) {
	v := layOut("reused", "think", "prefill 90ms", "20 x 20ms", "answer", "40 x 20ms", "stall 2s", "9 x 20ms",
		"fail").view(-1)
	s := newPicture()
	drawnBy(s, v, 120, 40)
	last := len(v.Stream.Chunks) - 1
	testkit.Need(t, fmt.Sprint(s.marks(v)), fmt.Sprint([]int{21, 61, last}), "marks")
	host := &sayer{}
	live := &Screen{host: host, pic: s, view: *v}
	for i, step := range []struct{ by, at int }{{1, 21}, {1, 61}, {1, last}, {1, last}, {-1, 61}, {-1, 21}, {-1, 21}} {
		live.nextMark(step.by)()
		testkit.Is(t, s.scope.cursor, step.at, "step", i, "the cursor is at")
	}
	testkit.Is(t, host.said, 2, "times there was no further one")
}

// TestTheWaitStays checks that what the wait was made of, and whether that is usual, are on
// the screen when it is over, and how a run failed in the row of 80x24, which y copies.
func TestTheWaitStays(t *testing.T) {
	v := scene("done")
	says(t, "wide", frame(v, 120, 40), "TTFT: queue 2.00 ms, prefill 32.8 ms, unexplained 6.20 ms")
	says(t, "narrow", frame(v, 80, 24), "TTFT: prefill 32.8 ms")
	silent := layOut("reused", "prefill 300ms", "9 x 20ms", "done").view(-1)
	silent.Stream.Marks.FirstByte = silent.Stream.Marks.Sent + 2e6
	silent.Stream.Server, silent.Stream.Usual = nil, &metrics.Usual{Recent: 140}
	silent.Runs = silent.Runs[:1]
	says(t, "no times of the server", frame(measured(silent), 120, 40),
		"TTFT: first byte 2.00 ms, wait 298 ms; queue or prefill",
		"usual is not known: 140 earlier runs are of the last hour")
	failed := ended(1, 41, func(s *metrics.Stream) {
		s.State, s.Fault = metrics.Failed, &metrics.Fault{Kind: metrics.FaultHTTP, Status: 500, Message: "no"}
	})
	says(t, "failed", frame(after(failed), 80, 24), "✗   500 server error")
	s := onRuns(&sessionBackend{runs: []metrics.Run{failed}}, &screen.Look{Glyphs: themes.UnicodeGlyphs(), W: 80, H: 24})
	words := ""
	for _, h := range keys.Hints(nil, s.Table, false) {
		words += h.Key + " "
	}
	y, p := strings.Index(words, "y "), strings.Index(words, "p ")
	testkit.That(t, y >= 0 && y <= p, "the keys of a failed run are %s", words)
}
