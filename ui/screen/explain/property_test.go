package explain

import (
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/screen"
	"tokscope/ui/uitest/golden"
)

func anyFloat(t *rapid.T, name string) float64 {
	odd := rapid.SampledFrom([]float64{0, -1, 1e-9, 1e9, 1e300, math.Inf(1), math.Inf(-1), math.NaN()})
	return rapid.OneOf(rapid.Float64Range(0, 1e4), odd).Draw(t, name)
}

func anyValue(t *rapid.T) metrics.Value {
	if rapid.IntRange(0, 4).Draw(t, "unknown") == 0 {
		return metrics.Unknown(metrics.WhyNotMeasured)
	}
	return metrics.Known(anyFloat(t, "value"), rapid.IntRange(0, 500).Draw(t, "n"))
}

// odd fills whole records: words of the engine and others, and any number.
var odd = rapid.MakeConfig{
	Types: map[reflect.Type]*rapid.Generator[any]{reflect.TypeFor[metrics.Value](): rapid.Custom(anyValue).AsAny()},
	Kinds: map[reflect.Kind]*rapid.Generator[any]{
		reflect.Float64: rapid.Custom(func(t *rapid.T) float64 { return anyFloat(t, "f") }).AsAny(),
		reflect.Int:     rapid.OneOf(rapid.IntRange(-1, 20), rapid.IntRange(-1, 1e7)).AsAny(),
		reflect.String: rapid.SampledFrom([]string{"", "latency", "bandwidth", "compute", "prefill", "decode", "projections",
			"KV read",
			"a word that nobody knows, and that no column of any size has enough room for"}).AsAny(),
	},
}

func anyStep(t *rapid.T, number uint64, at float64) serving.EngineStep {
	st := rapid.MakeCustom[serving.EngineStep](odd).Draw(t, "step")
	st.Number, st.Start, st.End, st.NumTerms = number, at, at+anyFloat(t, "took"), rapid.IntRange(0, 16).Draw(t, "terms")
	st.Pool = rapid.SampledFrom([]string{"", "", "prefill", "decode"}).Draw(t, "pool")
	return st
}

// anyTour draws an arbitrary lesson.
func anyTour(t *rapid.T) serving.TourView {
	tour := momentOf(rapid.SampledFrom([]string{"phases", "seesaw", "goodput", "uses"}).Draw(t, "lesson")).Tour
	tour.On, tour.Ready = rapid.Bool().Draw(t, "on"), rapid.IntRange(0, 3).Draw(t, "ready") > 0
	tour.Stage, tour.Progress = rapid.IntRange(-2, 9).Draw(t, "stage"), anyFloat(t, "progress")
	tour.Lesson.Focus = rapid.SampledFrom([]string{"", "timeline", "step", "roofline", "batch", "kv", "client", "whatif",
		"seesaw", "lens"}).Draw(t, "focus")
	for i := range rapid.IntRange(0, 3).Draw(t, "rows") {
		tour.Rows = append(tour.Rows, serving.LessonRow{Label: "a figure with a long name", Unit: [...]string{"ms", "%",
			""}[i], Measured: []metrics.Value{anyValue(t)}})
	}
	for i := range tour.Curve {
		if rapid.Bool().Draw(t, "odd") {
			tour.Curve[i].Speed, tour.Curve[i].Good, tour.Curve[i].Users = anyValue(t), anyValue(t),
				rapid.IntRange(-1, 1<<20).Draw(t, "u")
		}
	}
	return tour
}

// anyView draws an arbitrary view.
func anyView(t *rapid.T) *View {
	e := momentOf(rapid.SampledFrom(allScenes).Draw(t, "scene"))
	if rapid.Bool().Draw(t, "odd steps") {
		e.Steps, e.Marks, e.Doing = nil, nil, nil
		at, first := anyFloat(t, "began"), rapid.Uint64Range(0, 1<<60).Draw(t, "first")
		for i := range rapid.IntRange(0, 12).Draw(t, "steps") {
			e.Steps = append(e.Steps, anyStep(t, first+uint64(i), at))
			at = e.Steps[i].End
		}
		e.Clock = anyFloat(t, "clock")
		if rapid.Bool().Draw(t, "doing") {
			d := anyStep(t, first+99, at)
			e.Doing = &d
		}
		e.Marks = rapid.SliceOfN(rapid.MakeCustom[serving.EngineMark](odd), 0, 4).Draw(t, "marks")
		e.Machine = rapid.MakeCustom[serving.Machine](odd).Draw(t, "machine")
		e.Knobs = rapid.MakeCustom[serving.Knobs](odd).Draw(t, "knobs")
		e.Present = rapid.MakeCustom[serving.Prediction](odd).Draw(t, "present")
		e.Previous = rapid.MakeCustom[serving.Prediction](odd).Draw(t, "previous")
		e.Figures = rapid.MakeCustom[serving.EngineFigures](odd).Draw(t, "figures")
		w := &e.Watched
		if n := len(w.True); n > 0 && rapid.Bool().Draw(t, "shorter") {
			w.True, w.Steps = w.True[:rapid.IntRange(0, n).Draw(t, "true")], w.Steps[:rapid.IntRange(0, n).Draw(t, "of steps")]
		}
		e.Slipped = anyFloat(t, "slipped")
	}
	e.Tour = anyTour(t)
	text := rapid.SampledFrom([]string{"", "", "a reason",
		"a very long reason that no panel of any size has enough room for, so that it has to be cut somewhere"})
	e.Broken.Code, e.Present.Err = metrics.EndingCode(text.Draw(t, "broken")), text.Draw(t, "err")
	e.Paused, e.Running, e.Busy = rapid.Bool().Draw(t, "paused"), rapid.Bool().Draw(t, "running"),
		rapid.Bool().Draw(t, "busy")
	e.Now = metrics.Stamp(rapid.Int64Range(-1e12, 1e12).Draw(t, "now"))
	v := &View{Explain: e, Knob: serving.Knob(rapid.IntRange(0, 20).Draw(t, "knob")),
		Panel: Panel(rapid.IntRange(0, 20).Draw(t, "panel")), Zoom: rapid.IntRange(-40, 40).Draw(t, "zoom"),
		Look: screen.Look{ReducedMotion: rapid.Bool().Draw(t, "reduced")}, Table: someKeys[:2]}
	v.Look.Lens = rapid.SampledFrom([]string{"", "", "chat", "agent", "batch", "none of them"}).Draw(t, "lens")
	v.Look.Task = slo.AgentTask{Steps: rapid.IntRange(1, slo.MaxAgentSteps).Draw(t, "steps"),
		Tokens: rapid.IntRange(1, slo.MaxAgentTokens).Draw(t, "tokens")}
	if n := len(e.Steps); n > 0 && rapid.Bool().Draw(t, "cursor") {
		v.Cursor = e.Steps[rapid.IntRange(0, n-1).Draw(t, "cursor on")].Number + uint64(rapid.IntRange(0, 2).Draw(t, "off"))
	}
	if rapid.Bool().Draw(t, "ascii") {
		v.Look.Glyphs = themes.ASCIIGlyphs()
	}
	return v
}

// TestDrawStaysInside draws any view at any size over any content. Nothing
// panics, nothing outside the rectangle is touched, and ASCII glyphs draw
// only ASCII.
func TestDrawStaysInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &picture{}
		size := rapid.OneOf(rapid.SampledFrom([][2]int{{39, 10}, {79, 22}, {119, 38}, {199, 48}, {299, 78}}),
			rapid.Custom(func(t *rapid.T) [2]int {
				return [2]int{rapid.IntRange(0, 300).Draw(t, "w"), rapid.IntRange(0, 80).Draw(t, "h")}
			})).Draw(t, "size")
		g := draw.New(size[0], size[1])
		for range rapid.IntRange(1, 3).Draw(t, "frames") {
			v := anyView(t)
			w, h := g.Size()
			r := g.Bounds()
			if rapid.Bool().Draw(t, "part") {
				r = draw.Rect{X: rapid.IntRange(0, 3).Draw(t, "x"), Y: rapid.IntRange(0, 3).Draw(t, "y"),
					W: rapid.IntRange(-1, w).Draw(t, "rw"), H: rapid.IntRange(-1, h).Draw(t, "rh")}
			}
			golden.Inside(t, g, r, v.Look.Glyphs != nil, func() { s.Draw(g, r, v) })
			x, y := rapid.IntRange(-5, 305).Draw(t, "px"), rapid.IntRange(-5, 85).Draw(t, "py")
			if k, ok := g.TargetAt(x, y).(onKnob); ok && serving.Knob(k) >= serving.NumKnobs {
				t.Fatalf("knob %d at %d,%d", k, x, y)
			}
			if n, ok := s.timeline.StepAt(x, y); ok && n != 0 && (n < v.Explain.Steps[0].Number ||
				n > v.Explain.Steps[len(v.Explain.Steps)-1].Number) {
				t.Fatalf("step %d at %d,%d is not kept", n, x, y)
			}
			s.Move(v, rapid.IntRange(-30, 30).Draw(t, "by"))
			s.MovePage(v, rapid.IntRange(-2, 2).Draw(t, "pages"))
			s.NextPanel(v)
		}
	})
}

// TestRowsAddUp checks that the rows keep every second, for any terms and any
// number of rows.
func TestRowsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var st serving.EngineStep
		want := 0.0
		st.NumTerms = rapid.IntRange(0, 16).Draw(t, "terms")
		for i := range st.NumTerms {
			s := rapid.Float64Range(0, 10).Draw(t, "s")
			st.Terms[i] = serving.StepTerm{Name: rapid.SampledFrom([]string{"projections", "feed-forward", "experts",
				"activations", "KV read", "prompt attention", "all-reduce", "kernels", "output head", "draft", "launch", "engine",
				"front end", "new"}).Draw(t, "name"), Seconds: s}
			want += s
		}
		n := rapid.IntRange(1, 12).Draw(t, "rows")
		of := sharesOf([]serving.EngineStep{st}, nil)
		rows := rowsOf(nil, &st, &of, n)
		testkit.Given(t, len(rows) <= n, "%d rows of %d", len(rows), n)
		got := 0.0
		for _, r := range rows {
			got += r.term.Seconds
		}
		testkit.Given(t, math.Abs(got-want) <= 1e-9, "%d rows are %g s of %g", n, got, want)
	})
}
