package loadgen

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/metrics/testkit/example"
)

// TestMLPerf holds the figures of MLPerf's rules for a stream and for many.
func TestMLPerf(t *testing.T) {
	s := example.Stream(metrics.InReasoning, 50)
	f := metrics.Measure(s, metrics.Options{})
	ttft, tpot := byMLPerf(s, &f)
	testkit.That(t, ttft == 480 && tpot == (1160-480)/49., "%v and %v: TTFT 480, TPOT 680/49", ttft, tpot)
	s.Endpoint.API = "messages"
	ttft, tpot = byMLPerf(s, &f)
	testkit.That(t, ttft != ttft && tpot != tpot, "%v and %v in an API without a rule", ttft, tpot)
	p := loadstat.Point{Users: 8, Total: metrics.Known(900, 0)}
	m := loadstat.MLPerfOf(&p, []float64{9, 1, 8, 2, 7, 3, 6, 4, 5, 10, 11}, []float64{1, 2, 3})
	if m.TTFT.V != 10 || m.TPOT.OK || m.User.OK || m.System.V != 900 || m.Concurrency != 8 {
		t.Errorf("%+v: the p90 of 11 is the 10th, that of 3 is unknown", m)
	}
	m = loadstat.MLPerfOf(&p, nil, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 20, 30, 40})
	testkit.Is(t, m.User, metrics.Known(50, 12), "1000 / 20 ms")
}

// TestRowFigures holds where the figures of a row are.
func TestRowFigures(t *testing.T) {
	for i, name := range map[int]string{loadstat.RowTTFB: "ttfb", loadstat.RowTTFT: "ttft", loadstat.RowTTFC: "ttfc",
		loadstat.RowTPOT: "tpot", loadstat.RowITL: "itl", loadstat.RowGap: "gap", loadstat.RowTotal: "total",
		loadstat.RowSpeed: "speed"} {
		testkit.Is(t, slo.Names()[i], name)
	}
	r := newRecord(0, true, &metrics.Figures{PromptTokens: metrics.Known(7, 1)})
	testkit.That(t, len(r.Figures) == loadstat.RowLength && r.Figures[loadstat.RowPrompt] == 7, "%v", r.Figures)
}
