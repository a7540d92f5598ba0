package report

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// servedReport is a sweep whose server has a page of metrics. The last step
// was not read, and the one before lacks a figure.
func servedReport(t *testing.T) *Sweep {
	t.Helper()
	r := reportOf(t, "")
	r.ServerMetrics, r.Plan.RequestLines = "http://127.0.0.1:8000/metrics", "requests.ndjson"
	total := 0.0
	counts := func(c loadstat.ServerCounts, add float64) loadstat.ServerCounts {
		c.From = "vllm"
		total += add
		c.Requests, c.Output, c.Prompt = metrics.Known(total/200, 0), metrics.Known(total, 0), metrics.Known(total*5, 0)
		c.CacheHits, c.Preemptions = metrics.Known(total/1000, 0), metrics.Known(total/100_000, 0)
		return c
	}
	for i := range r.Steps {
		x := &r.Steps[i].Extra
		n := r.Steps[i].Point.Users
		x.Server.Before = counts(loadstat.ServerCounts{}, 0)
		x.Server.After = counts(loadstat.ServerCounts{Running: metrics.Known(float64(n), 0), Waiting: metrics.Known(float64(n/10), 0)}, float64(n)*8000)
		x.Server.Requests, x.Server.Output = n*40, float64(n)*8000
		x.Lengths = loadstat.Lengths{Prompts: n, Answers: n, PromptAsked: float64(n) * 1000, PromptCounted: float64(n) * 1010, AnswerAsked: float64(n) * 200, AnswerCounted: float64(n) * 200}
	}
	r.Steps[3].Extra.Server.After.Preemptions = metrics.Value{}
	r.Steps[4].Extra.Server.After, r.Steps[4].Extra.Server.Why = loadstat.ServerCounts{}, "no answer within 2s"
	return r
}

// TestSweepOfAServer shows the server's own figures beside ours, that a server without
// a page is said once, and what makes the figures of a step doubtful.
func TestSweepOfAServer(t *testing.T) {
	edit := func(change func(*Sweep)) *Doc { return edited(servedReport(t), change).Doc(false) }
	each := func(change func(*loadstat.StepExtra)) *Doc {
		return edit(func(r *Sweep) {
			for i := range r.Steps {
				change(&r.Steps[i].Extra)
			}
		})
	}
	const missing = "the server answers 404"
	show(t, "sweep-server",
		scene{"its page was read, but for the last step", edit(func(*Sweep) {})},
		scene{"no page", each(func(x *loadstat.StepExtra) { x.Server = loadstat.ServerStep{Why: missing} })},
		scene{"no page, and none to be read", edit(func(r *Sweep) {
			r.ServerMetrics = ""
			for i := range r.Steps {
				r.Steps[i].Extra.Server = loadstat.ServerStep{Why: missing}
			}
		})},
		scene{"the client is the limit", edit(func(r *Sweep) {
			r.Steps[3].Extra.ClientLimits = loadstat.ClientLimit{Code: loadstat.LimitSending, Ms: 12}
			r.Steps[4].Extra.ClientLimits = loadstat.ClientLimit{Code: loadstat.LimitSending, Ms: 22}
			r.View.ClientLimits = r.Steps[4].Extra.ClientLimits
		})},
		scene{"the server has another client", edit(func(r *Sweep) { r.Steps[1].Extra.Server.Output /= 2 })},
		scene{"its page was slow: no doubt", edit(func(r *Sweep) {
			x := &r.Steps[1].Extra.Server
			x.Before.At, x.After.At, x.After.Wait = 0, 10e9, 8e9
			x.Output *= 0.6
		})},
		scene{"a few tokens were under way: no doubt", edit(func(r *Sweep) { r.Steps[1].Extra.Server.Output -= 1500 })},
		scene{"prompts are cut", each(func(x *loadstat.StepExtra) { x.Lengths.PromptCounted *= 0.8 })},
		scene{"answers end early", each(func(x *loadstat.StepExtra) { x.Lengths.AnswerCounted *= 0.5 })})
}
