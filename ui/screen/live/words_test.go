package live

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/ui/draw"
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

// TestADoubtIsSaidOnce checks that the text panel does not repeat a doubt that
// the sentence on top names, and names what that sentence has no room for.
func TestADoubtIsSaidOnce(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {100, 30}, {120, 40}, {200, 50}} {
		v := scene("done")
		v.Figures.Suspect = []metrics.Suspicion{{Code: metrics.SuspectMultiToken, Ratio: 2.76}, {Code: metrics.SuspectCached, N: 30, Of: 38}}
		g := frame(v, size[0], size[1]).Plain()
		for _, doubt := range [...]struct{ top, note string }{{"2.76 tokens a chunk", "a chunk carries 2.76 tokens"}, {"rompt partly from a cache", "prompt tokens came from the server's cache"}} {
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
	p.begin(frame(v, 120, 40), v, newPicture())
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
		v.Figures.TTFT, v.Figures.TPOT, v.Figures.Speed = metrics.Known(20_940, 1), metrics.Known(7.15, 100), metrics.Known(76.7, 100)
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
