package explain

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/screen"
)

// film is a scene that continues: every frame adds a step.
type film struct {
	v   *View
	all []serving.EngineStep
	w   serving.Watched
}

func newFilm(scene string) *film {
	v := &View{Explain: momentOf(scene), Knob: serving.KnobUsers}
	return &film{v, v.Explain.Steps, v.Explain.Watched}
}

// frame adds a step and advances the clock.
func (f *film) frame(i int, by metrics.Stamp) {
	e := &f.v.Explain
	n := len(f.all)/2 + i%(len(f.all)/2)
	e.Steps = f.all[:n]
	e.Clock = f.all[n-1].End
	e.Now += by
	k := min(n, len(f.w.True))
	e.Watched.True, e.Watched.Steps, e.Watched.Stream.Chunks = f.w.True[:k], f.w.Steps[:k], f.w.Stream.Chunks[:k]
	e.Watched.Stream.Text = f.w.Stream.Text[:f.w.Stream.Chunks[k-1].TextEnd]
}

// TestFrameAllocations checks the budget of a frame in which everything
// changed. An unchanged frame costs nothing, and numbers change at most four
// times a second.
func TestFrameAllocations(t *testing.T) {
	pal := themes.Compile(themes.Default(true), themes.TrueColor)
	for _, c := range [...]struct {
		scene, lens string
		most        float64
	}{{"slow", "", 120}, {"many", "", 120}, {"seesaw", "", 120}, {"preempt", "", 120}, {"many", "agent", 200},
		{"uses", "agent", 200}} {
		scene := c.scene
		f, s, g := newFilm(scene), &picture{}, draw.New(199, 48)
		lensOn(f.v, c.lens)
		var to draw.Patch
		var out []byte
		i := 0
		draw := func() {
			i++
			f.frame(i, screen.FiguresEvery)
			figures := &f.v.Explain.Figures
			figures.TTFT.V, figures.TPOT.V, figures.Speed.V = float64(100+i), float64(10+i), 1000/float64(10+i)
			s.Draw(g, g.Bounds(), f.v)
			out = to.Append(out[:0], g, pal)
		}
		draw()
		testkit.Allocates(t, c.most, 50, draw, "a frame of", scene, c.lens)
		before := s.now.version
		f.frame(i, screen.FiguresEvery/2)
		s.Draw(g, g.Bounds(), f.v)
		testkit.That(t, s.now.version == before, "%s: figures changed after an eighth of a second", scene)
		f.frame(i, screen.FiguresEvery)
		s.Draw(g, g.Bounds(), f.v)
		testkit.That(t, s.now.version == before+1,
			"%s: after a quarter of a second the figures changed %d times", scene, s.now.version-before)
		to.Append(nil, g, pal)
		testkit.Allocates(t, 0, 50, func() {
			testkit.Given(t, len(to.Append(out[:0], g, pal)) == 0, "an unchanged grid was written again")
		}, scene, "writes the same again")
	}
}
