package ui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/screen/registry"
	"tokscope/ui/uitest/golden"
)

// explainScenes are states of the Explain screen, reached by keys.
var explainScenes = []struct {
	name  string
	keys  []string
	whole bool // its whole frames are kept as well, at 80x24 and 120x40
	after func(*harness, *backend)
}{
	{"running", []string{"4"}, false, nil},
	{"paused", []string{"4"}, true, func(r *harness, _ *backend) { r.press("space", "left", "left") }},
	{"one user", []string{"4", "u", "1", "enter"}, false, nil},
	{"broken", []string{"4"}, false, func(_ *harness, b *backend) {
		b.Broken = metrics.NotBegun(errors.New("the engine ended: no port is free"))
	}},
	{"tour", []string{"4", "T", "n"}, false, nil},
	{"tour, measured", []string{"4", "T", "n"}, true, func(r *harness, _ *backend) {
		r.do("enter wait:2s enter wait:2s")
	}},
	{"tour, the end", append(append([]string{"4", "T"}, slices.Repeat([]string{"n"}, 10)...), "enter", "enter"), false, nil},
	{"knob", []string{"4", "enter"}, true, nil},
}

func playScene(t *testing.T, w, h, i int, o Options, f func(*harness)) {
	t.Helper()
	play(t, "explain", w, h, o, func(r *harness) {
		b := r.b
		s := &explainScenes[i]
		r.press(s.keys...)
		r.wait(2 * time.Second)
		if s.after != nil {
			s.after(r, b)
			r.wait(300 * time.Millisecond)
		}
		r.wait(toastFor)
		f(r)
	})
}

var frameSizes = [][2]int{{40, 12}, {80, 24}, {120, 40}, {200, 50}}

// TestExplainFrames compares the root's part of the screen, in every state
// and size: the engine's owner, the tabs, and the present keys. Each state is
// reached once; then the terminal changes its size, in the end to any.
func TestExplainFrames(t *testing.T) {
	var out strings.Builder
	for i, s := range explainScenes {
		playScene(t, 120, 40, i, colours, func(r *harness) {
			for _, size := range frameSizes {
				r.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				top, _, _ := strings.Cut(r.screen(), "\n")
				fmt.Fprintf(&out, "%s, %dx%d\n%s\n%s\n\n", s.name, size[0], size[1], strings.TrimRight(top, " "), strings.TrimRight(footer(r), " "))
			}
			if !testing.Short() {
				r.survivesEverySize()
			}
		})
	}
	golden.File(t, "testdata/explain-frames.txt", out.String())
}

// TestExplainWholeFrames compares whole frames, from the header to the
// footer: three states at 80x24 and 120x40, one of them at the other sizes.
// TestExplainFrames has header and footer of all at every size.
func TestExplainWholeFrames(t *testing.T) {
	others := golden.NewSheet(t, "explain-sizes")
	for _, size := range frameSizes {
		sheet, all := others, size == [2]int{80, 24} || size == [2]int{120, 40}
		if all {
			sheet = golden.NewSheet(t, fmt.Sprintf("explain-%dx%d", size[0], size[1]))
		}
		for i, s := range explainScenes {
			if !s.whole || !all && s.name != "knob" {
				continue
			}
			playScene(t, size[0], size[1], i, Options{}, func(r *harness) {
				sheet.Text(fmt.Sprintf("%s, %dx%d", s.name, size[0], size[1]), r.screen())
			})
		}
	}
}

func TestExplainInASCII(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: every state of Explain is played")
	}
	for i := range explainScenes {
		playScene(t, 120, 40, i, Options{ASCII: true}, func(r *harness) {
			for _, c := range r.screen() {
				if c > '~' {
					t.Fatalf("%s: %q on the screen:\n%s", explainScenes[i].name, c, r.screen())
				}
			}
		})
	}
}

// warmExplain is a model on the Explain screen with a full timeline, on the tour.
func warmExplain(w, h int) (*Model, *backend) {
	b := newBackend()
	m := New(registry.All(), only(b, "explain"), Options{Profile: themes.TrueColor})
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	tap(m, "4", "T", "n")
	for i := 0; i < 100 || !b.ExplainView().Tour.Ready; i++ { // its predictions are computed meanwhile
		b.Advance(33 * time.Millisecond)
		m.Update(frameMsg{})
	}
	return m, b
}

// A changed frame may cost 200 allocations. Those of the recorded engine
// itself are measured and subtracted.
func TestAChangedFrameOfExplainKeepsItsBudget(t *testing.T) {
	m, b := warmExplain(200, 50)
	o := nowhere(m)
	engine := testing.AllocsPerRun(100, func() {
		b.Advance(33 * time.Millisecond)
		b.ExplainView()
	})
	all := testing.AllocsPerRun(100, func() {
		b.Advance(33 * time.Millisecond)
		o.frame()
	})
	if all-engine > 200 {
		t.Errorf("%v allocations a frame, %v of them in the engine: the budget is 200", all, engine)
	}
}

func TestAnUnchangedFrameOfExplainCostsNothing(t *testing.T) {
	m, _ := warmExplain(200, 50)
	tap(m, "space")
	o := nowhere(m)
	o.frame()
	if allocs := testing.AllocsPerRun(50, func() {
		m.Update(struct{}{})
		o.t.write(&m.surface)
	}); allocs > 0 {
		t.Errorf("%v allocations for nothing", allocs)
	}
}

func BenchmarkExplainFrameChanged(bm *testing.B) {
	m, b := warmExplain(200, 50)
	o := nowhere(m)
	bm.ReportAllocs()
	for bm.Loop() {
		b.Advance(33 * time.Millisecond)
		o.frame()
	}
}

func BenchmarkExplainFrameUnchanged(bm *testing.B) {
	m, _ := warmExplain(200, 50)
	tap(m, "space")
	o := nowhere(m)
	o.frame()
	bm.ReportAllocs()
	for bm.Loop() {
		m.Update(struct{}{})
		o.t.write(&m.surface)
	}
}
