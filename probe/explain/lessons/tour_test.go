package lessons

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"go.uber.org/goleak"

	"tokscope/metrics/serving"
	"tokscope/metrics/testkit"
	"tokscope/probe/explain"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// watch feeds a recorder, as the running engine does, until the tour has what
// it needs of a stage.
type watch struct {
	tour *Tour
	rec  *explain.Recorder
	knob serving.Knobs // those of the stage
	n    int
	at   float64
}

func (w *watch) Saw(s *engine.Step) {
	w.rec.Record(s, nil, 0)
	w.at = s.End
}

// patience is how many steps of the engine a stage may take.
const patience = 20_000

func (w *watch) Enough() bool {
	if w.n++; w.n%10 != 0 {
		return false
	}
	w.tour.Observe(w.knob, w.rec.Figures())
	return w.tour.View().Progress == 1 || w.n > patience
}

// run shows a whole lesson in virtual time, on engines that bend has changed,
// and returns what stands on the screen at its end. took is the wall time in
// seconds that each stage would take.
func run(t *testing.T, n int, bend func(*explain.EngineConfig)) (v serving.TourView, elapsed []float64) {
	t.Helper()
	tour := New("", nil)
	k, ok := tour.Go(n)
	testkit.Given(t, ok, "no lesson %d", n)
	tour.ended.Wait()
	for i := range tour.View().Lesson.Stages {
		if k, ok = tour.Stage(i); !ok {
			t.Fatalf("lesson %d has no stage %d", n, i)
		}
		config := testkit.Must(explain.NewEngineConfig(nil, k))(t)
		if bend != nil {
			bend(config)
		}
		w := &watch{tour: tour, knob: k, rec: explain.NewRecorder(config.Setup, config.Knobs.Users, tour.Objectives())}
		testkit.Must(config.Play(context.Background(), w.Saw, w.Enough))(t)
		elapsed = append(elapsed, w.at/k.Time)
	}
	tour.Wait()
	return tour.View(), elapsed
}

// TestTheWholeTour shows every lesson on an engine in virtual time, through the
// measuring code of the running one: the claim must be borne out by what the
// engine did, soon enough for an audience, and near the prediction.
func TestTheWholeTour(t *testing.T) {
	for n := 1; n <= len(lessons); n++ {
		v, elapsed := run(t, n, nil)
		l := v.Lesson
		t.Logf("%d %s: %s\n   %s\n   %s\n   %.1f s on the wall\n   %s", n, l.Title, l.Claim, strings.Join(l.Text, "\n   "),
			l.Try, elapsed, v.Verdict)
		testkit.That(t, v.Ready && v.Verdict != "" && v.Holds && v.Seen[n-1],
			"lesson %d, %s: ready %v, seen %v, holds %v, %q", n, l.Title, v.Ready, v.Seen[n-1], v.Holds, v.Verdict)
		for i, s := range elapsed {
			if s > 14 { // an audience waits some ten seconds
				t.Errorf("lesson %d, stage %d takes %.1f s", n, i, s)
			}
		}
		if strings.Contains(v.Verdict, "keep up") {
			t.Errorf("lesson %d: %s", n, v.Verdict) // virtual time keeps up
		}
		if w := utf8.RuneCountInString(written(v.Verdict)); w > 150 {
			t.Errorf("lesson %d: a verdict of %d characters", n, w)
		}
		for _, r := range v.Rows {
			if w := utf8.RuneCountInString(r.Label + ", " + r.Unit); w > 13 {
				t.Errorf("lesson %d: %q is too long for its column", n, r.Label)
			}
			var cells []string
			for i, p := range r.Predicted {
				m := r.Measured[i]
				cells = append(cells, fmt.Sprint(p.V, " ", m.V))
				testkit.That(t, p.OK && m.OK, "lesson %d, %s, stage %d: predicted %+v, measured %+v", n, r.Label, i, p, m)
				if near := 0.2; r.Label != "preempted" && r.Label != "TTFT" && math.Abs(m.V-p.V) > near*p.V {
					t.Errorf("lesson %d, %s, stage %d: predicted %.4g, measured %.4g", n, r.Label, i, p.V, m.V)
				}
			}
			t.Logf("      %-36s %-6s %s", r.Label, r.Unit, strings.Join(cells, " │ "))
		}
	}
}

// TestALessonCanFail plays each lesson on an engine without what it claims: the
// verdict must say that the claim does not hold.
func TestALessonCanFail(t *testing.T) {
	rebuild := func(r *explain.EngineConfig, change func(*physics.Config)) {
		c := r.Setup.Config
		change(&c)
		s := testkit.Must(physics.New(c))(t)
		r.Setup = s
	}
	for key, without := range map[string]struct {
		what string
		bend func(*explain.EngineConfig)
	}{
		"two-phases": {"arithmetic costs nothing",
			func(r *explain.EngineConfig) { rebuild(r, func(c *physics.Config) { c.Hardware.BF16 *= 100 }) }},
		"prompt": {"prefill costs nothing",
			func(r *explain.EngineConfig) { rebuild(r, func(c *physics.Config) { c.Hardware.BF16 *= 1000 }) }},
		"quantize": {"bytes are not what limits", func(r *explain.EngineConfig) {
			rebuild(r, func(c *physics.Config) { c.Precision, _ = physics.PrecisionOf("bf16") })
		}},
		"seesaw": {"no batch", func(r *explain.EngineConfig) { r.Mode = engine.None }},
		"share":  {"as fast for each as for one", func(r *explain.EngineConfig) { r.Knobs.Users = 1 }},
		"stall":  {"neither chunks nor a second machine", func(r *explain.EngineConfig) { r.Mode = engine.PrefillFirst }},
		"cache": {"room for everybody",
			func(r *explain.EngineConfig) { rebuild(r, func(c *physics.Config) { c.Hardware.Mem *= 4 }) }},
		"context": {"a cache that weighs nothing", func(r *explain.EngineConfig) {
			rebuild(r, func(c *physics.Config) { c.Model.HeadDim, c.Model.KVHeads = 1, 1 })
		}},
		"draft": {"guesses that are always wrong", func(r *explain.EngineConfig) {
			if d := r.Setup.Draft; d != nil {
				rebuild(r, func(c *physics.Config) { e := *d; e.Accept = []float64{0}; c.Draft = &e })
			}
		}},
		"goodput": {"a machine that is never crowded", func(r *explain.EngineConfig) {
			rebuild(r, func(c *physics.Config) {
				c.Hardware.BW *= 20
				c.Hardware.BF16 *= 20
				c.Stack = physics.Stack{Key: "ideal", Share: .9, Budget: 8192, MaxSeqs: 1024}
			})
		}},
		"uses": {"one machine for all", func(r *explain.EngineConfig) {
			rebuild(r, func(c *physics.Config) {
				c.Hardware, _ = physics.Machine("a100")
				c.Model, _ = physics.ModelOf("llama-3.3-70b")
				c.Precision, _ = physics.PrecisionOf("bf16")
				c.Stack, _ = physics.StackOf("vllm")
				c.TP = 4
			})
		}},
	} {
		n := 1
		for n <= len(lessons) && lessons[n-1].key != key {
			n++
		}
		v, _ := run(t, n, without.bend)
		testkit.That(t, !v.Holds, "lesson %s holds although: %s: %q", key, without.what, v.Verdict)
		if v.Verdict == "" {
			t.Logf("lesson %s has no verdict when: %s", key, without.what)
		}
		t.Logf("%s, %s: %s", key, without.what, v.Verdict)
	}
}

// written is a text of a lesson with figures of the usual width in it; a figure
// that is unknown stays in braces.
func written(text string) string {
	return marked.ReplaceAllStringFunc(text, func(s string) string {
		unit, _, _ := strings.Cut(s[1:], " ")
		return map[string]string{
			serving.LessonMs: "1.50 s", serving.LessonLimit: "200 ms", serving.LessonRate: "4,110 tok/s",
			serving.LessonBytes: "15.0 GB", serving.LessonShare: "61 %",
			serving.LessonTimes: "1.9x", serving.LessonCount: "3,000", serving.LessonNumber: "8.03",
		}[unit]
	})
}

var marked = regexp.MustCompile(`\{[a-zB/]+ [^}]+\}`)

// TestTextsFit: claim, text and what to try are at most six rows of 96 columns,
// and no name in braces is left.
func TestTextsFit(t *testing.T) {
	for n := 1; n <= len(lessons); n++ {
		tour := New("", nil)
		tour.Go(n)
		tour.ended.Wait()
		l := tour.View().Lesson
		lines := append([]string{l.Claim, l.Try}, l.Text...)
		testkit.That(t, len(lines) <= 6 && len(l.Text) >= 2 && len(l.Text) <= 4,
			"lesson %d has %d lines of text", n, len(l.Text))
		for _, s := range l.Stages {
			lines = append(lines, s.Label, s.Turn)
			testkit.That(t, utf8.RuneCountInString(written(s.Label)) <= 13,
				"lesson %d: stage %q is too long for its column", n, s.Label)
			// three columns of 120 have room for words, not for long ones
			for word := range strings.FieldsSeq(written(s.Label)) {
				testkit.That(t, len(l.Stages) <= 2 || utf8.RuneCountInString(word) <= 7,
					"lesson %d: %q in the name of a stage breaks in the middle", n, word)
			}
		}
		for _, line := range lines {
			line = written(line)
			w := utf8.RuneCountInString(line)
			testkit.That(t, w <= 96, "lesson %d: %d columns: %s", n, w, line)
			testkit.That(t, !strings.ContainsAny(line, "{}–"), "lesson %d: a figure is missing: %s", n, line)
		}
		tour.Wait()
	}
}

// TestNoFigureIsTypedIn: the words of a lesson hold no digit, but for the keys
// of the physics tables, the names of stages and the verbs of formats.
func TestNoFigureIsTypedIn(t *testing.T) {
	known := map[string]bool{}
	for _, m := range physics.Models {
		known[m.Key] = true
	}
	for _, h := range physics.Machines {
		known[h.Key] = true
	}
	for _, p := range physics.Precisions {
		known[p.Key] = true
	}
	files, err := filepath.Glob("lesson[0-9]*.go")
	testkit.Given(t, err == nil && len(files) == len(lessons),
		"%d files for %d lessons, %v", len(files), len(lessons), err)
	for _, name := range files {
		f := testkit.Must(parser.ParseFile(token.NewFileSet(), name, nil, 0))(t)
		texts := 0
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				s, _ := strconv.Unquote(lit.Value)
				if texts++; !known[s] && strings.ContainsAny(s, "0123456789") {
					t.Errorf("%s: a figure is typed in: %q", name, s)
				}
			}
			return true
		})
		testkit.That(t, texts >= 10, "%s: %d texts only: nothing was looked at", name, texts)
	}
}

// TestTextsPairFiguresOfOneStage: where a text says a figure "with" or "over" so
// many users, both are of the same stage.
func TestTextsPairFiguresOfOneStage(t *testing.T) {
	pair := regexp.MustCompile(`\{(\w+)\.\w+\} (?:with|for|over) \{(\w+)\.(?:users|prompt)\}`)
	pairs := 0
	for _, l := range lessons {
		for _, line := range append([]string{l.claim, l.try, l.verdict}, l.text...) {
			for _, m := range pair.FindAllStringSubmatch(line, -1) {
				if pairs++; m[1] != m[2] {
					t.Errorf("%s: %q", l.key, m[0])
				}
			}
		}
	}
	testkit.That(t, pairs >= 5, "%d pairs only: nothing was looked at", pairs)
}

// TestAStageThatIsPassedOver is counted, from the next on, until the lesson
// begins again: it is why there is no verdict.
func TestAStageThatIsPassedOver(t *testing.T) {
	tour := New("", nil)
	defer tour.Wait()
	missed := func(want int) {
		t.Helper()
		if got := tour.View().Missed; got != want {
			t.Errorf("stage %d: %d were missed, want %d", tour.View().Stage+1, got, want)
		}
	}
	tour.Go(6)
	missed(0)
	tour.mu.Lock()
	tour.show.got[0] = &explain.Outcome{} // measured
	tour.mu.Unlock()
	tour.Stage(1)
	missed(0)
	tour.Stage(2)
	missed(1)
	tour.Go(6)
	missed(0)
	tour.Stage(1)
	missed(1)
	tour.Stage(2)
	missed(2)
}
