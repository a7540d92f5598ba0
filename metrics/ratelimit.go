package metrics

import "time"

// RateLimit holds the values of the rate-limit headers. -1 means not given.
type RateLimit struct {
	LimitRequests     int           `json:"limit_requests" form:"null=neg"`
	RemainingRequests int           `json:"remaining_requests" form:"null=neg"`
	ResetRequests     time.Duration `json:"reset_requests_ms" form:"null=neg"` // from the answer on
	LimitTokens       int           `json:"limit_tokens" form:"null=neg"`
	RemainingTokens   int           `json:"remaining_tokens" form:"null=neg"`
	ResetTokens       time.Duration `json:"reset_tokens_ms" form:"null=neg"`
}

// UsedUp returns how long nothing is left of a limit, from the answer on: the longest
// known reset of those with nothing left. 0: something is left, or no reset is known.
// nil has none.
func (r *RateLimit) UsedUp() (wait time.Duration) {
	if r == nil {
		return 0
	}
	if r.RemainingRequests == 0 && r.LimitRequests != 0 {
		wait = max(wait, r.ResetRequests)
	}
	if r.RemainingTokens == 0 && r.LimitTokens != 0 {
		wait = max(wait, r.ResetTokens)
	}
	return wait
}

// Hold returns how long after its end the endpoint should get no further request, 0 for
// no such time: the wait of its failure, else what remains until a limit of which its
// answer left nothing is full again.
func (s *Stream) Hold() time.Duration {
	if f := s.Fault; f != nil && f.RetryAfter > 0 {
		return f.RetryAfter
	}
	passed, _ := s.Marks.End.Sub(s.Marks.Headers)
	return max(s.RateLimit.UsedUp()-passed, 0)
}

// LimitOutcome is what becomes of a rate limit at the present pace. "" is not
// known.
type LimitOutcome string

// The outcomes.
const (
	LimitUsedUp LimitOutcome = "used_up" // before the limit resets
	LimitLasts  LimitOutcome = "lasts"   // past the reset, or what is left does not fall
	LimitReset  LimitOutcome = "reset"   // the reset has passed since the last answer
)

// LimitForecast is what one rate limit allows, and for how long.
//
//	Pace   = (left of the first answer − left of the last) / time between them
//	UsedUp = left / Pace − time since the last answer
//
// over the answers of the last 60 s since the limit was reset. So Pace holds
// what other users of the key take, and what a limit that refills gives back.
// Times are milliseconds from the moment of the forecast. The zero value has
// nothing: see Known.
type LimitForecast struct {
	Limit int   `json:"limit" form:"null=neg"`     // -1: not given
	Left  int   `json:"remaining" form:"null=neg"` // as of the last answer
	Age   Value `json:"age_ms"`                    // since the head of that answer
	Reset Value `json:"reset_ms"`                  // until the limit is full again; 0 when that has passed
	// Pace is negative when more refills than is used; N is the number of answers.
	Pace Value `json:"pace_per_s"`
	// UsedUp is until nothing is left; 0 where nothing is, else unknown when Pace is,
	// or not above 0.
	UsedUp Value `json:"used_up_ms"`
	// Outcome compares UsedUp with Reset. A limit of which nothing is left is used up.
	Outcome LimitOutcome `json:"outcome"`
	Answers int          `json:"answers"` // that the forecast rests on; 0: none told what is left
}

// Known reports whether an answer told what is left.
func (f *LimitForecast) Known() bool { return f.Answers > 0 }

// LimitForecasts are the forecasts of the two limits that servers report.
type LimitForecasts struct {
	Requests LimitForecast `json:"requests"`
	Tokens   LimitForecast `json:"tokens"`
}

// IsZero reports whether no answer told of a limit: they are absent in JSON.
func (f *LimitForecasts) IsZero() bool { return !f.Known() }

// Known reports whether an answer told what is left of one of them.
func (f *LimitForecasts) Known() bool { return f.Requests.Known() || f.Tokens.Known() }

// UsedUp returns the limit that is used up first, nil when none is before its
// reset. tokens tells which of them it is.
func (f *LimitForecasts) UsedUp() (first *LimitForecast, tokens bool) {
	if f.Requests.Outcome == LimitUsedUp {
		first = &f.Requests
	}
	if t := &f.Tokens; t.Outcome == LimitUsedUp && (first == nil || t.UsedUp.V < first.UsedUp.V) {
		return t, true
	}
	return first, false
}

// Bounds of a LimitWatch.
const (
	// paceWindow is how far the pace looks back: most limits are per minute.
	paceWindow = Stamp(time.Minute)
	// paceEvery is the time between two answers that are kept. The count of one
	// second is too coarse for a pace.
	paceEvery = Stamp(time.Second)
	// resetSlack is by how much a reset may come before its announced time:
	// servers round it to seconds.
	resetSlack = Stamp(1500 * time.Millisecond)
)

// LimitWatch follows the rate limits of one endpoint over its answers. It keeps
// at most 62 of them. An answer of another endpoint or model begins anew. The
// zero value is ready. It is not safe for concurrent use.
type LimitWatch struct {
	of               Endpoint
	requests, tokens limitSeries
}

// Of reports whether the answers are of that endpoint and model.
func (w *LimitWatch) Of(e *Endpoint) bool { return w.of.Same(e) && w.of.Model == e.Model }

// Add counts the answer of s, once. Answers without such headers, and those older
// than the last one counted, change nothing, but that a good one ends a limit of which
// nothing was left.
func (w *LimitWatch) Add(s *Stream) {
	r, at := s.RateLimit, s.Marks.Headers
	if !at.Known() {
		at = s.Marks.FirstByte
	}
	if served := len(s.Chunks) > 0 && w.Of(&s.Endpoint); served && at.Known() {
		w.requests.served(at, r == nil || r.RemainingRequests < 0)
		w.tokens.served(at, r == nil || r.RemainingTokens < 0)
	}
	if r == nil || !at.Known() {
		return
	}
	if e := &s.Endpoint; !w.Of(e) {
		*w = LimitWatch{of: *e}
	}
	w.requests.add(limitReading{at, r.LimitRequests, r.RemainingRequests, r.ResetRequests})
	w.tokens.add(limitReading{at, r.LimitTokens, r.RemainingTokens, r.ResetTokens})
}

// Forecast returns what the answers up to now show.
func (w *LimitWatch) Forecast(now Stamp) LimitForecasts {
	return LimitForecasts{w.requests.forecast(now), w.tokens.forecast(now)}
}

// limitReading is what one answer told of one limit.
type limitReading struct {
	at          Stamp // of its head
	limit, left int
	reset       time.Duration // -1: not given
}

// limitSeries are the answers since the last reset, at most one a second and the
// last one.
type limitSeries struct {
	past []limitReading
	last limitReading
	n    int  // answers since the reset
	was  bool // a reset was seen
}

func (s *limitSeries) add(r limitReading) {
	if r.left < 0 || s.n > 0 && r.at <= s.last.at {
		return
	}
	if s.n > 0 && s.renewed(&r) {
		s.past, s.n, s.was = s.past[:0], 0, true
	}
	for len(s.past) > 0 && r.at-s.past[0].at > paceWindow {
		s.past = append(s.past[:0], s.past[1:]...)
	}
	if n := len(s.past); n == 0 || r.at-s.past[n-1].at >= paceEvery {
		s.past = append(s.past, r)
	}
	s.last = r
	s.n++
}

// served counts a good answer at that time; silent: it did not tell what is left.
func (s *limitSeries) served(at Stamp, silent bool) {
	if silent && s.n > 0 && s.last.left == 0 && at > s.last.at {
		*s = limitSeries{was: true}
	}
}

// renewed reports whether the limit was reset between the last answer and r: more
// is left than before, and the reset was due or gave back half of the limit.
func (s *limitSeries) renewed(r *limitReading) bool {
	switch more := r.left - s.last.left; {
	case r.limit != s.last.limit:
		return true
	case more <= 0:
		return false
	case s.last.reset < 0, r.limit > 0 && more > r.limit/2:
		return true
	}
	return r.at >= s.last.at+Stamp(s.last.reset)-resetSlack
}

// noPace returns why the answers give no pace at now, 0 where they do.
func (s *limitSeries) noPace(now Stamp) Why {
	switch apart := s.last.at - s.past[0].at; {
	case now-s.last.at > paceWindow:
		return WhyTwoAnswers
	case apart >= paceEvery:
		return 0
	case apart > 0:
		return WhyAnswersApart
	case s.n == 1 && s.was:
		return WhySinceReset
	}
	return WhyTwoAnswers
}

func (s *limitSeries) forecast(now Stamp) LimitForecast {
	if s.n == 0 {
		none := Unknown(WhyNotReportedEnd)
		return LimitForecast{Limit: -1, Left: -1, Age: none, Reset: none, Pace: none, UsedUp: none}
	}
	now = max(now, s.last.at)
	age := float64(now-s.last.at) / 1e6
	f := LimitForecast{Limit: s.last.limit, Left: s.last.left,
		Age: Known(age, 0), Reset: Unknown(WhyNotReportedEnd), Answers: s.n}
	why := s.noPace(now)
	f.Pace, f.UsedUp = Unknown(why), Unknown(why)
	if s.last.reset >= 0 {
		f.Reset = Known(max(float64(s.last.reset)/1e6-age, 0), 0)
		if f.Reset.V == 0 && age > 0 {
			f.Outcome = LimitReset
			f.Pace, f.UsedUp = Unknown(WhySinceReset), Unknown(WhySinceReset)
			return f
		}
	}
	if s.last.left == 0 && (f.Reset.OK || now-s.last.at <= paceWindow) {
		f.UsedUp, f.Outcome = Known(0, s.n), LimitUsedUp // whatever the pace is
	}
	if why != 0 {
		return f
	}
	elapsed := float64(s.last.at-s.past[0].at) / 1e9
	f.Pace = Known(float64(s.past[0].left-s.last.left)/elapsed, s.n)
	if f.Outcome == LimitUsedUp {
		return f
	}
	if f.Pace.V <= 0 {
		f.UsedUp, f.Outcome = Unknown(WhyNotFalling), LimitLasts
		return f
	}
	f.UsedUp = Known(max(float64(s.last.left)/f.Pace.V*1e3-age, 0), s.n)
	if f.Outcome = LimitUsedUp; f.Reset.OK && f.UsedUp.V >= f.Reset.V {
		f.Outcome = LimitLasts
	}
	return f
}

// LimitsOf returns the forecast of runs as of now, from the answers of the
// endpoint and the model of the last one.
func LimitsOf(runs []Run, now Stamp) LimitForecasts {
	var w LimitWatch
	if len(runs) == 0 {
		return w.Forecast(now)
	}
	e := &runs[len(runs)-1].Stream.Endpoint
	for i := range runs {
		w.Add(&runs[i].Stream)
	}
	if !w.Of(e) {
		w = LimitWatch{}
	}
	return w.Forecast(now)
}
