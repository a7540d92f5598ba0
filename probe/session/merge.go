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
	tree     any // what all have in common
	steps    []loadgen.Merge
	plan     loadstat.SweepPlan
	out      loadstat.SweepOutcome
	rows     int
	warnings []string
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
	last := -1
	for i := range run.Parts {
		p := &run.Parts[i]
		if m.rows += len(p.Rows); m.rows > mostMergedRows {
			return fmt.Errorf("more than %d requests together: measure fewer steps in one sweep", mostMergedRows)
		}
		if p.Step <= last || p.Step >= len(m.steps) || i >= len(d.Points) {
			return fmt.Errorf("it is damaged: part %d belongs to no step", i+1)
		}
		last = p.Step
		point, err := d.Points[i].Measured()
		if err == nil {
			err = m.steps[p.Step].Add(run.Index, *p, point, d.Points[i].Lag)
		}
		if err != nil {
			return fmt.Errorf("it is damaged: part %d: %w", i+1, err)
		}
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
	l, run := &d.Load, &d.Shards[0]
	m.first, m.tree = *d, tree
	m.first.Points, m.first.Shards = nil, nil
	m.plan = loadstat.SweepPlan{Work: d.Workload, Input: result.DrawnLengths(l.Input), SharedPrefix: l.SharedPrefix,
		Output: result.DrawnLengths(l.Output), Users: run.Users, Rates: run.Rates, Poisson: l.Poisson,
		Think: l.Think, Duration: l.Duration,
		SLOs: result.Objectives(d.SLO), Shard: loadstat.Shard{Of: run.Of}, StartAt: run.Start}
	tuned := loadgen.Tune(&m.plan, loadgen.Config{})
	for _, rate := range append(slices.Clone(run.Rates), make([]float64, len(run.Users))...) {
		m.steps = append(m.steps, loadgen.Merge{Rate: rate, SLOs: m.plan.SLOs, Fits: l.Input != "" || l.Prompts != "",
			MinWindow: tuned.MinWindow, Of: run.Of})
	}
	v := &m.out.View
	v.Finishes = map[string]int{}
	m.out.Planned, m.out.Endpoint, v.Model, v.Observer = len(m.steps), d.Endpoint, d.Model, d.Lag.Observer
	v.Seed, _ = strconv.ParseUint(d.Seed, 10, 64)
	v.Budget.Currency, v.Budget.Cost = d.Currency, metrics.Known(0, 0)
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
	of := m.plan.Shard.Of
	if n := len(m.out.Shards); n < of && !allowMissing {
		have := pick.Each(m.out.Shards, func(s *loadstat.ShardRun) string { return strconv.Itoa(s.Index) })
		return m.plan, m.out, nil, fmt.Errorf("%d of %d shards are missing, here are %s: give all, or add --allow-missing "+
			"for the figures of a smaller load", of-n, of, strings.Join(have, ", "))
	}
	slices.SortFunc(m.out.Shards, func(a, b loadstat.ShardRun) int { return a.Index - b.Index })
	for i := range m.steps {
		name := fmt.Sprintf("step %d of %d", i+1, len(m.steps))
		s, err := m.steps[i].Step(allowMissing)
		if err != nil {
			m.warnings = append(m.warnings, fmt.Sprintf("%s is left out: %v", name, err))
			continue
		}
		if long := time.Duration(s.Point.To - s.Point.From); long < m.plan.Duration/2 {
			m.warnings = append(m.warnings, fmt.Sprintf("%s: the shards have %v of %v in common", name, long, m.plan.Duration))
		}
		if shard, p := m.steps[i].Slower(&s.Point); p != nil {
			m.warnings = append(m.warnings, fmt.Sprintf("%s: requests of shard %d get %.4g tok/s, those of all %.4g: look at "+
				"its machine and its network", name, shard, p.Speed.V, s.Point.Speed.V))
		}
		m.out.Steps = append(m.out.Steps, s)
	}
	if len(m.out.Steps) == 0 {
		return m.plan, m.out, nil, errors.New("no step can be merged: " + strings.Join(m.warnings, "; "))
	}
	return m.plan, m.out, m.warnings, nil
}

// Write writes the document of what Merge returned, with its verdicts.
func (m *Merger) Write(out io.Writer, v loadstat.SweepVerdicts, warnings []string) error {
	return m.Sentences.WriteDocument(out, m.document(v, warnings))
}

// BenchmarkReports writes llm-d's Benchmark Report of each step into the new folder dir.
func (m *Merger) BenchmarkReports(dir string) error {
	if err := result.NewReports(dir); err != nil {
		return err
	}
	doc := m.document(loadstat.SweepVerdicts{}, nil)
	return doc.WriteReports(dir)
}

func (m *Merger) document(v loadstat.SweepVerdicts, warnings []string) result.Sweep {
	d := result.SweepOf(m.Version, result.SweepData{Started: m.plan.StartAt, Plan: m.plan, Outcome: m.out, Verdicts: v,
		Say: m.Sentences, Warnings: warnings})
	d.Load = m.first.Load // the plan has no prompts
	return d
}
