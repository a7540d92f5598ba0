package load

import (
	"regexp"
	"testing"

	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/ui/draw"
	"tokscope/ui/say"
)

// steered is a load of 16 users whose prompt was changed after 8 users, then its
// model and its objectives.
func steered() *View {
	v := scene(16)
	l := &v.Load
	first := loadstat.Setting{Work: l.Work, Endpoint: l.Endpoint, SLOs: l.SLOs, Drive: loadstat.Drive{Users: 8}}
	first.Endpoint.Model = "llama-3.1-8b"
	prompt := first
	prompt.Work.Name, prompt.Work.InputTokens = "custom", 4000
	model := prompt
	model.Endpoint.Model = "llama-3.1-70b"
	lax := model
	lax.SLOs = []slo.Objective{{Name: "ttft", Limit: 2000}}
	l.Setups = []loadstat.Setting{first, prompt, model}
	l.Setup = 2
	l.Marks = []loadstat.Mark{
		{At: l.Now - 45e9, Kind: loadstat.MarkWork, From: &first, To: &prompt}, {At: l.Now - 30e9, Kind: loadstat.MarkModel, From: &prompt, To: &model},
		{At: l.Now - 10e9, Kind: loadstat.MarkObjectives, From: &model, To: &lax},
	}
	l.Undo, l.Work, l.Endpoint, l.SLOs, l.Alone = &l.Marks[2], model.Work, model.Endpoint, lax.SLOs, nil
	for i := range l.Path { // 1, 2, 4, 8 with the first, 16 with the second
		if q := &l.Path[i]; q.Users > 8 {
			q.Setup, q.Speed.V, q.Total.V = 1, q.Speed.V*0.8, q.Total.V*0.8
		}
	}
	slow := &l.Live
	slow.Setup, slow.Speed.V, slow.Total.V = 2, slow.Speed.V*0.3, slow.Total.V*0.3
	return v
}

// Points of another work are in no line, knee or sentence of the present one.
func TestWorksAreNotMixed(t *testing.T) {
	v := steered()
	pic := &picture{}
	g := draw.New(119, 38)
	pic.Draw(g, g.Bounds(), v)
	n := &pic.now
	if len(n.points) != 1 || n.points[0].Setup != 2 || n.knee != 0 || len(n.works) != 2 || n.works[0].points[0].Setup != 1 || len(n.works[1].points) != 4 {
		t.Errorf("%d points, knee %d, works %+v", len(n.points), n.knee, n.works)
	}
	testkit.Is(t, pic.now.works[0].name, "llama-3.1-8b", "the second work is called")
	testkit.Is(t, pic.now.works[1].name, "llama-3.1-8b, prompt 1k", "the first work is called")
}

// A change shows at once, not with the next figures.
func TestMarkIsDrawnAtOnce(t *testing.T) {
	v := steered()
	v.Kind = Timeline
	pic := &picture{}
	g := draw.New(119, 38)
	marks := v.Load.Marks
	v.Load.Marks = nil
	pic.Draw(g, g.Bounds(), v)
	v.Load.Marks = marks[:1]
	pic.Draw(g, g.Bounds(), v)
	testkit.Has(t, g.Plain(), say.MarkShort(&marks[0]))
}

// Each mark of a model, a prompt or objectives has a label, whole or its short word,
// and no label covers another.
func TestMarksAreLabeled(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {200, 50}} {
		v := steered()
		v.Kind = Timeline
		lax := *v.Load.Marks[2].To
		lax.SLOs = []slo.Objective{{Name: "ttft", Limit: 2000}, {Name: "tpot", Limit: 10}}
		v.Load.Marks[2].To, v.Load.Marks[2].At = &lax, v.Load.Now-40e9
		g := frame(v, size[0], size[1])
		for _, want := range []string{`╎ prompt( 4k)?\b`, `╎ (llama-\S*|model)[ ╎│]`, `╎ objectives\b`} {
			if !regexp.MustCompile(want).MatchString(g.Plain()) {
				t.Errorf("%v: no %s in\n%s", size, want, g.Plain())
			}
		}
	}
}

// TestALullIsSteered: between two requests of an open loop nothing is under way,
// and the load can be changed all the same.
func TestALullIsSteered(t *testing.T) {
	s := &Screen{}
	l := &s.view.Load
	l.Running, l.Rate, l.Undo = true, 2, &loadstat.Mark{Kind: loadstat.MarkRate}
	if s.undoes() == nil || s.undoes().Kind != loadstat.MarkRate {
		t.Error("nothing can be taken back in a lull")
	}
	l.Running = false
	testkit.Is(t, s.undoes(), nil, "an ended load is changed")
}
