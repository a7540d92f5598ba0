package live

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// find returns where text first stands on g and the role it begins with.
func find(t *testing.T, g *draw.Grid, text string) (x, y int, st themes.Role) {
	t.Helper()
	for y, row := range strings.Split(g.Plain(), "\n") {
		if i := strings.Index(row, text); i >= 0 {
			x := draw.Width(row[:i])
			_, st := g.At(x, y)
			return x, y, st
		}
	}
	t.Fatalf("%q is not on the screen:\n%s", text, g.Plain())
	return 0, 0, 0
}

func TestTextIsTintedByItsGap(t *testing.T) {
	const ms = time.Millisecond
	sc := layOut("reused", "prefill 90ms", "12 x 20ms", "stall 300ms", "5 x 20ms", "done")
	at := 90*ms + 12*20*ms + 300*ms + 1*ms // "pass." has just come
	for _, c := range []struct {
		name  string
		after time.Duration
		still bool
		words map[string]themes.Role
	}{
		{"fresh", 0, false, map[string]themes.Role{"pass.": themes.Tint(draw.Heat(300), 0), "one pass": themes.Tint(draw.Heat(20), 1), "reads": themes.Tint(draw.Heat(20), 2)}},
		{"half a second later", 500 * ms, false, map[string]themes.Role{"pass.": themes.Tint(draw.Heat(300), 2), "reads": themes.Tint(draw.Heat(20), 4)}},
		{"settled", 2 * time.Second, false, map[string]themes.Role{"pass.": themes.Text, "reads": themes.Text}},
		{"reduced motion", 0, true, map[string]themes.Role{"pass.": themes.Text}},
	} {
		v := sc.view(at)
		v.Now += metrics.Stamp(c.after)
		v.ReducedMotion = c.still
		v.Figures.Stalls = nil
		g := frame(v, 120, 40)
		for text, want := range c.words {
			if _, _, got := find(t, g, text); got != want {
				t.Errorf("%s: %q has role %d, want %d", c.name, text, got, want)
			}
		}
	}
	if fast, slow := draw.Heat(5), draw.Heat(500); fast >= slow || draw.Heat(0) != 0 || draw.Heat(1e9) != themes.Levels-1 {
		t.Errorf("levels do not rise with the gap: 5 ms %d, 500 ms %d", fast, slow)
	}
}

func TestStallsAndBurstsAreMarkedWithoutColour(t *testing.T) {
	g := frame(scene("stalled"), 120, 40)
	gl := themes.UnicodeGlyphs()
	if _, _, st := find(t, g, "share"); st != themes.Stall {
		t.Errorf("the word after the stall has role %d", st)
	}
	x, y, _ := find(t, g, "That is why many users can share")
	if s, _ := g.At(x-1, y); s != string(gl.Stall) {
		t.Errorf("the margin of the stalled row holds %q", s)
	}
	if s, _ := g.At(x-1, y+1); s != string(gl.Burst) {
		t.Errorf("the margin of the burst's row holds %q", s)
	}
	_, bottom, _ := find(t, g, "╰─")
	for y, row := range strings.Split(g.Plain(), "\n") {
		if bottom = y; strings.Contains(row, "┴") {
			break
		}
	}
	row := strings.Split(g.Plain(), "\n")[bottom]
	if strings.Count(row, string(gl.Stall)) != 1 || strings.Count(row, string(gl.Burst)) != 1 {
		t.Errorf("the scope's signs are %q, want one stall and one burst", row)
	}
	find(t, g, "nothing for 4.29 s")
}

func TestCountdownOfTheBound(t *testing.T) {
	v := scene("longwait")
	find(t, frame(v, 120, 40), "times out in 90 s (first byte 120 s)")
	find(t, frame(v, 80, 24), "times out in 90 s")
	if strings.Contains(frame(scene("waiting"), 120, 40).Plain(), "gives up") {
		t.Error("a countdown after half a second is alarm for nothing")
	}
	v = layOut("reused", "prefill 90ms", "60 x 20ms", "stall 40s", "done").view(12 * time.Second)
	find(t, frame(v, 120, 40), "times out in 20 s (idle 30 s)")
}

func TestTheClockRunsBetweenFigures(t *testing.T) {
	v := scene("waiting") // sent 48 ms after the start, shown at 460 ms
	find(t, frame(v, 80, 24), "410 ms so far")
	v.Now += 1e9 // the figures stay as they are
	g := frame(v, 80, 24)
	find(t, g, "1.41 s so far")
	find(t, g, "wait 1.41 s")

	// With the first chunk the clock stops, before the figures are counted anew.
	st := layOut("connect 48ms", "prefill 400ms", "2 x 20ms", "done").at(470 * time.Millisecond)
	v.Stream, v.Now = st, st.Now
	find(t, frame(v, 80, 24), "wait 400 ms ")
}

func TestUnknownIsNeverZero(t *testing.T) {
	v := scene("refused")
	v.Stream.State = metrics.Cancelled // it keeps the panels of the figures
	g := frame(v, 120, 40)
	find(t, g, "no token received")
	find(t, g, "no token received  dns")
	v = scene("decoding")
	v.Figures.Speed, v.Figures.TPOT = metrics.Unknown(metrics.WhyNoTokens), metrics.Unknown(metrics.WhyNoTokens)
	find(t, frame(v, 120, 40), "SPEED chunks/s")
}

func TestFaultsSayWhatHappened(t *testing.T) {
	for name, want := range map[string][]string{
		"error":     {"✗ failed", "the server broke the", "next  ask again", "again:"},
		"truncated": {"▲ truncated", "without", "next  the server or a proxy", "sixty-four"},
		"stopped":   {"stopped", "what arrived is"},
		"refused":   {"✗ failed", "the server refused the key", "next  check GROQ_API_KEY"},
	} {
		for _, size := range sizes {
			g := frame(scene(name), size[0], size[1])
			for _, text := range want {
				find(t, g, text)
			}
		}
	}
	if text := frame(scene("refused"), 120, 40).Plain(); strings.ContainsRune(text, 0x1b) || !strings.Contains(text, "␛[2J") {
		t.Error("the server's escape is not shown as a picture")
	}
}

func TestRetriedIsShown(t *testing.T) {
	v := scene("done")
	v.Stream.Retried = 1
	_, _, st := find(t, frame(v, 120, 60), "· retried")
	if st != themes.Warn {
		t.Errorf("it has role %d", st)
	}
}

// Another model in the answer is a warning; another name of the same one is not.
func TestModelOfTheAnswer(t *testing.T) {
	v := scene("done")
	v.Stream.Notes = []metrics.Note{{Code: metrics.NoteModelAlias, Text: "the server calls the model m-2024-08-06"}}
	if _, _, st := find(t, frame(v, 120, 40), "  the server calls the model"); st == themes.Warn {
		t.Error("an alias is a warning")
	}
	v.Stream.Notes = append([]metrics.Note{{Code: metrics.NoteOtherModel, Text: "another model answered: mid"}}, v.Stream.Notes...)
	if _, _, st := find(t, frame(v, 120, 40), "! another model answered: mid"); st != themes.Warn {
		t.Error("another model is no warning")
	}
}

func TestNotesAreShown(t *testing.T) {
	v := scene("done")
	v.Stream.Notes = []metrics.Note{{Text: "usage refused by the server; asked again\x1b[31m without it"}}
	_, _, st := find(t, frame(v, 120, 40), "! usage refused by the server; asked again␛[31m without it")
	if st != themes.Warn {
		t.Errorf("the note has role %d", st)
	}
	v.Figures.Suspect = []metrics.Suspicion{{Code: metrics.SuspectChoices, N: 2}}
	find(t, frame(v, 120, 40), "! 2 choices at once: gaps, TPOT, speed and words are those of")
	v = scene("decoding")
	v.Stream.Chunks = append([]metrics.Chunk(nil), v.Stream.Chunks...)
	v.Stream.Chunks[9].Choice = 1
	find(t, frame(v, 120, 40), "chunks of other choices are not shown")
}

func TestObserverWarnsOnlyWhereItMatters(t *testing.T) {
	v := scene("decoding")
	v.Observer.LateP99 = 4 * time.Millisecond
	_, _, st := find(t, frame(v, 120, 40), "4.00 ms  kernel stamps")
	if st == themes.Warn {
		t.Error("kernel stamps are not touched by our lateness, yet it warns")
	}
	v.Stream.Stamps = metrics.SourceUser
	if _, _, st = find(t, frame(v, 120, 40), "4.00 ms  late: blurred · user stamps"); st != themes.Warn {
		t.Errorf("late with own stamps has role %d", st)
	}
}

func TestGhostReaderStandsAtItsWord(t *testing.T) {
	v := scene("error") // 1 s of text: at 238 wpm four words
	g := frame(v, 120, 40)
	if _, _, st := find(t, g, "arrives,"); st != themes.Ghost {
		t.Errorf("the word the reader is at has role %d", st)
	}
	if _, _, st := find(t, g, "request"); st == themes.Ghost {
		t.Error("the word before is marked too")
	}
	v.Pace = metrics.Pace{Name: "skimming", WPM: 450}
	if _, _, st := find(t, frame(v, 120, 40), "arrives,"); st == themes.Ghost {
		t.Error("a faster reader is at the same word")
	}
}

func TestASCIIIsASCII(t *testing.T) {
	for _, name := range []string{"idle", "connecting", "progress", "longwait", "decoding", "reasoning", "stalled", "done", "error", "truncated"} {
		for _, defs := range []bool{false, true} {
			v := scene(name)
			v.Glyphs, v.ShowDefinitions = themes.ASCIIGlyphs(), defs
			for _, size := range sizes {
				text := frame(v, size[0], size[1]).Plain()
				if i := strings.IndexFunc(text, func(r rune) bool { return r > 0x7e }); i >= 0 && !strings.HasPrefix(text[i:], "␛") {
					t.Errorf("%s at %v: %.20q", name, size, text[i:])
				}
			}
		}
	}
}

func TestScrollFollowsTheTail(t *testing.T) {
	sc := layOut("reused", "prefill 90ms", "300 x 4ms", "done")
	s, g := newPicture(), draw.New(120, 22)
	v := sc.view(700 * time.Millisecond)
	s.Draw(g, g.Bounds(), v)
	if !s.Scrollable() {
		t.Fatal("the text fits: nothing to test")
	}
	s.Move(-2)
	s.Draw(g, g.Bounds(), v)
	first := strings.Split(g.Plain(), "\n")[1]
	find(t, g, "line ")
	s.Draw(g, g.Bounds(), sc.view(1100*time.Millisecond))
	if now := strings.Split(g.Plain(), "\n")[1]; now[:30] != first[:30] {
		t.Errorf("scrolled back, the text moved from %q to %q", first, now)
	}
	s.Home()
	s.Draw(g, g.Bounds(), sc.view(1100*time.Millisecond))
	find(t, g, "When a request arrives")
	s.End()
	s.Draw(g, g.Bounds(), sc.view(1200*time.Millisecond))
	find(t, g, string(themes.UnicodeGlyphs().Cursor))
	if what := g.TargetAt(5, 5); what != onText {
		t.Errorf("a click on the text does %v", what)
	}
	x, y, _ := find(t, g, "sent")
	if what := g.TargetAt(x, y-3); what != onScope {
		t.Errorf("a click on the scope does %v", what)
	}
}

func TestAnimating(t *testing.T) {
	for name, want := range map[string]bool{"idle": false, "waiting": true, "decoding": true, "done": true, "refused": false} {
		if got := newPicture().Animating(scene(name)); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	v := scene("done")
	v.Now += 2e9
	if newPicture().Animating(v) {
		t.Error("everything has faded, yet it moves")
	}
	v = scene("decoding")
	if v.Frozen = true; newPicture().Animating(v) {
		t.Error("a frozen picture moves")
	}
}

// TestNothingIsCutInTheMiddle checks that each shade of the wait has a name
// at every width. The line of the request ends with a whole word.
func TestNothingIsCutInTheMiddle(t *testing.T) {
	done, waiting := scene("done"), scene("waiting")
	waiting.Stream.Work.InputTokens, waiting.Stream.Work.MaxTokens = 10000, 300
	shade := regexp.MustCompile(`[▓▒░] *(│|$)`)
	asked := regexp.MustCompile(`(tokens in|tokens out|connection auto|connection warm|connection cold) *(│|$)`)
	legends, lines := 0, 0
	for w := 60; w <= 200; w++ {
		for row := range strings.SplitSeq(frame(done, w, 40).Plain(), "\n") {
			if strings.Contains(row, "server: ") || strings.Contains(row, "server says: ") {
				legends++
				if shade.MatchString(row) {
					t.Errorf("%d columns: a shade without a name:\n%s", w, row)
				}
			}
		}
		for row := range strings.SplitSeq(frame(waiting, w, 40).Plain(), "\n") {
			if strings.Contains(row, "about 10,000") {
				lines++
				if !asked.MatchString(row) {
					t.Errorf("%d columns: cut in the middle:\n%s", w, row)
				}
			}
		}
	}
	if legends < 100 || lines < 100 {
		t.Fatalf("%d legends and %d lines were seen", legends, lines)
	}
}

// TestNoStampHasNoSource checks that without a stamp neither a source nor a
// blur is shown.
func TestNoStampHasNoSource(t *testing.T) {
	for _, name := range []string{"waiting", "refused", "idle"} {
		v := scene(name)
		v.Stream.Stamps, v.Stream.Events = metrics.SourceUser, 0
		v.Observer.LateP99, v.Observer.N = 4*time.Millisecond, 10
		text := frame(v, 120, 40).Plain()
		if strings.Contains(text, "stamps") || strings.Contains(text, "blurred") {
			t.Errorf("%s: no event has come, yet:\n%s", name, text)
		}
	}
}

// Even the smallest panel of figures does not cut a reason: "request n…" says
// nothing. A finished request is not "yet".
func TestReasonsAreNotCut(t *testing.T) {
	nobody := scene("refused")
	nobody.Stream.Marks = metrics.NewMarks()
	nobody.Figures = metrics.Measure(&nobody.Stream, metrics.Options{})
	for name, v := range map[string]*View{"nobody listens": nobody, "refused": scene("refused"), "waiting": scene("waiting"), "connecting": scene("connecting"), "progress": scene("progress")} {
		for _, size := range [][2]int{{80, 24}, {100, 30}, {120, 40}, {200, 50}, {300, 80}} {
			text := frame(v, size[0], size[1]).Plain()
			panel := 0
			for _, row := range strings.Split(text, "\n") {
				if panel = strings.Index(row, "││"); panel < 0 {
					continue
				}
				if right := row[panel:]; strings.Contains(right, "…") {
					t.Errorf("%s at %v: a reason is cut: %q", name, size, right)
				}
			}
			if v.Stream.State.Ended() && strings.Contains(text, " yet") {
				t.Errorf("%s at %v: it has ended, and something is not there \"yet\":\n%s", name, size, text)
			}
		}
	}
}

// During discovery the screen says so. It shows no connection of a request
// and measures no wait.
func TestAskingIsNotConnecting(t *testing.T) {
	v := scene("connecting")
	v.Stream.Asking, v.Stream.Marks, v.Stream.Conn = true, metrics.NewMarks(), metrics.Connection{}
	v.Stream.Marks.Start, v.Stream.DataDeadline = 0, metrics.NoStamp
	v.Figures = metrics.Measure(&v.Stream, metrics.Options{})
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}, {200, 50}} {
		text := frame(v, size[0], size[1]).Plain()
		if !strings.Contains(text, "asking") || strings.Contains(text, "connecting") {
			t.Errorf("at %v:\n%s", size, text)
		}
	}
}
