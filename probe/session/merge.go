package session

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
	"tokscope/metrics/stats"
	"tokscope/probe/loadgen"
	"tokscope/probe/result"
)

// Merger makes one sweep of the documents of its shards. It reads each once, and keeps of it
// the requests, the gaps of each second and the counts of each 100 ms.
type Merger struct {
	Version   string // of the program that merges
	Sentences result.Sentences

	first result.Sweep
	key   shardKey
	tree  any // of key
	steps []mergedStep
	out   loadstat.SweepOutcome
	rows  int

	warnings []string
}

// mergedStep has what the shards say of a step beyond its parts.
type mergedStep struct {
	loadgen.Merge
	step   loadstat.SweepStep
	faults []metrics.FaultCount // all of them
	points map[int]*result.SweepStep
}

// shardKey holds what all shards have in common: a part of another load would make the
// figures of none.
type shardKey struct {
	Key   SweepKey  `json:""`
	Of    int       `json:"shards"`
	Start time.Time `json:"start_at"`
	Seed  string    `json:"seed"`
	Users []int     `json:"users"`
	Rates []float64 `json:"rates"`
}

// Bounds of what is read.
const (
	mostShardFile  = 1 << 28 // bytes
	mostMergedRows = 4_000_000
	mostMerged     = 64 // steps, as a sweep has
)

// Add reads the document of one shard. What stands before and behind it is passed over, as
// the log of a container has it. The error names what is wrong and the next step.
func (m *Merger) Add(r io.Reader, name string) error {
	d, err := readShard(r)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	run := d.Shards[0]
	if err := m.fits(d, &run); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for i := range run.Parts {
		p := &run.Parts[i]
		if p.Step < 0 || p.Step >= len(m.steps) || m.steps[p.Step].points[run.Index] != nil || i >= len(d.Points) ||
			d.Points[i].Point == nil {
			return fmt.Errorf("%s: damaged: part %d belongs to no step", name, i+1)
		}
		s := &m.steps[p.Step]
		if err := s.Add(*p); err != nil {
			return fmt.Errorf("%s: damaged: part %d: %w", name, i+1, err)
		}
		if m.rows += len(p.Rows); m.rows > mostMergedRows {
			return fmt.Errorf("%s: more than %d requests together: merge a sweep of fewer steps", name, mostMergedRows)
		}
		s.take(run.Index, &d.Points[i])
	}
	run.Parts, run.File = nil, name
	m.out.Shards = append(m.out.Shards, run)
	m.conditions(d, &run)
	return nil
}

// readShard reads the document of a shard.
func readShard(r io.Reader) (*result.Sweep, error) {
	br := bufio.NewReader(r)
	for n := 0; ; n++ {
		b, err := br.Peek(1)
		if err != nil || n > 1000 {
			return nil, errors.New("it has no JSON document: give the output of tokscope sweep --shard I/N --json")
		}
		if b[0] == '{' {
			break
		}
		for more := true; more && err == nil; {
			_, more, err = br.ReadLine()
		}
	}
	limit := &io.LimitedReader{R: br, N: mostShardFile}
	var data json.RawMessage
	var d result.Sweep
	err := json.NewDecoder(limit).Decode(&data)
	if err == nil {
		err = result.Unmarshal(data, &d)
	}
	switch {
	case limit.N <= 0:
		return nil, fmt.Errorf("it is larger than %d MiB: measure fewer steps in one sweep", mostShardFile>>20)
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return nil, errors.New("it is cut: the shard did not end, or its file was not copied whole")
	case err != nil || d.Schema != result.SweepSchema:
		return nil, errors.New("it is no document of a sweep: give the output of tokscope sweep --shard I/N --json")
	case len(d.Shards) == 0:
		return nil, errors.New("it is of a sweep without --shard, and has no requests to merge")
	case len(d.Shards) > 1 || d.Shards[0].File != "":
		return nil, errors.New("it is merged already: give the documents of the shards")
	}
	return &d, nil
}

// fits checks that run is another shard of the same load.
func (m *Merger) fits(d *result.Sweep, run *loadstat.ShardRun) error {
	e := d.Endpoint
	e.URL = ""
	key := shardKey{SweepKeyOf(e, d.Workload, d.Load, result.Objectives(d.SLO)), run.Of, run.Start.UTC(), d.Seed,
		run.Users, run.Rates}
	if len(m.out.Shards) == 0 {
		n := len(run.Users) + len(run.Rates)
		if run.Of < 1 || run.Of > 1e6 || n == 0 || n > mostMerged || len(run.Users) > 0 && len(run.Rates) > 0 {
			return errors.New("damaged: it does not say which load it is a part of")
		}
		m.begin(d, key)
	} else if diff := difference("%s is %s in the first file, %s here", "", m.tree, result.Tree(key)); diff != "" {
		return errors.New("it is a part of another load: " + diff + "; give the parts of one load")
	}
	if run.Index < 0 || run.Index >= run.Of {
		return fmt.Errorf("damaged: there is no shard %d of %d", run.Index, run.Of)
	}
	if twice := pick.First(m.out.Shards, func(s *loadstat.ShardRun) bool { return s.Index == run.Index }); twice != nil {
		return fmt.Errorf("it is shard %d of %d, as %s is: give each shard once, of one that ran twice the later",
			run.Index, run.Of, twice.File)
	}
	return nil
}

// begin takes the load of the first shard.
func (m *Merger) begin(d *result.Sweep, key shardKey) {
	m.first, m.key, m.tree = *d, key, result.Tree(key)
	m.first.Points, m.first.Shards = nil, nil
	slos := result.Objectives(d.SLO)
	most := time.Duration(d.Load.DurationMs * 1e6)
	tuned := loadgen.Bounds{Most: most}.Tune(loadgen.Config{})
	for _, n := range append(slices.Clone(key.Rates), make([]float64, len(key.Users))...) {
		m.steps = append(m.steps, mergedStep{points: map[int]*result.SweepStep{}, Merge: loadgen.Merge{Rate: n, SLOs: slos,
			Fits: d.Load.Input != "" || d.Load.Prompts != "", MinWindow: tuned.MinWindow, Of: key.Of}})
	}
	m.out.Planned, m.out.Endpoint = len(m.steps), d.Endpoint
	m.out.View.Model = d.Model
	m.out.View.Seed, _ = strconv.ParseUint(d.Seed, 10, 64)
	m.out.View.Observer = d.Lag.Observer
	m.out.View.Budget.Currency, m.out.View.Budget.Cost = d.Currency, metrics.Known(0, 0)
}

// take adds what the point of a shard says beside its part.
func (s *mergedStep) take(shard int, p *result.SweepStep) {
	s.points[shard] = p
	x := &s.step
	for _, f := range p.Faults {
		s.faults = metrics.AddFaults(s.faults, f)
	}
	if l := p.Lengths; l != nil {
		sum := func(n int, asked, counted metrics.Value) loadstat.LengthSum {
			return loadstat.LengthSum{N: n, Asked: asked.V * float64(n), Counted: counted.V * float64(n)}
		}
		x.Extra.Lengths.Merge(&loadstat.Lengths{Prompts: sum(l.Prompts, l.PromptAsked, l.PromptCounted),
			Answers: sum(l.Answers, l.AnswerAsked, l.AnswerCounted)})
	}
	if p.Lag.N > 0 && (x.Lag.N == 0 || p.Lag.Max.V > x.Lag.Max.V) {
		x.Lag = p.Lag
	}
}

// conditions notes what the shards have not in common and what makes the figures weaker.
func (m *Merger) conditions(d *result.Sweep, run *loadstat.ShardRun) {
	note := func(form string, args ...any) {
		m.warnings = append(m.warnings, fmt.Sprintf("shard %d: ", run.Index)+fmt.Sprintf(form, args...))
	}
	f := &m.first
	for _, x := range [][3]string{{"version of tokscope", f.Tool.Version, d.Tool.Version},
		{"model that answered", f.Model, d.Model}, {"address", f.Endpoint.URL, d.Endpoint.URL}} {
		if x[1] != x[2] {
			note("another %s than of shard %d: %s, not %s", x[0], m.out.Shards[0].Index, x[2], x[1])
		}
	}
	if run.Late > 0 {
		note("it began %.1f s late", run.Late.Seconds())
	}
	if c := &run.Clock; !c.Offset.OK {
		note("its clock could not be compared with the endpoint's")
	} else if c.Within > 500 {
		note("its clock is known within %.1f s only", c.Within/1000)
	}
	if d.Stopped != "" {
		note("it ended early: %s", d.Stopped)
	}
	for _, text := range d.Warnings {
		note("%s", text)
	}
	v := &m.out.View
	v.Budget.Tokens += d.Budget.Tokens
	v.Budget.Estimated = v.Budget.Estimated || d.Budget.Estimated
	if v.Budget.Cost.OK && d.Budget.Cost.OK {
		v.Budget.Cost.V += d.Budget.Cost.V
	} else {
		v.Budget.Cost = d.Budget.Cost
	}
	if d.Lag.LagP99 > v.Observer.LagP99 {
		v.Observer = d.Lag.Observer
	}
	v.Stamps = loadstat.JoinStamps(v.Stamps, d.Stamps)
	for why, n := range d.Finishes {
		if v.Finishes == nil {
			v.Finishes = map[string]int{}
		}
		v.Finishes[why] += n
	}
	if m.out.Fault == nil {
		m.out.Fault = d.Fault
	}
}

// Merge computes the figures. Shards that are missing are an error unless allowed; then no
// step is steady.
func (m *Merger) Merge(allowMissing bool) (loadstat.SweepPlan, loadstat.SweepOutcome, []string, error) {
	plan := m.plan()
	if missing := m.missing(); len(missing) > 0 && !allowMissing {
		return plan, m.out, nil, fmt.Errorf("of %d shards there is no file of %s: give it, or add --allow-missing for the "+
			"figures of the others, which are of a smaller load", m.key.Of, strings.Join(missing, ", "))
	}
	slices.SortFunc(m.out.Shards, func(a, b loadstat.ShardRun) int { return a.Index - b.Index })
	for i := range m.steps {
		s := &m.steps[i]
		name := fmt.Sprintf("step %d of %d", i+1, len(m.steps))
		if s.Missing = m.key.Of - len(s.points); s.Missing > 0 && (!allowMissing || len(s.points) == 0) {
			m.warnings = append(m.warnings, fmt.Sprintf("%s is left out: %d of %d shards did not measure it", name,
				s.Missing, s.Of))
			continue
		}
		p, err := s.Point()
		if err != nil {
			m.warnings = append(m.warnings, name+" is left out: "+err.Error())
			continue
		}
		if long := time.Duration(p.To - p.From); long < plan.Duration/2 {
			m.warnings = append(m.warnings, fmt.Sprintf("%s: the windows of the shards have %v of %v in common", name, long,
				plan.Duration))
		}
		if n := s.LeftOut(); n > 0 {
			m.warnings = append(m.warnings, fmt.Sprintf("%s: the shards had no room for %d of their requests", name, n))
		}
		m.out.Steps = append(m.out.Steps, s.finish(p))
		m.last(s)
	}
	if len(m.out.Steps) == 0 {
		return plan, m.out, nil, errors.New("no step was measured by all shards at the same time: " +
			strings.Join(m.warnings, "; "))
	}
	m.unlike()
	return plan, m.out, m.warnings, nil
}

// missing names the shards without a file.
func (m *Merger) missing() (out []string) {
	for i := range m.key.Of {
		if !slices.ContainsFunc(m.out.Shards, func(s loadstat.ShardRun) bool { return s.Index == i }) {
			out = append(out, "shard "+strconv.Itoa(i))
		}
		if len(out) == 8 {
			return append(out[:7], "…")
		}
	}
	return out
}

// plan returns the plan of the whole load.
func (m *Merger) plan() loadstat.SweepPlan {
	l, d := &m.first.Load, &m.first
	return loadstat.SweepPlan{Work: d.Workload, Input: result.DrawnLengths(l.Input), Output: result.DrawnLengths(l.Output),
		SharedPrefix: l.SharedPrefix, Users: m.key.Users, Rates: m.key.Rates, Poisson: l.Poisson,
		Think: time.Duration(l.ThinkMs * 1e6), Duration: time.Duration(l.DurationMs * 1e6),
		SLOs: result.Objectives(d.SLO), Shard: loadstat.Shard{Of: m.key.Of}, StartAt: m.key.Start}
}

// finish returns the step with its figures p.
func (s *mergedStep) finish(p loadstat.Point) loadstat.SweepStep {
	var sources []string
	var own []loadstat.Point
	for _, of := range s.points {
		sources, own = append(sources, of.Stamps), append(own, *of.Point)
	}
	p.Stamps, p.Delay = loadstat.JoinStamps(sources...), loadstat.WorstDelay(own)
	for _, f := range p.Faults {
		s.faults = metrics.AddFaults(s.faults, metrics.FaultCount{Kind: f.Kind, N: -f.N})
	}
	p.Outside = s.faults
	s.step.Point, s.step.Rate = p, s.Rate
	n, _ := p.Failures()
	s.step.Extra.AllFailed = p.Requests == 0 && n > 0
	return s.step
}

// last notes what each shard saw in s.
func (m *Merger) last(s *mergedStep) {
	for i := range m.out.Shards {
		r := &m.out.Shards[i]
		if p := s.points[r.Index]; p != nil {
			r.Last = &loadstat.ShardStep{Requests: p.Requests, Total: p.Total, TTFT: p.TTFT.P50, TPOT: p.TPOT.P50}
		}
	}
}

// unlikeFactor: the median of a shard beyond this factor of that of all is said.
const unlikeFactor = 1.5

// unlike says which shards are slower than the others: their machine or its way to the
// endpoint, and not the endpoint, is what differs.
func (m *Merger) unlike() {
	for _, x := range []struct {
		name string
		of   func(*loadstat.ShardStep) metrics.Value
	}{{"TTFT", func(s *loadstat.ShardStep) metrics.Value { return s.TTFT }},
		{"TPOT", func(s *loadstat.ShardStep) metrics.Value { return s.TPOT }}} {
		var all []float64
		for _, r := range pick.All(m.out.Shards) {
			if r.Last != nil && x.of(r.Last).OK {
				all = append(all, x.of(r.Last).V)
			}
		}
		slices.Sort(all)
		for _, r := range pick.All(m.out.Shards) {
			if len(all) < 3 || r.Last == nil {
				continue
			}
			if usual := stats.Quantile(all, 0.5); x.of(r.Last).V > unlikeFactor*usual && !math.IsNaN(usual) {
				m.warnings = append(m.warnings, fmt.Sprintf("shard %d: its median %s is %.1fx that of all shards (%.1f of %.1f ms)",
					r.Index, x.name, x.of(r.Last).V/usual, x.of(r.Last).V, usual))
			}
		}
	}
}

// WriteSweep writes the document of what Merge returned, with its verdicts.
func (m *Merger) WriteSweep(out io.Writer, p loadstat.SweepPlan, o loadstat.SweepOutcome, v loadstat.SweepVerdicts,
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
	return result.SweepOf(m.Version, result.SweepData{Started: m.key.Start, Plan: p,
		Outcome: o, Verdicts: v, Say: m.Sentences, Warnings: warnings, Load: &m.first.Load})
}
