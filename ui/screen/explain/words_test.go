package explain

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/metrics/testkit"
	"tokscope/ui/draw"
	"tokscope/ui/say"
)

// TestWordsAtEverySize checks what a view says, and must not say, from some width of
// the terminal on. | parts the words.
func TestWordsAtEverySize(t *testing.T) {
	unmeasured := func(busy bool) func(v *View) {
		return func(v *View) {
			f, why := &lensOn(v, "chat").Explain.Figures, metrics.Unknown(metrics.WhyNoneEndedSince)
			f.Requests, f.TTFT, f.TPOT, f.Speed, v.Explain.Busy = 0, why, why, why, busy
		}
	}
	missed := func(verdict string, progress float64) func(v *View) {
		return func(v *View) {
			tour := &v.Explain.Tour
			tour.Verdict, tour.Missed, tour.Progress = verdict, 2, progress
		}
	}
	mean := fmt.Sprintf("mean of %d", sceneOf("chunk").Explain.Figures.Requests)
	for _, c := range []struct {
		scene     string
		change    func(v *View)
		from      int // columns of the terminal
		want, not string
	}{
		{"chunk", nil, 40, "● running", ""},
		{"chunk", func(v *View) { v.Explain.Paused = true }, 40, "paused", "● running"},
		{"past", nil, 40, "steps back", ""},
		{"busy", nil, 120, "computing", ""},
		{"refused", nil, 120, "It cannot run", ""},
		{"dataflow", nil, 120, "no roofline", ""},
		{"preempt", nil, 40, "▲", ""},
		{"pools", nil, 120, "decode pool", ""},
		{"chunk", func(v *View) { v.Panel, v.Explain.Present.Knobs.DraftK = WhatIf, 3 }, 80, "no draft: ceiling", ""},
		{"empty", func(v *View) { v.Explain.Present, v.Explain.Previous = serving.Prediction{}, serving.Prediction{} }, 40,
			"", " 0 ms|0.00 ms| 0 tok/s"},
		// What ended the engine, and with enough room to the end.
		{"broken", nil, 40, "stopped|the embedded endpoint's port is taken by another program: leave and open", ""},
		{"broken", nil, 100, say.Ending(sceneOf("broken").Explain.Broken), ""},
		// A lesson without a verdict says why once all is measured, and not once it has one;
		// until then it says which stage it measures.
		{"seesaw", missed("", 1), 80, "no verdict: 2 stages were not", "measuring"},
		{"seesaw", missed("", 0.3), 80, "measuring 64 users", "no verdict"},
		{"seesaw", missed("It holds.", 1), 80, "", "no verdict"},
		// The bars of the gaps have a scale.
		{"busy", nil, 120, "gaps, 0 to ", ""},
		// A clock that is slower than its knob, why, and that a lesson's figures still count.
		{"slowed", nil, 40, "▲ slowed to 0.035x", "slow motion"},
		{"slowed", nil, 80, "; figures are in", "slow motion"},
		{"slowed", nil, 120, ": this machine cannot keep up", ""},
		{"slowed", func(v *View) { v.Explain.Overloaded = true }, 120, ", and this machine still cannot keep up", ""},
		{"slowed", func(v *View) { v.Explain.Speed = v.Explain.Knobs.Time }, 40, "", "slowed to"},
		// The lesson on uses shows all lenses without a choice. Elsewhere a lens names its statistic.
		{"uses", func(v *View) { lensOn(v, "") }, 80, "✓ chat|✓ voice|✓ agent|✓ batch|" + mean, ""},
		{"chunk", func(v *View) { lensOn(v, "chat") }, 120, mean, ""},
		{"chunk", unmeasured(false), 120, "not measured yet|predicted ", ""},
		{"chunk", unmeasured(true), 120, "no request ended yet", "predicted 8"},
	} {
		for _, size := range append(sizes, [2]int{40, 12}) {
			if size[0] < c.from {
				continue
			}
			v := slowedScene()
			if c.scene != "slowed" {
				v = sceneOf(c.scene)
			}
			if c.change != nil {
				c.change(v)
			}
			_, g := drawn(v, size)
			text := strings.Join(strings.Fields(strings.ReplaceAll(g.Plain(), "│", " ")), " ")
			for _, w := range strings.Split(c.want, "|") {
				if !strings.Contains(text, w) {
					t.Errorf("%s, %v: no %q in\n%s", c.scene, size, w, g.Plain())
				}
			}
			for _, w := range strings.Split(c.not, "|") {
				if w != "" && strings.Contains(text, w) {
					t.Errorf("%s, %v: %q in\n%s", c.scene, size, w, g.Plain())
				}
			}
		}
	}
}

// TestWhatBindsIsWhole checks that one word replaces a sentence that does not
// fit.
func TestWhatBindsIsWhole(t *testing.T) {
	for w := 72; w <= 130; w++ {
		for _, h := range []int{24, 30, 40} {
			for _, scene := range []string{"decode", "seesaw"} {
				v := sceneOf(scene)
				v.Panel = Step
				_, g := drawn(v, [2]int{w, h})
				for line := range strings.Lines(g.Plain()) {
					if _, rest, ok := strings.Cut(line, "bandwidth-bound"); ok && strings.HasPrefix(rest, ":") &&
						!strings.HasPrefix(rest, ": waits for memory") {
						t.Errorf("%dx%d, %s: %s", w, h, scene, line)
					}
				}
			}
		}
	}
}

// TestNoLessonIsCut checks that a lesson's panel shows whole sentences: what
// has no room is left to the panel of its text.
func TestNoLessonIsCut(t *testing.T) {
	step := 7
	if testing.Short() {
		step = 49
	}
	for _, scene := range []string{"phases", "seesaw", "goodput", "uses", "slowed"} {
		for w := 72; w <= 220; w += step {
			for _, h := range []int{20, 24, 30, 40, 50, 80} {
				v := slowedScene()
				if scene != "slowed" {
					v = sceneOf(scene)
				}
				s, g := &picture{}, draw.New(w-1, h-2)
				s.Draw(g, g.Bounds(), v)
				at := s.layout(g.Bounds(), v).tour
				for y, row := range strings.Split(g.Plain(), "\n") {
					if cells := []rune(row); y > at.Y && y < at.Bottom() && len(cells) > at.X &&
						strings.Contains(string(cells[at.X:]), "…") {
						t.Errorf("%s, %dx%d: %s", scene, w, h, string(cells[at.X:]))
					}
				}
			}
		}
	}
}

// TestWhatIsNotMeasuredIsPredicted checks the row of figures before a request has ended,
// with the prediction and while it is computed, and that users without a request in the
// engine are counted.
func TestWhatIsNotMeasuredIsPredicted(t *testing.T) {
	v := sceneOf("chunk")
	e, why := &v.Explain, metrics.Unknown(metrics.WhyNoneEndedSince)
	e.Figures = serving.EngineFigures{TTFT: why, TPOT: why, Speed: why, Total: why}
	e.Knobs.Users += 3
	rows := func() string { _, g := drawn(v, [2]int{120, 40}); return g.Plain() }
	s := rows()
	if strings.Count(s, "○") < 5 || !strings.Contains(s, "○ predicted") || !strings.Contains(s, " ─ 3 to come") {
		t.Errorf("no prediction, or nobody to come:\n%s", s)
	}
	if _, g := drawn(v, [2]int{80, 24}); !strings.Contains(g.Plain(), "○ predicted") {
		t.Errorf("no legend:\n%s", g.Plain())
	}
	if _, g := drawn(v, [2]int{200, 50}); strings.Contains(g.Plain(), "by clients") ||
		strings.Contains(s, "change measured") {
		t.Errorf("a column for what nothing measured:\n%s", g.Plain())
	}
	e.Busy = true
	if s := rows(); strings.Contains(s, "○ predicted") || !strings.Contains(s, "no request has ended yet") {
		t.Errorf("a prediction of other knobs:\n%s", s)
	}
}

// TestCacheOfRequestsAddsUp checks that the memory of the requests in the batch is what the
// panel of the cache says is held.
func TestCacheOfRequestsAddsUp(t *testing.T) {
	rows, total := regexp.MustCompile(`\d/\d+ +([\d.]+) │`), regexp.MustCompile(`held ([\d.]+) GB`)
	_, g := drawn(sceneOf("chunk"), [2]int{200, 50})
	s, sum := g.Plain(), 0.0
	for _, m := range rows.FindAllStringSubmatch(s, -1) {
		mb, _ := strconv.ParseFloat(m[1], 64)
		sum += mb
	}
	held := total.FindStringSubmatch(s)
	testkit.That(t, held != nil && fmt.Sprintf("%.2f", sum/1e3) == held[1],
		"requests hold %.4g MB, the cache %q:\n%s", sum, held, s)
}
