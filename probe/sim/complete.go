package sim

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// job is one HTTP request on its way through an engine.
type job struct {
	id      string
	created int64
	model   string
	req     *request
	d       *driver
	prompt  int // tokens
	out     *outbox
	plans   []*choicePlan
	engine  []*engine.Request // owned by the engine once submitted
	last    []engine.Request  // the newest copy of each
	times   phaseTimes        // of the first choice, once it has ended
	sent    []int             // tokens passed on, per choice
	truth   bool
	batch   float64 // sum over steps of the sequences that decoded
	steps   int
	sc      *Scenario // never nil
}

// contextOf returns the longest prompt and output together, in tokens.
func contextOf(s *physics.Setup) int {
	return min(s.Model.Context, s.Capacity-physics.Block)
}

// complete serves both completion routes.
func (s *Server) complete(w http.ResponseWriter, r *http.Request, chat bool) {
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(bodyTimeout)) // not every writer has deadlines
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	_ = rc.SetReadDeadline(time.Time{})
	if err != nil {
		var big *http.MaxBytesError
		if errors.As(err, &big) {
			newError(http.StatusRequestEntityTooLarge, "invalid_request_error", "", "the body is larger than %d bytes", maxBody).write(w)
			return
		}
		badRequest("", "the body could not be read").write(w)
		return
	}
	sc, err := s.scenario(r)
	if err != nil {
		badRequest("X-Sim-Scenario", "%v", err).write(w)
		return
	}
	if s.fault(w, r, sc) {
		return
	}
	req, apiErr := parseRequest(body, chat)
	if apiErr != nil {
		apiErr.write(w)
		return
	}
	j, apiErr := s.newJob(req, sc)
	if apiErr != nil {
		apiErr.write(w)
		return
	}
	asked := r.Header.Get("X-Sim-Truth")
	j.truth = asked != "" && asked != "queue" // of every step; the queue is told to both
	// The choices of a request wait together: the first speaks for all.
	j.engine[0].User.(*requestRef).truth = asked != "" && req.Stream
	if err := j.d.submit(j.engine); err != nil {
		refused(err).write(w)
		return
	}
	defer j.d.cancel(j.engine)
	w.Header().Set("X-Request-Id", j.id)
	w.Header().Set("X-Sim-Setup", j.d.id)
	if p := j.d.pacing(); p.Overloaded() {
		w.Header().Set("X-Sim-Behind-Ms", strconv.FormatInt(p.Lag().Milliseconds(), 10))
	}
	if req.Stream {
		j.stream(w, rc, r.Context())
	} else {
		j.answer(w, rc, r.Context())
	}
}

// scenario returns the scenario that the request names, or the server's.
func (s *Server) scenario(r *http.Request) (*Scenario, error) {
	sc, err := ScenarioOf(r.Header.Get("X-Sim-Scenario"))
	if sc == nil && err == nil {
		sc = s.defaultScenario
	}
	return sc, err
}

// refused turns what the engine says about a request into an API error.
func refused(err error) *apiError {
	switch {
	case errors.Is(err, engine.ErrQueueFull):
		return newError(http.StatusServiceUnavailable, "server_error", "queue_full", "too many requests are waiting")
	case errors.Is(err, engine.ErrTooLong): // the engine was changed since the request was checked
		return newError(http.StatusBadRequest, "invalid_request_error", "context_length_exceeded", "the engine was changed: %v", err)
	case errors.Is(err, errClosed):
		return closing()
	}
	return newError(http.StatusInternalServerError, "server_error", "", "%v", err)
}

// newJob counts the prompt and plans what will be said.
func (s *Server) newJob(req *request, sc *Scenario) (*job, *apiError) {
	d, apiErr := s.driver(req.Model)
	if apiErr != nil {
		return nil, apiErr
	}
	all, last := req.promptText()
	prompt, hashes := blocks(all)
	prompt = max(prompt, req.ids, 1)
	d.mu.Lock()
	setup, alone := d.setup, d.noPrefix // a lab may change them at any time
	d.mu.Unlock()
	if alone {
		hashes = nil
	}
	most := contextOf(setup)
	if prompt >= most || prompt+req.limit() > most {
		return nil, newError(http.StatusBadRequest, "invalid_request_error", "context_length_exceeded",
			"this model's maximum context length is %d tokens; the request has %d in its prompt and asks for %d more", most, prompt, req.limit())
	}
	number := s.ids.Add(1)
	prefix := "chatcmpl-"
	if !req.chat {
		prefix = "cmpl-"
	}
	j := &job{id: prefix + strconv.FormatUint(number, 10), created: time.Now().Unix(), model: d.id, req: req, d: d, prompt: prompt, out: newOutbox(), sc: sc}
	if sc.hostile {
		j.model += hostileModel
	}
	seed := s.o.Seed
	if req.Seed != nil {
		seed += uint64(*req.Seed)
	}
	for i := range req.choices() {
		text := newChoicePlan(req, &setup.Model, last, seed, i, most-prompt, sc)
		j.plans = append(j.plans, text)
		j.engine = append(j.engine, &engine.Request{Prompt: prompt, Output: text.total, Blocks: hashes, User: &requestRef{out: j.out, id: j.id, choice: i}})
	}
	j.last = make([]engine.Request, len(j.plans))
	j.sent = make([]int, len(j.plans))
	return j, nil
}
