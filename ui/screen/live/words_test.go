package live

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
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
		if got := c.text[from:to]; got != c.want {
			t.Errorf("%q of %q goes on to %q, not %q", c.at, c.text, got, c.want)
		}
	}
}

// TestTheLeadIsADifference: the words ahead are those of the stream less those
// of the reader, as the screen shows them.
func TestTheLeadIsADifference(t *testing.T) {
	row := regexp.MustCompile(`you .* (\d+) words? +238 wpm[^\n]*\n.*stream .* (\d+) words? +\d+ wpm(?s:.*)the stream is (\d+) words? ahead`)
	sc := layOut("reused", "prefill 90ms", "90 x 31ms", "done")
	seen := 0
	for at := 600 * time.Millisecond; at < 2800*time.Millisecond; at += 70 * time.Millisecond {
		g := frame(sc.view(at), 120, 40).Plain()
		m := row.FindStringSubmatch(g)
		if m == nil {
			continue
		}
		seen++
		var you, stream, ahead int
		if _, err := fmt.Sscan(m[1]+" "+m[2]+" "+m[3], &you, &stream, &ahead); err != nil {
			t.Fatal(err)
		}
		if stream-you != ahead {
			t.Errorf("after %v: %d words of %d are read, and %d ahead", at, you, stream, ahead)
		}
	}
	if seen < 20 {
		t.Errorf("only %d frames were compared", seen)
	}
}

// TestNoFigureLosesItsReasonOrUnit: what there is room for when numbers are
// small is there too when they are not.
func TestNoFigureLosesItsReasonOrUnit(t *testing.T) {
	v := layOut("reused", "prefill 90ms", "60 x 20ms", "burst 120", "20 x 20ms", "done").view(-1)
	find(t, frame(v, 120, 40), "119 gaps unknown")

	find(t, frame(scene("decoding"), 200, 50), "chunks/s")
	find(t, frame(scene("done"), 80, 24), "p50 42 n=3 ")

	// The unit of a row of numbers stands beside one of them.
	apart := regexp.MustCompile(`\d {2,}ms`)
	for _, name := range []string{"waiting", "told", "done"} {
		for _, size := range sizes[1:] {
			for row := range strings.SplitSeq(frame(scene(name), size[0], size[1]).Plain(), "\n") {
				if strings.Contains(row, "server:") && apart.MatchString(row) {
					t.Errorf("%s %v: %q", name, size, row)
				}
			}
		}
	}
}

// TestNoChunksNoCounts: where nothing came nothing was counted, in no size.
func TestNoChunksNoCounts(t *testing.T) {
	zero := regexp.MustCompile(`0 stalls|0 bursts|stalls +0|bursts +0`)
	for _, name := range []string{"waiting", "refused", "idle"} {
		for _, size := range sizes {
			if m := zero.FindString(frame(scene(name), size[0], size[1]).Plain()); m != "" {
				t.Errorf("%s %v says %q", name, size, m)
			}
		}
	}
	for v, want := range map[float64]string{0: "0 %", -0.4: "0 %", 3.2: "+3 %", -12: "-12 %"} {
		if got := (&pen{}).signed(v); got != want {
			t.Errorf("a trend of %v is %q, not %q", v, got, want)
		}
	}
}

// TestALongNoteIsReadToItsEnd: the sentence that says how far the figures can be
// trusted is not cut on the screen it was designed for.
func TestALongNoteIsReadToItsEnd(t *testing.T) {
	v := scene("done")
	v.Figures.Suspect = []metrics.Note{{Code: "x", Text: "a chunk stands for 2.76 tokens: a gap between chunks is not a gap between tokens"}}
	g := frame(v, 120, 40)
	find(t, g, "! a chunk stands for 2.76 tokens: a gap between chunks is not a")
	find(t, g, "│   gap between tokens ")
	find(t, frame(v, 80, 24), "! a chunk stands for 2.76 tokens: a ")
}

// TestBigFiguresKeepTheirDigits: the figure says what the table and the title
// beside it say.
func TestBigFiguresKeepTheirDigits(t *testing.T) {
	v := scene("done")
	p := &New().pen
	p.begin(frame(v, 120, 40), v)
	room := figureColumns(46)
	for _, num := range []string{"0.61", "1.40", "12.4"} {
		if got := p.shorter(num, room[0]-2); got != num {
			t.Errorf("%s is shown as %s in %d columns", num, got, room[0])
		}
	}
}

// TestAScaleIsRound: no number of a scale has zeros that say nothing.
func TestAScaleIsRound(t *testing.T) {
	v := scene("waiting")
	p := &New().pen
	p.begin(frame(v, 120, 40), v)
	for ms, want := range map[float64]string{10: "10 ms", 400: "400 ms", 1200: "1.2 s", 2000: "2 s", 20000: "20 s"} {
		if got := p.tick(ms); got != want {
			t.Errorf("%v ms is %q on a scale, not %q", ms, got, want)
		}
	}
}

// TestOneCountOfChunks checks that between two updates the heading of the
// reasoning counts no further than the figures.
func TestOneCountOfChunks(t *testing.T) {
	sc := layOut("reused", "think", "prefill 220ms", "60 x 30ms", "done")
	v := sc.view(700 * time.Millisecond)
	n := v.Figures.Chunks
	later := sc.view(900 * time.Millisecond)
	later.Figures = v.Figures
	if len(later.Stream.Chunks) <= n {
		t.Fatal("nothing came between the counts")
	}
	find(t, frame(later, 120, 40), fmt.Sprintf("reasoning  from 220 ms for 450 ms · %d chunks", n))
}

// TestEveryPaceHasItsVerb: the line of the pace is a sentence for each of them.
func TestEveryPaceHasItsWord(t *testing.T) {
	seen := map[string]bool{}
	for _, pace := range metrics.Paces {
		word := paceWord(pace.Name)
		if seen[word] || word == "goes on" {
			t.Errorf("%s: a person %s at this pace", pace.Name, word)
		}
		seen[word] = true
		v := scene("done")
		v.Pace = pace
		find(t, frame(v, 120, 40), "a person "+word+" at this pace, ")
	}
}
