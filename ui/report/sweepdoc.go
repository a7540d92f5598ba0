package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// Doc lists a sweep: what it shows in a sentence, target and workload, a row a step,
// and the conclusions. ascii writes its text with ASCII alone.
func (r *Sweep) Doc(ascii bool) *Doc {
	if r.Depth != nil {
		return (*depth)(r).Doc()
	}
	d, v := &Doc{ASCII: ascii}, r.Verdicts()
	d.lead(v.Sentence)
	d.Note(target(&r.Endpoint, r.View.Model))
	d.Note(r.work())
	if len(r.Steps) == 0 {
		d.fact(r.parts(), "0 of "+format.Count(r.Planned)+" finished")
		r.faults(d)
		r.ended(d)
		return d
	}
	d.table(r.table(ascii))
	d.table(r.serverTable())
	r.conclusions(d, &v)
	r.fits(d)
	r.unsteady(d)
	r.shards(d)
	r.faults(d)
	r.spent(d)
	r.trust(d)
	if !r.ramp() && r.Plan.Script == nil && r.Shards == nil { // no other tool has them
		d.here("elsewhere", "add --handover to print this load for vllm bench serve, GuideLLM and AIPerf")
	}
	r.ended(d)
	return d
}

// work names the workload and the load.
func (r *Sweep) work() string {
	n, in, out := len(r.Plan.Prompts), r.input(format.Count, " or "), r.output(format.Count, " or ")
	if r.Plan.Script != nil {
		return join(say.Session(r.Plan.Script), say.Settings(&r.Endpoint), r.Loop)
	}
	prompts := format.If(n > 1, format.Count(n)+" prompts in rotation")
	return join(say.Work(&r.Plan.Work), say.Settings(&r.Endpoint), prompts, format.If(in != "", "about "+in+" tokens in"),
		format.If(out != "", "at most "+out+" out"), r.Loop)
}

// input is the requested length of the prompts, as count writes it, with or between
// lengths of which each request draws one; "" without a request.
func (r *Sweep) input(count func(int) string, or string) string {
	return asked(&r.Plan.Input, r.Plan.Work.InputTokens, count, or)
}

// output is the limit of the answers, written as input is; "" without one.
func (r *Sweep) output(count func(int) string, or string) string {
	return asked(&r.Plan.Output, r.Plan.Work.MaxTokens, count, or)
}

func asked(varies *metrics.Lengths, n int, count func(int) string, or string) string {
	switch {
	case varies.Varies() && len(varies.Choices) > 0:
		return strings.Join(pick.Each(varies.Choices, func(n *int) string { return count(*n) }), or)
	case varies.Varies():
		return varies.String()
	case n <= 0:
		return ""
	}
	return count(n)
}

// unit is what the steps count.
func (r *Sweep) unit() string { return format.Either(r.open(), "req/s", "users") }

// load is the users or the rate of a step.
func (r *Sweep) load(s *loadstat.SweepStep) string {
	return format.Either(r.open(), format.Exact(s.Rate), format.Count(s.Point.Users))
}

// parts names what the sweep consists of.
func (r *Sweep) parts() string { return format.Either(r.ramp(), "slices", "steps") }

// stepTable is a table with a row a step.
type stepTable struct {
	*Table
	r *Sweep
}

// column adds a column: its cell of each step.
func (t stepTable) column(c Column, cell func(*loadstat.SweepStep) string) {
	t.Cols = append(t.Cols, c)
	for i := range t.r.Steps {
		t.Rows[i] = append(t.Rows[i], cell(&t.r.Steps[i]))
	}
}

// point adds a column of one figure of the points. Of a ramp it adds those that some
// slice has: a load that changes all the time has no intervals.
func (t stepTable) point(group, name string, cell func(*loadstat.Point) string) {
	of := func(s *loadstat.SweepStep) string { return cell(&s.Point) }
	if t.r.ramp() && !slices.ContainsFunc(t.r.Steps, func(s loadstat.SweepStep) bool { return of(&s) != format.Unknown }) {
		return
	}
	t.column(Column{Group: group, Name: name}, of)
}

// table has a row a step: what it asked for and what came, in text as three tables
// at most.
func (r *Sweep) table(ascii bool) *Table {
	t := stepTable{&Table{Rows: make([][]string, len(r.Steps)), Keys: 2, Under: r.unknown()}, r}
	t.column(Column{Words: true, Drawn: true},
		func(s *loadstat.SweepStep) string { return format.Either(s.Point.Steady, "●", "○") })
	if r.ramp() {
		t.Keys++
		t.column(Column{Group: r.unit(), Name: "from"}, func(s *loadstat.SweepStep) string { return r.slice(s, 0) })
		t.column(Column{Group: r.unit(), Name: "to"}, func(s *loadstat.SweepStep) string { return r.slice(s, 1) })
	} else {
		t.column(Column{Name: r.unit()}, r.load)
	}
	bars := func(group string, of func(*loadstat.Point) metrics.Value) {
		most := 0.0
		for i := range r.Steps {
			most = max(most, of(&r.Steps[i].Point).V)
		}
		t.point(group, "tok/s", func(p *loadstat.Point) string { return format.Known(of(p), format.Number) })
		t.column(Column{Group: group, Words: true, Drawn: true},
			func(s *loadstat.SweepStep) string { return bar(of(&s.Point).V, most, barCells, ascii) })
	}
	bars("per user", func(p *loadstat.Point) metrics.Value { return p.Speed })
	bars("aggregate", func(p *loadstat.Point) metrics.Value { return p.Total })
	number := func(v metrics.Value) string { return format.Known(v, format.Number) }
	t.point("TTFT ms", "p50", func(p *loadstat.Point) string { return number(p.TTFT.P50) })
	t.point("TTFT ms", "p99", func(p *loadstat.Point) string { return number(p.TTFT.P99) })
	gap := func(v metrics.Value, b metrics.Bound) string { return format.Bounded(v, b, format.Number) }
	t.point("gap ms", "p50", func(p *loadstat.Point) string { return gap(p.Gaps.P50, p.Gaps.Missing.P50) })
	t.point("gap ms", "p99", func(p *loadstat.Point) string { return gap(p.Gaps.P99, p.Gaps.Missing.P99) })
	if r.Plan.Script != nil {
		t.point("TPOT ms", "p50", func(p *loadstat.Point) string { return number(p.TPOT.P50) })
		t.point("turn ms", "p50", func(p *loadstat.Point) string { return number(p.Turns.P50) })
		t.point("turn ms", "p99", func(p *loadstat.Point) string { return number(p.Turns.P99) })
	}
	if len(r.Plan.SLOs) > 0 {
		t.point("goodput", "req/s", func(p *loadstat.Point) string { return number(p.GoodRate) })
		t.point("goodput", "share", func(p *loadstat.Point) string { return format.Known(p.GoodShare, format.Percent) })
	}
	t.point("", "ended", func(p *loadstat.Point) string { return format.Count(p.Requests) })
	if r.open() {
		first := len(t.Cols)
		t.point("arrive", "req/s", func(p *loadstat.Point) string { return number(p.Arrived) })
		t.point("end", "req/s", func(p *loadstat.Point) string { return number(p.EndRate()) })
		t.point("unsent", "mean", func(p *loadstat.Point) string { return number(p.Backlog) })
		// The lower bound may stand for a wait.
		t.point("TTFT from schedule ms", "p50",
			func(p *loadstat.Point) string { return format.Waiting(p.FromIntended.P50, p.FromIntendedAtLeast.P50) })
		t.point("TTFT from schedule ms", "p95",
			func(p *loadstat.Point) string { return format.Waiting(p.FromIntended.P95, p.FromIntendedAtLeast.P95) })
		t.point("TTFT from schedule ms", "p99",
			func(p *loadstat.Point) string { return format.Waiting(p.FromIntended.P99, p.FromIntendedAtLeast.P99) })
		t.Cols[first].Apart = true
	}
	first := len(t.Cols)
	t.point("peak", "tok/s", func(p *loadstat.Point) string { return number(p.Peak) })
	t.point("per user tok/s", "95 %", func(p *loadstat.Point) string { return interval(&p.SpeedInterval) })
	t.point("aggregate tok/s", "95 %", func(p *loadstat.Point) string { return interval(&p.TotalInterval) })
	if len(r.Plan.SLOs) > 0 {
		t.point("goodput", "tok/s", func(p *loadstat.Point) string { return number(p.GoodTokens) })
	}
	t.point("", "failed", func(p *loadstat.Point) string { n, _ := p.Failures(); return format.Count(n) })
	if slices.ContainsFunc(r.Steps, func(s loadstat.SweepStep) bool { return !s.Point.TTFTFailed.IsZero() }) {
		failing := func(v metrics.Value) string { // nothing where none failed
			return format.If(v != metrics.Value{}, format.Failing(v, format.Number))
		}
		t.point("TTFT with failures ms", "p50", func(p *loadstat.Point) string { return failing(p.TTFTFailed.P50) })
		t.point("TTFT with failures ms", "p90", func(p *loadstat.Point) string { return failing(p.TTFTFailed.P90) })
		t.point("TTFT with failures ms", "p99", func(p *loadstat.Point) string { return failing(p.TTFTFailed.P99) })
	}
	if slices.ContainsFunc(r.Steps, func(s loadstat.SweepStep) bool { return s.Point.Retried > 0 }) {
		t.point("", "retried", func(p *loadstat.Point) string { return format.Count(p.Retried) })
	}
	if !r.ramp() {
		t.point("", "steady", func(p *loadstat.Point) string { return format.Either(p.Steady, "yes", "no") })
	}
	if first < len(t.Cols) {
		t.Cols[first].Apart = true
	}
	return t.Table
}

// slice is the load at an end of a slice of a ramp.
func (r *Sweep) slice(s *loadstat.SweepStep, end int) string {
	if ramp := s.Point.Ramp; ramp != nil {
		return format.Asked([...]float64{ramp.From, ramp.To}[end])
	}
	return format.Either(end == 0, r.load(s), format.Unknown)
}

// interval writes an interval without its unit, "–" for an unknown one.
func interval(i *loadstat.Interval) string { return format.KnownRange(i.Low, i.High, format.Number) }

// barCells is the width of the small bars. With it the table of a sweep with
// objectives fits in 80 columns.
const barCells = 6

// eighths are the left parts of a cell, from none to seven eighths.
var eighths = []rune(" ▏▎▍▌▋▊▉")

// bar is a bar of v on a scale up to most, cells wide. A value above 0 is always
// visible.
func bar(v, most float64, cells int, ascii bool) string {
	if !(v > 0) || !(most > 0) {
		return ""
	}
	n := min(max(int(v/most*float64(cells)*8+0.5), 1), cells*8)
	if ascii {
		return strings.Repeat("#", max((n+4)/8, 1))
	}
	return strings.Repeat("█", n/8) + strings.TrimSpace(string(eighths[n%8]))
}

// unknown says why figures of the table are unknown: each reason once, with the steps
// and the figures.
func (r *Sweep) unknown() (out []Fact) {
	type unknown struct {
		what string
		why  metrics.Why
	}
	var steps groups[unknown, string]
	add := func(s *loadstat.SweepStep, what string, v metrics.Value) {
		never := v.Why == 0 || v.Why == metrics.WhyNotSteady || v.Why == metrics.WhyNotRecorded
		if v.OK || never && r.ramp() { // a ramp has no such figures: another line says that no slice is steady
			return
		}
		steps.add(unknown{what, v.Why}, r.load(s))
	}
	for _, s := range pick.All(r.Steps) {
		add(s, "peak", s.Point.Peak)
		if a, b := &s.Point.SpeedInterval.Low, &s.Point.TotalInterval.Low; !a.OK && !b.OK && a.Why == b.Why {
			add(s, "both intervals", *a)
		} else {
			add(s, "interval per user", *a)
			add(s, "interval aggregate", *b)
		}
	}
	for _, u := range steps.keys {
		at := strings.Join(steps.of[u], ", ")
		unit := format.Either(r.open(), " requests/s: ", format.Either(at == "1", " user: ", " users: "))
		why := cmp.Or(format.Why(u.why), format.Why(metrics.WhyNotRecorded))
		out = append(out, Fact{Name: "unknown", Text: u.what + " at " + at + unit + why})
	}
	return out
}

// serverColumns are the figures of the server's own metrics: counters as
// their growth over the step, the others as they were at its end.
var serverColumns = []struct {
	group, name, csv string
	of               func(*loadstat.ServerStep) metrics.Value
}{
	{"requests", "server", "server_requests",
		grown(func(c *loadstat.ServerCounts) metrics.Value { return c.Requests })},
	{"requests", "here", "requests_here",
		func(s *loadstat.ServerStep) metrics.Value { return metrics.Known(float64(s.Requests), 0) }},
	{"output tokens", "server", "server_output_tokens",
		grown(func(c *loadstat.ServerCounts) metrics.Value { return c.Output })},
	{"output tokens", "here", "output_tokens_here",
		func(s *loadstat.ServerStep) metrics.Value { return metrics.Known(s.Output, 0) }},
	{"prompt tokens", "all", "server_prompt_tokens",
		grown(func(c *loadstat.ServerCounts) metrics.Value { return c.Prompt })},
	{"prompt tokens", "cached", "server_prefix_cache_hits",
		grown(func(c *loadstat.ServerCounts) metrics.Value { return c.CacheHits })},
	{"", "preempted", "server_preemptions",
		grown(func(c *loadstat.ServerCounts) metrics.Value { return c.Preemptions })},
	{"at the end", "running", "server_running_at_end",
		func(s *loadstat.ServerStep) metrics.Value { return s.After.Running }},
	{"at the end", "waiting", "server_waiting_at_end",
		func(s *loadstat.ServerStep) metrics.Value { return s.After.Waiting }},
}

func grown(of func(*loadstat.ServerCounts) metrics.Value) func(*loadstat.ServerStep) metrics.Value {
	return func(s *loadstat.ServerStep) metrics.Value { return s.Change(of) }
}

// serverFigure is one figure of a step; unknown where the server was not read.
func serverFigure(s *loadstat.SweepStep, of func(*loadstat.ServerStep) metrics.Value) metrics.Value {
	if s.Extra.Server.After.From == "" {
		return metrics.Unknown(metrics.WhyNoPage)
	}
	return of(&s.Extra.Server)
}

// readServer reports whether the server's metrics were read in any step.
func (r *Sweep) readServer() bool {
	return slices.ContainsFunc(r.Steps, func(s loadstat.SweepStep) bool { return s.Extra.Server.After.From != "" })
}

// serverTable has the server's own metrics; without rows where they were not read.
func (r *Sweep) serverTable() *Table {
	if !r.readServer() {
		return &Table{}
	}
	t := stepTable{&Table{Rows: make([][]string, len(r.Steps)),
		Title: "the server's own metrics, from " + r.ServerMetrics}, r}
	t.column(Column{Name: r.unit()}, r.load)
	for _, c := range serverColumns {
		t.column(Column{Group: c.group, Name: c.name},
			func(s *loadstat.SweepStep) string { return format.Known(serverFigure(s, c.of), format.Whole) })
	}
	for _, s := range pick.All(r.Steps) {
		why := s.Extra.Server.Why
		t.under("server", format.If(why != "", "at "+stepName(s)+": not read ("+why+")"))
	}
	return t.Table
}

// conclusions are the knee and the objectives.
func (r *Sweep) conclusions(d *Doc, v *loadstat.SweepVerdicts) {
	switch n := r.steady(); {
	case v.Knee >= 0:
		s := &r.Steps[v.Knee]
		d.fact("knee", fmt.Sprintf("at %s: %s per user, %s aggregate; beyond it a further user adds less aggregate",
			stepName(s), format.Known(s.Point.Speed, format.Rate), format.Known(s.Point.Total, format.Rate)))
	case r.open():
		d.fact("knee", "– (needs users, not a rate)")
	case n < loadstat.LeastForKnee:
		d.fact("knee", fmt.Sprintf("– (needs %d steady steps, has %d)", loadstat.LeastForKnee, n))
	default:
		d.fact("knee", "– (throughput over users has no clear bend)")
	}
	if len(r.Plan.SLOs) > 0 {
		d.fact("slo", strings.ReplaceAll(format.SLOs(r.Plan.SLOs), ",", " and ")+": "+r.sloVerdict(v))
	}
}

// fits are for each step the part of TTFT that depends on the prompt's length, where
// prompts vary. A reason that holds for all steps is given once.
func (r *Sweep) fits(d *Doc) {
	var texts []string
	same := len(r.Steps) > 1
	for _, s := range pick.All(r.Steps) {
		if f := s.Point.Fit; f != nil {
			texts = append(texts, stepName(s)+": "+fitText(f))
		}
		first := r.Steps[0].Point.Fit
		same = same && first != nil && s.Point.Fit != nil && !s.Point.Fit.B.OK && s.Point.Fit.B.Why == first.B.Why
	}
	if len(texts) == 0 {
		return
	}
	d.fact("ttft", "= a + b · prompt tokens; R² is how much of its spread the length explains")
	if same {
		texts = []string{"every step: – (" + format.Why(r.Steps[0].Point.Fit.B.Why) + ")"}
	}
	d.fact("ttft", texts...)
}

// fitText describes a fit: both terms, the range of lengths, its quality and
// its number of requests. Without a fit it gives the reason.
func fitText(f *loadstat.TTFTFit) string {
	if !f.A.OK || !f.B.OK {
		return "– (" + format.Why(f.B.Why) + format.If(f.N > 0, "; n "+format.Count(f.N)) + ")"
	}
	sign, b := "+", f.B.V*1000
	if b < 0 {
		sign, b = format.Minus, -b
	}
	bends := format.If(f.Bends(), "; no line: the longest prompts are "+format.Change(f.Longest.V)+" off")
	return fmt.Sprintf("%s %s %s per 1,000 tokens (%s), half within %s, R² %s, n %s",
		format.Ms(f.A.V), sign, format.Ms(b),
		format.Range(f.Low, f.High, func(v float64) string { return format.Whole(v) + " tokens" }),
		format.Known(f.Off, format.Ms), format.Known(f.R2, format.Ratio), format.Count(f.N)) + bends
}

// unsteady gives the reason for every hollow mark.
func (r *Sweep) unsteady(d *Doc) {
	if r.ramp() {
		d.fact("steady", "– ("+say.Unsteady(loadstat.Unsteady{Code: loadstat.UnsteadyRamp})+")")
		return
	}
	n, of := r.steady(), len(r.Steps)
	d.fact("steady", format.Either(n == of, "all "+format.Plural(n, "step", "steps"), fmt.Sprintf("%d of %d", n, of)))
	for i := range r.Steps {
		if s := &r.Steps[i]; !s.Point.Steady {
			d.fact("not steady", stepName(s)+": "+cmp.Or(say.Unsteady(s.Point.Why), "no reason is known"))
		}
	}
}

// faults counts how requests ended, with an example of those that failed.
func (r *Sweep) faults(d *Doc) {
	d.fact("finished", say.Finishes(r.View.Finishes))
	var example *metrics.Fault
	for _, s := range pick.All(r.Steps) {
		if n, faults := s.Point.Failures(); n > 0 {
			example = r.Fault
			d.fact("failed", "at "+stepName(s)+": "+say.FaultKinds(faults)+"; kept out of the figures")
			d.fact("", say.WithFailures(&s.Point.TTFT, &s.Point.TTFTFailed))
		}
	}
	if lost := r.otherFaults(); len(lost) > 0 {
		example = r.Fault
		d.fact("failed", format.Either(r.ramp(), "outside the slices: ", "outside the finished steps: ")+say.FaultKinds(lost))
	}
	d.facts(faultFacts("failed", example)...)
}

// spent are the tokens, and how late requests of a schedule left.
func (r *Sweep) spent(d *Doc) {
	tokens, estimated := 0.0, false
	var worst metrics.Dist
	for _, s := range pick.All(r.Steps) {
		tokens += s.Point.Tokens
		estimated = estimated || s.Point.Estimated
		if s.Lag.N > 0 && s.Lag.Max.V >= worst.Max.V {
			worst = s.Lag
		}
	}
	text := format.Whole(tokens) + " received in the windows" + format.If(estimated, estimatedInPart)
	b := &r.View.Budget
	used := "; " + format.Whole(b.Tokens) + " used, prompts included" + format.If(b.Estimated, estimatedInPart)
	d.fact("tokens", text+format.If(b.Tokens > 0, used)+costing(b.Cost, b.Currency))
	d.fact("schedule", format.If(worst.N > 0, fmt.Sprintf("requests left at most %s late, p99 %s",
		format.Known(worst.Max, format.Ms), format.Known(worst.P99, format.Ms))))
}

// estimatedInPart marks a number of tokens of which the server has not counted
// all.
const estimatedInPart = " (estimated in part)"

// trust says how far the figures can be trusted, and where more of them are.
func (r *Sweep) trust(d *Doc) {
	if r.clientBound() < 0 { // no step was: what limited the end of the sweep
		d.fact("note", say.ClientLimit(r.View.ClientLimits).String())
	}
	d.fact("note", r.Warnings()...)
	d.fact("lag", lagText(r.stamps(), &r.View.Observer))
	worst, resumed, uncertain, waiting := loadstat.WorstDelay(r.points()), 0, false, false
	for _, s := range pick.All(r.Steps) {
		p := &s.Point
		if facts := delayFacts("at "+stepName(s)+": ", &p.Delay); facts != nil && p.Delay == worst {
			d.facts(facts...)
			worst = metrics.Delay{}
		}
		uncertain = uncertain || p.Gaps.Uncertain()
		waiting = waiting || p.FromIntendedAtLeast != (metrics.AtLeast{})
		if s.Resumed {
			resumed++
		}
	}
	d.fact("bounds", format.If(uncertain, format.AtMost+
		" marks the largest possible value: the gaps inside a read are not known singly"))
	d.fact("bounds", format.If(waiting, format.AtLeast+
		" marks a lower bound: it counts requests that still waited, with their wait so far"))
	d.fact("server", r.serverMissing())
	d.here("requests", format.If(r.Plan.RequestLines != "", "a line for each is in "+r.Plan.RequestLines))
	d.here("resumed", format.If(resumed > 0,
		fmt.Sprintf("%d of %d steps come from %s", resumed, len(r.Steps), r.Plan.Resume)))
	d.here("kept", format.If(resumed == 0, r.Plan.Resume))
}

// points returns the points of the steps.
func (r *Sweep) points() []loadstat.Point {
	return pick.Each(r.Steps, func(s *loadstat.SweepStep) loadstat.Point { return s.Point })
}

// stamps names who took the stamps of all steps.
func (r *Sweep) stamps() string { return loadstat.StampsOf(r.points(), r.View.Stamps) }

// serverMissing says why the server's metrics were not read at all, "" where
// they were or where none were to be read.
func (r *Sweep) serverMissing() string {
	i := slices.IndexFunc(r.Steps, func(s loadstat.SweepStep) bool { return s.Extra.Server.Why != "" })
	if r.ServerMetrics == "" || r.readServer() || i < 0 {
		return ""
	}
	return "no metrics of its own: – (" + r.ServerMetrics + ": " + r.Steps[i].Extra.Server.Why + ")"
}

// ended says why not all steps were run.
func (r *Sweep) ended(d *Doc) {
	why := say.Ending(r.Stopped)
	d.fact("ended", format.If(why != "", fmt.Sprintf("after %d of %d %s: %s", len(r.Steps), r.Planned, r.parts(), why)))
}

// Thresholds of the warnings.
const (
	// lengthOff is how far a mean length may be from the requested one.
	lengthOff = 0.1
	// countsOff is how far the server's count of tokens may be from ours, beside
	// the answers that were under way at the ends of the step.
	countsOff = 0.05
)

// Warnings are doubts about the figures that concern whole steps, each a
// sentence.
func (r *Sweep) Warnings() []string {
	var out []string
	if i := r.clientBound(); i >= 0 { // the reason hardly changes with more load
		s := &r.Steps[i]
		out = append(out, "client-bound at "+stepName(s)+": "+clean(say.ClientLimit(s.Extra.ClientLimits).String()))
	}
	for i := range r.Steps {
		for _, text := range say.Answers(&r.Steps[i].Point) {
			out = append(out, "at "+stepName(&r.Steps[i])+" "+text)
		}
		if w := countsDiffer(&r.Steps[i]); w != "" {
			out = append(out, w)
		}
	}
	out = append(out, lengthsDiffer(r)...)
	for _, text := range r.Merged { // what all shards say stands once
		if _, said, _ := strings.Cut(text, ": "); !slices.Contains(out, said) {
			out = append(out, text)
		}
	}
	return out
}

// shards says how well the machines of a merged sweep were together.
func (r *Sweep) shards(d *Doc) {
	within, late, known := 0.0, time.Duration(0), true
	for _, s := range pick.All(r.Shards) {
		within, late, known = max(within, s.Within), max(late, s.Late), known && s.Offset.OK
	}
	d.fact("shards", format.If(r.Shards != nil, join(format.Plural(len(r.Shards), "shard", "shards")+" of "+
		format.Count(r.Plan.Shard.Of), "clocks "+format.Either(known, "within "+format.Ms(within), "not compared"),
		"latest begin "+format.Ms(float64(late)/1e6))))
}

// clientBound is the first step that tokscope limited, -1 without one.
func (r *Sweep) clientBound() int {
	return slices.IndexFunc(r.Steps, func(s loadstat.SweepStep) bool {
		return s.Extra.ClientLimits.Code != ""
	})
}

// countsDiffer says that the server counted other output tokens than arrived
// here, "" where both agree or one is unknown.
func countsDiffer(s *loadstat.SweepStep) string {
	x := &s.Extra
	server := x.Server.Change(func(c *loadstat.ServerCounts) metrics.Value { return c.Output })
	_, answer := x.Lengths.Answers.Means()
	if !server.OK || !answer.OK {
		return ""
	}
	underWay := math.Max(float64(s.Point.Users), s.Point.Running.V+s.Point.Waiting.V) * answer.V
	if off := math.Abs(server.V - x.Server.Output); off <=
		math.Max((countsOff+x.Server.Blur())*x.Server.Output, underWay) {
		return ""
	}
	return fmt.Sprintf("counts disagree at %s: the server generated %s tokens, %s arrived here; "+
		"it may serve other clients too", stepName(s), format.Whole(server.V), format.Whole(x.Server.Output))
}

// lengthsDiffer says that prompts or answers were not as long as requested,
// over all steps.
func lengthsDiffer(r *Sweep) (out []string) {
	var all loadstat.Lengths
	for i := range r.Steps {
		all.Merge(&r.Steps[i].Extra.Lengths)
	}
	add := func(form string, asked, counted metrics.Value) {
		if asked.OK && math.Abs(counted.V/asked.V-1) > lengthOff {
			out = append(out, fmt.Sprintf(form, format.Whole(counted.V), format.Whole(asked.V)))
		}
	}
	asked, counted := all.Prompts.Means()
	add("prompts have %s tokens by the server's count, %s were requested", asked, counted)
	asked, counted = all.Answers.Means()
	add("answers have %s tokens on average, their limit is %s: other lengths give other figures", asked, counted)
	return out
}
