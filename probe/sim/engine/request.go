package engine

// Request is one prompt and its output. The fields of the first group are
// the caller's, set before Submit; the rest is the engine's, in seconds of the
// engine's clock, valid once the event has happened (else 0).
type Request struct {
	Prompt int // tokens of the prompt, at least 1
	Output int // tokens to produce, at least 1
	// Blocks are the hashes of the prompt's whole blocks of 16 tokens, each
	// including what is before it. Requests share the cache of equal leading
	// blocks. nil shares nothing.
	Blocks []uint64
	User   any // the caller's

	ID        uint64  // 1, 2, 3 … in the order of Submit
	Arrive    float64 // Submit
	Ready     float64 // past the front end, in the queue
	Admitted  float64 // its first chunk was scheduled: the queue ends
	First     float64 // its first token
	Last      float64 // its last token so far
	Produced  int     // tokens produced
	Cached    int     // prompt tokens that came from the prefix cache
	Preempted int     // times it was thrown out of the cache
	Steps     int     // steps that produced its tokens
	Guessed   int     // tokens that a draft guessed for it, accepted or not
	Finished  bool
	Cancelled bool
	Err       error // why it cannot be served any more; wraps ErrTooLong

	computed  int // tokens in the cache
	blocks    int // blocks held, the shared ones included
	shared    int // of these, shared
	scheduled int // tokens in the step under way
	guesses   int // guesses among them
	ran       int // tokens in step ranIn, also when it has ended
	ranIn     uint64
	chunk     bool   // … of which they were a piece of the prompt
	order     uint64 // of its admission
	arrival   float64
	phase     phase
}

type phase uint8

const (
	idle phase = iota
	waiting
	running
	moving // between the pools of a disaggregated engine
	padded // finished, but its slot in a static batch is held
	gone
)

// length is every token known so far: prompt and output.
func (r *Request) length() int { return r.Prompt + r.Produced }

// decoding reports whether only the last token of r is not in the cache.
func (r *Request) decoding() bool { return r.Produced > 0 && r.length()-r.computed == 1 }

// Queue, Prefill and Decode split the request's time as a server reports it.

// QueueTime is from arrival in the queue to the first scheduled chunk.
func (r *Request) QueueTime() float64 { return r.Admitted - r.Ready }

// PrefillTime is from the first scheduled chunk to the first token.
func (r *Request) PrefillTime() float64 { return r.First - r.Admitted }

// DecodeTime is from the first token to the last.
func (r *Request) DecodeTime() float64 { return r.Last - r.First }

// TTFT is from arrival to the first token, front end included.
func (r *Request) TTFT() float64 { return r.First - r.Arrive }

// TPOT is the mean time per output token after the first; 0 with fewer than two.
func (r *Request) TPOT() float64 {
	if r.Produced < 2 {
		return 0
	}
	return r.DecodeTime() / float64(r.Produced-1)
}
