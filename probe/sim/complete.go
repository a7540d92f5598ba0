package sim

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"tokscope/metrics"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// job is one HTTP request that an engine serves.
type job struct {
	id      string
	created int64
	model   string
	req     *request
	d       *driver
	words   *vocabulary
	prompt  int // tokens of all prompts
	out     *outbox
	plans   []*choicePlan
	engine  []*engine.Request // owned by the engine once submitted
	last    []engine.Request  // the newest copy of each
	times   phaseTimes        // of the first choice, known at its end
	sent    []int             // tokens passed on, per choice
	truth   bool
	batch   float64 // sum over steps of the decoding sequences
	steps   int
	sc      *Scenario // never nil
	// recorded is the stream that is answered instead of an engine's; nil for none.
	recorded *metrics.Stream
}

// contextOf returns the longest prompt and output together, in tokens.
func contextOf(s *physics.Setup) int {
	return min(s.Model.Context, s.Longest()-physics.Block)
}

// complete serves the routes that answer a prompt. req has what is not in
// the body.
func (s *Server) complete(w http.ResponseWriter, r *http.Request, req *request) *apiError {
	rc := http.NewResponseController(w)
	if !s.budgets.requests.TryAcquire(1) {
		return busy("too many requests at once: %d are being answered. Try again later", maxRequests)
	}
	defer s.budgets.requests.Release(1)
	body, release, apiErr := s.body(w, r)
	defer release()
	if apiErr != nil {
		return apiErr
	}
	sc, err := s.scenario(r)
	if err != nil {
		return badRequest("X-Sim-Scenario", "%v", err)
	}
	if s.fault(w, r, sc, req.api) {
		return nil
	}
	req.strict = sc.strict
	if apiErr := req.parse(body); apiErr != nil {
		return apiErr
	}
	j, apiErr := s.newJob(req, sc)
	body = nil
	release()
	if apiErr != nil {
		return apiErr
	}
	if !s.budgets.tokens.TryAcquire(int64(j.prompt)) {
		return busy("too many prompt tokens at once: the limit is %d over all open requests. Try again later",
			maxPromptTokens)
	}
	defer s.budgets.tokens.Release(int64(j.prompt))
	asked := r.Header.Get("X-Sim-Truth")
	j.truth = asked != "" && asked != "queue" // truth of every step; queue state is reported for any value
	// The choices of a request wait together, so only the first reports the
	// queue.
	j.engine[0].User.(*requestRef).truth = asked != "" && req.stream
	if err := j.d.submit(j.engine); err != nil {
		return refused(err)
	}
	defer j.d.cancel(j.engine)
	w.Header().Set(req.api.idHeader, j.id)
	w.Header().Set("X-Sim-Setup", j.d.id)
	if p := j.d.pacing(); p.Overloaded() {
		w.Header().Set("X-Sim-Behind-Ms", strconv.FormatInt(p.Lag().Milliseconds(), 10))
	}
	if !req.stream {
		return j.answer(w, rc, r.Context())
	}
	j.stream(w, rc, r.Context())
	return nil
}

// scenario returns the scenario that the request names, or the server's.
func (s *Server) scenario(r *http.Request) (*Scenario, error) {
	sc, err := ScenarioOf(r.Header.Get("X-Sim-Scenario"))
	switch {
	case err != nil:
		return nil, err
	case sc == nil:
		return s.defaultScenario, nil
	case len(sc.slower) > 0:
		return nil, errors.New("from … slower changes the server for everybody: start it with serve --scenario")
	}
	return sc, nil
}

// refused turns an engine error about a request into an API error.
func refused(err error) *apiError {
	switch {
	case errors.Is(err, engine.ErrQueueFull):
		e := busy("too many requests are waiting. Try again later")
		e.Code = new("queue_full")
		return e
	case errors.Is(err, engine.ErrTooLong): // the engine changed after the request was checked
		return newError(http.StatusBadRequest, "context_length_exceeded", "the engine was changed: %v", err)
	case errors.Is(err, errClosed):
		return closing()
	}
	return newError(http.StatusInternalServerError, "", "%v", err)
}

// newJob counts the tokens of the prompts and plans the choices.
func (s *Server) newJob(req *request, sc *Scenario) (*job, *apiError) {
	d, apiErr := s.driver(req.model)
	if apiErr != nil {
		return nil, apiErr
	}
	prompts := req.count(s.words)
	d.mu.Lock()
	setup, alone := d.setup, d.noPrefix // a steered engine may change them at any time
	d.mu.Unlock()
	most := contextOf(setup)
	for _, p := range prompts {
		if p.tokens >= most || p.tokens+req.maxTokens > most {
			return nil, newError(http.StatusBadRequest, "context_length_exceeded",
				"this model's maximum context length is %d tokens; the request has %d in its prompt and asks for %d more",
				most, p.tokens, req.maxTokens)
		}
	}
	number := s.ids.Add(1)
	j := &job{id: req.api.prefix + strconv.FormatUint(number, 10), created: time.Now().Unix(),
		model: d.id, req: req, d: d, words: s.words, out: newOutbox(), sc: sc}
	if sc.hostile {
		j.model += hostileModel
	}
	seed := s.o.Seed + uint64(req.seed)
	for _, p := range prompts {
		j.prompt += p.tokens
		if alone {
			p.hashes = nil
		}
		group := &siblings{n: req.n, open: req.n}
		for i := range req.n {
			plan, apiErr := newChoicePlan(req, &setup.Model, p.last, seed, i, most-p.tokens, sc)
			if apiErr != nil {
				return nil, apiErr
			}
			ref := &requestRef{out: j.out, id: j.id, choice: len(j.plans),
				finish: plan.finish, limit: req.maxTokens, siblings: group}
			j.engine = append(j.engine,
				&engine.Request{Prompt: p.tokens, Output: plan.total, Blocks: p.hashes, Uncached: alone, User: ref})
			j.plans = append(j.plans, plan)
		}
	}
	req.messages, req.prompts, req.tools = nil, nil, nil // a long prompt is not kept while it is answered
	j.last = make([]engine.Request, len(j.plans))
	j.sent = make([]int, len(j.plans))
	return j, nil
}
