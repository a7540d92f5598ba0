package verdict

import (
	"reflect"
	"slices"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
)

// TestOrder holds that the most important finding is the first: how it ended,
// what happens, what spoils the figures, what is bad, the rest, mere doubts.
func TestOrder(t *testing.T) {
	all := []Finding{{Code: Estimated, Grade: Notable}, {Code: Stalls, Grade: Notable}, {Code: Speed}, {Code: FirstToken},
		{Code: Lens, Grade: Bad},
		{Code: Code(metrics.SuspectBuffered), Grade: Spoils}, {Code: Silent, Grade: Bad}, {Code: Failed, Grade: Bad}}
	order(all)
	want := []Code{Failed, Silent, Code(metrics.SuspectBuffered), Lens, FirstToken, Speed, Stalls, Estimated}
	for i := range all {
		testkit.Need(t, all[i].Code, want[i], i)
	}
}

// TestATrimmedRunHadChunks holds that a run whose chunks were dropped is not
// said to have had none.
func TestATrimmedRunHadChunks(t *testing.T) {
	s := metrics.Stream{State: metrics.Truncated, Marks: metrics.NewMarks()}
	found := Of(Input{Stream: &s, Figures: &metrics.Figures{Chunks: 41}})
	testkit.That(t, len(found) != 0 && found[0].Code == Truncated && found[0].N == 41, "%+v", found)
}

// TestEvidence holds the words of grades and evidence.
func TestEvidence(t *testing.T) {
	testkit.Same(t, (ByMarks | ByHeaders).Names(), []string{"marks", "headers"})
	testkit.That(t, Spoils.String() == "spoils" && Evidence(0).Names() == nil, "a grade or no evidence has another name")
}

// TestOfRuns holds what several runs show together.
func TestOfRuns(t *testing.T) {
	run := func(id int, ttft, speed float64, state metrics.State) metrics.Run {
		r := metrics.Run{Stream: metrics.Stream{ID: id, State: state, Finish: "stop", Marks: metrics.NewMarks()}}
		r.Figures.TTFT, r.Figures.Speed, r.Figures.WPM = metrics.Known(ttft, 0), metrics.Known(speed, 0),
			metrics.Known(476, 0)
		r.Figures.Pace = metrics.Paces[0]
		r.Figures.Suspect = []metrics.Suspicion{{Code: metrics.SuspectBuffered, Ratio: 9, Ms: 80}}
		r.Figures.Wait = []metrics.Share{{Name: metrics.SharePrefill, Ms: metrics.Known(ttft-10, 0), Server: true},
			{Name: metrics.ShareUnexplained, Ms: metrics.Known(10, 0)}}
		if state == metrics.Failed {
			r.Stream.Fault = &metrics.Fault{Kind: metrics.FaultRateLimit}
		}
		return r
	}
	runs := []metrics.Run{run(1, 100, 40, metrics.Done), run(2, 300, 60, metrics.Done), run(3, 200, 50, metrics.Done),
		run(4, 0, 0, metrics.Failed)}
	s := metrics.Summarize(runs)
	found := OfRuns(runs, &s, "", slo.DefaultAgentTask)
	if len(found) != 4 || found[0].Code != SomeFailed || found[0].N != 1 || found[0].Of != 4 ||
		found[0].Part != "rate_limit" || found[0].Mixed {
		t.Fatalf("%+v", found)
	}
	cut := append(slices.Clone(runs), run(5, 0, 0, metrics.Truncated))
	if sum := metrics.Summarize(cut); !OfRuns(cut, &sum, "", slo.DefaultAgentTask)[0].Mixed {
		t.Error("a request that ended otherwise is not told from the others")
	}
	if sum := metrics.Summarize(cut); OfRuns(cut, &sum, "", slo.DefaultAgentTask)[0].Part != "" {
		t.Error("a kind that half of the failures have is named as that of most")
	}
	if f := found[1]; f.Code != Code(metrics.SuspectBuffered) {
		t.Errorf("%+v", f)
	}
	if f := found[2]; f.Code != FirstToken || f.Ms != 200 || f.Of != 3 || f.Part != metrics.SharePrefill ||
		f.PartMs != 190 || f.Owner != OwnerServer {
		t.Errorf("%+v", f)
	}
	if f := found[3]; f.Code != Speed || f.Rate != 50 || f.Ratio != 2 {
		t.Errorf("%+v", f)
	}
}

// TestAStoppedRequestIsNotAFailedOne holds that a request which the person stopped
// counts as stopped, and that its fault is never the reason of the failures.
func TestAStoppedRequestIsNotAFailedOne(t *testing.T) {
	run := func(state metrics.State, kind metrics.FaultKind) metrics.Run {
		r := metrics.Run{Stream: metrics.Stream{State: state, Finish: "stop", Marks: metrics.NewMarks()}}
		if kind != "" {
			r.Stream.Fault = &metrics.Fault{Kind: kind}
		}
		return r
	}
	stopped, failed := run(metrics.Cancelled, metrics.FaultCancelled), run(metrics.Failed, metrics.FaultHTTP)
	for _, c := range []struct {
		name string
		runs []metrics.Run
		want []Finding
	}{
		{"stopped", []metrics.Run{run(metrics.Done, ""), stopped}, []Finding{
			{Code: SomeStopped, Grade: Notable, Evidence: ByFault, N: 1, Of: 2},
		}},
		{"failed and stopped", []metrics.Run{run(metrics.Done, ""), failed, stopped, stopped}, []Finding{
			{Code: SomeFailed, Grade: Bad, Evidence: ByFault, N: 1, Of: 4, Part: "http",
				Failures: []metrics.FaultCount{{Kind: "http", N: 1}}},
			{Code: SomeStopped, Grade: Notable, Evidence: ByFault, N: 2, Of: 4},
		}},
		{"none done", []metrics.Run{stopped, stopped}, []Finding{
			{Code: SomeStopped, Grade: Notable, Evidence: ByFault, N: 2, Of: 2},
		}},
	} {
		s := metrics.Summarize(c.runs)
		testkit.Same(t, OfRuns(c.runs, &s, "", slo.DefaultAgentTask), c.want, c.name)
	}
}

// TestFailuresOfASession holds that a run that ended well says how many of the session's
// requests to its endpoint failed, by kind and before all else, where that is asked for.
func TestFailuresOfASession(t *testing.T) {
	run := func(id int, url string, status int) metrics.Run {
		r := metrics.Run{Stream: metrics.Stream{ID: id, State: metrics.Done, Finish: "stop", Marks: metrics.NewMarks(),
			Endpoint: metrics.Endpoint{URL: url}}}
		r.Figures.TTFT = metrics.Known(264, 0)
		if status > 0 {
			r.Stream.State, r.Stream.Fault = metrics.Failed, &metrics.Fault{Kind: metrics.FaultHTTP, Status: status}
		}
		return r
	}
	runs := []metrics.Run{run(1, "a", 0), run(2, "a", 500), run(3, "b", 502), run(4, "a", 429), run(5, "a", 500),
		run(6, "a", 0)}
	in := Input{Stream: &runs[5].Stream, Figures: &runs[5].Figures, Earlier: runs, Session: true}
	f := Of(in)[0]
	want := metrics.FaultCounts{{Kind: metrics.FaultHTTP, Status: 500, N: 2},
		{Kind: metrics.FaultHTTP, Status: 429, N: 1}}
	if f.Code != SomeFailed || f.N != 3 || f.Of != 5 || f.Grade != Notable || !reflect.DeepEqual(f.Failures, want) {
		t.Errorf("%+v", f)
	}
	in.Session = false
	if f := Of(in)[0]; f.Code != FirstToken {
		t.Errorf("a request alone: %+v", f)
	}
	in = Input{Stream: &runs[1].Stream, Figures: &runs[1].Figures, Earlier: runs[:2], Session: true}
	if all := Of(in); all[0].Code != Failed || all[1].Code != SomeFailed || all[1].N != 1 || all[1].Of != 2 {
		t.Errorf("the only one that failed: %+v", all)
	}
	if in.Earlier = runs; Of(in)[0].Code != Failed || Of(in)[1].Code != SomeFailed {
		t.Errorf("one of several that failed: %+v", Of(in))
	}
}

// TestNothingIsSilentAfterTheFinish holds that a silence behind the finish reason is
// none of the stream's, and one before it is, or before a chunk that followed it.
func TestNothingIsSilentAfterTheFinish(t *testing.T) {
	for _, tt := range []struct {
		finish, chunk, now metrics.Stamp // ms; a finish of -1 did not come
		want               bool
	}{
		{-1, 900, 2800, true}, {-1, 400, 31_000, true}, {700, 900, 2800, true},
		{900, 900, 2800, false}, {950, 900, 2800, false}, {1200, 300, 9000, false},
	} {
		s := metrics.Stream{State: metrics.Decoding, Now: tt.now * 1e6, Marks: metrics.NewMarks(), Usage: metrics.NoUsage(),
			LiveTokens: -1, LastData: max(tt.finish, tt.chunk) * 1e6}
		s.Marks.Start, s.Marks.Sent = 0, 0
		if tt.finish >= 0 {
			s.Marks.FinishReason = tt.finish * 1e6
		}
		for i := range metrics.Stamp(10) {
			s.Chunks = append(s.Chunks, metrics.Chunk{At: (tt.chunk - 9 + i) * 1e6, Read: int32(i), Event: int32(i), Tokens: 1})
		}
		f := metrics.Measure(&s, metrics.Options{})
		found := Of(Input{Stream: &s, Figures: &f, Now: s.Now})
		got := slices.ContainsFunc(found, func(f Finding) bool { return f.Code == Silent })
		testkit.That(t, got == tt.want, "finish %d, last chunk %d, now %d: silent %v", tt.finish, tt.chunk, tt.now, got)
	}
}

// TestASilenceOfAServersTool holds that a silence in which a tool of the server works is
// named, and is not bad.
func TestASilenceOfAServersTool(t *testing.T) {
	for _, to := range []metrics.Stamp{metrics.NoStamp, 2e9} {
		s := metrics.NoStream(30e9)
		s.ID, s.State, s.Marks.Start, s.Marks.Sent, s.LastData = 1, metrics.Decoding, 0, 0, 1e9
		s.Waits = []metrics.Wait{{Name: "web_search", From: 1e9, To: to}}
		for i := range 9 {
			s.Text = append(s.Text, " cup"...)
			s.Chunks = append(s.Chunks, metrics.Chunk{At: metrics.Stamp(i+1) * 1e8, User: metrics.Stamp(i+1) * 1e8,
				Read: int32(i), TextEnd: int32(len(s.Text)), Tokens: -1})
		}
		f := metrics.Measure(&s, metrics.Options{})
		found := Of(Input{Stream: &s, Figures: &f, Now: s.Now})
		i := slices.IndexFunc(found, func(f Finding) bool { return f.Code == Silent })
		testkit.Given(t, i >= 0, "no silence in %+v", found)
		named := found[i].Name == "web_search" && found[i].Owner == OwnerServer && found[i].Grade == Good &&
			found[i].Ms == 29_000
		testkit.That(t, named != to.Known(), "the tool ended %v: %+v", to, found[i])
	}
}
