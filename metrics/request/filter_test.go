package request

import (
	"slices"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// some are requests of every ending.
func some() View {
	ms := func(v float64) metrics.Value { return metrics.Known(v, 1) }
	none := metrics.Unknown(metrics.WhyNoChunk)
	return ViewOf(1e9, []Row{
		{ID: 1, N: 1, User: 1, Sent: 2e9, State: metrics.Done, Status: 200, TTFT: ms(120), TPOT: ms(7), Longest: ms(30),
			Total: ms(900), Tokens: ms(100), Model: "Llama", Endpoint: "groq", Work: "chat"},
		{ID: 2, N: 2, User: 2, Sent: 3e9, State: metrics.Failed, Status: 503, Fault: metrics.FaultHTTP,
			Message: "Overloaded now", TTFT: none, TPOT: none, Longest: none, Total: none, Tokens: none},
		{ID: 3, N: 3, User: 1, Sent: 4e9, State: metrics.Done, Status: 200, TTFT: ms(800), TPOT: ms(9), Longest: ms(12),
			Total: ms(1600), Tokens: ms(90), Doubt: metrics.SuspectBuffered, Doubts: 2, Model: "Llama"},
		{ID: 4, N: 4, User: 3, Sent: 5e9, State: metrics.Failed, Status: 429, Fault: metrics.FaultRateLimit, TTFT: none,
			TPOT: none, Longest: none, Total: none, Tokens: none},
		{ID: 5, N: 5, User: 12, Sent: 6e9, State: metrics.Truncated, Status: 200, Fault: metrics.FaultTruncated,
			TTFT: ms(510), TPOT: ms(8), Longest: ms(400), Total: ms(700), Tokens: ms(20)},
		{ID: 6, N: 6, User: 2, Sent: metrics.NoStamp, State: metrics.Cancelled, Fault: metrics.FaultCancelled, TTFT: none,
			TPOT: none, Longest: none, Total: none, Tokens: none},
	})
}

func TestFilter(t *testing.T) {
	v := some()
	for _, c := range []struct {
		line string
		want []int
	}{
		{"", []int{6, 5, 4, 3, 2, 1}},
		{"ttft>500", []int{5, 3}},
		{"ttft<=120ms", []int{1}},
		{"total>1.5s", []int{3}},
		{"longest_gap>=400", []int{5}},
		{"!ttft>500", []int{6, 4, 2, 1}},
		{"ttft>500 status:5xx sort:-ttft", nil},
		{"status:5xx", []int{2}},
		{"status:429,503", []int{4, 2}},
		{"status:ok", []int{3, 1}},
		{"status:failed", []int{5, 4, 2}},
		{"status:canceled", []int{6}},
		{"status:rate_limit,truncated", []int{5, 4}},
		{"!status:ok", []int{6, 5, 4, 2}},
		{"user:1,12", []int{5, 3, 1}},
		{"user>2", []int{5, 4}},
		{"sent>2.5s", []int{5, 4, 3}},
		{"tokens<50", []int{5}},
		{"suspect:yes", []int{3}},
		{"events:no", nil},
		{"model:llama suspect:no", []int{1}},
		{"overloaded", []int{2}},
		{"endpoint:groq,other", []int{1}},
		{"!workload:chat model:llama", []int{3}},
		{"Groq", []int{1}},
		{"sort:-ttft", []int{3, 5, 1, 6, 4, 2}},
		{"sort:ttft", []int{1, 5, 3, 6, 4, 2}},
		{"sort:-gap status:ok", []int{1, 3}},
		{"sort:number", []int{1, 2, 3, 4, 5, 6}},
		{"sort:failure", []int{2, 4, 5, 6, 3, 1}},
	} {
		f, err := ParseFilter(c.line)
		if err != nil {
			t.Errorf("%q: %v", c.line, err)
			continue
		}
		var s Selection
		s.Select(&v, &f)
		var got []int
		for _, i := range s.Rows {
			got = append(got, v.Row(i).N)
		}
		testkit.That(t, slices.Equal(got, c.want), "%q selects %v, want %v", c.line, got, c.want)
	}
}

// TestUnknownUser holds that a request of an unknown user matches no user.
func TestUnknownUser(t *testing.T) {
	v := ViewOf(0, []Row{{ID: 1, N: 1}, {ID: 2, N: 2, User: 7}})
	for _, line := range []string{"user<100", "user:7", "user>=0"} {
		f := testkit.Must(ParseFilter(line))(t)
		if a, b := f.match.Own(row{&v, v.Row(0)}), f.match.Own(row{&v, v.Row(1)}); a || !b {
			t.Errorf("%q matches the unknown user %v, user 7 %v", line, a, b)
		}
	}
}

// TestViewOfSome holds that only rows with a stream can be opened.
func TestViewOfSome(t *testing.T) {
	v := ViewOfSome(0, []Row{{ID: 9}, {ID: 4}, {ID: 6}}, func(r *Row) bool { return r.ID != 4 })
	if v.Len() != 3 || v.Streams() != 2 || !v.Kept(6) || !v.Kept(9) || v.Kept(4) {
		t.Errorf("%d rows, %d with streams; 4 has one: %v", v.Len(), v.Streams(), v.Kept(4))
	}
}

// TestFilterErrors holds that an error names the term and what can stand there.
func TestFilterErrors(t *testing.T) {
	for _, c := range []struct{ line, term, next string }{
		{"ttft>x", `"ttft>x"`, "ttft>1.5s"},
		{"tokens>5ms", `"tokens>5ms"`, "not a number"},
		{"speed>5", `"speed>5"`, "known are status"},
		{"color:red", `"color:red"`, "known are status"},
		{"status:", `"status:"`, "after the colon"},
		{"status:9xx", `"status:9xx"`, "5xx"},
		{"user:x", `"user:x"`, "user:3"},
		{"sort:color", `"sort:color"`, "ttft"},
		{"!sort:ttft", `"sort:ttft"`, "sort:-ttft"},
		{"suspect:maybe", `"suspect:maybe"`, "yes, no"},
		{`a "b`, "", "quotation mark"},
	} {
		_, err := ParseFilter(c.line)
		testkit.That(t, err != nil && strings.Contains(err.Error(), c.term) && strings.Contains(err.Error(), c.next),
			"%q: %v, want the term and %q", c.line, err, c.next)
	}
}
