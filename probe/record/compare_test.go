package record

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/condition"
	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
)

// compareStates and the rest are the values of fields with a fixed set.
func compareStates() (out []string) {
	for s := comparison.TooFew; s <= comparison.Higher; s++ {
		out = append(out, s.String())
	}
	return out
}

func compareOutcomes() (out []string) {
	for o := condition.Unknown; o <= condition.Met; o++ {
		out = append(out, o.String())
	}
	return out
}

func compareFigures() []string {
	return condition.Names()[:len(condition.Names())-1] // without failures
}

func compareKinds() []string {
	return texts([]comparison.Kind{comparison.KindProbe, comparison.KindLines, comparison.KindSession, comparison.KindSweep, comparison.KindRequests, comparison.KindBaseline, comparison.KindHistory})
}

// TestEndsOfIntervals: 0 bounds a share of failures, and nothing else.
func TestEndsOfIntervals(t *testing.T) {
	for text, known := range map[string]bool{"failures > 5%": true, "ttft.p90 > 1.2x A": false, "total.p50 > 4s": false} {
		c := testkit.Must(condition.Parse(text))(t)
		if low := lowOf(&c, 0); (low != nil) != known {
			t.Errorf("%s: the lower end 0 is written as %v", text, low)
		}
	}
}

// TestCompareDocument: the document is read as it was written, and holds neither
// infinities nor control characters.
func TestCompareDocument(t *testing.T) {
	var q, r []Request
	for n := range 12 {
		x, y := savedRequest(n), savedRequest(n)
		y.Figures.TTFT.V *= 2
		q, r = append(q, x), append(r, y)
	}
	r[3].State, r[3].Model = metrics.Failed, "m\x1b[2J"
	q[0].Figures.DNS, r[0].Figures.DNS = metrics.Known(5, 1), metrics.Known(5, 1)
	read := func(requests []Request, name string) *comparison.Sample {
		s := testkit.Must(ReadSample(strings.NewReader(savedLines(t, &Document{Schema: ResultSchema, Tool: Tool{Version: "v1"}, Requests: requests})), name))(t)
		return s
	}
	c := comparison.Compare(read(q, "a\x1b[31m.json"), read(r, "b.json"), nil)
	for _, text := range []string{"ttft > 1.2x", "dns > 1ms", "failures > 50%"} {
		k := testkit.Must(condition.Parse(text))(t)
		c.Judge(k, false)
	}
	var out bytes.Buffer
	say := Sentences(func(of any, _ time.Time) []string { return []string{fmt.Sprintf("on a %T", of)} })
	testkit.OK(t, say.WriteComparison(&out, c, "v1"))
	if strings.Contains(out.String(), "\x1b") {
		t.Error("a control character is written")
	}
	var back Comparison
	testkit.OK(t, Unmarshal(out.Bytes(), &back))
	if back.Summary != "on a *comparison.Comparison" || len(back.Pairs) != 1 || back.A.Requests != 12 || back.A.Kind != "probe" || back.A.From.IsZero() {
		t.Errorf("%+v", back)
	}
	for _, f := range back.Pairs[0].Figures {
		switch f.Figure {
		case history.TTFT:
			if f.State != comparison.Higher || f.Low < 1.5 || !(f.High <= 2.5) || f.P == nil || f.NB != 11 || f.Unit != "ms" || f.Text != "on a *comparison.Row" {
				t.Errorf("%+v", f)
			}
		case history.DNS:
			if f.State != comparison.TooFew || f.Low != 0 || f.P != nil || f.Needs == 0 || math.IsNaN(f.Ratio+f.Explains) {
				t.Errorf("%+v", f)
			}
		}
	}
	if f := back.Pairs[0].Failures; f.FailedB != 1 || f.NB != 12 || f.P == nil || f.State != comparison.Noise {
		t.Errorf("%+v", f)
	}
	var outcomes []string
	for _, v := range back.FailIf {
		outcomes = append(outcomes, v.Outcome.String())
	}
	if !reflect.DeepEqual(outcomes, []string{"met", "unknown", "unmet"}) {
		t.Errorf("conditions %v", outcomes)
	}
}
