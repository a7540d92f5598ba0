package engine

// Request is a prompt and its output. The caller sets the fields of the first
// group before Submit. The engine sets the rest. Times are seconds of engine
// time, 0 before the event.
type Request struct {
	Prompt int // tokens of the prompt, at least 1
	Output int // tokens to produce, at least 1
	// Blocks are the hashes of the prompt's whole blocks of 16 tokens. Each
	// hash includes all blocks before it. Requests share the cache of equal
	// leading blocks. nil shares nothing.
	Blocks   []uint64
	Uncached bool // finds nothing of its own again after a preemption either
	User     any  // the caller's

	ID        uint64  // 1, 2, 3 … in the order of Submit
	Arrive    float64 // Submit
	Ready     float64 // the end of the front end
	Admitted  float64 // left the queue for the first time
	Prefill   float64 // seconds of the steps that computed its prompt and yielded its first token
	First     float64 // its first token
	Last      float64 // its last token so far
	Produced  int     // tokens produced
	Cached    int     // prompt tokens found in the prefix cache
	Preempted int     // number of preemptions
	Steps     int     // steps that produced its tokens
	Guessed   int     // tokens guessed by a draft, accepted or not
	Finished  bool
	Cancelled bool
	Err       error // why it can no longer be served; wraps ErrTooLong

	computed  int // tokens in the cache
	blocks    int // blocks held, the shared ones included
	shared    int // of these, shared
	scheduled int // tokens in the current step
	guesses   int // guesses among them
	ran       int // tokens in step ranIn, also after it has ended
	ranIn     uint64
	handed    bool   // prefilled in another pool, which yields no token
	order     uint64 // number of its admission, 0 before
	arrival   float64
	phase     Phase // but Decode, Arriving and Preempted, which follow from the rest
}

// length returns the number of tokens known so far: prompt and output.
func (r *Request) length() int { return r.Prompt + r.Produced }

// decoding reports whether only the last token of r is not in the cache. After
// the prefill pool that is the last token of the prompt.
func (r *Request) decoding() bool {
	return (r.Produced > 0 || r.handed) && r.length()-r.computed == 1
}

// TTFT returns the time from arrival to the first token, front end included, in
// seconds.
func (r *Request) TTFT() float64 { return r.First - r.Arrive }

// Queued returns the seconds between the front end and the first token in which no step
// computed the prompt: in the queue, also again after a preemption, for a turn in a static
// batch, and on the way to a decode pool with room.
func (r *Request) Queued() float64 { return max(0, r.First-r.Ready-r.Prefill) }

// TPOT returns the mean time per output token after the first, in seconds, 0
// with fewer than two.
func (r *Request) TPOT() float64 {
	if r.Produced < 2 {
		return 0
	}
	return (r.Last - r.First) / float64(r.Produced-1)
}
