package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// SweepText prints a sweep for a person: target and workload, the table, and
// the conclusions.
func SweepText(w io.Writer, r *Sweep, ascii bool) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, sanitize.Line(sweepTarget(r), 240))
	fmt.Fprintln(b, sanitize.Line(sweepWork(r), 240))
	if len(r.Steps) == 0 {
		fmt.Fprintln(b)
		row(b, r.parts(), "0 of %s finished", format.Count(r.Planned))
		printSweepFaults(b, r)
		printStopped(b, r)
		return b.Flush()
	}
	fmt.Fprintln(b)
	printSweepTable(b, r, ascii)
	printSchedule(b, r)
	printRanges(b, r)
	if r.readServer() {
		printServer(b, r)
	} else {
		fmt.Fprintln(b)
	}
	v := r.Verdicts()
	if v.Sentence != "" {
		row(b, "in short", "%s", sanitize.Line(v.Sentence, 300))
	}
	printVerdicts(b, r, &v)
	printFits(b, r)
	printUnsteady(b, r)
	printSweepFaults(b, r)
	printSweepEnd(b, r)
	return b.Flush()
}

// sweepTarget names the endpoint.
func sweepTarget(r *Sweep) string {
	e := r.Endpoint
	parts := []string{e.Name}
	for _, p := range []string{e.Model, say.AnsweredBy(e.Model, r.Model), e.Note, e.URL, e.Badge} {
		if p != "" && p != parts[0] {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, " · ")
}

// sweepWork names the workload and the load.
func sweepWork(r *Sweep) string {
	parts := []string{r.Work.Name}
	if r.Prompts > 1 {
		parts = append(parts, format.Count(r.Prompts)+" prompts in rotation")
	}
	if in := r.input(format.Count); in != "" {
		parts = append(parts, "about "+in+" tokens in")
	}
	if out := r.output(format.Count); out != "" {
		parts = append(parts, "at most "+out+" out")
	}
	return strings.Join(append(parts, r.Loop), " · ")
}

// input is the requested length of the prompts, as count writes it; ""
// without a request.
func (r *Sweep) input(count func(int) string) string {
	if r.Input.Varies() {
		return r.Input.String()
	}
	return wanted(r.Work.InputTokens, count)
}

// output is the limit of the answers, as count writes it; "" without one.
func (r *Sweep) output(count func(int) string) string {
	if r.Output.Varies() {
		return r.Output.String()
	}
	return wanted(r.Work.MaxTokens, count)
}

func wanted(n int, count func(int) string) string {
	if n <= 0 {
		return ""
	}
	return count(n)
}

func printVerdicts(w io.Writer, r *Sweep, v *Verdicts) {
	switch {
	case v.Knee >= 0:
		s := &r.Steps[v.Knee]
		row(w, "knee", "at %s: %s per user, %s aggregate; beyond it a further user adds less aggregate",
			s.Name(), format.Known(s.Point.Speed, format.Rate), format.Known(s.Point.Total, format.Rate))
	default:
		row(w, "knee", "– (%s)", noKnee(r))
	}
	if len(r.SLOs) == 0 {
		return
	}
	limits := make([]string, len(r.SLOs))
	for i, o := range r.SLOs {
		limits[i] = o.String()
	}
	row(w, "slo", "%s: %s", strings.Join(limits, " and "), r.sloVerdict(v))
}

// noKnee gives the reason for a missing knee.
func noKnee(r *Sweep) string {
	n := r.steady()
	switch {
	case r.Open:
		return "needs users, not a rate"
	case n < loadstat.LeastForKnee:
		return fmt.Sprintf("needs %d steady steps, has %d", loadstat.LeastForKnee, n)
	}
	return "throughput over users has no clear bend"
}

// ramp reports whether the steps are slices of a ramp.
func (r *Sweep) ramp() bool { return len(r.Steps) > 0 && r.Steps[0].Point.Ramp != nil }

// printUnsteady gives the reason for every hollow mark.
func printUnsteady(w io.Writer, r *Sweep) {
	if r.ramp() {
		row(w, "steady", "– (the load changes: a ramp is never steady)")
		return
	}
	n := r.steady()
	if n == len(r.Steps) {
		row(w, "steady", "all %s", format.Plural(n, "step", "steps"))
		return
	}
	row(w, "steady", "%d of %d; not steady:", n, len(r.Steps))
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Point.Steady {
			continue
		}
		why := say.Unsteady(s.Point.Why)
		if why == "" {
			why = "no reason is known"
		}
		row(w, "", "%s: %s", s.Name(), sanitize.Line(why, 200))
	}
}

// kinds writes counts of failures: "2× rate_limit, 1× reset".
func kinds(faults []metrics.FaultCount) string {
	var b strings.Builder
	for i, f := range faults {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(format.Count(f.N) + "× " + string(f.Kind))
	}
	return b.String()
}

// parts names what the sweep consists of.
func (r *Sweep) parts() string {
	if r.Ramp {
		return "slices"
	}
	return "steps"
}

// beside says where the failures of otherFaults are.
func (r *Sweep) beside() string {
	if r.Ramp {
		return "outside the slices"
	}
	return "outside the finished steps"
}

func printSweepFaults(w io.Writer, r *Sweep) {
	label := "failed"
	for i := range r.Steps {
		s := &r.Steps[i]
		n, faults := s.Point.Failures()
		if n == 0 {
			continue
		}
		row(w, label, "at %s: %s; kept out of the figures", s.Name(), sanitize.Line(kinds(faults), 200))
		label = ""
	}
	if lost := r.otherFaults(); len(lost) > 0 {
		row(w, label, "%s: %s", r.beside(), sanitize.Line(kinds(lost), 200))
		label = ""
	}
	if f := r.Fault; f != nil && label == "" {
		row(w, "", "such as %s: %s", f.Kind, sanitize.Line(f.Message, 400))
		if f.RetryAfter > 0 {
			row(w, "", "the server asks to wait %v", f.RetryAfter)
		}
		if f.Next != "" {
			row(w, "", "%s", sanitize.Line(f.Next, 400))
		}
	}
}

// printSweepEnd prints what the sweep used, how far to trust it, and how it
// ended.
func printSweepEnd(w io.Writer, r *Sweep) {
	tokens, estimated := 0.0, false
	resumed := 0
	var worst metrics.Dist
	for i := range r.Steps {
		s := &r.Steps[i]
		tokens += s.Point.Tokens
		estimated = estimated || s.Point.Estimated
		if s.Resumed {
			resumed++
		}
		if s.Lag.N > 0 && known(s.Lag.Max) >= known(worst.Max) {
			worst = s.Lag
		}
	}
	text := format.Whole(tokens) + " received in the windows"
	if estimated {
		text += estimatedInPart
	}
	if r.Budget.Tokens > 0 {
		text += "; " + format.Whole(r.Budget.Tokens) + " used, prompts included"
		if r.Budget.Estimated {
			text += estimatedInPart
		}
	}
	if r.Budget.Cost.OK {
		text += ", cost " + strings.TrimSpace(format.Money(r.Budget.Cost.V)+" "+r.Budget.Currency)
	}
	row(w, "tokens", "%s", text)
	if worst.N > 0 {
		row(w, "schedule", "requests left at most %s late, p99 %s",
			format.Known(worst.Max, format.Ms), format.Known(worst.P99, format.Ms))
	}
	printWarnings(w, r)
	for _, q := range r.quality() {
		row(w, q.name, "%s", q.text)
	}
	if why := r.serverMissing(); why != "" {
		row(w, "server", "%s", sanitize.Line(why, 300))
	}
	if r.RequestLines != "" {
		row(w, "requests", "a line for each is in %s", sanitize.Line(r.RequestLines, 300))
	}
	if resumed > 0 {
		row(w, "resumed", "%d of %d steps come from %s", resumed, len(r.Steps), sanitize.Line(r.Resume, 300))
	} else if r.Resume != "" {
		row(w, "kept", "%s", sanitize.Line(r.Resume, 300))
	}
	if !r.ramp() { // no other tool has ramps
		row(w, "elsewhere", "add --handover to print this load for vllm bench serve, GuideLLM and AIPerf")
	}
	printStopped(w, r)
}

func printStopped(w io.Writer, r *Sweep) {
	if r.Stopped != "" {
		row(w, "ended", "after %d of %d %s: %s", len(r.Steps), r.Planned, r.parts(), sanitize.Line(r.Stopped, 300))
	}
}
