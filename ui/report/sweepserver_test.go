package report

import (
	"bytes"
	"encoding/csv"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/say"
	"tokscope/ui/uitest/golden"
)

// servedReport is a sweep whose server has a page of metrics. The last step
// was not read, and the one before lacks a figure.
func servedReport(t *testing.T) *Sweep {
	t.Helper()
	r := reportOf(t, "")
	r.ServerMetrics, r.RequestLines = "http://127.0.0.1:8000/metrics", "requests.ndjson"
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

// The server's own figures stand beside ours in every form.
func TestSweepServerTable(t *testing.T) {
	var text, ticket, table bytes.Buffer
	if err := errors.Join(put(&text, servedReport(t).Doc(false).Text(0)), put(&ticket, servedReport(t).Doc(false).Markdown()), servedReport(t).CSV(&table)); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/sweep-server.txt", text.String()+"\n"+ticket.String())
	for line := range strings.SplitSeq(text.String(), "\n") {
		if n := utf8.RuneCountInString(line); n > lineWidth {
			t.Errorf("%d columns, want at most %d: %q", n, lineWidth, line)
		}
	}
	rows, err := csv.NewReader(&table).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.Index(rows[0], "server_output_tokens")
	if at < 0 || rows[1][at] != "8000" || rows[5][at] != "" {
		t.Errorf("column %d: %q", at, rows)
	}
}

// A server without the page is said once, with the reason.
func TestSweepServerMissing(t *testing.T) {
	r := servedReport(t)
	for i := range r.Steps {
		r.Steps[i].Extra.Server = loadstat.ServerStep{Why: "the server answers 404"}
	}
	var text, ticket bytes.Buffer
	if err := errors.Join(put(&text, r.Doc(false).Text(0)), put(&ticket, r.Doc(false).Markdown())); err != nil {
		t.Fatal(err)
	}
	for _, have := range []string{text.String(), ticket.String()} {
		if strings.Count(have, "the server answers 404") != 1 || strings.Contains(have, "preempted") {
			t.Errorf("%s", have)
		}
	}
	r.ServerMetrics = ""
	text.Reset()
	if err := put(&text, r.Doc(false).Text(0)); err != nil || strings.Contains(text.String(), "404") {
		t.Errorf("%v: nothing was to be read in\n%s", err, text.String())
	}
}

// Where the client was the bottleneck, or counts or lengths disagree, a
// sentence says so, and nothing does where all is well.
func TestSweepWarnings(t *testing.T) {
	if have := servedReport(t).Warnings(); len(have) != 0 {
		t.Errorf("all is well: %q", have)
	}
	for name, x := range map[string]struct {
		change func(*Sweep)
		want   []string
	}{
		"the client is the bottleneck": {func(r *Sweep) {
			r.Steps[3].Extra.ClientLimits = loadstat.ClientLimit{Code: loadstat.LimitSending, Ms: 12}
			r.Steps[4].Extra.ClientLimits = loadstat.ClientLimit{Code: loadstat.LimitSending, Ms: 22}
			r.Limits = say.ClientLimit(r.Steps[4].Extra.ClientLimits)
		}, []string{"client-bound at 64 users: tokscope lags 12.0 ms (p99): its requests leave late, and this machine may be the limit"}},
		"another client": {func(r *Sweep) { r.Steps[1].Extra.Server.Output /= 2 },
			[]string{"counts disagree at 8 users: the server generated 64,000 tokens, 32,000 arrived here; it may serve other clients too"}},
		"the page was slow": {func(r *Sweep) {
			x := &r.Steps[1].Extra.Server
			x.Before.At, x.After.At, x.After.Wait = 0, 10e9, 8e9
			x.Output *= 0.6
		}, nil},
		"within what is under way": {func(r *Sweep) { r.Steps[1].Extra.Server.Output -= 1500 }, nil},
		"cut prompts": {func(r *Sweep) {
			for i := range r.Steps {
				r.Steps[i].Extra.Lengths.PromptCounted *= 0.8
			}
		}, []string{"prompts have 808 tokens by the server's count, 1,000 were requested"}},
		"answers end early": {func(r *Sweep) {
			for i := range r.Steps {
				r.Steps[i].Extra.Lengths.AnswerCounted *= 0.5
			}
		}, []string{"answers have 100 tokens on average, their limit is 200: other lengths give other figures"}},
	} {
		r := servedReport(t)
		x.change(r)
		if have := r.Warnings(); !slices.Equal(have, x.want) {
			t.Errorf("%s: %q, want %q", name, have, x.want)
		}
		var text, ticket bytes.Buffer
		if err := errors.Join(put(&text, r.Doc(false).Text(0)), put(&ticket, r.Doc(false).Markdown())); err != nil {
			t.Fatal(err)
		}
		for _, want := range x.want {
			for _, have := range []string{text.String(), ticket.String()} {
				first := strings.Join(strings.Fields(want)[:3], " ")
				if strings.Count(strings.Join(strings.Fields(have), " "), first) != 1 {
					t.Errorf("%s: no %q, or more than one, in\n%s", name, first, have)
				}
			}
		}
	}
}
