package definition

// Pick is a set of kinds of events.
type Pick uint16

// The kinds of events that a tool may count.
const (
	// Choices is an event with choices, even if it carries nothing.
	Choices Pick = 1 << iota
	// Content is visible text. Reasoning between tags inside the content is
	// content to a tool that reads fields.
	Content
	// FieldReasoning and FieldReasoningContent are reasoning in fields of these
	// names, FieldDetails in reasoning_details.
	FieldReasoning
	FieldReasoningContent
	FieldDetails
	// Tools are tool calls and their arguments.
	Tools
	// Refusals are texts of refusals.
	Refusals
	// FinishEvent is the event with the finish reason.
	FinishEvent
	// Empty is an event with an empty content and no role.
	Empty
	// NotBlank leaves out texts of white space alone.
	NotBlank
	// Media are audio and images.
	Media
	// Arguments are those of tool calls, without a name that comes alone.
	Arguments
	// Summarized is a summary of the reasoning, in place of it.
	Summarized

	// BothReasonings are the two fields that most servers use.
	BothReasonings = FieldReasoning | FieldReasoningContent
)

// Moment is one moment of a stream.
type Moment uint8

// The moments.
const (
	Never  Moment = iota // the rule has no such figure
	Sent                 // the last byte of the request
	First                // the first event that starts the clock
	Last                 // the last event that counts
	Finish               // the finish reason
	Usage                // the last event with a usage object
	Done                 // data: [DONE]
	End                  // the end of the body
)

// Per is what a time is divided by.
type Per uint8

// The divisors.
const (
	Once       Per = iota // the time itself
	Tokens                // n
	LaterOnes             // n − 1
	Gaps                  // chunks − 1
	Lines                 // data lines with choices
	AfterFirst            // n without the tokens of the first chunk, one where the server does not count them
)

// Span is a time between two moments, divided. The zero Span is no figure.
type Span struct {
	From, To Moment
	Per      Per
}

// Count says where a rule's n comes from. Its values are those of the JSON, as those of the
// next ones.
type Count string

// The sources of n.
const (
	Uncounted   Count = ""              // no figure of the rule needs n
	ByUsage     Count = "usage"         // the server's usage; the rule's Without if the server sent no usage
	ByTokenizer Count = "own_tokenizer" // the tool tokenizes the text itself
	ByChunks    Count = "chunks"        // each chunk is a token
	ByAsked     Count = "asked"         // the number of tokens that was asked for
)

// Pool says how a tool joins the values of many requests.
type Pool string

// The ways.
const (
	PoolNone     Pool = ""         // the tool gives no distribution
	PoolRequests Pool = "requests" // one value a request
	PoolGaps     Pool = "gaps"     // all gaps of all requests: long answers weigh more
	PoolTokens   Pool = "tokens"   // one value a request, weighted by its tokens
)

// Quantile names a method of percentiles.
type Quantile string

// The methods.
const (
	QuantileNone    Quantile = ""
	QuantileLinear  Quantile = "linear"       // between the two nearest ranks: numpy's and pandas' default
	QuantileNearest Quantile = "nearest_rank" // the smallest value that the share of values does not exceed
	QuantileBest    Quantile = "best"         // the smallest value alone
	QuantileMean    Quantile = "mean"         // no percentile: mean and standard deviation
	QuantileLower   Quantile = "lower"        // the lower of the two nearest ranks
)

// Evidence says how a rule is known.
type Evidence string

// The ways in which rules are known.
const (
	// Ran: the tool was run on a stream whose times are known.
	Ran Evidence = "run"
	// Read: its code was read in that version.
	Read Evidence = "read"
	// Published: its documentation says so; its code was not read again.
	Published Evidence = "published"
	// Ours: tokscope itself.
	Ours Evidence = "tokscope"
)

// AnyAPI is the API of a rule that is for all.
const AnyAPI = "any"

// Reads reports whether r is for a stream in that API.
func (r *Rule) Reads(api string) bool { return r.API == api || r.API == AnyAPI }

// Rule is a tool's definitions. TTFT is from Sent to First.
type Rule struct {
	Tool string `json:"tool"`
	// Versions are those that the rule holds for; Before: those before it. Source
	// is where in the tool's code or documentation it stands.
	Versions string   `json:"versions"`
	Before   bool     `json:"before_these_versions"`
	Source   string   `json:"source"`
	Evidence Evidence `json:"known_by"`
	// API is the one whose streams the rule is for: "" is chat completions, AnyAPI all.
	API string `json:"api,omitempty"`
	// Starts are the events that start the clock of TTFT, Counts those that are
	// chunks: their last one is Last, and gaps are between them. The first event
	// of Starts is one of Counts.
	Starts, Counts Pick
	ITL, TPOT      Span
	// Speed is tokens per second of one user: its divisor over its time.
	Speed Span
	// Latency is where end-to-end latency ends.
	Latency Moment
	// NoUsage replaces Usage in all spans where the server sent none.
	NoUsage Moment
	Count   Count
	// Without is the source of n without the server's usage.
	Without Count
	// GapPool joins the ITL of many requests, Quantile gives percentiles.
	GapPool  Pool     `json:"itl_pooled_over"`
	Quantile Quantile `json:"percentiles"`
}
