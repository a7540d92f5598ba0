package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
	"tokscope/probe/loadgen"
	"tokscope/probe/result"
)

// Merger makes one sweep of the documents of its shards. It reads each once, and keeps of it
// the requests, the gaps of each second and the counts of each 100 ms.
type Merger struct {
	Version   string // of this program
	Sentences result.Sentences

	first    result.Sweep
	run      loadstat.ShardRun // of first
	tree     any               // what all have in common
	steps    []mergedStep
	out      loadstat.SweepOutcome
	rows     int
	warnings []string
}

// mergedStep has what the shards say of a step beyond its parts.
type mergedStep struct {
	loadgen.Merge
	step   loadstat.SweepStep
	points map[int]*loadstat.Point // of the shards
}

// shardKey holds what all shards have in common: a part of another load would make the
// figures of none.
type shardKey struct {
	Key   SweepKey  `json:"key"`
	Of    int       `json:"shards"`
	Start time.Time `json:"start_at"`
	Seed  string    `json:"seed"`
	Users []int     `json:"users"`
	Rates []float64 `json:"rates"`
}

// Bounds of what is read: bytes of a file, requests of all files, steps.
const mostShardFile, mostMergedRows, mostMergedSteps = 1 << 28, 4_000_000, 64

// Add reads the document of one shard. What stands before and behind it is passed over, as
// the log of a container has it. The error names what is wrong and the next step.
func (m *Merger) Add(r io.Reader, name string) error {
	d, err := readShard(r)
	if err != nil {
		return err
	}
	run, e := d.Shards[0], d.Endpoint
	e.URL = ""
	tree := result.Tree(shardKey{SweepKeyOf(e, d.Workload, d.Load, result.Objectives(d.SLO)), run.Of, run.Start.UTC(),
		d.Seed, run.Users, run.Rates})
	if len(m.out.Shards) == 0 {
		m.begin(d, tree)
	}
	if diff := difference("%s is %s in the first file, %s here", "", m.tree, tree); diff != "" {
		return errors.New("it is a part of another load: " + diff + "; give the parts of one load")
	}
	if n := len(m.steps); run.Index < 0 || run.Index >= run.Of || n == 0 || n > mostMergedSteps {
		return errors.New("it is damaged: it does not say which part of which load it is")
	}
	if i := slices.IndexFunc(m.out.Shards, func(s loadstat.ShardRun) bool { return s.Index == run.Index }); i >= 0 {
		return fmt.Errorf("it is shard %d of %d, as %s is: give each shard once, of one that ran twice the later",
			run.Index, run.Of, m.out.Shards[i].File)
	}
	for i := range run.Parts {
		p := &run.Parts[i]
		if m.rows += len(p.Rows); m.rows > mostMergedRows {
			return fmt.Errorf("more than %d requests together: measure fewer steps in one sweep", mostMergedRows)
		}
		if p.Step < 0 || p.Step >= len(m.steps) || m.steps[p.Step].points[run.Index] != nil || i >= len(d.Points) ||
			d.Points[i].Point == nil {
			return fmt.Errorf("it is damaged: part %d belongs to no step", i+1)
		}
		if err := m.steps[p.Step].Add(*p); err != nil {
			return fmt.Errorf("it is damaged: part %d: %w", i+1, err)
		}
		m.steps[p.Step].take(run.Index, &d.Points[i])
	}
	run.Parts, run.File = nil, name
	m.out.Shards = append(m.out.Shards, run)
	m.conditions(d, &run)
	return nil
}

// readShard reads the document of a shard.
func readShard(r io.Reader) (*result.Sweep, error) {
	data, err := io.ReadAll(io.LimitReader(r, mostShardFile))
	if err != nil {
		return nil, err
	}
	var doc json.RawMessage
	var d result.Sweep
	if err = json.NewDecoder(bytes.NewReader(data[max(bytes.IndexByte(data, '{'), 0):])).Decode(&doc); err == nil {
		err = result.Unmarshal(doc, &d)
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("it is cut, or larger than 256 MiB: copy it whole, or measure fewer steps")
	case err != nil || d.Schema != result.SweepSchema || len(d.Shards) != 1 || d.Shards[0].File != "":
		return nil, errors.New("it is not of one shard: give what tokscope sweep --shard I/N --json has printed")
	}
	return &d, nil
}

// begin takes the load of the first shard.
func (m *Merger) begin(d *result.Sweep, tree any) {
	m.first, m.run, m.tree = *d, d.Shards[0], tree
	m.first.Points, m.first.Shards, m.run.Parts = nil, nil, nil
	tuned := loadgen.Bounds{Most: time.Duration(d.Load.DurationMs * 1e6)}.Tune(loadgen.Config{})
	for _, rate := range append(slices.Clone(m.run.Rates), make([]float64, len(m.run.Users))...) {
		m.steps = append(m.steps, mergedStep{points: map[int]*loadstat.Point{}, Merge: loadgen.Merge{Rate: rate,
			SLOs: result.Objectives(d.SLO), Fits: d.Load.Input != "" || d.Load.Prompts != "", MinWindow: tuned.MinWindow,
			Of: m.run.Of}})
	}
	v := &m.out.View
	v.Finishes = map[string]int{}
	m.out.Planned, m.out.Endpoint, v.Model, v.Observer = len(m.steps), d.Endpoint, d.Model, d.Lag.Observer
	v.Seed, _ = strconv.ParseUint(d.Seed, 10, 64)
	v.Budget.Currency, v.Budget.Cost = d.Currency, metrics.Known(0, 0)
}

// take adds what the point of a shard says beside its part. How late requests left is that of
// the worst shard.
func (s *mergedStep) take(shard int, p *result.SweepStep) {
	s.points[shard] = p.Point
	for _, f := range p.Faults {
		s.step.Point.Outside = metrics.AddFaults(s.step.Point.Outside, f)
	}
	if p.Lag.N > 0 && (s.step.Lag.N == 0 || p.Lag.Max.V > s.step.Lag.Max.V) {
		s.step.Lag = p.Lag
	}
}

// conditions notes what makes the figures weaker, and adds up what is of all shards.
func (m *Merger) conditions(d *result.Sweep, run *loadstat.ShardRun) {
	note := func(ok bool, form string, args ...any) {
		if ok {
			m.warnings = append(m.warnings, fmt.Sprintf("shard %d: ", run.Index)+fmt.Sprintf(form, args...))
		}
	}
	f := &m.first
	note(d.Tool.Version != f.Tool.Version, "version %s of tokscope, not %s", d.Tool.Version, f.Tool.Version)
	note(d.Model != f.Model, "%s answered, not %s", d.Model, f.Model)
	note(d.Endpoint.URL != f.Endpoint.URL, "it asked %s, not %s", d.Endpoint.URL, f.Endpoint.URL)
	note(run.Late > 0, "it began %.1f s late", run.Late.Seconds())
	note(!run.Offset.OK, "its clock could not be compared with the endpoint's")
	note(run.Corrected(), "its clock was %+.3f s off, within %.1f ms: it began by the endpoint's", -run.Offset.V/1000,
		run.Within)
	note(d.Stopped != "", "it ended early: %s", d.Stopped)
	for _, text := range d.Warnings {
		note(true, "%s", text)
	}
	v := &m.out.View
	v.Budget.Tokens, v.Budget.Estimated = v.Budget.Tokens+d.Budget.Tokens, v.Budget.Estimated || d.Budget.Estimated
	if v.Budget.Cost.V += d.Budget.Cost.V; !d.Budget.Cost.OK {
		v.Budget.Cost = d.Budget.Cost
	}
	if d.Lag.LagP99 > v.Observer.LagP99 {
		v.Observer = d.Lag.Observer
	}
	v.Stamps = loadstat.JoinStamps(v.Stamps, d.Stamps)
	for why, n := range d.Finishes {
		v.Finishes[why] += n
	}
	if m.out.Fault == nil {
		m.out.Fault = d.Fault
	}
}

// Merge computes the figures; the warnings are doubts about them. Shards that are missing are
// an error unless allowed; then no step is steady.
func (m *Merger) Merge(allowMissing bool) (loadstat.SweepPlan, loadstat.SweepOutcome, []string, error) {
	l, d := &m.first.Load, &m.first
	plan := loadstat.SweepPlan{Work: d.Workload, Input: result.DrawnLengths(l.Input), SharedPrefix: l.SharedPrefix,
		Output: result.DrawnLengths(l.Output), Users: m.run.Users, Rates: m.run.Rates, Poisson: l.Poisson,
		Think: time.Duration(l.ThinkMs * 1e6), Duration: time.Duration(l.DurationMs * 1e6),
		SLOs: result.Objectives(d.SLO), Shard: loadstat.Shard{Of: m.run.Of}, StartAt: m.run.Start}
	if n := len(m.out.Shards); n < m.run.Of && !allowMissing {
		have := pick.Each(m.out.Shards, func(s *loadstat.ShardRun) string { return strconv.Itoa(s.Index) })
		return plan, m.out, nil, fmt.Errorf("%d of %d shards are missing, here are %s: give all, or add --allow-missing for "+
			"the figures of a smaller load", m.run.Of-n, m.run.Of, strings.Join(have, ", "))
	}
	slices.SortFunc(m.out.Shards, func(a, b loadstat.ShardRun) int { return a.Index - b.Index })
	for i := range m.steps {
		s := &m.steps[i]
		p, err := s.Point()
		if missing := s.Of - len(s.points); missing > 0 && !allowMissing {
			err = fmt.Errorf("%d of %d shards measured nothing", missing, s.Of)
		}
		if err != nil {
			m.warnings = append(m.warnings, fmt.Sprintf("step %d of %d is left out: %v", i+1, len(m.steps), err))
			continue
		}
		if long := time.Duration(p.To - p.From); long < plan.Duration/2 {
			m.warnings = append(m.warnings, fmt.Sprintf("step %d of %d: the shards have %v of %v in common", i+1, len(m.steps),
				long, plan.Duration))
		}
		m.out.Steps = append(m.out.Steps, s.finish(p))
	}
	if len(m.out.Steps) == 0 {
		return plan, m.out, nil, errors.New("no step can be merged: " + strings.Join(m.warnings, "; "))
	}
	return plan, m.out, m.warnings, nil
}

// finish returns the step with its figures p.
func (s *mergedStep) finish(p loadstat.Point) loadstat.SweepStep {
	p.Outside = s.step.Point.Outside
	for _, f := range p.Faults {
		p.Outside = metrics.AddFaults(p.Outside, metrics.FaultCount{Kind: f.Kind, N: -f.N})
	}
	var own []loadstat.Point
	for _, of := range s.points {
		own = append(own, *of)
	}
	p.Stamps, p.Delay = loadstat.StampsOf(own, ""), loadstat.WorstDelay(own)
	s.step.Point, s.step.Rate = p, s.Rate
	n, _ := p.Failures()
	s.step.Extra.AllFailed = p.Requests == 0 && n > 0
	return s.step
}

// Write writes the document of what Merge returned, with its verdicts.
func (m *Merger) Write(out io.Writer, p loadstat.SweepPlan, o loadstat.SweepOutcome, v loadstat.SweepVerdicts,
	warnings []string) error {
	return m.Sentences.WriteDocument(out, m.document(p, o, v, warnings))
}

// BenchmarkReports writes llm-d's Benchmark Report of each step into the new folder dir.
func (m *Merger) BenchmarkReports(dir string, p loadstat.SweepPlan, o loadstat.SweepOutcome) error {
	if err := result.NewReports(dir); err != nil {
		return err
	}
	doc := m.document(p, o, loadstat.SweepVerdicts{}, nil)
	return doc.WriteReports(dir)
}

func (m *Merger) document(p loadstat.SweepPlan, o loadstat.SweepOutcome, v loadstat.SweepVerdicts,
	warnings []string) result.Sweep {
	d := result.SweepOf(m.Version, result.SweepData{Started: m.run.Start, Plan: p, Outcome: o, Verdicts: v,
		Say: m.Sentences, Warnings: warnings})
	d.Load = m.first.Load // the plan has no prompts
	return d
}
