package app_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/probe/result"
)

// TestWarmup holds that the requests of a warm-up are sent and counted, and are in
// no figure, no line and no history.
func TestWarmup(t *testing.T) {
	t.Parallel() // most of it is waiting
	dir := t.TempDir()
	a := measuring(t, dir, nil)
	var lines bytes.Buffer
	end := a.Lines(&lines)
	var counts *loadstat.Warmup
	each := 0
	runs := a.Probe(t.Context(), loadstat.ProbePlan{Work: shortWork, Requests: 2, Concurrency: 1, Warmup: 3,
		Warmed: func(w loadstat.Warmup) { counts = &w }, WarmupEnded: func(metrics.Run) { each++ }})
	testkit.OK(t, end(t.Context()))
	var doc bytes.Buffer
	testkit.OK(t, a.WriteRuns(&doc, runs, loadstat.ProbeForm{Warmup: counts}))
	testkit.OK(t, a.Close())
	if len(runs) != 2 || runs[0].Stream.ID != 4 || counts == nil || counts.Requests != 3 || each != 3 ||
		!counts.Output.OK || counts.Output.N != 3 || counts.Failed != 0 {
		t.Errorf("%d runs, the first is request %d; warm-up %+v, told of %d", len(runs), runs[0].Stream.ID, counts, each)
	}
	testkit.Is(t, strings.Count(lines.String(), `"type":"request"`), 2, "the lines have … requests")
	testkit.Is(t, kept(t, dir).All, 2, "the history has … requests")
	var got result.Document
	testkit.OK(t, result.Unmarshal(doc.Bytes(), &got))
	if w := got.Warmup; w == nil || w.Requests != 3 || w.Output.V != counts.Output.V || len(got.Requests) != 2 ||
		got.Summary.Requests != 2 {
		t.Errorf("the document has warm-up %+v and %d requests", w, len(got.Requests))
	}
}

// TestAnInterruptedProbeInJSON holds that the document says that a person ended the
// probe, and how many requests were asked for.
func TestAnInterruptedProbeInJSON(t *testing.T) {
	a := measuring(t, t.TempDir(), nil)
	ctx, cancel := context.WithCancel(t.Context())
	runs := a.Probe(ctx, loadstat.ProbePlan{Work: shortWork, Requests: 20, Concurrency: 1,
		Ended: func(metrics.Run) { cancel() }})
	var out bytes.Buffer
	testkit.OK(t, a.WriteRuns(&out, runs, loadstat.ProbeForm{Requests: 20, Interrupted: ctx.Err() != nil}))
	testkit.OK(t, a.Close())
	var got result.Document
	testkit.OK(t, result.Unmarshal(out.Bytes(), &got))
	if got.Planned != 20 || !got.Interrupted || got.Summary.Requests >= 20 || strings.Contains(got.Conclusion, "failed") {
		t.Errorf("%d planned, interrupted %v, %d sent: %s", got.Planned, got.Interrupted, got.Summary.Requests,
			got.Conclusion)
	}
}
