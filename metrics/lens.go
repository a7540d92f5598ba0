package metrics

// Lens is a kind of use, with what it needs of an endpoint.
type Lens struct {
	Key     string // "chat", "voice", "agent", "batch"
	About   string // one sentence
	Budgets []LensBudget
}

// LensBudget is what one metric may be at most (or, for speed and throughput,
// must be at least) for a use, with the reason and its source.
type LensBudget struct {
	Metric  string  // "TTFT", "speed", "gap", "total", "throughput"
	Limit   float64 // ms, or tok/s
	AtLeast bool
	Why     string
}

// AgentTask is a chain of requests that wait for each other: each step reads
// what the one before wrote.
type AgentTask struct {
	Steps  int // at least 1
	Tokens int // output tokens of a step
}

// Time is how long the task takes, in milliseconds:
//
//	steps·TTFT + steps·tokens·TPOT
//
// It is unknown when one of the two is, for the same reason.
func (a AgentTask) Time(ttft, tpot Value) Value {
	for _, v := range []Value{ttft, tpot} {
		if !v.OK {
			return Unknown(v.Why)
		}
	}
	n := float64(a.Steps)
	return Known(n*ttft.V+n*float64(a.Tokens)*tpot.V, 0)
}
