package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/prompts"
)

// TestAutoCountsDownToItsBound: on somebody else's endpoint the header counts
// down, auto ends by itself and says so, and a asks for more.
func TestAutoCountsDownToItsBound(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: an hour of auto on the screen")
	}
	play(t, "live", 120, 40, colours, func(r *harness) {
		r.selects("paid")
		r.do("a > USD left")
		left := func() (n int) {
			_, text, _ := strings.Cut(r.header(), "auto ")
			_, text, _ = strings.Cut(text, "· ")
			text, _, _ = strings.Cut(text, " tokens")
			if _, err := fmt.Sscan(strings.ReplaceAll(text, ",", ""), &n); err != nil {
				t.Fatalf("%q: %v", r.header(), err)
			}
			return n
		}
		r.serve(10*time.Second, 20)
		first := left()
		r.serve(10*time.Second, 20)
		second := left()
		testkit.That(t, first < 20_000 && second < first, "%d tokens left, then %d", first, second)
		for range 100 {
			r.serve(30*time.Second, 200)
			if strings.Contains(r.screen(), "auto ended") {
				break
			}
		}
		r.do("> auto ended at its limit: | of 20,000 tokens | a raise limit")
		r.do("serve:1m > new:0")
		r.do("a > Allow 20,000 more")
		r.do("esc serve:5s > new:0")
		r.do("a enter serve:5s > new:1+")
	})
}

// TestAutoAsksBeforeALargeRun: a single run beyond the bound is not sent
// without a yes.
func TestAutoAsksBeforeALargeRun(t *testing.T) {
	o := colours
	p, _ := prompts.ByName("10k in")
	o.Screens.Work = p.Work
	o.Screens.Work.InputTokens = 30_000
	play(t, "live", 80, 24, o, func(r *harness) {
		r.do("select:paid a > Allow 20,000 more | requests:0")
		r.do("enter wait:1s > requests:1")
	})
}

// minute plays the first minute with a server of 140 tok/s, and returns when
// each of the texts was seen first.
func minute(t *testing.T, w, h int, texts ...string) map[string]time.Duration {
	seen := map[string]time.Duration{}
	o := colours
	o.Start, o.Screens.FirstMinute = true, true
	o.Screens.Work = prompts.Default()
	o.Screens.Work.MaxTokens = 3000
	play(t, "live", w, h, o, func(r *harness) {
		began := r.b.Now()
		look := func() {
			for _, text := range texts {
				if _, ok := seen[text]; !ok && strings.Contains(r.screen(), text) {
					seen[text] = time.Duration(r.b.Now() - began)
				}
			}
		}
		look()
		for range 3 {
			for !r.b.Running() {
				r.wait(50 * time.Millisecond)
				look()
				testkit.Given(t, r.b.Now()-began <= metrics.Stamp(90*time.Second), "there are no three runs")
			}
			r.b.Sent()
			for range 28 {
				r.wait(10 * time.Millisecond)
				look()
			}
			for i := range 200 {
				for range 15 {
					r.b.Chunk("word ")
					r.b.Advance(7 * time.Millisecond)
				}
				time.Sleep(105 * time.Millisecond)
				r.drain()
				if i%3 == 0 {
					look()
				}
			}
			r.b.Finish()
			r.drain()
			look()
		}
		if n := slices.Index(r.b.Calls(), "another user, 12000 tokens"); n < 0 {
			t.Errorf("no other user came: %q", r.b.Calls())
		}
		r.wait(3 * time.Second)
		look()
		updates, requests := r.updates, len(r.b.Begun())
		r.wait(5 * time.Minute)
		if r.updates != updates || len(r.b.Begun()) != requests || requests != 3 {
			t.Errorf("after the first minute: %d updates, %d requests", r.updates-updates, len(r.b.Begun()))
		}
		r.do("space > !auto 1") // an ordinary run
	})
	return seen
}

// TestFirstMinute: without a key pressed a newcomer sees a whole frame at once,
// text within a second, a conclusion with figures within three, and every
// caption within sixty. After three runs nothing moves.
func TestFirstMinute(t *testing.T) {
	limits := []struct {
		text string
		by   time.Duration
	}{
		{"TTFT", 0}, {"auto 1 of 3", 0}, {"the model reads the prompt.", 0},
		{"word word", time.Second}, {"First token after 280 ms", 3 * time.Second},
		{"token by token: decode", 4 * time.Second}, {"Another user's long prompt", 12 * time.Second},
		{"what the figures show", 18 * time.Second},
		{"Auto sends it again", 25 * time.Second}, {"A gap far outside", 35 * time.Second},
		{"= pins a run", 50 * time.Second}, {"Next: 2 many users", 60 * time.Second},
		{"space again, 2 many users", 70 * time.Second},
	}
	for i, size := range [][2]int{{80, 24}, {120, 40}} {
		if i > 0 && testing.Short() {
			break
		}
		var texts []string
		for _, l := range limits {
			texts = append(texts, l.text)
		}
		seen := minute(t, size[0], size[1], texts...)
		for _, l := range limits {
			at, ok := seen[l.text]
			testkit.That(t, ok && at <= l.by, "%v: %q seen %v, after %v", size, l.text, ok, at)
		}
	}
}

// TestTheFirstMinuteGivesWay: what a person changes ends it.
func TestTheFirstMinuteGivesWay(t *testing.T) {
	o := colours
	o.Start, o.Screens.FirstMinute = true, true
	for _, key := range []string{"x", "c", "]"} {
		play(t, "live", 120, 40, o, func(r *harness) {
			r.do("> auto 1 of 3")
			r.do(key + " > !auto 1 of 3 | !the model reads the prompt.")
			r.do("serve:6s > requests:1")
		})
	}
}

// TestFiguresOfAnotherRunAreNamed: after another endpoint, model, workload or
// connection was chosen, the last run's figures say whose they are, and are dim.
func TestFiguresOfAnotherRunAreNamed(t *testing.T) {
	bright := func(r *harness, text string) bool {
		x, y := r.locate(text)
		_, role := r.m.surface.grid.At(x, y)
		return role != themes.Dim
	}
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}, {200, 50}} {
		play(t, "live", size[0], size[1], colours, func(r *harness) {
			r.do("space stream:30 > !last run")
			testkit.That(t, bright(r, "tok/s") || size[0] <= 40, "%v: figures of the present run are dim", size)
			r.do("select:\"demo 70b\" > last run: llama-3.1-8b")
			testkit.That(t, !bright(r, "tok/s"), "%v: figures of another model are bright", size)
			r.do("select:paid > last run: demo | space run")
			r.do("select:demo > !last run")
			r.do("] > last run: up to 200 tokens")
			r.do("[ > !last run")
			r.do("c > !last run | head: cold ") // another connection is no other work
		})
	}
}
