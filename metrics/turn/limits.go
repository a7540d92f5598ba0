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
	var tokens metrics.Value
	for i := len(v.Turns) - 1; i >= 0 && tokens.N < likeTurns; i-- {
		u := &v.Turns[i].Stream().Usage
		if v.Turns[i].Model == model && u.Prompt >= 0 && u.Completion >= 0 {
			add(&tokens, u.Prompt+u.Completion)
		}
	}
	enough := math.Inf(1)
	if l.Tokens.Known() && tokens.V > 0 {
		enough = float64(l.Tokens.Left) * float64(tokens.N) / tokens.V
	}
	if l.Requests.Known() {
		enough = min(enough, float64(l.Requests.Left))
	}
	switch {
	case !l.Known():
	case tokens.N < leastTurns:
		l.Turns = metrics.Unknown(metrics.Needs(leastTurns))
	default:
		l.Turns = metrics.Finite(math.Floor(enough), tokens.N)
	}
	return l
}
