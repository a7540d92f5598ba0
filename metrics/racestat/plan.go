package racestat

import (
	"time"

	"tokscope/metrics"
	"tokscope/metrics/condition"
	"tokscope/metrics/turn"
)

// Limits of a race. A race of more lanes would need more pairs than its bound:
// the level is split over them all.
const (
	MinLanes = 2
	MaxLanes = 6
)

// DefaultBounds end a race that is not settled: a person has waited enough, or
// it begins to cost.
var DefaultBounds = Bounds{Pairs: 30, Most: 10 * time.Minute, Tokens: 20_000}

// Plan is what a race sends, and when it ends.
type Plan struct {
	Work   metrics.Workload
	Bounds Bounds
	// Script is played again and again, a step a round; nil: Work is sent. What it does not
	// say is that of Work.
	Script *turn.Script
	// Parallel runs all lanes at the same time. They then share this machine's
	// network, and maybe a server.
	Parallel bool
	// Endless lets the race go on when all is settled.
	Endless bool
	// Band is that of NewBoard; 0 is Band.
	Band float64
	// Seed draws orders and nonces; 0 draws one.
	Seed uint64
	// Swap restarts a server of one's own before each block of a lane; nil: lanes race in
	// pairs. It leaves Bounds, Parallel and Endless out.
	Swap *Swap
	// Conditions are those of --fail-if. The race itself does not judge them.
	Conditions []condition.Condition
}
