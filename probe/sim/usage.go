package sim

import "strconv"

// usage appends the usage so far, in OpenAI's shape.
func (j *job) usage(b []byte) []byte {
	out, thought := 0, 0
	for i, n := range j.sent {
		out += n
		thought += min(n, j.plans[i].thought)
	}
	cached := 0
	for i := 0; i < len(j.last); i += j.req.n { // the first choice of each prompt
		cached += j.last[i].Cached
	}
	b = strconv.AppendInt(append(b, `{"prompt_tokens":`...), int64(j.prompt), 10)
	b = strconv.AppendInt(append(b, `,"total_tokens":`...), int64(j.prompt+out), 10)
	b = strconv.AppendInt(append(b, `,"completion_tokens":`...), int64(out), 10)
	b = strconv.AppendInt(append(b, `,"prompt_tokens_details":{"cached_tokens":`...), int64(cached), 10)
	b = append(b, '}')
	if thought > 0 {
		b = strconv.AppendInt(append(b, `,"completion_tokens_details":{"reasoning_tokens":`...), int64(thought), 10)
		b = append(b, '}')
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
	r := &j.last[0]
	ms := func(name string, seconds float64) {
		b = append(b, '"')
		b = append(b, name...)
		b = strconv.AppendFloat(append(b, `":`...), seconds*1e3, 'f', 3, 64)
		b = append(b, ',')
	}
	b = append(b, '{')
	t := &j.times
	ms("time_to_first_token_ms", t.ttft())
	ms("frontend_time_ms", t.front)
	ms("queue_time_ms", t.queue)
	ms("prefill_time_ms", t.prefill)
	ms("generation_time_ms", t.decode)
	ms("mean_itl_ms", t.tpot(r))
	if j.steps > 0 { // mean number of sequences per decode step
		b = strconv.AppendFloat(append(b, `"mean_batch":`...), j.batch/float64(j.steps), 'f', 2, 64)
		b = append(b, ',')
	}
	speed := 0.0
	if t := t.tpot(r); t > 0 {
		speed = 1 / t
	}
	b = strconv.AppendFloat(append(b, `"tokens_per_second":`...), speed, 'f', 2, 64)
	if r.Guessed > 0 {
		b = strconv.AppendFloat(append(b, `,"speculative_decoding":{"mean_acceptance_length":`...),
			float64(r.Produced)/float64(r.Steps), 'f', 3, 64)
		b = strconv.AppendInt(append(b, `,"num_draft_tokens":`...), int64(r.Guessed), 10)
		b = append(b, '}')
	}
	return append(b, '}')
}
