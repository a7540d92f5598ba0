package metrics

import "fmt"

// AgentTask is a chain of requests that wait for each other: each step reads
// what the one before wrote.
type AgentTask struct {
	Steps  int // at least 1
	Tokens int // output tokens of a step
}

// Bounds of a task that can be asked for, and the one before anybody asked:
// twenty steps with a paragraph or a small tool call each.
const (
	MaxAgentSteps  = 10_000
	MaxAgentTokens = 1_000_000
)

// DefaultAgentTask is the task before anybody has said one.
var DefaultAgentTask = AgentTask{Steps: 20, Tokens: 300}

// OK reports whether a is a task that can be asked for.
func (a AgentTask) OK() bool {
	return a.Steps >= 1 && a.Steps <= MaxAgentSteps && a.Tokens >= 1 && a.Tokens <= MaxAgentTokens
}

// Time is how long the task takes, in milliseconds:
//
//	steps·TTFT + steps·tokens·TPOT
//
// It is unknown when one of the two is, for the same reason. What the agent
// does between the steps (tools, its own prompts growing) is not in it.
func (a AgentTask) Time(ttft, tpot Value) Value {
	for _, v := range []Value{ttft, tpot} {
		if !v.OK {
			return Unknown(v.Why)
		}
	}
	n := float64(a.Steps)
	return Finite(n*ttft.V+n*float64(a.Tokens)*tpot.V, 0)
}

// AgentCost is where the time of a task goes and what would shorten it. Times
// are milliseconds, shares 0 to 1. With TTFT or TPOT unknown all of it is.
type AgentCost struct {
	Task AgentTask
	Time Value
	// Waiting is for the first tokens, Decoding for the others; WaitShare and
	// DecodeShare are their shares of Time.
	Waiting, Decoding      Value
	WaitShare, DecodeShare Value
	// HalfTTFT and HalfTPOT are Time with that figure halved.
	HalfTTFT, HalfTPOT Value
	// Matters is the figure whose half saves more, "TTFT" or "TPOT"; "" when
	// unknown or when both save the same.
	Matters string
	Say     string // a sentence with the figures
}

// Cost takes the time of the task apart.
func (a AgentTask) Cost(ttft, tpot Value) AgentCost {
	c := AgentCost{Task: a, Time: a.Time(ttft, tpot)}
	if c.Time.OK && !(c.Time.V > 0) {
		c.Time = Unknown("no time was measured")
	}
	if !c.Time.OK {
		u := Unknown(c.Time.Why)
		c.Waiting, c.Decoding, c.WaitShare, c.DecodeShare, c.HalfTTFT, c.HalfTPOT = u, u, u, u, u, u
		c.Say = fmt.Sprintf("%d steps of %d tokens: unknown, %s", a.Steps, a.Tokens, c.Time.Why)
		return c
	}
	n := float64(a.Steps)
	c.Waiting, c.Decoding = Finite(n*ttft.V, 0), Finite(n*float64(a.Tokens)*tpot.V, 0)
	c.WaitShare, c.DecodeShare = Finite(c.Waiting.V/c.Time.V, 0), Finite(c.Decoding.V/c.Time.V, 0)
	half := func(v Value) Value { v.V /= 2; return v }
	c.HalfTTFT, c.HalfTPOT = a.Time(half(ttft), tpot), a.Time(ttft, half(tpot))
	switch {
	case c.HalfTPOT.V < c.HalfTTFT.V:
		c.Matters = "TPOT"
	case c.HalfTTFT.V < c.HalfTPOT.V:
		c.Matters = "TTFT"
	}
	c.Say = fmt.Sprintf("%d steps of %d tokens take %s: %.0f %% waiting for first tokens, %.0f %% decoding; half the TTFT saves %.0f %%, half the TPOT %.0f %%",
		a.Steps, a.Tokens, LensNumber(LensStep, c.Time.V), c.WaitShare.V*100, c.DecodeShare.V*100, c.Saves(c.HalfTTFT)*100, c.Saves(c.HalfTPOT)*100)
	return c
}

// Saves is the share of Time that is saved where the task takes only with; 0
// when one of the two is unknown.
func (c *AgentCost) Saves(with Value) float64 {
	if !c.Time.OK || !with.OK {
		return 0
	}
	return 1 - with.V/c.Time.V
}
