package live

import (
	"math"
	"math/rand"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

const second = metrics.Stamp(time.Second)

// provider is an endpoint on another machine.
var provider = metrics.Endpoint{Kind: metrics.EndpointProvider, Name: "groq", URL: "https://api.groq.com/openai/v1",
	Model: "llama-3.3-70b",
	Price: metrics.Price{In: 0.6, Out: 0.8, Currency: "USD"}}

// runOf is an ended run of work w: what the server counted, -1 for nothing.
func runOf(id int, w metrics.Workload, state metrics.State, prompt, output int) metrics.Run {
	s := metrics.Stream{ID: id, State: state, Work: w, Endpoint: provider, Marks: metrics.NewMarks(),
		Usage: metrics.NoUsage(), LiveTokens: -1}
	s.Marks.Start, s.Marks.Sent = 0, 0
	for i := range max(output, 0) / 10 {
		s.Chunks = append(s.Chunks, metrics.Chunk{At: metrics.Stamp(i+1) * 1e7, Read: int32(i), Tokens: -1})
	}
	if prompt >= 0 {
		s.Usage.Prompt, s.Usage.Completion, s.TokensFrom = prompt, output, metrics.TokensUsage
	}
	return metrics.Run{Stream: s, Figures: metrics.Measure(&s, metrics.Options{})}
}

// player plays a trigger against a server that is a function.
type player struct {
	*testing.T
	trigger
	now  metrics.Stamp
	work metrics.Workload
	runs []metrics.Run
	sent []metrics.Stamp // when each request was sent
}

// play looks every 250 ms until d has passed. Each request ends at the next
// look, as the server answers.
func (b *player) play(d time.Duration, answers func(id int) metrics.Run) {
	b.Helper()
	stream := metrics.Stream{ID: b.id}
	for end := b.now + metrics.Stamp(d); b.now < end; b.now += second / 4 {
		if b.stage == triggerRunning && !stream.State.Ended() {
			b.runs = append(b.runs, answers(len(b.sent)))
			stream = b.runs[len(b.runs)-1].Stream
		}
		if b.step(b.now, sight{stream: &stream, runs: b.runs, work: b.work}) == sendNext {
			b.sent = append(b.sent, b.now)
			b.begun(b.now, len(b.sent))
			stream = metrics.Stream{ID: len(b.sent), Work: b.work}
		}
	}
}

func newPlayer(t *testing.T, e metrics.Endpoint) *player {
	b := &player{T: t, work: metrics.Workload{Name: "chat", Prompt: "why?", MaxTokens: 200}}
	b.start(0, newAllowance(e), 0)
	return b
}

// good answers every request.
func (b *player) good(id int) metrics.Run { return runOf(id, b.work, metrics.Done, 40, 200) }

// TestAutoNeverPassesItsBound is a property: with any workload, price and
// server, no request is sent that may use more than is left of the bound in
// tokens or money.
func TestAutoNeverPassesItsBound(t *testing.T) {
	rnd := rand.New(rand.NewSource(13))
	ended := 0
	for range 300 {
		e := provider
		e.Price = metrics.Price{In: rnd.Float64() * 50, Out: rnd.Float64() * 500}
		if rnd.Intn(3) == 0 {
			e.Price = metrics.Price{}
		}
		b := newPlayer(t, e)
		b.work.MaxTokens = []int{0, 1, 50, 400, 5000}[rnd.Intn(5)]
		b.work.InputTokens = []int{0, 0, 100, 3000}[rnd.Intn(4)]
		states := []metrics.State{metrics.Done, metrics.Done, metrics.Done, metrics.Truncated}
		for range 200 {
			n := len(b.sent)
			before := b.allow
			b.play(time.Second/4, func(id int) metrics.Run {
				prompt := -1
				if rnd.Intn(4) > 0 {
					prompt = rnd.Intn(4000)
				}
				return runOf(id, b.work, states[rnd.Intn(len(states))], prompt, rnd.Intn(6000))
			})
			if len(b.sent) > n {
				testkit.Given(t, before.with(&b.work).within(before.bound), "%+v: sent a request of %+v", before, b.work)
			}
			b.next(b.now) // the person goes on after every failure
			b.now += 2 * second
		}
		if b.stage == triggerEnded {
			ended++
		} else if b.allow.used.tokens > b.allow.bound.tokens+20_000 {
			t.Fatalf("%v tokens used, and not ended", b.allow.used.tokens)
		}
	}
	testkit.That(t, ended >= 200, "only %d of 300 came to their bound", ended)
}

// TestARunBeyondTheBoundIsStopped: a server that ignores the output limit does
// not carry auto beyond its bound.
func TestARunBeyondTheBoundIsStopped(t *testing.T) {
	var tr trigger
	tr.start(0, newAllowance(provider), 0)
	w := metrics.Workload{Prompt: "why?", MaxTokens: 100}
	tr.begun(0, 1)
	s := metrics.Stream{ID: 1, State: metrics.Decoding, Work: w, Chunks: make([]metrics.Chunk, 19_000)}
	testkit.Need(t, tr.step(second, sight{stream: &s, work: w}), nothing, "stopped too early")
	s.Chunks = make([]metrics.Chunk, 20_000)
	testkit.Need(t, tr.step(second, sight{stream: &s, work: w}), stopRun, "not stopped")
	run := runOf(1, w, metrics.Cancelled, -1, 200_000)
	tr.step(second, sight{stream: &run.Stream, runs: []metrics.Run{run}, work: w})
	testkit.Is(t, tr.stage, triggerEnded, "stage … after the stop")
}

// TestWhatIsBounded: this machine costs nothing, unless a price says so.
func TestWhatIsBounded(t *testing.T) {
	for url, want := range map[string]bool{
		"http://127.0.0.1:8000/v1": false, "http://localhost:1234/v1": false, "http://[::1]:80/v1": false,
		"http://127.9.9.9/v1":            false,
		"https://api.groq.com/openai/v1": true, "http://10.0.0.7:8000/v1": true, "http://localhost.example.com/v1": true,
		"http://127.0.0.1.example.com/v1": true, "://": true,
	} {
		testkit.Is(t, newAllowance(metrics.Endpoint{Kind: metrics.EndpointURL, URL: url}).bounded, want, url, "bounded")
	}
	priced := metrics.Endpoint{Kind: metrics.EndpointProfile, URL: "http://127.0.0.1:4000/v1", Price: provider.Price}
	a := newAllowance(priced)
	testkit.That(t, a.bounded, "a gateway on loopback with a price is not bounded")
}

// TestAPriceIsLearned: where the server chose the model, the first answer says
// what a token costs.
func TestAPriceIsLearned(t *testing.T) {
	e := provider
	e.Price = metrics.Price{}
	a := newAllowance(e)
	r := runOf(1, metrics.Workload{Prompt: "why?", MaxTokens: 200}, metrics.Done, 40, 200)
	if a.charge(&r); !a.priced() || math.Abs(a.used.money-(40*0.6+200*0.8)/1e6) > 1e-12 {
		t.Errorf("priced %v, used %v", a.priced(), a.used.money)
	}
}

// TestAFailurePausesAuto: without a Retry-After auto waits for the person. With
// one it waits that long, three times in a row at most.
func TestAFailurePausesAuto(t *testing.T) {
	fail := func(wait time.Duration) func(int) metrics.Run {
		return func(id int) metrics.Run {
			r := runOf(id, metrics.Workload{Prompt: "why?", MaxTokens: 200}, metrics.Failed, -1, 0)
			r.Stream.Fault = &metrics.Fault{Kind: metrics.FaultHTTP, Status: 429, Message: "too many requests", RetryAfter: wait}
			return r
		}
	}
	b := newPlayer(t, provider)
	b.play(time.Hour, fail(0))
	testkit.That(t, len(b.sent) == 1 && b.stage == triggerPaused, "%d requests, stage %d", len(b.sent), b.stage)
	testkit.Is(t, b.allow.used.tokens, 0, "a refused request was charged with … tokens")
	b.next(b.now) // the person says: go on
	b.play(5*time.Second, b.good)
	testkit.That(t, len(b.sent) >= 3, "it does not go on")

	b = newPlayer(t, provider)
	b.play(time.Hour, fail(40*time.Second))
	testkit.That(t, len(b.sent) == 1+patientRetries && b.stage == triggerPaused,
		"%d requests, stage %d", len(b.sent), b.stage)
	for i := 1; i < len(b.sent); i++ {
		if gap := b.sent[i] - b.sent[i-1]; gap < 40*second || gap > 41*second {
			t.Errorf("request %d came %v after the one before", i+1, time.Duration(gap))
		}
	}
}

// TestRaisingIsEnough: what auto asks for lets at least one more run begin.
func TestRaisingIsEnough(t *testing.T) {
	rnd := rand.New(rand.NewSource(7))
	for range 1000 {
		a := newAllowance(provider)
		a.price = metrics.Price{In: rnd.Float64() * 1000, Out: rnd.Float64() * 1000}
		a.used = spend{rnd.Float64() * 1e5, rnd.Float64() * 9}
		w := metrics.Workload{InputTokens: rnd.Intn(200_000), MaxTokens: rnd.Intn(100_000)}
		a.bound = a.bound.plus(a.raise(&w))
		testkit.Given(t, a.fits(&w), "%+v does not fit %+v", a, w)
	}
	a := newAllowance(provider)
	a.used = spend{19_800, 0.02}
	w := metrics.Workload{Prompt: strings.Repeat("x", 300), MaxTokens: 200}
	const want = "Auto has used 19,800 of 20,000 tokens (0.020 USD) on groq. The next run may use 350. Allow 20,000 " +
		"more (1.000 USD)?"
	testkit.Is(t, raiseQuestion(&a, "groq", &w, a.raise(&w)), want, "asks")
}
