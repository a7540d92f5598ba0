package record

import (
	"io"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// DepthSchema names the format of the document of `tokscope sweep --depth --json`.
const DepthSchema = "tokscope/depth/v1"

// Depth is the output of `tokscope sweep --depth --json`: prefill and decode over
// the length of the prompt. Unknown figures are null, and unknown has the reason
// under the figure's name.
type Depth struct {
	Schema   string   `json:"schema"`
	Tool     Tool     `json:"tool"`
	Started  string   `json:"started"`
	Workload Workload `json:"workload"` // its length is that of each row
	Endpoint Endpoint `json:"endpoint"`
	Model    string   `json:"model_reported,omitempty"` // that answered last, by the server's name
	Users    int      `json:"users"`                    // prompts sent at the same time
	Requests int      `json:"requests"`                 // prompts of each depth; each is sent twice
	Asked    []int    `json:"depths"`                   // prompt tokens asked for
	// Context is the model's context in tokens as the server lists it; null for
	// unknown.
	Context *int       `json:"context_tokens"`
	Rows    []DepthRow `json:"rows"` // finished depths and those left out, in order
	// Fit is the TTFT of the cold requests of all depths by their prompt tokens.
	Fit SweepFit `json:"ttft_fit"`
	// Stopped says why depths are missing.
	Stopped     string   `json:"stopped,omitempty"`
	Interrupted bool     `json:"interrupted"`     // by a person
	Fault       *Fault   `json:"fault,omitempty"` // an example of a failed request; absent without one
	Tokens      float64  `json:"tokens_used"`     // prompt and output of everything sent
	Cost        *float64 `json:"cost"`            // in the currency of the prices; null without prices
	Currency    string   `json:"currency,omitempty"`
	Lag         Lag      `json:"lag"`    // of tokscope
	Stamps      string   `json:"stamps"` // who took them: kernel, user, body, mixed or none
}

// DepthRow is one depth.
type DepthRow struct {
	Depth int `json:"depth_tokens"` // prompt tokens asked for
	// LeftOut: prompt and answer exceed the model's context. Nothing was sent.
	LeftOut bool      `json:"exceeds_context"`
	Cold    DepthSide `json:"cold"` // prompts that were new to the server
	Warm    DepthSide `json:"warm"` // the same prompts again
	// TPOT and Speed are medians over the cold and the warm requests.
	TPOT      *float64 `json:"tpot_ms"`
	Speed     *float64 `json:"speed_tok_per_s"` // of one user
	N         int      `json:"n"`               // requests behind tpot_ms
	Estimated bool     `json:"tokens_estimated"`
	// Unknown has the reason of each null, by name.
	Unknown map[string]string `json:"unknown,omitempty"`
}

// DepthSide holds the medians over the cold or the warm requests of a depth.
type DepthSide struct {
	Prompt *float64 `json:"prompt_tokens"` // as the server counted them
	Cached *float64 `json:"cached_tokens"` // of these, found in the server's prefix cache
	TTFT   *float64 `json:"ttft_ms"`
	// Prefill is prompt tokens / TTFT. It counts cached tokens too.
	Prefill *float64 `json:"prefill_tok_per_s"`
	// N is the number of requests behind ttft_ms.
	N       int               `json:"n"`
	Ended   int               `json:"ended_well"`
	Failed  int               `json:"failed"`
	Unknown map[string]string `json:"unknown,omitempty"`
}

// WriteDepth writes the document of a sweep over prompt lengths.
func WriteDepth(w io.Writer, version string, started time.Time,
	p *loadstat.DepthPlan, o *loadstat.DepthOutcome, say Sentences) error {
	work := p.Work
	work.Concurrency, work.InputTokens = max(p.Users, 1), 0
	d := Depth{
		Schema: DepthSchema, Tool: toolOf(version),
		Started: started.UTC().Format(time.RFC3339Nano), Workload: workloadOf(work),
		Endpoint: endpointOf(o.Endpoint), Model: o.Model, Users: max(p.Users, 1),
		Requests: p.Requests, Asked: p.Depths, Rows: []DepthRow{},
		Fit: *sweepFitOf(&o.Fit, say), Stopped: say.ending(o.Stopped), Interrupted: o.Interrupted, Fault: faultOf(o.Fault),
		Tokens: o.Tokens, Cost: value(o.Cost), Currency: o.Currency,
		Lag: LagOf(o.Observer, metrics.Delay{}, say), Stamps: o.Stamps,
	}
	if o.Context > 0 {
		d.Context = &o.Context
	}
	for i := range o.Rows {
		d.Rows = append(d.Rows, depthRowOf(&o.Rows[i], say))
	}
	return writeDocument(w, &d)
}

func depthRowOf(r *loadstat.DepthRow, say Sentences) DepthRow {
	out := DepthRow{
		Depth: r.Depth, LeftOut: r.TooLong, Cold: depthSideOf(&r.Cold, say), Warm: depthSideOf(&r.Warm, say),
		TPOT: value(r.TPOT), Speed: value(r.Speed), N: r.TPOT.N, Estimated: r.Estimated,
	}
	out.Unknown = reasons(say, named{"tpot_ms", r.TPOT}, named{"speed_tok_per_s", r.Speed})
	return out
}

func depthSideOf(s *loadstat.DepthSide, say Sentences) DepthSide {
	return DepthSide{
		Prompt: value(s.Prompt), Cached: value(s.Cached), TTFT: value(s.TTFT),
		Prefill: value(s.Prefill), N: s.TTFT.N, Ended: s.Ended, Failed: s.Failed,
		Unknown: reasons(say, named{"prompt_tokens", s.Prompt}, named{"cached_tokens", s.Cached},
			named{"ttft_ms", s.TTFT}, named{"prefill_tok_per_s", s.Prefill}),
	}
}

// named is a figure with its name in a document.
type named struct {
	name string
	v    metrics.Value
}

// reasons returns the reason of each unknown figure, nil where all are known.
func reasons(say Sentences, all ...named) map[string]string {
	var out map[string]string
	for _, x := range all {
		if x.v.OK {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[x.name] = say.why(x.v.Why)
	}
	return out
}
