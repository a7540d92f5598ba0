package serving

import "tokscope/metrics"

// Knobs are the settings of the Explain screen. Keys are those of the
// embedded endpoint's tables ("llama-3.1-8b", "bf16", "h100", "continuous").
type Knobs struct {
	Model, Precision, Hardware string
	TP                         int // devices that share every layer; 0: the smallest group with enough memory
	Users                      int // of a closed loop, at least 1
	Prompt, Output             int // tokens
	Mode                       string
	Budget                     int // tokens in a step; 0: the engine's default
	PrefixCache                bool
	DraftK                     int     // guesses a step; 0: no draft model
	Accept                     float64 // chance that a guess is accepted, 0 to 1
	Time                       float64 // seconds of engine time per second of wall time, 0.01 to 1
	// The options. Zero values are the usual ones.
	Software  string // key of the serving software; "": that of the hardware
	Sharing   string // how a group shares the model: "" or "tensor", "expert", "pipeline"
	KV        string // format of the cache; "": that of the software
	CPULayers int    // layers whose experts are in the memory of the CPU
	DraftHead string // "eagle3", or "": a smaller model of the family, else a head of two layers
	Async     bool   // the scheduler works while the devices do
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
	KnobSoftware // the first of the options
	KnobSharing
	KnobKV
	KnobCPU
	KnobDraftHead
	KnobAsync
	NumKnobs
)

// Options are the knobs from here on. They are usually left alone.
const Options = KnobSoftware

// Usual reports whether all options have their usual values.
func (k *Knobs) Usual() bool {
	return k.Software == "" && k.Sharing == "" && k.KV == "" && k.CPULayers == 0 && k.DraftHead == "" && !k.Async
}

// Changed returns the knobs that differ in two positions, in their order.
// Acceptance counts only with a draft model in both.
func Changed(from, to *Knobs) []Knob {
	differ := [NumKnobs]bool{
		KnobHardware: from.Hardware != to.Hardware, KnobModel: from.Model != to.Model,
		KnobPrecision: from.Precision != to.Precision,
		KnobTP:        from.TP != to.TP, KnobUsers: from.Users != to.Users,
		KnobPrompt: from.Prompt != to.Prompt, KnobOutput: from.Output != to.Output,
		KnobMode: from.Mode != to.Mode, KnobBudget: from.Budget != to.Budget,
		KnobPrefixCache: from.PrefixCache != to.PrefixCache,
		KnobDraft:       from.DraftK != to.DraftK,
		KnobAccept:      from.Accept != to.Accept && from.DraftK > 0 && to.DraftK > 0, KnobTime: from.Time != to.Time,
		KnobSoftware: from.Software != to.Software, KnobSharing: from.Sharing != to.Sharing,
		KnobKV: from.KV != to.KV, KnobCPU: from.CPULayers != to.CPULayers,
		KnobDraftHead: from.DraftHead != to.DraftHead, KnobAsync: from.Async != to.Async,
	}
	var out []Knob
	for k, yes := range differ {
		if yes {
			out = append(out, Knob(k))
		}
	}
	return out
}

// KnobChoice is one position of a knob.
type KnobChoice struct {
	Name string // of a machine, model or precision: "H100"; "" of other knobs
	// what the engine chooses: devices of the group, or tokens in a step; 0 where it chooses nothing or cannot
	Auto  int
	CPU   int    // layers whose experts this position keeps in the computer's memory, for want of the device's; 0 for none
	Knobs Knobs  // with the knob in this position, the others unchanged
	Why   string // why it is not available ("141 GB of weights, 80 GB of memory"); "" when it is
	Now   bool   // this is the current position
}

// Machine is the engine's hardware and model as the Explain screen shows them.
type Machine struct {
	Name      string  // "llama-3.1-8b bf16 on H100", for people
	Bandwidth float64 // datasheet, bytes per second, over the group
	Peak      float64 // dense FLOP/s of the datasheet in bf16, over the group
	Weights   float64 // bytes that all weights occupy, over the group
	StepBytes float64 // bytes of weights read by a decode step of one sequence
	// PromptParameters are the parameters used for every token of a prompt:
	// all but the output head, which only the last token needs.
	PromptParameters float64
	KVToken          float64 // bytes of cache per token
	KVUser           float64 // bytes beside those that a sequence keeps, whatever its length: states, full windows
	KVCapacity       int     // tokens that fit the cache
	KVBlock          int     // tokens in a block of the cache
	Budget           int     // tokens in a step
	// no device reads its share of all weights in a step: by experts or by layers, or the CPU reads some
	Divided  bool
	Dataflow bool // weights stay on the chip: no roofline
	// Format is the number format of the products: "bf16", "fp8", "fp4".
	// FormatPeak is the datasheet's dense FLOP/s in that format, over the
	// group.
	Format     string
	FormatPeak float64
}

// StepTerm is one part of an engine step.
type StepTerm struct {
	Name         string
	Seconds      float64
	Bytes, FLOPs float64
	Limit        string // the limiting resource: "latency", "bandwidth", "compute"
}

// EngineRequest is one request in the batch, or in the queue, at the end of a step.
type EngineRequest struct {
	ID         uint64 // 1, 2, 3 … in the order of arrival
	User       int    // number of its user, 0 when not known
	State      EngineState
	Prompt     int // tokens
	PromptDone int // prompt tokens in the cache, including those from the prefix cache
	Cached     int // prompt tokens from the prefix cache
	Output     int // tokens asked for
	Out        int // tokens produced
	Blocks     int // blocks of the cache held
	Scheduled  int // its tokens in this step
}

// EngineState is the stage of a request in the engine.
type EngineState uint8

const (
	EngineWaiting EngineState = iota
	EnginePrefill
	EngineDecode
	EngineMoving    // between the pools of a disaggregated engine
	EnginePreempted // preempted, waits to be computed again
	EngineDone      // its last token was produced in this step
)

// String returns the word on screen.
func (s EngineState) String() string {
	return [...]string{"waiting", "prefill", "decode", "moving", "preempted", "done"}[s]
}

// EngineStep is one pass of the engine through the weights. Times are seconds
// of engine time.
type EngineStep struct {
	Number     uint64
	Start, End float64
	Terms      [16]StepTerm // the first NumTerms; their Seconds add up to End − Start
	NumTerms   int
	Decodes    int     // sequences that decoded
	Prefilled  int     // prompt tokens computed
	Running    int     // sequences admitted
	Waiting    int     // requests in the queue
	Preempted  int     // requests preempted in this step
	Tokens     int     // output tokens produced
	KV         float64 // share of the cache in use, 0 to 1
	Bandwidth  float64 // share of the group's datasheet bandwidth used, 0 to 1
	Compute    float64 // share of the group's dense bf16 peak used; above 1 in narrower formats
	Binds      string  // the resource that limits most of the step: "latency", "bandwidth", "compute"
	Pool       string  // "", or "prefill" and "decode" when disaggregated
	// Machine is the hardware of the step, which may differ from the current
	// one; nil when not recorded. Its Name and Budget are empty. Read only.
	Machine *Machine
	// Batch lists the running requests and, after them, the waiting ones, at
	// most MaxBatchRows. More is the number left out. Read only.
	Batch []EngineRequest
	More  int
}

// MaxBatchRows bounds EngineStep.Batch.
const MaxBatchRows = 96

// Cost returns the step's terms.
func (s *EngineStep) Cost() []StepTerm { return s.Terms[:s.NumTerms] }

// EngineMark is a change that a person made, on the timeline.
type EngineMark struct {
	Step     uint64  // the first step planned after it
	At       float64 // seconds of engine time
	From, To Knobs
}

// Prediction is the model's prediction for some knobs, from virtual time, and
// the arithmetic behind it. Times are milliseconds, speeds tokens per second.
type Prediction struct {
	Knobs   Knobs
	Machine Machine
	Err     string // why the knobs cannot run; "" when they can, else all other fields are empty

	EngineFigures               // what an engine with these knobs would measure, without clients
	Queue         metrics.Value // mean wait in the queue, ms
	MostUsers     metrics.Value // users of this length that fit in the cache at once, at full length

	// Ceiling is Machine.Bandwidth / Machine.StepBytes: the upper bound of a
	// user's speed without a draft model. Floor is
	// 2·Machine.PromptParameters·prompt / Machine.FormatPeak: the lower bound
	// of a prefill's time.
	Ceiling metrics.Value // tok/s
	Floor   metrics.Value // ms
}

// EngineFigures are the measurements of the engine and its clients since the
// last change of the knobs. Times are engine time, so slow motion does not
// change them. TTFT, TPOT and Speed are means.
type EngineFigures struct {
	Since         float64 // seconds of engine time; after the step that was under way
	Requests      int     // begun after the change and ended
	TTFT, TTFTP99 metrics.Value
	TTFTP95       metrics.Value
	TPOT, TPOTP95 metrics.Value
	Gap50, Gap99  metrics.Value
	MaxGap        metrics.Value
	Speed         metrics.Value
	Total         metrics.Value // tokens produced / time since the change, once that is long enough
	KV            metrics.Value // largest share of the cache in use, 0 to 1
	PerStep       metrics.Value // tokens per chunk, mean
	Preempted     int
	Steps         int
	Goodput       metrics.Value // share of the requests that met both objectives of the lesson, 0 to 1
	// ClientTTFT and ClientTPOT are the same figures as the clients measured
	// them over HTTP, divided by the slow motion.
	ClientTTFT, ClientTPOT metrics.Value
}

// Watched is the request that the screen shows: as its client measured it
// over HTTP and as the engine produced it.
type Watched struct {
	User   int
	Stream metrics.Stream
	// Request is its EngineRequest.ID, 0 when it is not known (yet).
	Request uint64
	// Steps[i] is the number of the step that produced chunk i. True[i] is the
	// end of that step on the clock of the stamps: the client's measurement
	// without any transport. Both may be shorter than Stream.Chunks.
	Steps []uint64
	True  []metrics.Stamp
	// TrueTTFT is from the arrival at the engine to the end of the step of the
	// first token, ms of wall time (slow motion and pauses included). EngineTTFT is the
	// same in ms of engine time.
	TrueTTFT, EngineTTFT metrics.Value
}

// View is an immutable view of the engine.
type View struct {
	Now     metrics.Stamp
	Clock   float64 // engine time, seconds
	Running bool    // users send requests
	Paused  bool
	Broken  metrics.Ending // why the engine does not run although it should; zero otherwise
	Knobs   Knobs
	Machine Machine
	// Steps are the latest steps, oldest first, with consecutive numbers. Read
	// only.
	Steps []EngineStep
	Marks []EngineMark // marks of the kept steps, oldest first
	// Doing is the planned step under way; nil between steps.
	Doing *EngineStep

	Figures  EngineFigures
	Watched  Watched
	Present  Prediction // for Knobs
	Previous Prediction // for the knobs before the last change; Knobs.Users == 0 until it is computed
	// Unchanged reports that no knob but the time was changed yet. Previous is
	// then for another number of users: 1, or 8 instead of 1.
	Unchanged bool
	Busy      bool // Present is being computed and still shows the previous knobs
	Observer  metrics.Observer
	// Speed is engine seconds per wall second, 0 before users run: Knobs.Time, or less while this
	// machine cannot keep up with it. Overloaded reports that it cannot keep up
	// at the lowest speed either. Slipped is by how many seconds the clock was
	// set back since the measurement began, because steps ended late.
	Speed      float64
	Overloaded bool
	Slipped    float64
	Tour       TourView
}

// Pace is engine seconds per wall second: Speed while it is known, else that of
// the time knob.
func (v *View) Pace() float64 {
	if v.Speed > 0 {
		return v.Speed
	}
	return v.Knobs.Time
}
