package result_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/condition"
	"tokscope/metrics/doctor"
	"tokscope/metrics/figure"
	"tokscope/metrics/history"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/racestat"
	"tokscope/metrics/serving"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/metrics/testkit/example"
	"tokscope/metrics/watchstat"
	"tokscope/probe/result"
)

// TestScenes compares the documents and lines of testdata/scenes.txt with what is written of
// the same results, and each with its schema. TestDocumentsRoundTrip holds that any is read
// as it was: go test ./probe/result -run TestScenes -update writes the file anew.
func TestScenes(t *testing.T) {
	const path = "testdata/scenes.txt"
	var all strings.Builder
	scene := func(shows, schema string, write ...func(io.Writer) error) {
		all.WriteString("# " + shows + "\n")
		for _, w := range write {
			var b bytes.Buffer
			testkit.OK(t, w(&b), shows)
			validate(t, schema, b.Bytes())
			all.Write(b.Bytes())
		}
	}
	document := func(v any) func(io.Writer) error {
		return func(w io.Writer) error { return result.Sentences(nil).WriteDocument(w, v) }
	}
	say := result.SayOf(func(*racestat.View) string { return "so far" })
	line := func(kind string, v *racestat.View) func(io.Writer) error {
		return func(w io.Writer) error { return result.WriteRaceLine(w, kind, v, say) }
	}
	short, long := raced(3), raced(14)
	for _, text := range []string{"ttft > 1.2x", "ttft of A > 2x B", "tpot > 50ms", "failures > 2%",
		"ttft > 1ms", "ttft of other > 2x"} {
		long.Conditions = append(long.Conditions, testkit.Must(condition.Parse(text))(t))
	}
	whole, cut := example.Swap(2, example.Order, 12, nil), example.Swap(2, example.Order, 2, nil)
	cut.Ended = racestat.EndRestart
	cut.Block = racestat.Block{N: 3, Fault: &metrics.Fault{Kind: metrics.FaultConfig, Message: "no such model"}}
	past := example.History()
	past.Series[0].Slots = past.Series[0].Slots[6:7]
	past.Entries = past.Entries[:2]
	scene("a race of 3 pairs", "race-v1", document(result.RaceOf("v1", short, say)))
	scene("the lines of one of 14", "race-lines-v1", line("begin", long), line("pair", long), line("end", long))
	scene("a race of settings whose third restart failed", "race-v1", document(result.RaceOf("v1", cut, nil)))
	scene("lines of one of 12 blocks", "race-lines-v1", line("pair", whole), line("end", whole))
	scene("the first line, events, a pause and the end of a watch", "watch-v1", watched()...)
	scene("a history", "history-v1", document(result.HistoryOf("v1", "endpoint:e", past)))
	scene("a check-up", "doctor-v1", func(w io.Writer) error {
		say := func(of any, _ time.Time) []string {
			if k, ok := of.(*doctor.Check); ok {
				return []string{"found " + string(k.Code), "do"}
			}
			return []string{"all"}
		}
		return result.Sentences(say).WriteDocument(w, result.CheckUpOf(checkUp(), "v1", say))
	})
	scene("a sweep that was interrupted", "sweep-v1", func(w io.Writer) error {
		return said.WriteDocument(w, result.SweepOf("v1", swept))
	})
	scene("a sweep of nothing", "sweep-v1", document(result.SweepOf("v1", result.SweepData{
		Verdicts: loadstat.SweepVerdicts{Knee: -1, Largest: -1, BreaksStep: -1}})))
	scene("a comparison", "compare-v1", func(w io.Writer) error { return said.WriteComparison(w, compared(t), "v1") })
	scene("models", "models-v1", func(w io.Writer) error { return result.WriteModels(w, survey, "v1") })
	have := strings.ReplaceAll(all.String(), runtime.GOOS+"/"+runtime.GOARCH, "linux/amd64")
	// Digits behind the sixth vary by processor.
	have = regexp.MustCompile(`\d+\.\d{7,}`).ReplaceAllStringFunc(have, func(digits string) string {
		return strconv.FormatFloat(testkit.Must(strconv.ParseFloat(digits, 64))(t), 'g', 6, 64)
	})
	if *update {
		testkit.OK(t, os.WriteFile(path, []byte(have), 0o644))
	}
	want := string(testkit.Must(os.ReadFile(path))(t))
	d := cmp.Diff(strings.Split(want, "\n"), strings.Split(have, "\n"))
	testkit.That(t, d == "" && !strings.Contains(have, "\x1b"), "a command, or not as in %s (-want +have):\n%s", path, d)
}

// raced is a race of so many pairs, in one of which the second lane fails. Nobody counts
// tokens.
func raced(pairs int) *racestat.View {
	return example.Race(2, pairs+1, func(r *racestat.Round, lane int) {
		r.Results[lane].Values[figure.TPOT] = metrics.Unknown(metrics.WhyNotCounted)
		if r.N == 3 && lane == 1 {
			r.Results[lane].Fault = &metrics.Fault{Kind: metrics.FaultRateLimit, Message: "slow down"}
		}
	})
}

// watched are the lines of a watch of an hour, without those of probes that changed nothing.
func watched() (lines []func(io.Writer) error) {
	began := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	w := watchstat.New(watchstat.Plan{Every: time.Minute, Targets: 1})
	board := func() watchstat.Board {
		target := watchstat.Target{Label: "a\x1b[31m", View: w.View()}
		return watchstat.Board{Began: began, Every: time.Minute, Bounds: watchstat.DefaultBounds,
			Targets: []watchstat.Target{target}}
	}
	update := func(u watchstat.Update) {
		lines = append(lines, func(w io.Writer) error { return result.WriteWatchUpdate(w, &u, nil) })
	}
	b := board()
	lines = append(lines, func(w io.Writer) error { return result.WriteWatchBegin(w, &b) })
	for i := range 60 {
		if event := w.Add(example.Probe(began, i)); i == 0 || event != watchstat.NoEvent {
			update(watchstat.Update{Board: board(), Probe: true, Event: event})
		}
	}
	end := board()
	end.Ended, end.Targets[0].Skip = watchstat.EndTime, watchstat.Skip{Code: watchstat.SkipTokens, Slots: 3}
	update(watchstat.Update{Board: end})
	return append(lines, func(w io.Writer) error { return result.WriteWatchEnd(w, &end, began, false, nil) })
}

// checkUp has every part that a check-up can have.
func checkUp() *doctor.Report {
	s := metrics.Stream{State: metrics.Done, Marks: metrics.NewMarks(), Usage: metrics.NoUsage()}
	run := &metrics.Run{Stream: s, Figures: metrics.Measure(&s, metrics.Options{})}
	now := time.Date(2026, 11, 23, 7, 0, 0, 0, time.UTC)
	return &doctor.Report{Started: now, Plan: doctor.Plan{Requests: 2, Tokens: 216}, Checks: []doctor.Check{
		{Code: doctor.Lookup, Grade: doctor.OK, Name: "a.example", Addresses: []string{"192.0.2.1"},
			Elapsed: 1500 * time.Microsecond},
		{Code: doctor.TLS, Grade: doctor.Bad, Now: now,
			Fault: &metrics.Fault{Kind: metrics.FaultTLS, Message: "m", Next: "n"},
			Peer:  &doctor.Peer{Version: "TLS 1.3", Names: []string{"a.example"}, Issuer: "i", NotAfter: now}},
		{Code: doctor.Stream, Grade: doctor.OK, Run: run, Fronts: []metrics.Front{metrics.FrontNginx}},
		{Code: doctor.Buffers, Grade: doctor.Bad, Run: run, Suspect: &metrics.Suspicion{
			Code: metrics.SuspectBuffered, Ratio: 25, Ms: 173, Buffering: metrics.Buffering{
				Kind: metrics.BufferSize, Bursts: 14, Bytes: 8192, BytesLow: 8108, BytesHigh: 8460,
				Ms: 173, MsLow: 172, MsHigh: 181}}},
	}}
}

// said names what it is asked to say something of, but for reasons.
var said result.Sentences = func(of any, _ time.Time) []string {
	if _, ok := of.(metrics.Why); ok {
		return nil
	}
	return []string{fmt.Sprintf("on a %T", of), "do"}
}

// swept is one step of three, which stood in a file and was read late.
var swept = result.SweepData{
	Started: time.Unix(0, 0), Say: said, Handover: []loadstat.Handover{{Tool: "x", Notes: []string{}}},
	Plan: loadstat.SweepPlan{Work: metrics.Workload{Name: "1k in", InputTokens: 1000},
		Input: metrics.Lengths{Low: 200, High: 4000}, SLOs: []slo.Objective{{Name: "ttft", Limit: 500}}},
	Verdicts: loadstat.SweepVerdicts{Sentence: "8 users: …", Breaks: "ttft"},
	Outcome: loadstat.SweepOutcome{
		Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, URL: "https://h/v1"}, Planned: 3, Interrupted: true,
		Stopped: metrics.Ending{Code: metrics.EndingInterrupted, Step: metrics.LoadStep{Users: 8}},
		View:    loadstat.View{Budget: loadstat.Budget{Tokens: 5, Cost: metrics.Unknown(metrics.WhyNoPrice)}},
		Steps: []loadstat.SweepStep{
			{Point: loadstat.Point{Users: 1, From: 1e9, To: 19e9, Asked: 2, Stamps: "kernel",
				Why:   loadstat.Unsteady{Code: loadstat.UnsteadyFew, N: 5, Of: 8},
				Delay: metrics.Delay{Code: metrics.DelayReads, P99: 12, Max: 90, Shared: 0.25, First: true}}, Resumed: true},
		},
	},
}

// compared compares 12 requests with 12 that take twice as long, of which one failed.
func compared(t *testing.T) *comparison.Comparison {
	side := func(source string, first int) *comparison.Sample {
		s := &comparison.Sample{Source: source, Kind: comparison.KindProbe, From: time.Unix(9, 0)}
		g := s.Of(comparison.Setup{Model: "m\x1b[2J", Users: 1})
		for i := range 12 {
			e := example.Probe(s.From, first+i)
			e.State = metrics.Done
			if i == 0 {
				e.Figures[history.DNS] = metrics.Known(5, 1)
			}
			if i == 3 && first > 0 {
				e.State, e.Failed = metrics.Failed, 1
			}
			g.Add(&e)
		}
		return s
	}
	c := comparison.Compare(side("a\x1b[31m.json", 0), side("b.json", 30), nil)
	for _, text := range []string{"ttft > 1.2x", "dns > 1ms", "failures > 50%"} {
		c.Judge(testkit.Must(condition.Parse(text))(t), false)
	}
	return c
}

// survey has a pair that fits and one that does not.
var survey = &serving.Survey{Prompt: 1000, Output: 200, Speed: 20,
	Machines: []serving.SurveyMachine{{Key: "box", Name: "Box", Custom: true, Memory: 24e9, Bandwidth: 1e12, BF16: 1e14,
		Group: 1, Source: "s"}},
	Models: []serving.SurveyModel{{Key: "a", Name: "A", Source: "s", Aliases: []string{"b"}},
		{Key: "c", Source: "s", Note: "n"}},
	Pairs: []serving.SurveyPair{{Model: "a", Machine: "box", Target: "a@box", Precision: "bf16", Software: "vLLM",
		Devices: 1, Weights: 16e9, One: metrics.Known(50, 0)},
		{Model: "c", Machine: "box", Why: "too large"}},
}

// TestEntriesComeBack holds that an entry of the history is read as it was, with the reasons
// of what is not known.
func TestEntriesComeBack(t *testing.T) {
	e := example.History().Entries[0]
	e.ID, e.Prompt, e.Output = strings.Repeat("0a", 16), metrics.Known(31, 1), metrics.Unknown(metrics.WhyNoServerTokens)
	e.Figures[history.TLS] = metrics.Unknown(metrics.Needs(20))
	var back result.HistoryLine
	testkit.OK(t, result.Unmarshal(testkit.Must(result.AppendHistoryLine(nil, &e))(t), &back))
	testkit.Same(t, testkit.Must(back.Of())(t), e)
}
