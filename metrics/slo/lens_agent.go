package slo

import "tokscope/metrics"

// AgentTask is a chain of requests that wait for each other: each step reads
// the output of the previous one.
type AgentTask struct {
	Steps  int `json:"steps"`           // at least 1
	Tokens int `json:"tokens_per_step"` // output tokens of a step
}

// The bounds of a task, and the default: twenty steps with a paragraph or a
// small tool call each.
const (
	MaxAgentSteps  = 10_000
	MaxAgentTokens = 1_000_000
)

// DefaultAgentTask is the task until a person sets another.
var DefaultAgentTask = AgentTask{Steps: 20, Tokens: 300}

// OK reports whether a is within the bounds.
func (a AgentTask) OK() bool {
	return a.Steps >= 1 && a.Steps <= MaxAgentSteps && a.Tokens >= 1 && a.Tokens <= MaxAgentTokens
}

// Time returns the duration of the task, in milliseconds:
//
//	steps·TTFT + steps·tokens·TPOT
//
// It is unknown when one of the two is, for the same reason. It excludes the
// agent's work between the steps (tools, its own prompts growing).
func (a AgentTask) Time(ttft, tpot metrics.Value) metrics.Value {
	for _, v := range []metrics.Value{ttft, tpot} {
		if !v.OK {
			return metrics.Unknown(v.Why)
		}
	}
	n := float64(a.Steps)
	return metrics.Finite(n*ttft.V+n*float64(a.Tokens)*tpot.V, 0)
}

// AgentCost splits the time of a task into its parts and shows what would
// shorten it. Times are milliseconds, shares 0 to 1. With TTFT or TPOT
// unknown all fields are.
type AgentCost struct {
	Task AgentTask     `json:"" form:"inline"`
	Time metrics.Value `json:"time_ms"`
	// Waiting is the time for the first tokens, Decoding for the others;
	// WaitShare and DecodeShare are their shares of Time.
	Waiting     metrics.Value `json:"waiting_ms"`
	Decoding    metrics.Value `json:"decoding_ms"`
	WaitShare   metrics.Value `json:"waiting_share"`
	DecodeShare metrics.Value `json:"decoding_share"`
	// HalfTTFT and HalfTPOT are Time with that figure halved.
	HalfTTFT metrics.Value `json:"with_half_ttft_ms"`
	HalfTPOT metrics.Value `json:"with_half_tpot_ms"`
	// Matters is the figure whose halving saves more, "TTFT" or "TPOT"; "" when
	// unknown or when both save the same.
	Matters string `json:"matters,omitempty"`
}

// Cost splits the time of the task.
func (a AgentTask) Cost(ttft, tpot metrics.Value) AgentCost {
	c := AgentCost{Task: a, Time: a.Time(ttft, tpot)}
	if c.Time.OK && !(c.Time.V > 0) {
		c.Time = metrics.Unknown(metrics.WhyNoTime)
	}
	if !c.Time.OK {
		u := metrics.Unknown(c.Time.Why)
		c.Waiting, c.Decoding, c.WaitShare, c.DecodeShare, c.HalfTTFT, c.HalfTPOT = u, u, u, u, u, u
		return c
	}
	n := float64(a.Steps)
	c.Waiting, c.Decoding = metrics.Finite(n*ttft.V, 0), metrics.Finite(n*float64(a.Tokens)*tpot.V, 0)
	c.WaitShare, c.DecodeShare = metrics.Finite(c.Waiting.V/c.Time.V, 0), metrics.Finite(c.Decoding.V/c.Time.V, 0)
	half := func(v metrics.Value) metrics.Value { v.V /= 2; return v }
	c.HalfTTFT, c.HalfTPOT = a.Time(half(ttft), tpot), a.Time(ttft, half(tpot))
	switch {
	case c.HalfTPOT.V < c.HalfTTFT.V:
		c.Matters = "TPOT"
	case c.HalfTTFT.V < c.HalfTPOT.V:
		c.Matters = "TTFT"
	}
	return c
}

// Saves returns the share of Time saved when the task takes only with; 0 when
// one of the two is unknown.
func (c *AgentCost) Saves(with metrics.Value) float64 {
	if !c.Time.OK || !with.OK {
		return 0
	}
	return 1 - with.V/c.Time.V
}
