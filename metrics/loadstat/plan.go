package loadstat

import (
	"time"

	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/metrics/turn"
)

// ProbePlan is what `tokscope probe` sends, and its callbacks.
type ProbePlan struct {
	Work                  metrics.Workload
	Requests, Concurrency int // at least 1
	// Warmup is how many requests are sent before these, the same way. They are
	// in no figure, file or line; Warmed gets their counts, once.
	Warmup int
	// SamePrompt sends the same prompt each time, so that a prefix cache of the
	// server helps. Otherwise a nonce makes every prompt different.
	SamePrompt bool
	Pace       metrics.Pace // reader to compare the figures with

	// Began and Chunks are called as requests begin and chunks arrive, from the
	// goroutine that ingests. Ended is called after each request. nil: no
	// callback.
	Began  func(id int)
	Chunks func(n int)
	Ended  func(metrics.Run)
	// Held is called with the wait before a request that the endpoint does not allow
	// sooner; nil: no callback.
	Held func(wait time.Duration)
	// WarmupEnded is called after each request of the warm-up, Warmed after all
	// of them. nil: no callback.
	WarmupEnded func(metrics.Run)
	Warmed      func(Warmup)
}

// ProbeForm is what a report on a probe, and its JSON document, hold beside the figures.
type ProbeForm struct {
	SLOs  []slo.Objective
	Lens  string // key of the chosen lens, "" for none
	Task  slo.AgentTask
	Texts bool // include the texts of the answers
	// Warmup counts the requests before the measured ones; nil: there were none.
	Warmup *Warmup
	// Requests is the number asked for, 0 where it is unknown. Interrupted: a
	// person ended the probe.
	Requests    int
	Interrupted bool
	// Held is the wait before a further request that ended the probe early, 0 for none.
	Held time.Duration
}

// SweepPlan is a load curve: a sequence of steps with the same workload.
type SweepPlan struct {
	Work metrics.Workload
	// Input and Output are the tokens of prompts and the limits of outputs,
	// fixed or drawn for each request. Zero: as in Work.
	Input, Output metrics.Lengths
	Prompts       []string // sent in rotation; nil: the prompt of Work
	SharedPrefix  bool     // all prompts have the same beginning, so that a prefix cache helps
	// Script is played by each user again and again; nil: every request is of Work. Without
	// Duration and Requests a step has as many requests as its users have turns.
	Script *turn.Script

	Users []int     // a closed loop, one step per number; empty with Rates
	Rates []float64 // an open loop, requests per second, one step per rate; empty with Users
	// Depths are the tokens of the prompts of steps, rising. In each, Users[0] prompts are sent at
	// the same time, at first new to the server and then known to it, Requests in all. nil: the
	// steps are Users or Rates.
	Depths []int
	// Ramp replaces the steps by one load that changes all the time, where it
	// ramps. Users or Rates then hold its larger end.
	Ramp    Drive
	Poisson bool // arrivals of an open loop are random, not evenly spaced
	Think   time.Duration
	// Duration bounds the window of a step, Requests its number of measured
	// requests. 0 is unbounded; at least one of the two is set, but with a Script.
	Duration time.Duration
	Requests int

	SLOs        []slo.Objective
	UntilBreaks bool    // end after the first step that misses SLOs
	MaxTokens   float64 // prompt and output tokens of all steps; 0: no bound
	// PriceIn and PriceOut are per million tokens; 0: as in the configuration.
	PriceIn, PriceOut float64
	Pace              metrics.Pace
	// Resume is the path of the file of finished steps, "" without one.
	Resume string
	// ServerMetrics is the address of the server's own page of metrics; "":
	// none is read.
	ServerMetrics string
	// RequestLines is the path of a new file with a line for each request; "":
	// no file.
	RequestLines string
	// Shard is the part of the load that is sent, zero for all of it. All parts begin at
	// StartAt, and every step lasts for Duration.
	Shard   Shard
	StartAt time.Time
	// BenchmarkReport is the path of a new folder with llm-d's Benchmark Report of each step;
	// "": no folder.
	BenchmarkReport string
	// Begin is called before step n (from 1) is measured. Any goroutine may
	// call view, also after the sweep; it is nil for Depths. nil: no callback.
	Begin func(n int, s metrics.LoadStep, view func() View)
}

// SweepStep is one finished step of a sweep.
type SweepStep struct {
	Rate    float64 // requests per second asked for; 0 in a closed loop
	Point   Point
	Resumed bool         // taken from the file of finished steps
	Lag     metrics.Dist // ms, open loop: how late requests were sent
	Extra   StepExtra
}

// SweepOutcome is a finished or interrupted sweep.
type SweepOutcome struct {
	Endpoint    metrics.Endpoint // as the load resolved it
	Steps       []SweepStep      // finished ones, in order; of a ramp its slices
	Planned     int              // steps or slices asked for
	Stopped     metrics.Ending   // why steps are missing, zero when all were measured
	View        View             // at the end: budget, lag, limits; zero when every step was resumed
	Fault       *metrics.Fault   // an example of a failed request, nil without one
	Interrupted bool             // by a signal
	Depth       *DepthOutcome    // of a sweep over Depths, all that is known of it; else nil
	// ServerMetrics is the address of the server's page of metrics, "" where
	// none was asked for.
	ServerMetrics string
	// Shards are the shards whose figures these are: one with its parts, or those that were
	// merged. nil: one program has sent all.
	Shards []ShardRun
}

// SweepVerdicts are the conclusions over all steps of a sweep. Every text is
// "" and every index -1 when the steps do not suffice.
type SweepVerdicts struct {
	Sentence   string // SummaryLine at the last steady step
	Knee       int    // index of the step
	Largest    int    // index of the largest step that meets the SLOs
	Breaks     string // the SLO that breaks first
	BreaksStep int    // index of that step
	// Met and Missed count the steps that were judged by the SLOs: the steady ones
	// and one that ended the sweep, of a ramp all slices. A step with too few
	// requests is in neither.
	Met, Missed int
}

// Handover is a load as the command line of another tool.
type Handover struct {
	Tool    string   `json:"tool"`
	Checked string   `json:"flags_checked_against"` // the version whose documentation was read
	Command string   `json:"command"`               // for a POSIX shell; never holds a key
	Notes   []string `json:"notes"`                 // differences in what that tool measures or sends
}
