package engine

// The setups of the tests, for those that play workloads from outside.
var (
	Eight   = eight
	SetupOf = setup
	Pairs   = pairs
)
