package turn

import (
	"math"

	"tokscope/metrics"
)

// Limits are the rate limits of the last answer that told them.
type Limits struct {
	metrics.LimitForecasts `json:"rate_limit,omitzero"`
	// Turns is for how many turns like the last five on its model what is left is enough, in
	// whole turns and without a reset. All their tokens count, cached ones too, so it is a
	// lower bound where a provider leaves these out. N is the number of these turns; unknown
	// with fewer than three.
	Turns metrics.Value `json:"rate_limit_turns"`
}

// Bounds of Limits.Turns.
const (
	likeTurns  = 5
	leastTurns = 3
)

// limits returns the limits at now.
func (v *View) limits(now metrics.Stamp) Limits {
	var w metrics.LimitWatch
	model := ""
	for i := range v.Turns {
		s := v.Turns[i].Stream()
		if w.Add(s); s.RateLimit != nil {
			model = v.Turns[i].Model
		}
	}
	l := Limits{LimitForecasts: w.Forecast(now), Turns: metrics.Unknown(metrics.WhyNotReported)}
	var tokens sum
	for i := len(v.Turns) - 1; i >= 0 && tokens.n < likeTurns; i-- {
		u := &v.Turns[i].Stream().Usage
		if v.Turns[i].Model == model && u.Prompt >= 0 && u.Completion >= 0 {
			tokens.tokens(u.Prompt + u.Completion)
		}
	}
	enough := math.Inf(1)
	if l.Tokens.Known() && tokens.n > 0 && tokens.v > 0 {
		enough = float64(l.Tokens.Left) * float64(tokens.n) / tokens.v
	}
	if l.Requests.Known() {
		enough = min(enough, float64(l.Requests.Left))
	}
	switch {
	case !l.Known():
	case tokens.n < leastTurns:
		l.Turns = metrics.Unknown(metrics.Needs(leastTurns))
	default:
		l.Turns = metrics.Finite(math.Floor(enough), tokens.n)
	}
	return l
}
