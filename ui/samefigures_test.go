package ui

import (
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/verdict"
	"tokscope/ui/format"
	"tokscope/ui/report"
)

// TestAFigureReadsTheSameEverywhere checks that screen, report, summary of
// the runs and summary of a probe write a figure the same way.
func TestAFigureReadsTheSameEverywhere(t *testing.T) {
	play(t, "live", 80, 24, Options{}, func(r *harness) {
		r.do("space sent")
		r.b.Advance(41260 * time.Microsecond)
		for i := range 60 {
			r.b.Chunk("word ")
			r.b.Advance(6843 * time.Microsecond)
			if i == 30 {
				r.b.Advance(307 * time.Millisecond)
			}
		}
		r.do("finish wait:300ms")
		runs := r.b.Runs()
		run := runs[len(runs)-1]
		f := &run.Figures
		screen := r.screen()
		found := verdict.Of(verdict.Input{Stream: &run.Stream, Figures: f})
		for _, c := range []struct {
			name  string
			v     metrics.Value
			write func(float64) string
			runs  bool // the summary of the runs has it
		}{{"TTFT", f.TTFT, format.Ms, true}, {"TPOT", f.TPOT, format.Ms, true}, {"speed", f.Speed, format.Rate, true}, {"longest gap", f.Longest, format.Ms, false}, {"tokens", f.Tokens, format.Whole, true}} {
			if !c.v.OK {
				r.Fatal(c.name, "is unknown:", c.v.Why)
			}
			text := c.write(c.v.V)
			for where, s := range map[string]string{"the screen": screen, "plain text": report.Probe(runs[len(runs)-1:], report.Form{Whole: true}).Text(0), "the ticket": report.Ticket(&run, found, report.Origin{}, ""),
				"the probe": report.Probe(runs, report.Form{}).Text(0), "the summary": report.Runs(runs, report.Form{}).Text(0)} {
				if (c.runs || where != "the summary" && where != "the ticket") && !strings.Contains(s, text) {
					t.Errorf("%s: %s does not write %q:\n%s", c.name, where, text, s)
				}
			}
		}
	})
}
