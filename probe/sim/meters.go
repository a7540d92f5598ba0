package sim

import (
	"slices"
	"sync"
	"time"

	"tokscope/probe/sim/engine"
)

// Bounds of the histograms' buckets, as in vLLM: times in seconds, steps in
// tokens.
var (
	ttftBounds = []float64{.001, .005, .01, .02, .04, .06, .08, .1,
		.25, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560}
	itlBounds  = []float64{.01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80}
	timeBounds = []float64{.3, .5, .8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680}
	stepBounds = []float64{1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384}
	nBounds    = []float64{1, 2, 5, 10, 20}
)

// tokenBounds returns vLLM's bounds of tokens per request: 1, 2, 5, 10 … up
// to the longest context.
func tokenBounds(most int) (list []float64) {
	for power := 1; ; power *= 10 {
		for _, m := range [...]int{1, 2, 5} {
			if m*power > most {
				return list
			}
			list = append(list, float64(m*power))
		}
	}
}

// endings are the reasons with which vLLM counts ended requests.
var endings = [...]string{"stop", "length", "abort", "error"}

const (
	endedStop = iota
	endedLength
	endedAbort
	endedError
)

// counters are the counters of /metrics for one engine that the engine itself
// does not have.
type counters struct {
	ended    [len(endings)]uint64
	queried  uint64 // prompt tokens looked for in the prefix cache
	hit      uint64 // of these, found
	drafts   uint64 // steps of a request with guesses
	guessed  uint64 // tokens
	accepted uint64 // of these
}

// meters holds the counters and histograms of /metrics for one engine. Times
// are seconds of wall time, slow motion included.
type meters struct {
	created time.Time // immutable

	mu sync.Mutex
	counters
	prompts, outputs, computed, longest, limits histogram // tokens of a request
	choices, steps, ttft, itl, tpot             histogram
	whole, queue, inference, prefill, decode    histogram
	histograms                                  []*histogram // all of them, in the order of the page
}

// newMeters returns the meters of an engine whose longest context has most
// tokens.
func newMeters(most int) *meters {
	m := &meters{created: time.Now()}
	tokens := tokenBounds(most)
	add := func(h *histogram, name string, bounds []float64, help string) {
		*h = histogram{name: name, help: help, bounds: bounds, counts: make([]uint64, len(bounds)+1)}
		m.histograms = append(m.histograms, h)
	}
	add(&m.prompts, "request_prompt_tokens", tokens, "Prompt tokens per request.")
	add(&m.outputs, "request_generation_tokens", tokens, "Tokens produced per request.")
	add(&m.computed, "request_prefill_kv_computed_tokens", tokens, "Prompt tokens per request that were not in the cache.")
	add(&m.longest, "request_max_num_generation_tokens", tokens, "Tokens of the longest choice of a prompt.")
	add(&m.choices, "request_params_n", nBounds, "Choices per prompt.")
	add(&m.limits, "request_params_max_tokens", tokens, "Limit of tokens per request.")
	add(&m.steps, "iteration_tokens_total", stepBounds, "Tokens of prompts and answers per step.")
	add(&m.ttft, "time_to_first_token_seconds", ttftBounds, "Arrival to first token.")
	add(&m.itl, "inter_token_latency_seconds", itlBounds, "Time between the steps that yielded tokens of a request.")
	add(&m.tpot, "request_time_per_output_token_seconds", itlBounds, "Mean time per token after the first, per request.")
	add(&m.whole, "e2e_request_latency_seconds", timeBounds, "Arrival to last token.")
	add(&m.queue, "request_queue_time_seconds", timeBounds, "Time in queues before the first token.")
	add(&m.inference, "request_inference_time_seconds", timeBounds, "Prefill and decode.")
	add(&m.prefill, "request_prefill_time_seconds", timeBounds, "Steps that computed the prompt.")
	add(&m.decode, "request_decode_time_seconds", timeBounds, "First token to last.")
	return m
}

// step records the tokens of a step, of prompts and of answers.
func (m *meters) step(s *engine.Step) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.steps.add(float64(s.Prefilled + s.Tokens))
}

// end counts a request that ended before its last token.
func (m *meters) end(ending int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended[ending]++
}

// tokens records what one step yielded for one request. gap is the wall time
// in seconds since the request's previous tokens; the first tokens have none.
// t may be nil unless the tokens are the first or the last.
func (m *meters) tokens(y engine.Emission, s *requestRef, first bool, gap float64, t *phaseTimes) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := y.Request
	if first {
		m.ttft.add(t.ttft())
		if !r.Uncached {
			m.queried += uint64(r.Prompt)
			m.hit += uint64(r.Cached)
		}
	} else {
		m.itl.add(gap)
	}
	if guessed := r.Guessed - s.guessed; guessed > 0 {
		m.drafts++
		m.guessed += uint64(guessed)
		m.accepted += uint64(y.N - 1)
		s.guessed = r.Guessed
	}
	if r.Finished {
		m.finish(r, s, t)
	}
}

// finish records a request that has all its tokens. The caller holds mu.
func (m *meters) finish(r *engine.Request, s *requestRef, t *phaseTimes) {
	if s.finish == "length" {
		m.ended[endedLength]++
	} else {
		m.ended[endedStop]++
	}
	m.whole.add(t.ttft() + t.decode)
	m.queue.add(t.queue)
	m.inference.add(t.prefill + t.decode)
	m.prefill.add(t.prefill)
	m.decode.add(t.decode)
	m.tpot.add(t.tpot(r))
	m.prompts.add(float64(r.Prompt))
	m.computed.add(float64(r.Prompt - r.Cached))
	m.outputs.add(float64(r.Produced))
	if s.limit > 0 {
		m.limits.add(float64(s.limit))
	}
	if p := s.siblings; p != nil {
		p.longest = max(p.longest, r.Produced)
		if p.open--; p.open == 0 {
			m.longest.add(float64(p.longest))
			m.choices.add(float64(p.n))
		}
	}
}

// siblings are the choices of one prompt. They belong to the engine's
// goroutine.
type siblings struct {
	n, open int
	longest int // tokens of the longest so far
}

// histogram counts values by the smallest bound that is not below them. It is no
// distribution to take quantiles from (metrics.Sketch is) but a format: the
// buckets of a Prometheus histogram, with the bounds that vLLM exposes.
type histogram struct {
	name, help string // the name is without vllm:
	bounds     []float64
	counts     []uint64 // one more than bounds
	sum        float64
}

// add adds a value. The caller holds mu of the meters.
func (h *histogram) add(v float64) {
	i, _ := slices.BinarySearch(h.bounds, v)
	h.counts[i]++
	h.sum += v
}
