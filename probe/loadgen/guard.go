package loadgen

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/probe/endpoint"
)

// Forecast is what a load is expected to use.
type Forecast struct {
	Users    int
	For      time.Duration // 0: until it is stopped; the figures are of a minute then
	Requests float64
	Prompt   float64 // tokens
	Output   float64 // tokens
	Cost     metrics.Value
	Currency string
	// How says on what assumption it rests.
	How string
}

// Tokens is the sum of prompt and output.
func (f Forecast) Tokens() float64 { return f.Prompt + f.Output }

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
	return float64(metrics.CountWords([]byte(w.System))+metrics.CountWords([]byte(w.Prompt)))/metrics.WordsPerToken + 10
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

// Estimate says what users of c would use in d (0: in a minute), or what its
// fixed number of requests would, whichever is less:
//
//	requests = users · d / (0.3 s + output/100 tok/s + think)      closed loop
//	requests = rate · d                                           open loop
//
// It assumes a fast endpoint, so that the bill is rather lower.
func Estimate(c Config, users int, d time.Duration) Forecast {
	c.Price = c.price()
	f := Forecast{Users: users, For: d, Currency: c.Price.Currency}
	seconds := d.Seconds()
	if d <= 0 {
		seconds = 60
	}
	in, out := promptTokens(c), outputTokens(c)
	f.Requests = float64(max(users, 1)) * seconds / (assumedTTFT + out/assumedSpeed + c.Shape.Think.Seconds())
	f.How = fmt.Sprintf("if every user gets %d tok/s", assumedSpeed)
	if c.Shape.Rate > 0 {
		f.Requests = c.Shape.Rate * seconds
		f.How = "if every request of the schedule is answered"
	}
	f.Requests = max(f.Requests, 1)
	if n := float64(c.Shape.Requests); n > 0 && n < f.Requests || n > 0 && d <= 0 {
		f.Requests, f.How = n, fmt.Sprintf("for all %d requests", c.Shape.Requests)
	}
	f.Prompt, f.Output = f.Requests*in, f.Requests*out
	if c.MaxTokens > 0 && f.Tokens() > c.MaxTokens {
		share := c.MaxTokens / f.Tokens()
		f.Requests, f.Prompt, f.Output = f.Requests*share, f.Prompt*share, f.Output*share
		f.How = "up to the cap"
	}
	f.Cost = c.Price.of(f.Prompt, f.Output)
	return f
}

// price returns Price, or that of Target where Price is zero.
func (c *Config) price() Price {
	if c.Price.known() {
		return c.Price
	}
	return PriceOf(c.Target)
}

// of returns the cost of tokens.
func (p Price) of(prompt, output float64) metrics.Value {
	if !p.known() {
		return metrics.Unknown("no price is configured")
	}
	return metrics.Known((prompt*p.Prompt+output*p.Output)/1e6, 0)
}

// Exempt reports whether load on t affects only this machine: the embedded
// endpoint, and servers on loopback.
func Exempt(t endpoint.Target) bool {
	return t.Kind == metrics.EndpointEmbedded || endpoint.LoopbackURL(t.URL)
}

// NeedsConsent reports whether a person must agree before a load as large as f
// is put on t, and the question with its estimate: for anything but this
// machine, from more than FreeUsers users or more than FreeTokens tokens on.
func NeedsConsent(t endpoint.Target, f Forecast) (question string, needed bool) {
	if Exempt(t) || f.Users <= FreeUsers && f.Tokens() <= FreeTokens {
		return "", false
	}
	per := " a minute"
	if f.For > 0 {
		per = " in " + f.For.String()
	}
	users := strconv.Itoa(f.Users) + " users"
	if f.Users == 1 {
		users = "1 user"
	}
	cost := ""
	if f.Cost.OK {
		cost = ", " + strings.TrimSpace(money(f.Cost.V)+" "+f.Currency)
	}
	return fmt.Sprintf("%s on %s would use up to %s tokens%s%s (%s). Go on?", users, t.Name, grouped(f.Tokens()), per, cost, f.How), true
}

// money writes a cost with as many digits as its size needs.
func money(v float64) string {
	switch {
	case v < 0.01:
		return strconv.FormatFloat(v, 'f', 4, 64)
	case v < 1:
		return strconv.FormatFloat(v, 'f', 3, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}
