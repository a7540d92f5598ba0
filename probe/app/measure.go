package app

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
	"tokscope/metrics/slo"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/loadgen"
	"tokscope/probe/result"
	"tokscope/probe/scrape"
	"tokscope/probe/session"
)

// flushWithin bounds the wait for a slow disk before the figures are printed.
const flushWithin = 2 * time.Second

// Probe sends the requests of p and returns them in the order of their start.
// When ctx ends, it cancels the running ones and returns the requests so far.
func (a *App) Probe(ctx context.Context, p loadstat.ProbePlan) []metrics.Run {
	a.Engine.Gather()
	expectStreams(min(p.Concurrency, p.Requests))
	if p.Began != nil && p.Chunks != nil {
		a.Engine.AddSink(client.CountingSink{Began: p.Began, Chunks: p.Chunks})
	}
	plan := loadgen.Plan{
		Requests: p.Requests, Concurrency: p.Concurrency, Target: a.Target, Work: p.Work,
		Nonces: !p.SamePrompt, Seed: uint64(time.Now().UnixNano()), Pace: p.Pace, Held: p.Held,
	}
	if p.Warmup > 0 {
		a.warmup(ctx, plan, &p)
	}
	keep := a.History.Runs(history.Probe)
	plan.Ended = func(_ int, r metrics.Run) {
		keep(&r.Stream, &r.Figures)
		if p.Ended != nil {
			p.Ended(r)
		}
	}
	used := a.Engine.WatchUse()
	runs := loadgen.Run(ctx, a.Engine, plan)
	// A request alone is too short for a mean of its own.
	use := used()
	for i := range runs {
		runs[i].Stream.Observer.Use = use
	}
	// Nothing is measured any more. What a thousand connections held, 20 MB with
	// their stacks, serves the figures and the document.
	a.Engine.CloseIdle()
	a.setUsual(runs)
	if a.File != nil {
		// Printing may end the program: a reader that has left breaks the pipe.
		a.File.Await(flushWithin)
	}
	return runs
}

// setUsual notes in runs, which are of one target and one workload, what was usual before
// the first over each kind of connection.
func (a *App) setUsual(runs []metrics.Run) {
	if a.Stored == nil {
		return
	}
	type kind struct {
		reused             bool
		proto, proxy, tier string
	}
	found := map[kind]*metrics.Usual{}
	for i := range runs {
		v := &runs[i].Stream
		k := kind{v.Conn.Reused, v.Conn.Proto, v.Conn.Proxy, v.Served.Tier}
		if found[k] == nil {
			u := a.Stored.Usual(v)
			found[k] = &u
		}
		v.Usual = found[k]
	}
}

// warmup sends the requests before the measured ones. They go to no file: whoever
// reads it later could not tell them from the others.
func (a *App) warmup(ctx context.Context, plan loadgen.Plan, p *loadstat.ProbePlan) {
	plan.Requests, plan.Unobserved, plan.Seed = p.Warmup, true, plan.Seed+1
	if p.WarmupEnded != nil {
		plan.Ended = func(_ int, r metrics.Run) { p.WarmupEnded(r) }
	}
	counts := loadstat.WarmupOf(loadgen.Run(ctx, a.Engine, plan))
	if p.Warmed != nil {
		p.Warmed(counts)
	}
}

// Lines writes every event of the following requests as a JSON line on out.
// The returned function ends this and returns the first error.
func (a *App) Lines(out io.Writer) (end func(context.Context) error) {
	lines := session.NewLive(out)
	lines.Sentences = a.Sentences
	a.Engine.AddSink(lines)
	return lines.Close
}

// WriteRuns writes the JSON document of a probe.
func (a *App) WriteRuns(out io.Writer, runs []metrics.Run, f loadstat.ProbeForm) error {
	doc := result.DocumentOf(a.Version, runs, a.Sentences)
	doc.WithSLO(runs, f.SLOs)
	if l := slo.LensByKey(f.Lens); l != nil {
		doc.WithLens(runs, l, f.Task, a.Sentences)
	}
	doc.Warmup = f.Warmup
	doc.Planned, doc.Interrupted, doc.Held = f.Requests, f.Interrupted, f.Held
	if f.Texts {
		doc.WithTexts(a.Engine.Scrubber())
	}
	return doc.Write(out)
}

// BenchmarkReport makes the new folder dir. The result writes llm-d's Benchmark Report of a
// probe into it, and removes it without a request.
func (a *App) BenchmarkReport(dir string) (write func([]metrics.Run) error, err error) {
	return func(runs []metrics.Run) error {
		if len(runs) == 0 {
			return os.Remove(dir)
		}
		doc := result.DocumentOf(a.Version, runs, a.Sentences)
		return doc.WriteReport(dir)
	}, result.NewReports(dir)
}

// Sweep is a load curve before its measurement. The caller must Close it.
type Sweep struct {
	app     *App
	started time.Time
	curve   loadgen.Curve
	outcome loadstat.SweepOutcome
	kept    *session.SweepFile    // nil without a file of finished steps
	lines   *session.RequestLines // nil without a file of request lines
	shard   loadstat.ShardRun     // zero for a whole load
	address string                // of the server's page of metrics, without a key; "": it is not read
}

// Sweep prepares p and sends nothing. The error says why the file of finished
// steps is unusable.
func (a *App) Sweep(p loadstat.SweepPlan) (*Sweep, error) {
	s := &Sweep{
		app: a, started: time.Now(),
		curve: loadgen.Curve{
			SweepPlan: p,
			Config: loadgen.Config{
				Engine: a.Engine, Target: a.Target, Work: p.Work, Prompts: p.Prompts, Input: p.Input, Output: p.Output,
				SharedPrefix: p.SharedPrefix, Shape: loadgen.Shape{Drive: loadstat.Drive{Poisson: p.Poisson}, Think: p.Think},
				Script: p.Script, SLOs: p.SLOs, MaxTokens: p.MaxTokens, Pace: p.Pace,
				Price: a.Target.Price().Or(p.PriceIn, p.PriceOut),
			},
			Context: a.contextOf,
		},
	}
	if p.Shard.Parted() { // the history has no parts of a load
		s.curve.Config.Seed = uint64(p.StartAt.UnixNano())
		s.curve.Config.MaxTokens /= float64(p.Shard.Of)
	} else {
		s.curve.Measured = newHistoryEntries(a.History, a.Engine, a.Target, p.Work).Point
	}
	if a.exporter != nil {
		s.curve.Config.Ended = func(_ int, v *metrics.Stream, f *metrics.Figures) { a.exporter.AddUnrecorded(v, f) }
	}
	if address := serverMetrics(p.ServerMetrics, a.Target); address != "" {
		page := scrape.NewPage(address, a.Target.Model, a.Engine.Clock().Now)
		a.Engine.Shown(a.Target) // makes the scrubber know the key
		scrub := a.Engine.Scrubber()
		s.address = scrub.String(page.URL())
		s.curve.Server = func(ctx context.Context) (loadstat.ServerCounts, error) {
			counts, err := page.Read(ctx)
			if err != nil { // it may hold the address
				err = errors.New(scrub.String(err.Error()))
			}
			return counts, err
		}
	}
	if p.RequestLines != "" {
		lines, err := session.CreateRequestLines(p.RequestLines, a.Version, s.started, a.Engine.Shown(a.Target))
		if err != nil {
			return nil, err
		}
		s.lines = lines
		s.curve.Request = func(n int, step loadgen.Step, user int, v *metrics.Stream, f *metrics.Figures) {
			lines.Add(n, step.Users, step.Rate, user, v, f)
		}
	}
	if p.Shard.Parted() && a.Target.Kind == metrics.EndpointEmbedded {
		return nil, errors.New("--shard: each program has an embedded endpoint of its own: " +
			"start tokscope serve on one machine and give its address")
	}
	if p.BenchmarkReport != "" {
		if err := result.NewReports(p.BenchmarkReport); err != nil {
			s.curve.BenchmarkReport = "" // Close must not remove it
			return nil, errors.Join(err, s.Close())
		}
	}
	if p.Resume == "" {
		return s, nil
	}
	key := session.SweepKeyOf(a.Engine.Shown(a.Target), p.Work, result.SweepLoadOf(&p), p.SLOs)
	kept, err := session.OpenSweep(p.Resume, a.Version, s.started, key)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	kept.Sentences = a.Sentences
	s.kept, s.curve.Kept = kept, kept
	return s, nil
}

// contextOf returns the context of the target's model as its server lists it, 0
// for unknown.
func (a *App) contextOf(ctx context.Context) int {
	ask, err := a.Engine.AskOf(a.Target)
	if err != nil {
		return 0
	}
	_, models, err := endpoint.Locate(ctx, ask, a.Target, a.Engine.Scrubber())
	if err != nil || len(models) == 0 {
		return 0
	}
	name := a.Target.Model
	if name == "" {
		name = endpoint.Pick(models)
	}
	m, _ := pick.Value(models, func(m *endpoint.Model) bool { return m.ID == name })
	return max(m.Context, 0)
}

// The words for --server-metrics besides an address.
const (
	serverMetricsAuto = "auto" // on this machine only
	serverMetricsOff  = "off"
)

// serverMetrics returns the address of the page of metrics, "" for none.
// Another machine's page is read only where its address is named: it is a
// request that nobody asked for.
func serverMetrics(asked string, t endpoint.Target) string {
	switch {
	case asked == serverMetricsAuto && t.Here():
		return scrape.URLOf(t.URL)
	case asked == serverMetricsAuto || asked == serverMetricsOff:
		return ""
	}
	return asked
}

// Question returns the question for a person: what the load sends, and to
// which endpoint. needed is false where no consent is required.
func (s *Sweep) Question() (question loadstat.Question, needed bool) { return s.curve.Question() }

// Warning returns a sentence about the file of finished steps, "" without one.
func (s *Sweep) Warning() string {
	if s.kept == nil {
		return ""
	}
	return s.kept.Warning
}

// Run measures the steps. An error means that a finished step or the lines of
// the requests could not be stored; the outcome holds the measured steps.
func (s *Sweep) Run(ctx context.Context) (loadstat.SweepOutcome, error) {
	var err error
	s.outcome, err = s.curve.Run(ctx)
	s.outcome.ServerMetrics = s.address
	if s.curve.Shard.Parted() {
		s.outcome.Shards = []loadstat.ShardRun{s.shard}
	}
	err = errors.Join(err, s.closeLines())
	if s.curve.BenchmarkReport != "" {
		doc := s.document(loadstat.SweepVerdicts{}, nil, nil)
		err = errors.Join(err, doc.WriteReports(s.curve.BenchmarkReport))
	}
	return s.outcome, err
}

// document is the JSON document of what was measured.
func (s *Sweep) document(v loadstat.SweepVerdicts, warnings []string, handovers []loadstat.Handover) result.Sweep {
	return result.SweepOf(s.app.Version, result.SweepData{Started: s.started, Plan: s.curve.SweepPlan, Outcome: s.outcome,
		Verdicts: v, Handover: handovers, Say: s.app.Sentences, Warnings: warnings})
}

// Write writes the JSON document of the sweep measured by Run, with the
// verdicts, the warnings and the same load for other tools.
func (s *Sweep) Write(out io.Writer, v loadstat.SweepVerdicts, warnings []string, handovers []loadstat.Handover) error {
	say := s.app.Sentences
	if s.outcome.Depth != nil {
		return result.WriteDepth(out, s.app.Version, s.started, &s.curve.SweepPlan, s.outcome.Depth, say)
	}
	doc := s.document(v, warnings, handovers)
	if s.curve.Shard.Parted() { // for a program, and large
		return say.WriteLine(out, doc)
	}
	return say.WriteDocument(out, doc)
}

// closeLines completes the file of request lines, once.
func (s *Sweep) closeLines() error {
	if s.lines == nil {
		return nil
	}
	lines := s.lines
	s.lines = nil // Close must not remove it
	return lines.Close()
}

// Close closes the files. It removes the file of request lines of a sweep that
// was not run.
func (s *Sweep) Close() error {
	var err error
	if s.lines != nil {
		err = s.lines.Discard()
		s.lines = nil
	}
	if s.curve.BenchmarkReport != "" {
		_ = os.Remove(s.curve.BenchmarkReport) // it is empty where nothing was measured
	}
	if s.kept != nil {
		err = errors.Join(err, s.kept.Close())
	}
	return err
}
