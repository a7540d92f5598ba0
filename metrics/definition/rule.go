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

// String returns the moment's name in JSON.
func (m Moment) String() string {
	return [...]string{"", "sent", "first", "last", "finish", "usage", "done", "end"}[m]
}

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

// String returns the divisor's name in JSON.
func (p Per) String() string {
	return [...]string{"", "n", "n-1", "chunks-1", "lines", "n after first"}[p]
}

// Span is a time between two moments, divided. The zero Span is no figure.
type Span struct {
	From, To Moment
	Per      Per
}

// Count says where a rule's n comes from.
type Count uint8

// The sources of n.
const (
	// Uncounted: no figure of the rule needs n.
	Uncounted Count = iota
	// ByUsage: the server's usage; the rule's Without if the server sent no usage.
	ByUsage
	// ByTokenizer: the tool tokenizes the text itself.
	ByTokenizer
	// ByChunks: each chunk is a token.
	ByChunks
	// ByAsked: the number of tokens that was asked for.
	ByAsked
)

// String returns the source's name in JSON.
func (c Count) String() string {
	return [...]string{"", "usage", "own_tokenizer", "chunks", "asked"}[c]
}

// Pool says how a tool joins the values of many requests.
type Pool uint8

// The ways.
const (
	PoolNone     Pool = iota // the tool gives no distribution
	PoolRequests             // one value a request
	PoolGaps                 // all gaps of all requests: long answers weigh more
	PoolTokens               // one value a request, weighted by its tokens
)

// String returns the way's name in JSON.
func (p Pool) String() string { return [...]string{"", "requests", "gaps", "tokens"}[p] }

// Quantile names a method of percentiles.
type Quantile uint8

// The methods.
const (
	QuantileNone    Quantile = iota
	QuantileLinear           // between the two nearest ranks: numpy's and pandas' default
	QuantileNearest          // the smallest value that the share of values does not exceed
	QuantileBest             // the smallest value alone
	QuantileMean             // no percentile: mean and standard deviation
	QuantileLower            // the lower of the two nearest ranks
)

// String returns the method's name in JSON.
func (q Quantile) String() string {
	return [...]string{"", "linear", "nearest_rank", "best", "mean", "lower"}[q]
}

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
