package watchstat

import (
	"time"

	"tokscope/metrics"
	"tokscope/metrics/condition"
)

// Order is what a command asks to be watched.
type Order struct {
	// Targets are as typed; none is the target of the command line.
	Targets []string
	// Work has the workloads: each target is probed with each of them.
	Work    []metrics.Workload
	Plan    Plan // Targets is filled in
	Probes  int  // of each target and workload; 0: no bound
	Most    time.Duration
	Bounds  Bounds
	Program string
	// Baseline is the name of one in the history, or Past is a span before now whose
	// probes are the baseline. With neither the watch learns it.
	Baseline   string
	Past       time.Duration
	Conditions []condition.Condition
}

// ProgramAA is the program of Artificial Analysis: prompts of about 1,000 and
// 10,000 tokens, 8 a day, and the median of 72 h (artificialanalysis.ai/methodology).
const ProgramAA = "aa"

// ProgramEvery is the interval of its probes.
const ProgramEvery = 3 * time.Hour
