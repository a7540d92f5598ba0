package metrics

// Knobs is what a person can turn on the Explain screen. Keys are those of the
// embedded endpoint's tables ("llama-3.1-8b", "bf16", "h100", "continuous").
type Knobs struct {
	Model, Precision, Hardware string
	TP                         int // devices that share every layer; 0: the smallest group that fits
	Users                      int // of a closed loop, at least 1
	Prompt, Output             int // tokens
	Mode                       string
	Budget                     int // tokens in a step; 0: the engine's own
	PrefixCache                bool
	DraftK                     int     // guesses a step; 0: no draft model
	Accept                     float64 // chance that a guess is accepted, 0 to 1
	Time                       float64 // seconds of the engine in a second of the wall, 0.01 to 1
}

// Knob names one of the Knobs.
type Knob uint8

const (
	KnobHardware Knob = iota
	KnobModel
	KnobPrecision
	KnobTP
	KnobUsers
	KnobPrompt
	KnobOutput
	KnobMode
	KnobBudget
	KnobPrefixCache
	KnobDraft
	KnobAccept
	KnobTime
	NumKnobs
)

// String is the word on screen.
func (k Knob) String() string {
	return [...]string{"hardware", "model", "quantisation", "tensor parallel", "users", "prompt", "output",
		"batching", "chunk budget", "prefix cache", "draft", "acceptance", "time"}[k]
}

// KnobChoice is one position of a knob.
type KnobChoice struct {
	Label string // "H100", "4 bits", "64"
	Knobs Knobs  // with the knob in this position, the others as they are
	Why   string // why it cannot be taken ("141 GB of weights, 80 GB of memory"); "" when it can
	Now   bool   // the knob stands here
}

// Machine is the engine's hardware and model as the Explain screen shows them.
type Machine struct {
	Name       string  // "llama-3.1-8b bf16 on H100", for people
	Devices    int     // in the group
	Bandwidth  float64 // datasheet, bytes per second, over the group
	Peak       float64 // dense FLOP/s of the datasheet in bf16, over the group
	Weights    float64 // bytes that all weights occupy, over the group
	StepBytes  float64 // bytes of weights that a decode step of one sequence reads
	Parameters float64 // that take part in one token
	// PromptParameters are those that every token of a prompt goes through: all
	// of Parameters but the output head, which the last one alone needs.
	PromptParameters float64
	KVToken          float64 // bytes of cache that a token occupies
	KVCapacity       int     // tokens that fit the cache
	KVBlock          int     // tokens in a block of the cache
	Budget           int     // tokens in a step
	Dataflow         bool    // weights do not move: no roofline
	// Format is what products are computed in: "bf16", "fp8", "fp4"; FormatPeak is
	// the dense FLOP/s of the datasheet in it, over the group.
	Format     string
	FormatPeak float64
}

// StepTerm is one part of an engine step.
type StepTerm struct {
	Name         string
	Seconds      float64
	Bytes, FLOPs float64
	Limit        string // what binds it: "latency", "bandwidth", "compute"
}

// EngineRequest is one request in the batch, or in the queue, at the end of a step.
type EngineRequest struct {
	ID         uint64 // 1, 2, 3 … in the order of arrival
	User       int    // who sent it, 0 when not known
	State      EngineState
	Prompt     int // tokens
	PromptDone int // of these in the cache, also those that the prefix cache gave
	Cached     int // prompt tokens that the prefix cache gave
	Output     int // tokens asked for
	Out        int // tokens produced
	Blocks     int // blocks of the cache held
	Scheduled  int // tokens of it in this step
	Preempted  int // times it was thrown out so far
}

// EngineState is where a request stands in the engine.
type EngineState uint8

const (
	EngineWaiting EngineState = iota
	EnginePrefill
	EngineDecode
	EngineMoving    // between the pools of a disaggregated engine
	EnginePreempted // thrown out, waits to be computed again
	EngineDone      // its last token came in this step
)

// String is the word on screen.
func (s EngineState) String() string {
	return [...]string{"waiting", "prefill", "decode", "moving", "preempted", "done"}[s]
}

// EngineStep is one pass of the engine through the weights. Times are seconds
// of the engine's clock.
type EngineStep struct {
	Number     uint64
	Start, End float64
	Terms      [16]StepTerm // the first NumTerms; their Seconds add up to End − Start
	NumTerms   int
	Decodes    int     // sequences that decoded
	Prefills   int     // sequences that prefilled
	Prefilled  int     // prompt tokens computed
	Context    int     // tokens of context read by the decodes
	Running    int     // sequences admitted
	Waiting    int     // requests in the queue
	Preempted  int     // requests thrown out in this step
	Tokens     int     // output tokens yielded
	KV         float64 // share of the cache that is held, 0 to 1
	Bandwidth  float64 // share of the group's datasheet bandwidth used, 0 to 1
	Compute    float64 // share of the group's dense bf16 peak used; above 1 in narrower formats
	Binds      string  // what takes most of the step: "latency", "bandwidth", "compute"
	Pool       string  // "", or "prefill" and "decode" when disaggregated
	// Machine is what the step ran on, which may be another than the present one;
	// nil when it is not told. Its Name and Budget are empty. Read only.
	Machine *Machine
	// Batch is the requests that run and, after them, those that wait, at most
	// MaxBatchRows; More is how many are left out. Read only.
	Batch []EngineRequest
	More  int
}

// MaxBatchRows bounds EngineStep.Batch.
const MaxBatchRows = 96

// Cost is the step's terms.
func (s *EngineStep) Cost() []StepTerm { return s.Terms[:s.NumTerms] }

// EngineMark is a change that a person made, on the timeline.
type EngineMark struct {
	Step uint64  // the first step that was planned after it
	At   float64 // seconds of the engine's clock
	What string  // "quantisation bf16 → q4"
}

// Prediction is what the model says of some knobs, from virtual time, and the
// arithmetic behind it. Times are milliseconds, speeds tokens per second.
type Prediction struct {
	Knobs   Knobs
	Machine Machine
	Err     string // why it cannot run; "" when it can, else all else is empty

	TTFT, TTFTP99 Value // over requests
	TPOT          Value
	Gap99         Value // p99 of the gaps between a request's chunks
	Speed         Value // per-user, 1/TPOT
	Total         Value // throughput, all users
	Queue         Value // mean wait in the queue, ms
	KV            Value // largest share of the cache held, 0 to 1
	Preempted     int
	MostUsers     Value // users of this length that the cache holds at once, at their fullest

	// Ceiling is Machine.Bandwidth / Machine.StepBytes: no user is faster
	// without a draft model. Floor is 2·Machine.PromptParameters·prompt /
	// Machine.FormatPeak: no prefill is faster.
	Ceiling Value // tok/s
	Floor   Value // ms
}

// EngineFigures is what the engine and its clients measured since the last
// change of the knobs. The times are those of the engine's clock, so that slow
// motion does not change them. TTFT, TPOT and Speed are means.
type EngineFigures struct {
	Since         float64 // seconds of the engine's clock; behind the step that was under way
	Requests      int     // that began after the change and have ended
	TTFT, TTFTP99 Value
	TTFTP95       Value
	TPOT, TPOTP95 Value
	Gap50, Gap99  Value
	MaxGap        Value
	Speed         Value
	Total         Value // tokens yielded / time since the change, once it is long enough
	KV            Value // largest share
	PerStep       Value // tokens of a chunk, mean
	Preempted     int
	Steps         int
	Goodput       Value // share of the requests that met both objectives of the lesson, 0 to 1
	// ClientTTFT and ClientTPOT are the same as the clients measured them over
	// HTTP, divided by the slow motion.
	ClientTTFT, ClientTPOT Value
}

// Watched is the request under the eyes of the viewer: as its client measured
// it over HTTP and as the engine made it.
type Watched struct {
	User   int
	Stream Stream
	// Request is its EngineRequest.ID, 0 when it is not known (yet).
	Request uint64
	// Steps[i] is the number of the step that yielded chunk i, and True[i] the
	// end of that step in the clock of the stamps: what the client would
	// measure if nothing lay between. Both may be shorter than Stream.Chunks.
	Steps []uint64
	True  []Stamp
	// TrueTTFT is from the arrival at the engine to the end of the step of the
	// first token, ms on the wall (slow motion included).
	TrueTTFT Value
}

// ExplainView is an immutable view of the engine laid open.
type ExplainView struct {
	Now     Stamp
	Clock   float64 // of the engine, seconds
	Running bool    // users send requests
	Paused  bool
	Broken  string // why nothing runs although it should; "" when all is well
	Knobs   Knobs
	Machine Machine
	// Steps are the last ones, oldest first, numbers without a hole. Read only.
	Steps []EngineStep
	Marks []EngineMark // of the steps that are kept, oldest first
	// Doing is the step under way, as planned; nil between steps.
	Doing *EngineStep

	Figures  EngineFigures
	Watched  Watched
	Present  Prediction // for Knobs
	Previous Prediction // for the knobs before the last change; Knobs.Users == 0 when there are none
	Busy     bool       // Present is still being computed and shows the knobs before
	Observer Observer
	Slipped  float64 // seconds by which this machine fell behind the model; 0 when it keeps up
	Tour     TourView
}
