package physics

// Cause names a part of a step's time.
type Cause uint8

const (
	Projections      Cause = iota // attention projections: weights and arithmetic
	FeedForward                   // feed-forward layers: weights and arithmetic
	Experts                       // routed experts; only the experts chosen by a token are read
	CPUExperts                    // experts in the memory of the CPU
	Activations                   // activations passed between the layers
	DecodeAttention               // reading the KV cache
	PrefillAttention              // attention over the prompt, quadratic in its length
	States                        // states of linear attention, the same for any context
	AllReduce                     // sums over the devices of a group
	Exchange                      // tokens between devices that do not split their layers
	Kernels                       // fixed times: launches, norms, rotary, routing
	Head                          // the output head, for rows that yield a token
	Drafting                      // the guesses of speculative decoding
	Launch                        // host launch time that the device waited for
	Engine                        // scheduler and sampling on the CPU
	FrontEnd                      // streaming out; binds when tokens are produced faster than they can be sent
	NumCauses
)

var causes = [NumCauses]string{
	"projections", "feed-forward", "experts", "CPU experts", "activations", "KV read", "prompt attention", "states",
	"all-reduce", "exchange", "kernels", "output head", "draft", "launch", "engine", "front end",
}

// String returns the name on screen and in metrics.
func (c Cause) String() string { return causes[c] }

// Limit is what bounds a term.
type Limit uint8

const (
	Latency   Limit = iota // a fixed time
	Bandwidth              // bytes over memory bandwidth
	Compute                // arithmetic over FLOP/s
)

// String returns the word on screen.
func (l Limit) String() string { return [...]string{"latency", "bandwidth", "compute"}[l] }

// Term is one part of a step's cost.
type Term struct {
	Seconds float64
	Bytes   float64 // moved, over the whole group
	FLOPs   float64 // done, over the whole group
	Limit   Limit
}

// plus adds the amounts of another term. The limit stays.
func (t *Term) plus(o *Term) {
	t.Seconds += o.Seconds
	t.Bytes += o.Bytes
	t.FLOPs += o.FLOPs
}

// Cost holds the parts of a step's cost. The step takes the sum of the terms.
type Cost struct {
	Terms  [NumCauses]Term
	Tokens int // new tokens that passed through the weights
	Rows   int // rows that yielded or verified a token
}

// total returns the sums of the terms.
func (c *Cost) total() (sum Term) {
	for i := range c.Terms {
		sum.plus(&c.Terms[i])
	}
	return sum
}

// Seconds returns the duration of the step.
func (c *Cost) Seconds() float64 { return c.total().Seconds }

// Device returns the seconds in which the devices are busy.
func (c *Cost) Device() float64 {
	t := 0.0
	for i := Projections; i <= Drafting; i++ {
		t += c.Terms[i].Seconds
	}
	return t
}

// Bytes returns the bytes moved through memory, over the whole group.
func (c *Cost) Bytes() float64 { return c.total().Bytes }

// FLOPs returns the step's arithmetic, over the whole group.
func (c *Cost) FLOPs() float64 { return c.total().FLOPs }

// Binds returns the limit with the largest share of the step's time.
func (c *Cost) Binds() Limit {
	var by [3]float64
	for _, t := range c.Terms {
		by[t.Limit] += t.Seconds
	}
	best := Latency
	for l := Bandwidth; l <= Compute; l++ {
		if by[l] > by[best] {
			best = l
		}
	}
	return best
}

// Used returns the shares of the group's datasheet bandwidth and dense bf16
// peak that the step uses. They are 0 to 1, and above 1 for narrower formats.
//
// A dataflow machine has no such peaks. Its shares are those of what the
// whole machine reaches. The bandwidth is 0 if the weights do not move. The
// arithmetic is at most 1: the model's time per layer also covers batches
// that the machine could not serve at that rate.
func (s *Setup) Used(c *Cost) (bandwidth, compute float64) {
	t := c.Seconds() * float64(s.TP)
	if t <= 0 {
		return 0, 0
	}
	if f := s.Hardware.Flow; f != nil {
		if f.Bytes > 0 {
			bandwidth = c.Bytes() / (f.Bytes * c.Seconds())
		}
		return bandwidth, min(1, c.FLOPs()/(f.Prefill*c.Seconds()))
	}
	return c.Bytes() / (s.Hardware.BW * 1e9 * t), c.FLOPs() / (s.Hardware.BF16 * 1e12 * t)
}
