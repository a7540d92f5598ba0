package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
)

// histogramOf is the part of a probe's text below its summary.
func histogramOf(t *testing.T, ascii bool, runs ...metrics.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := put(&b, Probe(runs, Form{By: testOrigin, Histogram: true, ASCII: ascii}).Text(0)); err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(b.String(), "\n\nTTFT of ")
	if !ok {
		t.Fatalf("no histogram in\n%s", b.String())
	}
	return text
}

// TestHistogram holds the rows of a probe's histograms: counts of TTFT and of the
// known gaps, with the share up to the end of each row.
func TestHistogram(t *testing.T) {
	const ms = time.Millisecond
	runs := []metrics.Run{lensRun(100*ms, metrics.Done), lensRun(100*ms, metrics.Done), lensRun(100*ms, metrics.Done), lensRun(180*ms, metrics.Done), lensRun(900*ms, metrics.Failed)}
	text := histogramOf(t, false, runs...)
	for _, want := range []string{
		"4 requests\n    from   below  requests  up to here\n  100 ms  105 ms         3        75 %  ████████████████████████\n",
		"  166 ms  174 ms         0        75 %\n  174 ms  182 ms         1       100 %  ████████\n",
		"80 known gaps\n     from    below  gaps  up to here\n  20.0 ms  20.4 ms    80       100 %  ████████████████████████\n",
	} {
		if !strings.Contains(flat(text), flat(want)) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "inside reads") || strings.Contains(text, "900") {
		t.Errorf("what did not happen, or failed:\n%s", text)
	}
	if text := histogramOf(t, true, runs...); strings.Contains(text, "█") || !strings.Contains(text, "##") {
		t.Errorf("bars of ASCII:\n%s", text)
	}
}

// TestHistogramSaysWhatIsNotInIt holds that unknown gaps are counted beside the
// histogram, and that one without values has its reason.
func TestHistogramSaysWhatIsNotInIt(t *testing.T) {
	run := lensRun(100*time.Millisecond, metrics.Done)
	s := &run.Stream
	s.Chunks[20].Read = s.Chunks[19].Read
	run.Figures = metrics.Measure(s, metrics.Options{})
	if text := histogramOf(t, false, run); !strings.Contains(text, "19 known gaps; not here: 1 inside reads\n") {
		t.Errorf("a gap inside a read:\n%s", text)
	}
	s.Chunks = s.Chunks[:1]
	run.Figures = metrics.Measure(s, metrics.Options{})
	if text := histogramOf(t, false, run); !strings.Contains(text, "0 known gaps: – (") {
		t.Errorf("one chunk:\n%s", text)
	}
}

// TestHistogramTails holds that a few values far away have a row each end, and do
// not make the rows of all others coarse.
func TestHistogramTails(t *testing.T) {
	runs := []metrics.Run{lensRun(time.Millisecond, metrics.Done), lensRun(9*time.Second, metrics.Done)}
	for i := range 200 {
		run := lensRun(time.Duration(100+i%20)*time.Millisecond, metrics.Done)
		runs = append(runs, run)
	}
	text := histogramOf(t, false, runs...)
	for _, want := range []string{
		"  1.00 ms    100 ms         1        <1 %  ",
		"   120 ms  and more         1       100 %  ",
	} {
		if !strings.Contains(flat(text), flat(want)) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	ttft, _, _ := strings.Cut(text, "known gaps")
	if n := strings.Count(ttft, " %"); n < 10 {
		t.Errorf("%d rows for 100 to 119 ms:\n%s", n, text)
	}
}
