package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tokscope/metrics/slo"
	"tokscope/ui/format"
)

// Probe holds the flags of `tokscope probe` beyond Common.
type Probe struct {
	Common
	JSON       bool
	NDJSON     bool
	Text       bool // with the texts in --json
	SamePrompt bool
	Quiet      bool
	Warmup     int    // requests before the measured ones
	List       string // filter of the printed requests
	CSV        bool
	Histogram  bool
	Lens       Lens
}

// Plan describes a probe: the flags merged with environment and file.
type Plan struct {
	Requests, Concurrency int
	SLOs                  []slo.Objective
}

// maxUsers is the largest number of simultaneous requests of `probe`. More
// need the load commands, with their guard rails.
const maxUsers = 1024

// NewPlan checks the numbers and parses the limits.
func NewPlan(requests, concurrency int, objective string) (Plan, error) {
	switch {
	case requests < 1 || requests > 100_000:
		return Plan{}, Usage("%d requests: give 1 to 100000", requests)
	case concurrency < 1 || concurrency > maxUsers:
		return Plan{}, Usage("concurrency %d: give 1 to %d", concurrency, maxUsers)
	}
	slos, err := slo.Parse(objective)
	if err != nil {
		return Plan{}, &Exit{ExitUsage, err}
	}
	return Plan{requests, concurrency, slos}, nil
}

// checkCounts refuses a number of requests that NewPlan would refuse, in the same
// words: the settings refuse a negative one in others.
func (o *Probe) checkCounts(fs *pflag.FlagSet) error {
	requests, concurrency := 1, 1
	if n, err := fs.GetInt("requests"); err == nil && fs.Changed("requests") {
		requests = n
	}
	if n, err := fs.GetInt("concurrency"); err == nil && fs.Changed("concurrency") {
		concurrency = n
	}
	_, err := NewPlan(requests, concurrency, "")
	return err
}

func newProbe(a Actions) *cobra.Command {
	var o Probe
	cmd := &cobra.Command{
		Use:   "probe [TARGET]",
		Short: "Measure without a screen: a summary, JSON, or a line for every event",
		Long: `Sends requests and prints what was measured. stdout is data, stderr is progress.

--list prints the requests one by one. Its filter has these terms:
` + format.RequestFilterHelp + `

Exit codes: 0 ok, 1 a request failed, 2 usage, 3 an SLO was missed,
4 configuration, key or a limit of this machine (open files),
5 endpoint unreachable, 130 interrupted.`,
		Example: `tokscope probe -n 10 --slo ttft=500ms,tpot=50ms
tokscope probe groq -n 20 --warmup 2 --list=sort:-ttft
tokscope probe groq -n 20 --histogram
tokscope probe groq -n 20 --csv > requests.csv
tokscope probe groq -n 20 --lens agent --agent-steps 30
tokscope probe groq --json | jq .requests[0].figures.ttft_ms
tokscope probe http://127.0.0.1:8080/v1 --ndjson | jq -c 'select(.type=="chunk")'`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeTargets(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.set = cmd.Flags()
			if len(args) > 0 {
				o.Target = args[0]
			}
			if err := o.Common.check(); err != nil {
				return err
			}
			if err := o.checkForm(); err != nil {
				return err
			}
			if err := o.checkCounts(cmd.Flags()); err != nil {
				return err
			}
			if err := o.checkList(); err != nil {
				return err
			}
			if err := o.Lens.check(cmd.Flags()); err != nil {
				return err
			}
			if o.NDJSON && o.Lens.On() {
				return Usage("--lens judges all requests together, --ndjson writes events: use --json")
			}
			return a.Probe(cmd.Context(), &o)
		},
	}
	o.flags(cmd.Flags())
	return cmd
}

// flags adds the flags of o to fs.
func (o *Probe) flags(fs *pflag.FlagSet) {
	o.Common.flags(fs)
	o.Export.flags(fs)
	fs.IntP("requests", "n", 5, "how many requests")
	fs.IntP("concurrency", "c", 1, "how many at the same time")
	fs.String("slo", "", "limits every request must meet, e.g. ttft=500ms,tpot=50ms; exit code 3 when one does not")
	fs.BoolVar(&o.JSON, "json", false, "one JSON document on stdout")
	fs.BoolVar(&o.NDJSON, "ndjson", false, "a JSON line for every request, event, chunk and end, as it happens")
	fs.BoolVar(&o.CSV, "csv", false, "a line for every request, for spreadsheets")
	fs.BoolVar(&o.Histogram, "histogram", false, "also print how TTFT and gaps are distributed")
	fs.BoolVar(&o.Text, "with-text", false, "put answer, reasoning and tool calls into the JSON document")
	fs.BoolVar(&o.SamePrompt, "same-prompt", false,
		"send the same prompt each time, so that a prefix cache of the server helps")
	fs.IntVar(&o.Warmup, "warmup", 0, "requests sent before these, in no figure and no file; they are counted")
	fs.StringVar(&o.List, "list", "",
		"also print the requests one by one; =FILTER prints some, such as --list='ttft>500 sort:-ttft'")
	fs.Lookup("list").NoOptDefVal = listAll
	o.Lens.flags(fs)
	fs.BoolVarP(&o.Quiet, "quiet", "q", false, "no progress on stderr")
}
