package engine

// The setups of the tests, for those that play workloads from outside.
var (
	Eight   = eight
	SetupOf = setup
	Pairs   = pairs
)

// PrefillTime is the time from the first scheduled chunk to the first token. With
// two pools it includes the move of the cache, and the wait for room in the decode
// pool.
func (r *Request) PrefillTime() float64 { return r.First - r.Admitted }

// String returns the phase's name.
func (p Phase) String() string {
	return [...]string{"arriving", "waiting", "prefill", "decode", "moving", "preempted", "padded", "done"}[p]
}
