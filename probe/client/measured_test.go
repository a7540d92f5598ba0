package client

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/secret"
	"tokscope/probe/transport"
)

// measurer is a sink that needs figures.
type measurer struct {
	eventText
	figures []*metrics.Figures
}

func (m *measurer) End(_ metrics.Stream, f *metrics.Figures) {
	m.figures = append(m.figures, f)
}

// The figures of an ended stream are computed once for all sinks and for its run,
// and anew for another pace, or where a sink has failed.
func TestFiguresAreComputedOnce(t *testing.T) {
	e := New(Options{Scrub: secret.NewScrubber()})
	defer e.Close()
	s := bare(8)
	s.engine, s.done = e, make(chan struct{})
	first, second := &measurer{}, &measurer{}
	s.audience.begin([]Sink{first, second}, s.Snapshot(), e.scrub)
	e.finish(s, nil)
	testkit.Given(t, len(first.figures) == 1 && len(second.figures) == 1 && first.figures[0] == second.figures[0],
		"two sinks have %v and %v", first.figures, second.figures)
	v := s.Snapshot()
	testkit.Same(t, *first.figures[0], metrics.Measure(&v, metrics.Options{}), "figures")
	slow := metrics.Pace{Name: "slow", WPM: 50}
	if s.measured() != first.figures[0] || s.Run(metrics.Pace{}).Figures.Pace != first.figures[0].Pace ||
		s.Run(slow).Figures.Pace != slow {
		t.Error("a run has not the figures of its pace")
	}
	s.broke(transport.PanicFault("a sink failed"))
	testkit.Is(t, s.measured(), nil, "the figures are those from before the fault")
}
