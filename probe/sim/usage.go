package sim

import (
	"fmt"

	"tokscope/metrics"
	"tokscope/probe/sim/engine"
)

// counts returns the tokens so far.
func (j *job) counts() metrics.Usage {
	if j.recorded != nil {
		return j.recorded.Usage
	}
	u := metrics.Usage{Prompt: j.prompt}
	for i, n := range j.sent {
		u.Completion += n
		u.Reasoning += min(n, j.plans[i].thought)
	}
	for i := 0; i < len(j.last); i += j.req.n { // the first choice of each prompt
		u.Cached += j.last[i].Cached
	}
	u.Total = u.Prompt + u.Completion
	return u
}

// usage appends the usage so far, in OpenAI's shape.
func (j *job) usage(b []byte) []byte {
	u := j.counts()
	if u.Prompt < 0 && u.Completion < 0 {
		return append(b, "null"...)
	}
	b = fmt.Appendf(b, `{"prompt_tokens":%s,"total_tokens":%s,"completion_tokens":%s,`+
		`"prompt_tokens_details":{"cached_tokens":%s}`, known(u.Prompt), known(u.Total), known(u.Completion), known(u.Cached))
	if u.Reasoning > 0 {
		b = fmt.Appendf(b, `,"completion_tokens_details":{"reasoning_tokens":%d}`, u.Reasoning)
	}
	return append(b, '}')
}

// note records what one step yielded.
func (j *job) note(a *arrival) {
	j.last[a.choice] = a.req
	if a.choice == 0 && a.times != nil {
		j.times = *a.times
	}
	if a.step.decodes > 0 {
		j.batch += float64(a.step.decodes)
		j.steps++
	}
}

// metrics appends the server's timings of the request, with vLLM's names
// where vLLM has them. They are milliseconds of wall time, slow motion
// included.
//
//	time_to_first_token_ms = frontend_time_ms + queue_time_ms + prefill_time_ms
func (j *job) metrics(b []byte) []byte {
	r, t := &j.last[0], &j.times
	tpot, speed := t.tpot(r), 0.0
	if tpot > 0 {
		speed = 1 / tpot
	}
	b = fmt.Appendf(b, `{"time_to_first_token_ms":%.3f,"frontend_time_ms":%.3f,"queue_time_ms":%.3f,`+
		`"prefill_time_ms":%.3f,"generation_time_ms":%.3f,"mean_itl_ms":%.3f`,
		t.ttft()*1e3, t.front*1e3, t.queue*1e3, t.prefill*1e3, t.decode*1e3, tpot*1e3)
	if j.steps > 0 { // mean number of sequences per decode step
		b = fmt.Appendf(b, `,"mean_batch":%.2f`, j.batch/float64(j.steps))
	}
	b = fmt.Appendf(b, `,"tokens_per_second":%.2f`, speed)
	if r.Guessed > 0 {
		b = fmt.Appendf(b, `,"speculative_decoding":{"mean_acceptance_length":%.3f,"num_draft_tokens":%d}`,
			float64(r.Produced)/float64(r.Steps), r.Guessed)
	}
	return append(b, '}')
}

// phaseTimes splits a request's duration, in seconds of wall time. It
// includes slow motion and pauses.
type phaseTimes struct {
	front, queue, prefill, decode float64
}

// ttft returns the time from arrival to the first token.
func (t *phaseTimes) ttft() float64 { return t.front + t.queue + t.prefill }

// tpot returns the mean time per token after the first, 0 with fewer than
// two.
func (t *phaseTimes) tpot(r *engine.Request) float64 {
	if r.Produced < 2 {
		return 0
	}
	return t.decode / float64(r.Produced-1)
}

func phaseTimesOf(c *clock, r *engine.Request) *phaseTimes {
	begun := r.Ready + r.Queued() // as if it had been computed in one piece
	return &phaseTimes{c.span(r.Arrive, r.Ready), c.span(r.Ready, begun), c.span(begun, r.First), c.span(r.First, r.Last)}
}
