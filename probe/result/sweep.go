package result

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
	"tokscope/metrics/turn"
)

// SweepSchema names the format of the document of `tokscope sweep --json`.
const SweepSchema = "tokscope/sweep/v1"

// Sweep is the output of `tokscope sweep --json`: a load curve. Unknown
// figures are null, and unknown has the reason under the figure's name.
type Sweep struct {
	Schema   string           `json:"schema"`
	Tool     Tool             `json:"tool"`
	Started  string           `json:"started"`
	Workload metrics.Workload `json:"workload"`
	Endpoint metrics.Endpoint `json:"endpoint"`
	Model    string           `json:"model_reported,omitempty"` // that answered last, by the server's name
	Load     SweepLoad        `json:"load"`
	// SLO are the objectives in the form of --slo.
	SLO    []string    `json:"slo"`
	Points []SweepStep `json:"points"` // finished steps, in order
	// Planned is the number of requested steps, Stopped why fewer were run.
	Planned     int    `json:"steps_planned"`
	Stopped     string `json:"stopped,omitempty"`
	Interrupted bool   `json:"interrupted"` // by a person

	// Fault is an example of a failed request; absent without one.
	Fault *metrics.Fault `json:"fault,omitempty"`

	Summary string `json:"summary"` // the curve in one sentence
	// beyond it a further user adds less throughput; absent without a knee
	Knee        *SweepMark   `json:"knee,omitempty"`
	Largest     *SweepMark   `json:"largest_meeting_slo,omitempty"` // absent when no step meets them
	BreaksFirst *SweepBreaks `json:"slo_breaks_first,omitempty"`    // absent without a miss

	Finishes        map[string]int `json:"finish_reasons,omitempty"` // of all requests sent now that ended well
	loadstat.Budget                // of everything sent now
	Lag             Lag            `json:"lag"`
	// Stamps says who took the stamps of all requests: "kernel", "user", "body",
	// "mixed", or "none" where none ended now.
	Stamps       string `json:"stamps"`
	ClientLimits string `json:"client_limits,omitempty"` // why this program itself limited the load
	// RateLimit is what answers told of the endpoint's limits, as of the end; absent
	// where none did.
	RateLimit metrics.LimitForecasts `json:"rate_limit,omitzero"`
	// Warnings are the doubts about the figures, each a sentence.
	Warnings []string `json:"warnings"`
	// ServerMetrics is the address of the server's own page of metrics; absent
	// where it was not to be read.
	ServerMetrics string `json:"server_metrics,omitempty"`
	// Listed is what the Load screen's list of requests holds; absent in the
	// document of a sweep.
	Listed *Listed `json:"listed_requests,omitempty"`
	Seed   string  `json:"seed"` // of lengths, nonces and arrivals
	// Marks are what a person changed while the load ran: users, rate, ramps,
	// prompt, model, endpoint and objectives; absent without a change.
	Marks        []SweepChange `json:"marks,omitempty"`
	MarksLeftOut int           `json:"marks_left_out,omitempty"` // older marks that were no longer kept
	// Earlier are the points of the works before the last; absent with one work.
	// Points holds those of the last work alone.
	Earlier  []SweepEarlier      `json:"earlier,omitempty"`
	Handover []loadstat.Handover `json:"handover"` // the same load with other tools
	// Shards are several machines that send one load. A document with one of them and its
	// parts is for tokscope merge, and its other figures are of that part of the load alone.
	// A merged document has all of them; absent where one program has sent all.
	Shards []loadstat.ShardRun `json:"shards,omitempty"`
}

// SweepLoad describes the sequence of requests.
type SweepLoad struct {
	Open         bool          `json:"open_loop"`
	Poisson      bool          `json:"poisson"`
	Think        time.Duration `json:"think_ms"`
	Duration     time.Duration `json:"step_at_most_ms"` // 0: unbounded
	Requests     int           `json:"step_requests"`   // 0: unbounded
	SharedPrefix bool          `json:"shared_prefix"`
	// Session is what each user plays again and again; absent where every request is of the
	// workload, which else is the mean of its turns.
	Session *turn.Script `json:"session,omitempty"`
	// sent in rotation: their number and SHA-256; absent with one prompt
	Prompts string `json:"prompts,omitempty"`
	// drawn for each prompt: "200..4000", "1000±200" or "100,1000"; absent when all are equal, as in the workload
	Input  string `json:"input_tokens,omitempty"`
	Output string `json:"output_tokens"` // output limit, "200" or drawn like the prompts; "" as in the workload
}

// SweepStep is one finished step.
type SweepStep struct {
	SweepPoint
	Resumed bool `json:"resumed"` // measured in an earlier run
	// Lag is the delay of requests against the schedule of an open loop.
	Lag metrics.Dist `json:"schedule_lag_ms"`
	// ClientLimits says why tokscope limited the load at the end of the step.
	ClientLimits string      `json:"client_limits,omitempty"`
	Lengths      *Lengths    `json:"lengths,omitempty"` // absent without a counted request
	Server       *ServerStep `json:"server,omitempty"`  // absent where it was not to be read
}

// SweepMark points at a step.
type SweepMark struct {
	Point int     `json:"point"` // index of the step in points
	Users int     `json:"users"`
	Asked float64 `json:"rate_asked_per_s" form:"null=zero"`
}

// SweepBreaks is the objective that is missed first as load grows.
type SweepBreaks struct {
	SLO string `json:"slo"`
	SweepMark
}

// SweepData is the input of SweepOf.
type SweepData struct {
	Started  time.Time
	Plan     loadstat.SweepPlan
	Outcome  loadstat.SweepOutcome
	Verdicts loadstat.SweepVerdicts // an index of -1 for none
	Handover []loadstat.Handover
	Say      Sentences
	Warnings []string
}

// SweepOf returns the document of a sweep.
func SweepOf(version string, d SweepData) Sweep {
	o, view, v := &d.Outcome, &d.Outcome.View, &d.Verdicts
	points := pick.Each(o.Steps, func(s *loadstat.SweepStep) loadstat.Point { return s.Point })
	s := Sweep{
		Schema: SweepSchema, Tool: ToolOf(version),
		Started: d.Started.UTC().Format(time.RFC3339Nano), Workload: d.Plan.Work,
		Endpoint: o.Endpoint, Model: view.Model, Load: SweepLoadOf(&d.Plan),
		SLO: SLOWords(d.Plan.SLOs), Planned: o.Planned, Stopped: d.Say.Ending(o.Stopped),
		Interrupted: o.Interrupted, Fault: o.Fault, Summary: v.Sentence,
		Finishes: view.Finishes, Budget: view.Budget, Lag: Lag{view.Observer, loadstat.WorstDelay(points)},
		ClientLimits: d.Say.One(view.ClientLimits), Seed: strconv.FormatUint(view.Seed, 10),
		Handover: d.Handover, Warnings: d.Warnings,
		Stamps: loadstat.StampsOf(points, view.Stamps), ServerMetrics: o.ServerMetrics,
		RateLimit: view.Limits, Shards: o.Shards,
	}
	for i := range o.Steps {
		x := &o.Steps[i]
		s.Points = append(s.Points, SweepStep{
			SweepPointOf(&x.Point, d.Say), x.Resumed, x.Lag,
			d.Say.One(x.Extra.ClientLimits), lengthsOf(&x.Extra.Lengths), serverStepOf(&x.Extra.Server),
		})
	}
	s.Knee, s.Largest = s.mark(v.Knee), s.mark(v.Largest)
	if m := s.mark(v.BreaksStep); m != nil {
		s.BreaksFirst = &SweepBreaks{v.Breaks, *m}
	}
	return s
}

func (s *Sweep) mark(i int) *SweepMark {
	if i < 0 || i >= len(s.Points) {
		return nil
	}
	return &SweepMark{i, s.Points[i].Users, s.Points[i].Asked}
}

// SweepLoadOf returns the JSON form of how p makes requests begin.
func SweepLoadOf(p *loadstat.SweepPlan) SweepLoad {
	return SweepLoad{
		Open: len(p.Rates) > 0, Poisson: p.Poisson, Think: p.Think, Duration: p.Duration,
		Requests: p.Requests, SharedPrefix: p.SharedPrefix, Session: p.Script, Input: Drawn(p.Input),
		Output: p.Output.String(), Prompts: promptsOf(p.Prompts),
	}
}

// promptsOf describes a list of prompts; "" for an empty list.
func promptsOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprintf("%d, sha256 %x", len(list), sha256.Sum256([]byte(strings.Join(list, "\n"))))
}
