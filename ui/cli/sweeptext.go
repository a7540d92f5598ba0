package cli

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/ui/sanitize"
)

// PrintSweep prints a sweep for a person: what was asked of whom, the table,
// and what follows from it.
func SweepText(w io.Writer, r *SweepReport, ascii bool) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, sanitize.Line(sweepTarget(r), 240))
	fmt.Fprintln(b, sanitize.Line(sweepWork(r), 240))
	if len(r.Steps) == 0 {
		fmt.Fprintln(b)
		row(b, "steps", "none of %d was finished", r.Planned)
		printSweepFaults(b, r)
		printStopped(b, r)
		return b.Flush()
	}
	fmt.Fprintln(b)
	printSweepTable(b, r, ascii)
	fmt.Fprintln(b)
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
func sweepTarget(r *SweepReport) string {
	e := r.Endpoint
	parts := []string{e.Name}
	for _, p := range []string{e.Model, e.Note, e.URL, e.Badge} {
		if p != "" && p != parts[0] {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, " · ")
}

// sweepWork names the workload and the load.
func sweepWork(r *SweepReport) string {
	parts := []string{r.Work.Name}
	if r.Prompts > 1 {
		parts = append(parts, fmt.Sprintf("%d prompts in rotation", r.Prompts))
	}
	if in := r.input(); in != "" {
		parts = append(parts, "about "+in+" tokens in")
	}
	if out := r.output(); out != "" {
		parts = append(parts, "at most "+out+" out")
	}
	return strings.Join(append(parts, r.Loop), " · ")
}

// input is how long the prompts were asked to be, "" where nobody asked.
func (r *SweepReport) input() string {
	if r.Input.Varies() {
		return r.Input.String()
	}
	return wanted(r.Work.InputTokens)
}

// output is what bounds the answers, "" where nothing does.
func (r *SweepReport) output() string {
	if r.Output.Varies() {
		return r.Output.String()
	}
	return wanted(r.Work.MaxTokens)
}

func wanted(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func printVerdicts(w io.Writer, r *SweepReport, v *Verdicts) {
	switch {
	case v.Knee >= 0:
		s := &r.Steps[v.Knee]
		row(w, "knee", "at %s: %s tok/s in all, %s for each; more load gains little for all and costs each", s.Name(), cell(s.Point.Total), cell(s.Point.Speed))
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
	text := strings.Join(limits, " and ") + ": "
	if v.Largest >= 0 {
		text += "met up to " + r.Steps[v.Largest].Name()
	} else {
		text += "MISSED at every step"
	}
	if v.BreaksStep >= 0 {
		text += fmt.Sprintf("; %s breaks first, at %s", v.Breaks, r.Steps[v.BreaksStep].Name())
	}
	row(w, "slo", "%s", text)
}

// noKnee says why no knee is told.
func noKnee(r *SweepReport) string {
	n := 0
	for i := range r.Steps {
		if r.Steps[i].Point.Steady {
			n++
		}
	}
	switch {
	case r.Open:
		return "told of users, not of a rate"
	case n < metrics.LeastForKnee:
		return fmt.Sprintf("told of %d steady steps or more, here are %d", metrics.LeastForKnee, n)
	}
	return "throughput over users has no clear bend"
}

// printUnsteady gives the reason for every hollow mark.
func printUnsteady(w io.Writer, r *SweepReport) {
	n := 0
	for i := range r.Steps {
		if r.Steps[i].Point.Steady {
			n++
		}
	}
	if n == len(r.Steps) {
		row(w, "steady", "all %s", plural(n, "step"))
		return
	}
	row(w, "steady", "%d of %d; the others were still changing, or too few to tell", n, len(r.Steps))
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Point.Steady {
			continue
		}
		why := s.Point.Why
		if why == "" {
			why = "no reason is known"
		}
		row(w, "", "%s: %s", s.Name(), sanitize.Line(why, 200))
	}
}

func printSweepFaults(w io.Writer, r *SweepReport) {
	label := "failed"
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Point.Failed == 0 {
			continue
		}
		var kinds []string
		for _, f := range s.Point.Faults {
			kinds = append(kinds, fmt.Sprintf("%dx %s", f.N, f.Kind))
		}
		row(w, label, "at %s: %s; kept out of the figures", s.Name(), sanitize.Line(strings.Join(kinds, ", "), 200))
		label = ""
	}
	if f := r.Fault; f != nil {
		row(w, "", "such as %s: %s", f.Kind, sanitize.Line(f.Message, 400))
		if f.RetryAfter > 0 {
			row(w, "", "the server asks to wait %v", f.RetryAfter)
		}
		if f.Next != "" {
			row(w, "", "%s", sanitize.Line(f.Next, 400))
		}
	}
}

// printSweepEnd says what it has used, how far to trust it, and how it ended.
func printSweepEnd(w io.Writer, r *SweepReport) {
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
	text := fmt.Sprintf("%.0f received in the windows", tokens)
	if estimated {
		text += " (estimated in part)"
	}
	if r.Budget.Tokens > 0 {
		text += fmt.Sprintf("; %.0f used in all, prompts included", r.Budget.Tokens)
	}
	if r.Budget.Cost.OK {
		text += ", cost " + strings.TrimSpace(money(r.Budget.Cost.V)+" "+r.Budget.Currency)
	}
	row(w, "tokens", "%s", text)
	if worst.N > 0 {
		row(w, "schedule", "requests left at most %s ms late, p99 %s ms", cell(worst.Max), cell(worst.P99))
	}
	if r.Limits != "" {
		row(w, "mind", "%s", sanitize.Line(r.Limits, 300))
	}
	if o := r.Observer; o.N > 0 {
		row(w, "observer", "own lateness p99 %s ms, worst %s ms", number(float64(o.LateP99)/1e6), number(float64(o.LateMax)/1e6))
	}
	if resumed > 0 {
		row(w, "resumed", "%d of %d steps come from %s", resumed, len(r.Steps), sanitize.Line(r.Resume, 300))
	} else if r.Resume != "" {
		row(w, "kept", "%s", sanitize.Line(r.Resume, 300))
	}
	row(w, "elsewhere", "the same flags with --handover print this load for vllm bench serve, GuideLLM and AIPerf")
	printStopped(w, r)
}

func printStopped(w io.Writer, r *SweepReport) {
	if r.Stopped != "" {
		row(w, "ended", "after %d of %d steps: %s", len(r.Steps), r.Planned, sanitize.Line(r.Stopped, 300))
	}
}

// money writes a cost with as many digits as its size needs.
func money(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v < 0.01:
		return fmt.Sprintf("%.6f", v)
	case v < 10:
		return fmt.Sprintf("%.3f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
