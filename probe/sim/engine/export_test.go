package engine

// The setups of the tests, for those that play workloads from outside.
var (
	Eight   = eight
	SetupOf = setup
	Pairs   = pairs
)

// String returns the phase's name.
func (p Phase) String() string {
	return [...]string{"arriving", "waiting", "prefill", "decode", "moving", "preempted", "padded", "done"}[p]
}
