package session

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"tokscope/metrics"
	requests "tokscope/metrics/request"
	"tokscope/metrics/testkit"
)

// The list of a recorded load has the requests that have ended, and those with
// events can be opened.
func TestLoadListsTheEnded(t *testing.T) {
	r := testkit.Rand(t, 5)
	for range 10 {
		n := 1 + r.IntN(20)
		text, _ := loadText(r, n, true)
		p, _ := loadPlayer(t, text)
		v := p.LoadReplayRequests()
		testkit.Given(t, v.Len() == n && v.Ended == n, "%d rows of %d ended, want %d", v.Len(), v.Ended, n)
		for i := range v.Len() {
			q := v.Row(i)
			s, missing, ok := p.LoadReplayRequest(q.ID)
			events := q.N%3 != 0 // as loadText writes it
			testkit.Given(t, ok && s.ID == q.ID && q.User == 0, "row %+v, stream %v", q, ok)
			if v.Kept(q.ID) != events || (missing == metrics.ReplayNoEvents) == events {
				t.Fatalf("request %d: can be opened %v, lacks %q", q.N, v.Kept(q.ID), missing)
			}
		}
		if _, _, ok := p.LoadReplayRequest(-1); ok {
			t.Error("there is a request -1")
		}
	}
}

// ofFigures is a session file with one load of a request without events, whose
// figures are those. end is its end line, "" without one.
func ofFigures(end string) string {
	var b strings.Builder
	b.WriteString(`{"type":"session","schema":"tokscope/session/v1","version":"1","started":"2026-11-20T14:05:09Z","system":"linux/amd64","bodies_recorded":false}` + "\n")
	b.WriteString(`{"type":"load","load":1,"at_ns":1000000000,"head":{"endpoint":{"name":"groq"},"workload":{"name":"1k in"},"users":1,"slo":[],"seed":"7"}}` + "\n")
	b.WriteString(`{"type":"request","id":1,"load":1,"start_ns":1100000000,"events_recorded":false,"endpoint":{"name":"groq"},"workload":{"name":"1k in"}}` + "\n")
	if end != "" {
		fmt.Fprintf(&b, `{"type":"end","id":1,"request":{"id":1,"state":"done","marks":{"start_ns":1100000000,"sent_ns":1101000000,"end_ns":1900000000},"figures":%s}}`+"\n", end)
	}
	fmt.Fprintf(&b, `{"type":"load_end","load":1,"at_ns":2500000000,"end":{"sent":1,"ended_well":1}}`+"\n")
	return b.String()
}

// The figures of a request without events are the recorded ones, and what is not
// recorded is unknown with a reason.
func TestLoadListsRecordedFigures(t *testing.T) {
	p, _ := loadPlayer(t, ofFigures(`{"ttft_ms":276.5,"tpot_ms":null,"longest_gap_ms":31,"output_tokens":200,"output_tokens_source":"estimated","suspect":[{"code":"fewer_tokens"},{"code":"buffered"}],"unknown":{"tpot_ms":{"code":"one-chunk"}}}`))
	v := p.LoadReplayRequests()
	if v.Len() != 1 || v.Streams() != 0 {
		t.Fatalf("%d rows, %d with events", v.Len(), v.Streams())
	}
	q := v.Row(0)
	for _, c := range []struct {
		name string
		have metrics.Value
		want float64
	}{{"TTFT", q.TTFT, 276.5}, {"longest gap", q.Longest, 31}, {"tokens", q.Tokens, 200}} {
		testkit.Is(t, c.have, metrics.Known(c.want, 0), c.name)
	}
	x := q.TPOT
	testkit.That(t, !x.OK && x.Why != 0, "TPOT is %+v, want unknown with a reason", x)
	testkit.Is(t, q.Total, metrics.Unknown(metrics.WhyNotRecorded), "total")
	if !q.Estimated || q.Doubts != 2 || q.Doubt != metrics.SuspectBuffered || q.Endpoint != "groq" || q.Work != "1k in" ||
		!q.Good() {
		t.Errorf("row %+v", q)
	}
	p, _ = loadPlayer(t, ofFigures(""))
	if v := p.LoadReplayRequests(); v.Len() != 0 {
		t.Errorf("a request without an end is listed: %+v", v.Row(0))
	}
	_, s, _ := p.LoadReplay()
	testkit.That(t, s.Recorded == 1, "%d are recorded", s.Recorded)
}

// Figures of a hostile file are any numbers. They can be filtered and sorted.
func TestHostileFiguresAreListed(t *testing.T) {
	for _, x := range []float64{-math.MaxFloat64, -1, 0, math.MaxFloat64} {
		p, _ := loadPlayer(t, ofFigures(fmt.Sprintf(`{"ttft_ms":%g,"tpot_ms":%g,"longest_gap_ms":%g,"output_tokens":%g,"total_ms":%g,"unknown":{"ttft_ms":{"code":"x","text":"\u001b[2J"}},"suspect":[{"code":"\u001b[31m"}]}`, x, x, x, x, x)))
		v := p.LoadReplayRequests()
		for _, line := range []string{"", "sort:-ttft", "tokens>0 sort:tokens", "sort:failure"} {
			f := testkit.Must(requests.ParseFilter(line))(t)
			var s requests.Selection
			if s.Select(&v, &f); len(s.Rows) > 1 || line == "" && len(s.Rows) != 1 {
				t.Errorf("%q selects %v", line, s.Rows)
			}
		}
	}
}
