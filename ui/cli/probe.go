package cli

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
	"tokscope/metrics/slo"
	"tokscope/ui/html"
	"tokscope/ui/report"
	"tokscope/ui/say"
)

// Probe holds the flags of `tokscope probe` beyond Common.
type Probe struct {
	Common
	Form
	SamePrompt bool
	Warmup     int    // requests before the measured ones
	List       string // filter of the printed requests
	Histogram  bool
	Lens       Lens
	Report     string // a new folder for llm-d's Benchmark Report; "" for none
}

// checkSize refuses numbers of requests, in all and at the same time, out of bounds.
func checkSize(requests, concurrency int) error {
	switch {
	case requests < 1 || requests > 100_000:
		return Usage("%d requests: give 1 to 100000", requests)
	case concurrency < 1 || concurrency > loadstat.MaxUsers:
		return Usage("concurrency %d: give 1 to %d", concurrency, loadstat.MaxUsers)
	}
	return nil
}

// take implements command. A number of requests that is out of bounds is refused in
// the same words: the settings refuse a negative one in others.
func (o *Probe) take(args []string) error {
	given := func(flag string) int {
		if n, err := o.set.GetInt(flag); err == nil && o.Given(flag) {
			return n
		}
		return 1
	}
	if err := o.Common.take(args); err != nil {
		return err
	}
	_, err := request.ParseFilter(o.List)
	return cmp.Or(checkSize(given("requests"), given("concurrency")), err,
		within("--warmup", o.Warmup, 0, maxWarmup), o.Lens.check(o.set))
}

func newProbe(a Actions) *cobra.Command {
	var o Probe
	cmd := &cobra.Command{
		Use:   "probe [TARGET]",
		Short: "Measure without a screen: a summary, JSON, or a line for every event",
		Long: `Sends requests and prints what was measured. stdout is data, stderr is progress.

--list prints the requests one by one. Its filter has these terms:
` + say.RequestFilterHelp + `

Exit codes: 0 ok, 1 a request failed or a rate limit ended the probe, 2 usage, 3 an SLO was missed,
4 configuration, key or a limit of this machine (open files),
5 endpoint unreachable, 130 interrupted.`,
		Example: `tokscope probe -n 10 --slo ttft=500ms,tpot=50ms
tokscope probe groq -n 20 --warmup 2 --list=sort:-ttft
tokscope probe groq -n 20 --histogram
tokscope probe groq -n 20 --csv > requests.csv
tokscope probe groq -n 20 --lens agent --agent-steps 30
tokscope probe http://127.0.0.1:8080/v1 --machine rtx4090 --model-size 8b-q4   # can that be?
tokscope probe groq -n 1 --html run.html   # a page to hand on, with the stream to be played
tokscope probe groq --json | jq .requests[0].figures.ttft_ms
tokscope probe http://127.0.0.1:8080/v1 --ndjson | jq -c 'select(.type=="chunk")'`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeTargets(a),
		RunE:              run(&o, a.Probe),
	}
	o.flags(cmd)
	o.claimFlags(cmd, a)
	return cmd
}

// flags adds the flags of o to cmd.
func (o *Probe) flags(cmd *cobra.Command) {
	fs := cmd.Flags()
	o.Common.flags(cmd)
	o.curlFlags(cmd)
	o.exportFlags(fs)
	fs.IntP("requests", "n", 5, "how many requests")
	fs.IntP("concurrency", "c", 1, "how many at the same time")
	fs.String("slo", "", "limits every request must meet, e.g. ttft=500ms,tpot=50ms; exit code 3 when one does not")
	fs.BoolVar(&o.Histogram, "histogram", false, "also print how TTFT and gaps are distributed")
	fs.BoolVar(&o.SamePrompt, "same-prompt", false,
		"send the same prompt each time, so that a prefix cache of the server helps")
	fs.IntVar(&o.Warmup, "warmup", 0, "requests sent before these, in no figure and no file; they are counted")
	fs.StringVar(&o.List, "list", "",
		"also print the requests one by one; =FILTER prints some, such as --list='ttft>500 sort:-ttft'")
	fs.Lookup("list").NoOptDefVal = listAll
	fs.StringVar(&o.Report, "benchmark-report", "", "new folder with the Benchmark Report of llm-d")
	o.Lens.flags(fs)
	all := o.Form.flags(cmd, help{json: oneDocument, csv: "a line for every request, for spreadsheets",
		ndjson: "a JSON line for every request, event, chunk and end, as it happens", quiet: noProgress,
		texts: "put answer, reasoning and tool calls into the JSON document, and names and texts into --html"})
	exclude(cmd, "list", all...) // of the text
	exclude(cmd, "histogram", all...)
	exclude(cmd, "lens", "csv", "ndjson") // they have single requests and events, it judges all
}

// Run carries out `tokscope probe`: it sends the requests and prints the
// results. The error is an *Exit where a request failed or a limit was
// missed.
func (o *Probe) Run(ctx context.Context, j *Job, p Prober) error {
	w, err := o.Workload(ctx, j)
	if err != nil {
		return err
	}
	requests, users := j.Settings.Int("defaults.requests"), j.Settings.Int("defaults.concurrency")
	slos, err := slo.Parse(j.Settings.String("defaults.slo"))
	if err := cmp.Or(checkSize(requests, users), err); err != nil {
		return err
	}
	if err := j.room(min(users, requests), !o.Quiet); err != nil {
		return err
	}
	var endReport func([]metrics.Run) error
	if o.Report != "" {
		if endReport, err = p.BenchmarkReport(o.Report); err != nil {
			return &Exit{ExitUsage, err}
		}
	}
	var endLines func(context.Context) error
	if o.NDJSON {
		endLines = p.Lines(j.Out)
	}
	j.announceMetrics(!o.Quiet)
	form := report.Form{ProbeForm: loadstat.ProbeForm{SLOs: slos, Lens: o.Lens.Key, Task: o.Lens.Task, Texts: o.Texts},
		Path: j.Recording, By: origin(), Histogram: o.Histogram, ASCII: j.Settings.Bool("ui.ascii")}
	if o.Given("list") {
		list, _ := request.ParseFilter(o.List) // take has refused others
		form.List = &list
	}
	runs := j.probe(ctx, p, !o.Quiet, loadstat.ProbePlan{
		Work: w, Requests: requests, Concurrency: users, SamePrompt: o.SamePrompt,
		Warmup: o.Warmup, Warmed: func(w loadstat.Warmup) { form.Warmup = &w },
	})
	interrupted := ctx.Err() != nil
	form.Requests, form.Interrupted = requests, interrupted
	if !interrupted && len(runs) < requests {
		form.Held = longestHold(runs)
	}
	if o.NDJSON {
		err = failedWith(endLines(ctx))
	} else {
		err = o.print(j.Out, results{
			json: func(out io.Writer) error { return p.WriteRuns(out, runs, form.ProbeForm) },
			csv:  func(out io.Writer) error { return report.ProbeCSV(out, runs) },
			doc:  func() *report.Doc { return report.Probe(runs, form) }})
	}
	if err == nil {
		err = writePage(&o.Form, &j.Console, runs, func(runs []metrics.Run) *html.Page {
			paged := form
			paged.List = allRequests(len(runs))
			return html.Runs(runs, report.Probe(runs, paged))
		})
	}
	if endReport != nil {
		err = errors.Join(err, failedWith(endReport(runs)))
	}
	if err == nil && o.Text() {
		err = failedWith(o.Lens.Print(j.Out, runs))
	}
	if err != nil {
		return err
	}
	code := CodeOfRuns(runs, slos, interrupted)
	if code == ExitOK && form.Held > 0 {
		code = ExitFailed
	}
	return exitWith(code)
}

// longestHold is the wait that ended a probe early.
func longestHold(runs []metrics.Run) (most time.Duration) {
	for i := range runs {
		most = max(most, runs[i].Stream.Hold())
	}
	return most
}

// probe sends the requests of plan, with its progress on stderr if wanted.
func (j *Job) probe(ctx context.Context, p Prober, progress bool, plan loadstat.ProbePlan) []metrics.Run {
	plan.Pace = j.pace()
	c := counts{total: plan.Requests, warmup: plan.Warmup}
	c.observe(&plan)
	defer j.progress(progress, c.line)()
	return p.Probe(ctx, plan)
}

// exitWith is the error of a command that has already printed everything.
func exitWith(code int) error {
	if code == ExitOK {
		return nil
	}
	return &Exit{Code: code}
}

// mostListed is the largest number of requests that a page lists.
const mostListed = 500

// allRequests lists all of n requests, and none where one or very many are there.
func allRequests(n int) *request.Filter {
	if n < 2 || n > mostListed {
		return nil
	}
	all, _ := request.ParseFilter(listAll) // it is one
	return &all
}

// listAll is the value of --list without a filter. It is a filter that matches
// all requests, in the order of sending.
const listAll = "sort:number"

// maxWarmup bounds --warmup.
const maxWarmup = 10_000
