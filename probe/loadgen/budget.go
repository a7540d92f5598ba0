package loadgen

import (
	"fmt"
	"strconv"
	"time"

	"tokscope/metrics"
)

// budget is what a load has used and may use, in tokens.
type budget struct {
	max, prompt, output float64 // prompt and output: used by ended requests
	used, reserved      float64 // reserved for those that run
	held                bool    // waits for consent
	price               Price
	lastPrompt          float64 // prompt tokens of the last request that told them, over those expected
}

func (b *budget) init(c Config) { b.max, b.price, b.lastPrompt = c.MaxTokens, c.Price, 1 }

// expect returns the most tokens that a request can use.
func (b *budget) expect(w metrics.Workload) float64 {
	out := float64(w.MaxTokens)
	if out <= 0 {
		out = assumedOutput
	}
	return workPrompt(w)*b.lastPrompt + out
}

// refuse returns why a request that may use expected tokens must not begin,
// "" where it may.
func (b *budget) refuse(expected float64) string {
	if b.max <= 0 || b.used+b.reserved+expected <= b.max {
		return ""
	}
	return fmt.Sprintf("the cap of %s tokens is reached: %s are used, %s reserved for what runs, and the next request can take %s",
		grouped(b.max), grouped(b.used), grouped(b.reserved), grouped(expected))
}

// charge counts the usage of an ended request.
func (b *budget) charge(u *user, v *metrics.Stream, f *metrics.Figures) {
	b.reserved = max(b.reserved-u.reserved, 0)
	u.reserved = 0
	prompt := 0.0
	if guess := workPrompt(v.Work); f.PromptTokens.OK {
		prompt = f.PromptTokens.V
		b.lastPrompt = min(max(prompt/guess, 0.2), 10)
	} else if v.Marks.FirstByte.Known() && len(v.Chunks) > 0 {
		prompt = guess * b.lastPrompt
	}
	output := 0.0
	if f.Tokens.OK {
		output = f.Tokens.V
	}
	b.prompt += prompt
	b.output += output
	b.used += prompt + output
}

// view is the budget as it is shown. running are the tokens that requests
// under way have received, rate is how many tokens a second are used now.
func (b *budget) view(running, rate float64) metrics.Budget {
	out := metrics.Budget{Tokens: b.used + running, MaxTokens: b.max, Cost: b.price.of(b.prompt, b.output+running), Currency: b.price.Currency}
	if left := b.max - out.Tokens; b.max > 0 && left > 0 && rate > 0 {
		out.Left = time.Duration(min(left/rate, 1e6) * float64(time.Second))
	}
	return out
}

// askTokens is the question before FreeTokens are passed: l.mu is held.
func (l *Load) askTokens() string {
	f := Estimate(l.c, max(l.target, 1), 0)
	f.Users = max(f.Users, 1)
	q, _ := NeedsConsent(l.c.Target, f)
	used := fmt.Sprintf("%s tokens are used, and more than %s need your consent.", grouped(l.budget.used), grouped(FreeTokens))
	if q == "" {
		return used + " Go on?"
	}
	return used + " " + q
}

// grouped formats a count for reading: 12 500, 1.2 million.
func grouped(v float64) string {
	switch {
	case v >= 1e9:
		return strconv.FormatFloat(v/1e9, 'f', 1, 64) + " billion"
	case v >= 1e6:
		return strconv.FormatFloat(v/1e6, 'f', 1, 64) + " million"
	case v >= 10_000:
		return fmt.Sprintf("%d %03d", int(v)/1000, int(v)%1000)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}
