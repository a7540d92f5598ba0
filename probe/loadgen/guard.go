package loadgen

import (
	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/probe/endpoint"
	"tokscope/probe/secret"
)

const (
	// assumedTTFT and assumedSpeed are those of a fast endpoint, for one not
	// measured yet, so that the estimate is rather too high.
	assumedTTFT  = 0.3 // s
	assumedSpeed = 100 // tok/s per user
	// assumedOutput is the answer length of a request without an output limit.
	assumedOutput = 1000
)

// promptTokens and outputTokens return the expected use of one request of c.
func promptTokens(c Config) float64 {
	if n := c.Input.Expected(); n > 0 {
		return n
	}
	if len(c.Prompts) > 0 && c.Work.InputTokens == 0 {
		sum, w := 0.0, c.Work
		for _, p := range c.Prompts {
			w.Prompt = p
			sum += workPrompt(w)
		}
		return sum / float64(len(c.Prompts))
	}
	return workPrompt(c.Work)
}

func workPrompt(w metrics.Workload) float64 {
	if w.InputTokens > 0 {
		return float64(w.InputTokens)
	}
	return float64(metrics.CountWords([]byte(w.Text())))/metrics.WordsPerToken + 10
}

func outputTokens(c Config) float64 {
	if n := c.Output.Expected(); n > 0 {
		return n
	}
	if c.Work.MaxTokens > 0 {
		return float64(c.Work.MaxTokens)
	}
	return assumedOutput
}

// Estimate returns the expected use of s.Users of c in d = s.Max (0: in a minute), by at most
// s.Requests (0: no bound):
//
//	requests = users · d / (0.3 s + output/100 tok/s + think)      closed loop
//	requests = rate · d                                           open loop
//
// It assumes a fast endpoint, so the actual bill is rather lower. Where like, which was
// measured here of a load that would go on elsewhere, is even faster, it assumes the TTFT
// and speed of that; nil for none.
func Estimate(c Config, s Step, like *loadstat.Point) loadstat.Forecast {
	ttft, speed := assumedTTFT, float64(assumedSpeed)
	if like != nil {
		if v := like.TTFT.P50; v.OK && v.V > 0 {
			ttft = min(ttft, v.V/1e3)
		}
		if like.Speed.OK {
			speed = max(speed, like.Speed.V)
		}
	}
	c.Price = c.price()
	f := loadstat.Forecast{Users: s.Users, For: s.Max, Currency: c.Price.Currency, Assumed: speed, Count: s.Requests}
	seconds := s.Max.Seconds()
	if s.Max <= 0 {
		seconds = 60
	}
	in, out := promptTokens(c), outputTokens(c)
	f.Requests = float64(max(s.Users, 1)) * seconds / (ttft + out/speed + c.Shape.Think.Seconds())
	if c.Shape.Rate > 0 {
		f.Requests = c.Shape.Rate * seconds
		f.Basis = loadstat.BasisSchedule
	}
	f.Requests = max(f.Requests, 1)
	if n := float64(s.Requests); n > 0 && n < f.Requests || n > 0 && s.Max <= 0 {
		f.Requests, f.Basis = n, loadstat.BasisCount
	}
	f.Prompt, f.Output = f.Requests*in, f.Requests*out
	return capped(f, c.MaxTokens, c.Price)
}

// capped bounds f by most tokens, 0 for no cap, and sets its cost at that price.
func capped(f loadstat.Forecast, most float64, price metrics.Price) loadstat.Forecast {
	if t := f.Tokens(); most > 0 && t > most {
		share := most / t
		f.Requests, f.Prompt, f.Output = f.Requests*share, f.Prompt*share, f.Output*share
		f.Basis = loadstat.BasisCap
	}
	f.Cost = price.Of(f.Prompt, f.Output)
	return f
}

// price returns Price, or that of Target where Price is zero.
func (c *Config) price() metrics.Price {
	if c.Price.Known() {
		return c.Price
	}
	return c.Target.Price()
}

// NeedsConsent reports whether a person must agree to a load of size f on t,
// and returns the question with its estimate. Except on this machine, consent
// is needed above FreeUsers users or FreeTokens tokens.
func NeedsConsent(t endpoint.Target, f loadstat.Forecast) (question loadstat.Question, needed bool) {
	if t.Here() || f.Users <= FreeUsers && f.Tokens() <= FreeTokens {
		return loadstat.Question{}, false
	}
	return loadstat.Question{Endpoint: secret.NewScrubber(t.Secrets()...).String(t.Name), Forecast: f}, true
}

// consent holds the limits of a guarded load that a person must lift before
// it grows past FreeUsers and continues past FreeTokens. It has no lock: its
// owner is the load, under the load's mutex.
type consent struct {
	config   *Config // of the load
	given    bool
	question loadstat.Question // zero without an open question
	users    int               // waiting for the answer; 0: none
	tokens   bool              // requests wait for the answer
}

// allow returns how many of n users may run now. It asks for consent to the
// others.
func (q *consent) allow(n int) int {
	q.users = 0
	if !q.given && n > FreeUsers {
		q.users = n
		q.question, _ = NeedsConsent(q.config.Target, Estimate(*q.config, Step{Users: n}, nil))
		return FreeUsers
	}
	if !q.tokens {
		q.question = loadstat.Question{}
	}
	return n
}

// capacity returns most, or at most FreeUsers before consent.
func (q *consent) capacity(most int) int {
	if q.given {
		return most
	}
	return min(most, FreeUsers)
}

// askUsers asks for more users of an open loop, unless a question is open.
func (q *consent) askUsers() {
	if !q.given && q.question == (loadstat.Question{}) {
		q.users = 0
		q.question, _ = NeedsConsent(q.config.Target, Estimate(*q.config, Step{Users: FreeUsers + 1}, nil))
	}
}

// holds reports whether the next request must wait for consent, and asks
// then. tokens are those used and reserved, including that request. used are
// those used so far, users is the number of users of the load.
func (q *consent) holds(tokens float64, used float64, users int) bool {
	if q.given || tokens <= FreeTokens {
		return false
	}
	q.tokens = true
	f := Estimate(*q.config, Step{Users: max(users, 1)}, nil)
	_, more := NeedsConsent(q.config.Target, f)
	q.question = loadstat.Question{Endpoint: q.config.Target.Name, Forecast: f, Used: used, Free: FreeTokens, Brief: !more}
	return true
}

// give answers the question with yes. It returns the number of users that
// waited for it.
func (q *consent) give() int {
	q.given, q.question, q.tokens = true, loadstat.Question{}, false
	return q.users
}
