package say

import (
	"strings"
	"testing"

	"tokscope/metrics"
	compared "tokscope/metrics/comparison"
	"tokscope/metrics/condition"
	"tokscope/metrics/history"
)

// TestNoRatioToZero: where a value is 0 a difference in ms stands in place of a ratio,
// in the table, in a sentence, in the history, and of a condition the way out.
func TestNoRatioToZero(t *testing.T) {
	queues := func(zeros, ones int) (out []history.Entry) {
		for i := range zeros + ones {
			e := history.Entry{State: metrics.Done, N: 1}
			e.Figures[history.Queue] = metrics.Known(float64(min(i/max(zeros, 1), 1)), 1)
			out = append(out, e)
		}
		return out
	}
	sample := func(zeros, ones int) *compared.Sample {
		return &compared.Sample{Groups: []compared.Group{{Setup: compared.Setup{Users: 1}, Entries: queues(zeros, ones)}}}
	}
	c := compared.Compare(sample(10, 0), sample(5, 5), nil)
	k, err := condition.Parse("queue > 1.2x")
	if err != nil {
		t.Fatal(err)
	}
	c.Judge(k, false)
	row := c.Pairs[0].Row(history.Queue)
	ratio, interval := CompareRatio(row)
	for _, text := range []string{ratio + " (" + interval + ")", CompareRow(row), HistoryChange(row)} {
		if strings.Contains(text, "x") || !strings.Contains(text, "500 µs") || !strings.Contains(text, "0–1.00 ms") {
			t.Errorf("%q", text)
		}
	}
	if text := CompareCondition(&c.Verdicts[0]); !strings.Contains(text, "no ratio to 0 ms") || strings.Contains(text, "too few") {
		t.Errorf("%q", text)
	}
	c = compared.Compare(sample(32, 8), sample(40, 0), nil)
	is(t, CompareRow(c.Pairs[0].Row(history.Queue)), "queue of B is more often below that of A (0–0 ms)")
	c = compared.Compare(sample(10, 0), sample(10, 0), nil)
	is(t, CompareRow(c.Pairs[0].Row(history.Queue)), "queue unchanged within 0 ms")
}
