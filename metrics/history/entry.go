package history

import (
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
)

// Figure is one of the figures that the history keeps of a request: those before
// figure.Kept.
type Figure = figure.ID

// The figures, in the order of a request.
const (
	DNS        = figure.DNS
	TCP        = figure.TCP
	TLS        = figure.TLS
	Upload     = figure.Upload
	TTFB       = figure.TTFB
	Queue      = figure.Queue
	Prefill    = figure.Prefill
	TTFT       = figure.TTFT
	TTFC       = figure.TTFC
	TPOT       = figure.TPOT
	Longest    = figure.Longest
	Total      = figure.Total
	Speed      = figure.Speed
	Throughput = figure.Throughput
	// NumFigures is their number.
	NumFigures = figure.Kept
)

// FiguresOf returns the figures of a request.
func FiguresOf(s *metrics.Stream, f *metrics.Figures) (out Figures) {
	for id := range figure.Kept {
		out[id] = figure.Of(id).Value(s, f)
	}
	return out
}

// Figures holds one value of each figure. An unknown one is not OK.
type Figures [NumFigures]metrics.Value

// Keys returns the names of the figures in JSON.
func (*Figures) Keys() []string {
	keys := make([]string, NumFigures)
	for f := range keys {
		keys[f] = figure.Of(Figure(f)).Key
	}
	return keys
}

// Kind says what an entry was measured by. Its values are those of the store.
type Kind string

// The kinds.
const (
	Run   Kind = "run"   // the Live screen
	Probe Kind = "probe" // tokscope probe
	Race  Kind = "race"  // one request of a race
	Point Kind = "point" // a point of a load or a step of a sweep: N requests, medians
	Watch Kind = "watch" // a probe of a watch
	Tap   Kind = "tap"   // a turn of an agent behind a tap
	// Session is a request of an imported session file, which does not say the
	// command.
	Session Kind = "session"
)

// Entry is what the history keeps of one request, or of one point of a load.
type Entry struct {
	// ID is unique over all machines and ascends with time on one of them.
	ID string `json:"id"`
	// At is when the request was sent, UTC; of a point, when its window began.
	At   time.Time `json:"at"`
	Kind Kind      `json:"kind"`
	// Group is shared by the requests of one invocation: a probe, a race, a load.
	Group  string `json:"group,omitempty"`
	Series Series `json:"series"`
	// Answered is the model's name in the answer, "" when it did not say.
	Answered string `json:"model_reported,omitempty"`

	State   metrics.State     `json:"state"`
	Fault   metrics.FaultKind `json:"fault,omitempty"`  // of a request that did not end well
	Status  int               `json:"status,omitempty"` // of HTTP, of a fault; 0 without one
	Figures Figures           // of a point, medians
	// Prompt and Output are tokens as the server counted them.
	Prompt metrics.Value `json:"prompt_tokens" form:"bare"`
	Output metrics.Value `json:"output_tokens" form:"bare"`
	Stalls int           `json:"stalls"`
	// N is how many requests the entry stands for, Failed how many of them did
	// not end well. A request has N 1.
	N      int `json:"requests"`
	Failed int `json:"failed"`
	// Suspect reports figures that the measurement spoiled: buffering, a cache,
	// tokscope's own lag. They are kept and stay out of baselines and changes.
	Suspect bool                `json:"suspect,omitempty"`
	Unended metrics.SuspectCode `json:"end_marker_missing,omitempty"` // metrics.Connection.Unended; spoils no figure

	// Session is the path of the session file and Request the request's number
	// in it; "" without a recording.
	Session string `json:"session,omitempty"`
	Request int    `json:"request,omitempty"`
	Version string `json:"version"` // of tokscope
}

// EntryOf returns what an ended request itself says of its entry.
func EntryOf(s *metrics.Stream, f *metrics.Figures) Entry {
	e := Entry{Answered: s.Model, State: s.State, Prompt: f.PromptTokens, Output: f.Tokens, Stalls: len(f.Stalls),
		N: 1, Request: s.ID, Unended: s.Conn.Unended(), Figures: FiguresOf(s, f)}
	if s.Fault != nil {
		e.Fault, e.Status = s.Fault.Kind, s.Fault.Status
	}
	if f.TokenSource == metrics.TokensEstimated {
		e.Output = metrics.Unknown(metrics.WhyNoServerTokens)
	}
	return e
}

// Estimated reports whether a figure of a request rests on a count of tokens that no
// server gave: TPOT and speeds without Output. A point does not say it.
func (e *Entry) Estimated(f Figure) bool {
	return e.Kind != Point && !e.Output.OK && (f == TPOT || f == Speed || f == Throughput)
}

// Series is what must be equal for entries to be compared. It is comparable
// and can be a key of a map.
type Series struct {
	// Machine is the name of who measured.
	Machine string `json:"machine"`
	// Endpoint is the endpoint's name and URL its base without userinfo.
	Endpoint string `json:"endpoint"`
	URL      string `json:"url"`
	// API is the one that the requests were in, "" for chat completions.
	API   string `json:"api,omitempty"`
	Model string `json:"model"`
	// Workload is the preset's name or "custom", and Prompt a digest of the
	// prompt that tells two custom ones apart without keeping either.
	Workload string `json:"workload"`
	Prompt   string `json:"prompt_digest,omitempty"`
	// InputTokens and MaxTokens are those asked for, 0 for none.
	InputTokens int `json:"input_tokens_asked,omitempty"`
	MaxTokens   int `json:"max_tokens,omitempty"`
	// Settings are the headers and fields of the body beyond the workload, without
	// secrets; "" for none.
	Settings string `json:"settings,omitempty"`
	// Cold reports a new connection for each request.
	Cold  bool   `json:"cold,omitempty"`
	Proto string `json:"protocol,omitempty"`
	Proxy string `json:"proxy,omitempty"`
	// Tier is the service tier that served, "" where the answers do not say.
	Tier string `json:"tier,omitempty"`
	// Lane is the setting for which a race restarted the server; else "".
	Lane string `json:"lane,omitempty"`
	// Users is how many requests ran at the same time, 0 in an open loop.
	Users int `json:"users"`
	// Rate is that of an open loop's arrivals, requests per second; else 0.
	Rate float64 `json:"rate,omitempty"`
}

// Of reports whether the series is of e and its model, "" for any.
func (s *Series) Of(e *metrics.Endpoint) bool {
	of := metrics.Endpoint{URL: s.URL, API: s.API}
	if e.Kind == metrics.EndpointEmbedded {
		of.URL = e.URL // its port is another one each time
	}
	return s.Endpoint == e.Name && of.Same(e) && (s.Model == e.Model || e.Model == "")
}
