package loadstat

import (
	"time"

	"tokscope/metrics"
)

// ServerCounts is what a server's own /metrics page said at one moment. A
// figure that the page does not have is unknown. Counters run since the
// server's start and count the requests of all its clients.
type ServerCounts struct {
	At   metrics.Stamp // when the page had arrived
	Wait time.Duration // how long the page took; the figures are of a moment in it
	From string        // whose names the page uses: "vllm", "sglang", "llamacpp", "tgi"; "" when nothing was read

	Running metrics.Value `json:"running"`       // requests in the batch
	Waiting metrics.Value `json:"waiting"`       // requests in the queue
	KV      metrics.Value `json:"kv_cache_used"` // share of the cache in use, 0 to 1

	// Counters.
	Requests     metrics.Value `json:"requests"` // ended
	Preemptions  metrics.Value `json:"preemptions"`
	Prompt       metrics.Value `json:"prompt_tokens"`
	Output       metrics.Value `json:"output_tokens"`
	CacheQueries metrics.Value `json:"prefix_cache_queries"` // prompt tokens looked for in the prefix cache
	CacheHits    metrics.Value `json:"prefix_cache_hits"`    // of these, found
	// Sums and counts of histograms, in seconds and events.
	TTFTSum, TTFTCount metrics.Value
	ITLSum, ITLCount   metrics.Value
}

// IsZero reports whether nothing was read: the counts are absent in JSON, which does
// not have From.
func (c *ServerCounts) IsZero() bool {
	return c.From == "" && !c.Running.OK && !c.Waiting.OK && !c.KV.OK && !c.Requests.OK
}

// ServerStep is what a server's own /metrics page said before and after a
// step. The step includes the time in which users join, which the window of
// its point leaves out.
type ServerStep struct {
	Before ServerCounts `json:"before,omitzero"`
	After  ServerCounts `json:"after,omitzero"`
	Why    string       `json:"unread,omitempty"` // why one of them was not read; "" when both were
	// Requests and Output are what this program counted in the same time:
	// requests that ended, whatever their end, and output tokens received.
	Requests int     `json:"requests_by_tokscope"`
	Output   float64 `json:"output_tokens_received" form:"null=inf"`
}

// Change returns how much a counter grew over the step. It is unknown where
// one of the moments is, and where the counter fell: then the server was
// started again.
func (s *ServerStep) Change(of func(*ServerCounts) metrics.Value) metrics.Value {
	if s.Before.From == "" || s.After.From == "" {
		return metrics.Unknown(metrics.WhyNoPage)
	}
	a, b := of(&s.Before), of(&s.After)
	switch {
	case !a.OK || !b.OK:
		return metrics.Unknown(metrics.WhyNotOnPage)
	case b.V < a.V:
		return metrics.Unknown(metrics.WhyCounterFell)
	}
	return metrics.Known(b.V-a.V, 0)
}

// Blur returns the share of the step in which the pages were on their way.
// Counts of the server and of this program can differ by as much.
func (s *ServerStep) Blur() float64 {
	d, ok := s.After.At.Sub(s.Before.At)
	if !ok || d <= 0 {
		return 0
	}
	return float64(s.Before.Wait+s.After.Wait) / float64(d)
}

// StepExtra is what a sweep knows of a step beyond the figures of its window.
// It covers the whole step, the time in which users join included.
type StepExtra struct {
	Server  ServerStep
	Lengths Lengths
	// AllFailed: requests failed, none ended well, and none was answered at the end
	// of the step.
	AllFailed    bool
	ClientLimits ClientLimit // why this program limited the load at the end of the step; zero when it did not
}

// Lengths are asked and counted lengths of the requests of a step that ended
// well. A prompt is asked for by --input-tokens, an answer by its limit; the server
// counts both.
type Lengths struct{ Prompts, Answers LengthSum }

// LengthSum has the tokens of N requests of which both lengths are known.
type LengthSum struct {
	N              int
	Asked, Counted float64
}

// Add adds the lengths of an ended request. Requests that did not end well do
// not count.
func (l *Lengths) Add(v *metrics.Stream) {
	if v.State != metrics.Done {
		return
	}
	if asked, counted := v.Work.InputTokens, v.Usage.Prompt; asked > 0 && counted > 0 {
		l.Prompts.add(LengthSum{1, float64(asked), float64(counted)})
	}
	if asked, counted := v.Work.MaxTokens, v.Usage.Completion; asked > 0 && counted >= 0 {
		l.Answers.add(LengthSum{1, float64(asked), float64(counted)})
	}
}

// Merge adds the sums of o.
func (l *Lengths) Merge(o *Lengths) {
	l.Prompts.add(o.Prompts)
	l.Answers.add(o.Answers)
}

// Since returns the sums without those of before, an earlier state of l.
func (l Lengths) Since(before Lengths) Lengths {
	before.Prompts.negate()
	before.Answers.negate()
	l.Merge(&before)
	return l
}

func (s *LengthSum) negate() { s.N, s.Asked, s.Counted = -s.N, -s.Asked, -s.Counted }

func (s *LengthSum) add(o LengthSum) {
	s.N, s.Asked, s.Counted = s.N+o.N, s.Asked+o.Asked, s.Counted+o.Counted
}

// Means returns the mean lengths; unknown without a request.
func (s *LengthSum) Means() (asked, counted metrics.Value) {
	if s.N == 0 {
		return metrics.Unknown(metrics.WhyNoLength), metrics.Unknown(metrics.WhyNoLength)
	}
	n := float64(s.N)
	return metrics.Known(s.Asked/n, s.N), metrics.Known(s.Counted/n, s.N)
}
