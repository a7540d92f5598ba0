package physics

// Cause names a part of a step's time.
type Cause uint8

const (
	Projections      Cause = iota // attention projections: weights and arithmetic
	FeedForward                   // dense feed-forward layers and shared experts
	Experts                       // routed experts: only those that some token chose are read
	Activations                   // what the layers hand to each other
	DecodeAttention               // reading the KV cache
	PrefillAttention              // attention over the prompt: grows with its square
	AllReduce                     // adding up the partial sums of a group of devices
	Kernels                       // fixed times: launches, norms, rotary, routing
	Head                          // the output head, for rows that yield a token
	Drafting                      // the guesses of speculative decoding
	Launch                        // host launch time that the device had to wait for
	Engine                        // scheduler and sampling on the CPU
	FrontEnd                      // streaming out: binds when tokens come faster than it can send
	NumCauses
)

var causes = [NumCauses]string{
	"projections", "feed-forward", "experts", "activations", "KV read", "prompt attention",
	"all-reduce", "kernels", "output head", "draft", "launch", "engine", "front end",
}

// String is the name on screen and in metrics.
func (c Cause) String() string { return causes[c] }

// Limit says what binds a term.
type Limit uint8

const (
	Latency   Limit = iota // a fixed time
	Bandwidth              // bytes over memory bandwidth
	Compute                // arithmetic over FLOP/s
)

// String is the word on screen.
func (l Limit) String() string { return [...]string{"latency", "bandwidth", "compute"}[l] }

// Term is one part of a step.
type Term struct {
	Seconds float64
	Bytes   float64 // moved, over the whole group
	FLOPs   float64 // done, over the whole group
	Limit   Limit
}

// Cost is a step taken apart. The step takes the sum of the terms.
type Cost struct {
	Terms  [NumCauses]Term
	Tokens int // new tokens that went through the weights
	Rows   int // rows that yielded or verified a token
}

// Seconds is how long the step takes.
func (c *Cost) Seconds() float64 {
	t := 0.0
	for i := range c.Terms {
		t += c.Terms[i].Seconds
	}
	return t
}

// Device is the part of the time in which the devices are busy.
func (c *Cost) Device() float64 {
	t := 0.0
	for i := Projections; i <= Drafting; i++ {
		t += c.Terms[i].Seconds
	}
	return t
}

// Bytes is what the step moves through memory, over the whole group.
func (c *Cost) Bytes() float64 {
	b := 0.0
	for i := range c.Terms {
		b += c.Terms[i].Bytes
	}
	return b
}

// FLOPs is the arithmetic of the step, over the whole group.
func (c *Cost) FLOPs() float64 {
	f := 0.0
	for i := range c.Terms {
		f += c.Terms[i].FLOPs
	}
	return f
}

// Binds is what takes most of the step: the limit with the largest share of
// the time.
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

// Used is the share of the group's datasheet bandwidth and dense bf16 peak
// that the step uses, 0 to 1 (above 1 for narrower formats). A dataflow machine
// has no such peaks for a group: there the shares are those of what the whole
// machine reaches, 0 of the bandwidth where the weights do not move, and at most
// 1 of the arithmetic: the model's time per layer holds for a crowd that the
// machine could not serve so.
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
