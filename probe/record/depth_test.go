package record

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// Every figure is in the document, an unknown one is null with its reason, and
// texts of the server are harmless.
func TestDepthDocument(t *testing.T) {
	side := loadstat.DepthSide{Prompt: metrics.Known(1017, 3), Cached: metrics.Unknown(metrics.WhyNotReportedEnd), TTFT: metrics.Known(40.5, 3), Prefill: metrics.Known(math.Inf(1), 3), Ended: 3, Failed: 1}
	p := &loadstat.DepthPlan{Work: metrics.Workload{Prompt: "x", MaxTokens: 20}, Depths: []int{1000, 64_000}, Requests: 4, Users: 2}
	o := &loadstat.DepthOutcome{
		Endpoint: metrics.Endpoint{Name: "it", URL: "https://it/v1"}, Model: "m\x1b]0;x\a", Context: 32_768,
		Rows: []loadstat.DepthRow{
			{Depth: 1000, Cold: side, Warm: side, TPOT: metrics.Known(6.5, 6), Speed: metrics.Known(150, 6)},
			{Depth: 64_000, TooLong: true, TPOT: metrics.Unknown(metrics.WhyNoneEndedWell), Speed: metrics.Unknown(metrics.WhyNoneEndedWell)},
		},
		Fit: loadstat.NoFit(3, metrics.Needs(8)), Tokens: 5000, Stamps: "kernel",
		Fault: &metrics.Fault{Kind: metrics.FaultHTTP, Message: "\u202eevil\x1b"}, Stopped: metrics.Ending{Code: metrics.EndingCap},
	}
	var b bytes.Buffer
	if err := WriteDepth(&b, "test", time.Unix(0, 0), p, o, Sentences{}); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(b.String(), "\x1b\a\u202e") {
		t.Errorf("control characters: %q", b.String())
	}
	var d Depth
	if err := Unmarshal(b.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if d.Schema != DepthSchema || d.Users != 2 || d.Requests != 4 || !reflect.DeepEqual(d.Asked, p.Depths) || d.Context != 32_768 || d.Stopped.Code != "token_cap" || d.Tokens != 5000 || d.Cost.OK || len(d.Rows) != 2 {
		t.Fatalf("%s", b.String())
	}
	if d.Fit.B.Why != metrics.Needs(8) || d.Fit.N != 3 {
		t.Errorf("fit %+v", d.Fit)
	}
	if c := d.Rows[0].Cold; c.Prompt.V != 1017 || c.Cached.Why != metrics.WhyNotReportedEnd || c.TTFT != metrics.Known(40.5, 3) || c.Ended != 3 || c.Failed != 1 || c.Prefill.OK {
		t.Errorf("cold %+v", c)
	}
	if r := d.Rows[0]; r.TPOT != metrics.Known(6.5, 6) || r.Speed.V != 150 || r.TooLong {
		t.Errorf("row %+v", r)
	}
	if r := d.Rows[1]; !r.TooLong || r.TPOT.Why != metrics.WhyNoneEndedWell {
		t.Errorf("left out: %+v", r)
	}
}
