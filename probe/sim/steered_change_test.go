package sim

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics/testkit"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

func (b *testServer) get(path string) (int, string) {
	b.t.Helper()
	resp, err := b.client.Get("http://localhost" + path)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

func TestNoSteeredEngineBeforeTheFirstCall(t *testing.T) {
	s := start(t, Options{})
	code, _, body := post(t, s, "/chat/completions", `{"model":"lab","messages":[{"role":"user","content":"x"}]}`)
	testkit.That(t, code == 404 && strings.Contains(body, "model_not_found"), "%d %s", code, body)
	if resp, err := http.Get(s.URL() + "/models/lab"); err != nil || resp.StatusCode != 404 {
		t.Errorf("%v %v", resp, err)
	} else {
		resp.Body.Close()
	}
	if _, err := Start(Options{Model: SteeredModel}); err == nil {
		t.Error("a server whose model is the lab")
	}
}

func TestSteeredEngineInTheModelList(t *testing.T) {
	steered(t, SteeredConfig{}, func(t *testing.T, b *testServer) {
		again, err := b.s.Steered(SteeredConfig{Config: engine.Config{Setup: setupOf(t, "llama-2-7b@a100-40")}, Speed: .5})
		testkit.That(t, err == nil && again.Setup() == b.steered.Setup() && again.Speed() == 1,
			"another lab, or a changed one: %v", err)
		if code, body := b.get("/v1/models/lab"); code != 200 || !strings.Contains(body, "Llama 3.1 8B in bf16 on H100") {
			t.Errorf("%d %s", code, body)
		}
		if _, body := b.get("/v1/models"); strings.Contains(body, `"lab"`) {
			t.Error("the lab is listed")
		}
		b.ask(10, 10)
		pass(time.Second)
		if _, body := b.get("/metrics"); !strings.Contains(body,
			`vllm:generation_tokens_total{engine="0",model_name="lab"} 10`+"\n") {
			t.Error("the lab is not in the metrics")
		}
		// It stays loaded while other engines are unloaded.
		for i := range maxEngines + 5 {
			id := "qwen3-0.6b@" + physics.Machines[i%13].Key + "+" + []string{"static", "none", "prefill-first",
				"disaggregated", "nim", "bench"}[i/13]
			if _, apiErr := b.s.driver(id); apiErr != nil {
				t.Fatal(apiErr.Message)
			}
		}
		if h := b.ask(10, 10); true {
			pass(time.Second)
			if h.chunks() != 10 || b.ended() != 20 {
				t.Errorf("it was unloaded: %d chunks, %d steps", h.chunks(), b.ended())
			}
		}
	})
}

func TestSteeredConfigErrors(t *testing.T) {
	steered(t, SteeredConfig{}, func(t *testing.T, b *testServer) {
		ok := b.steered.Setup()
		for name, c := range map[string]SteeredConfig{
			"no setup": {}, "speed": {Config: engine.Config{Setup: ok}, Speed: 1e6},
			"mode":   {Config: engine.Config{Setup: ok, Mode: 99}},
			"budget": {Config: engine.Config{Setup: ok, Budget: -1}},
		} {
			testkit.That(t, b.steered.Configure(c) != nil, "%s: accepted", name)
			_, err := b.s.Steered(c)
			testkit.That(t, err != nil, "%s: a lab", name)
		}
	})
}

// A change in the middle of a stream: the current step ends as planned, the
// next one follows the new configuration. Clients only notice the timing.
func TestConfigureDuringAStream(t *testing.T) {
	steered(t, SteeredConfig{}, func(t *testing.T, b *testServer) {
		one, two := b.ask(10, 200), b.ask(300, 200)
		for b.ended() < 50 {
			pass(time.Millisecond)
		}
		n := b.ended()
		q4 := setupOf(t, "llama-3.1-8b-int4@h100")
		testkit.OK(t, b.steered.Configure(SteeredConfig{Config: engine.Config{Setup: q4}}))
		pass(time.Minute)
		for _, h := range []*heard{one, two} {
			if h.chunks() != 200 || !h.done || h.errs != "" {
				t.Errorf("%d chunks, %q", h.chunks(), h.errs)
			}
		}
		old, next := b.steps[n], b.steps[n+1]
		testkit.That(t, old.Setup != q4 && old.Changes == 0 && next.Setup == q4 && next.Changes == 1 && next.Preempted == 2,
			"step under way: changes %d; the next: changes %d, %d preempted", old.Changes, next.Changes, next.Preempted)
		// Everything is recomputed: prompts and output so far.
		again := 0
		for _, s := range b.steps[n+1:] {
			again += s.Prefilled
		}
		if one := b.steps[0].Prefilled; again < 300+2*45 || one == 0 {
			t.Errorf("%d tokens computed again", again)
		}
		a, z := b.steps[n-1], b.steps[len(b.steps)-10]
		testkit.That(t, z.End-z.Start <= .8*(a.End-a.Start), "a step takes %v s, in 4 bits %v", a.End-a.Start, z.End-z.Start)
		v := b.batch[n+1]
		testkit.That(t, len(v) == 2 && v[0].Request.Preempted == 1, "batch after it: %+v", v)
	})
}

func TestRequestThatNoLongerFitsGetsAnError(t *testing.T) {
	steered(t, SteeredConfig{}, func(t *testing.T, b *testServer) {
		long, short := b.ask(3000, 500), b.ask(10, 100)
		for b.ended() < 50 {
			pass(time.Millisecond)
		}
		tight := *setupOf(t, "llama-3.1-8b-fp8@h100")
		tight.Capacity = 2048
		chunks := long.chunks()
		testkit.OK(t, b.steered.Configure(SteeredConfig{Config: engine.Config{Setup: &tight}}))
		pass(time.Minute)
		if !strings.Contains(long.errs, "the engine was changed: the request does not fit the KV cache") ||
			!strings.Contains(long.errs, "context_length_exceeded") || !long.closed {
			t.Errorf("%q", long.errs)
		}
		// The tokens of the current step still arrived.
		testkit.Is(t, long.chunks(), chunks+1, chunks, "chunks before, in the end")
		q, ok := b.steered.Of(long.id)
		testkit.That(t, ok && len(q.Emitted) == long.chunks(), "%v %+v", ok, q)
		testkit.That(t, short.chunks() == 100 && short.errs == "", "the other one: %+v", short)
		refused := b.ask(3000, 500) // planned for the current setup
		pass(time.Second)
		testkit.Is(t, refused.code, 400, "status")
	})
}

func TestPrefixCacheAppliesToNewRequests(t *testing.T) {
	steered(t, SteeredConfig{PrefixCache: true}, func(t *testing.T, b *testServer) {
		cached := func() int {
			b.ask(500, 2)
			pass(time.Second)
			last := b.batch[len(b.batch)-1]
			return last[len(last)-1].Request.Cached
		}
		testkit.Is(t, cached(), 0, "first: cached")
		n := cached()
		testkit.That(t, n >= 400, "second: %d cached", n)
		testkit.OK(t, b.steered.Configure(SteeredConfig{Config: engine.Config{Setup: b.steered.Setup()}}))
		testkit.Is(t, cached(), 0, "switched off: cached")
	})
}

// Every batching mode, one after the other, with users that never stop.
func TestEveryMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := steeredServer(t, Options{}, SteeredConfig{})
		var all []*heard
		draft := b.steered.Setup().Config
		draft.Draft = &physics.Draft{K: 3, Head: .05, Accept: []float64{.7}}
		fast := testkit.Must(physics.New(draft))(t)
		for round := range 15 {
			for i := range 4 {
				all = append(all, b.ask(20+200*i, 40+30*i))
			}
			pass(time.Duration(50+37*round) * time.Millisecond)
			setup := b.steered.Setup()
			switch {
			case round%5 == 4:
				setup = setupOf(t, []string{DefaultModel, "qwen3-8b@h100", "llama-3.1-8b@cerebras"}[round/5])
			case round%2 == 0:
				setup = fast
			}
			c := SteeredConfig{Config: engine.Config{Setup: setup, Mode: engine.Mode(round % 5),
				Budget: []int{0, 64, 512}[round%3]}}
			testkit.OK(t, b.steered.Configure(c))
			if round%4 == 3 {
				all[len(all)-1].cancel()
			}
		}
		pass(5 * time.Minute)
		for i, h := range all {
			testkit.That(t, h.closed && (h.err != nil || h.done) && h.errs == "",
				"request %d: closed %v, done %v, %v %s", i, h.closed, h.done, h.err, h.errs)
			if h.done {
				q, ok := b.steered.Of(h.id)
				n := 0
				for _, e := range q.Emitted {
					n += e.Tokens
				}
				want := 40 + 30*(i%4)
				testkit.That(t, ok && n == want, "request %d: %d tokens of %d", i, n, want)
			}
		}
		st := b.steered.Stats()
		testkit.That(t, st.Running+st.Queued == 0 && st.KV == 0, "left over: %+v", st)
		for i := 1; i < len(b.steps); i++ {
			s := b.steps[i]
			testkit.Given(t, s.KV >= 0 && s.KV <= 1 && s.End >= s.Start, "step %+v", s)
		}
		b.close()
	})
}

// The records of requests are bounded, overall and per request.
func TestOldRequestsAreForgotten(t *testing.T) {
	q := newTruths()
	for i := range 3 * maxTruths {
		id := strconv.Itoa(i)
		q.arrived(id, &engine.Request{ID: uint64(i + 1)}, time.Time{})
		for range 100 {
			q.emitted(id, Emission{Tokens: 1})
		}
	}
	kept := 0
	for _, r := range q.by {
		kept += len(r.Emitted)
	}
	testkit.That(t, len(q.by) <= maxTruths && kept <= maxAllEmissions && kept == q.all && len(q.by) == len(q.order),
		"%d requests with %d emissions, %d counted", len(q.by), kept, q.all)
	if _, ok := q.of("0"); ok {
		t.Error("the first one is remembered")
	}
	last := strconv.Itoa(3*maxTruths - 1)
	was, _ := q.of(last)
	for range 2 * maxEmissions {
		q.emitted(last, Emission{Tokens: 1})
	}
	now, ok := q.of(last)
	testkit.That(t, ok && len(now.Emitted) == maxEmissions && len(was.Emitted) == 100,
		"%d emissions; the snapshot before has %d", len(now.Emitted), len(was.Emitted))
}

// The ids of engine requests increase in the order of arrival. An observer
// finds the HTTP request by its id.
func TestRequestsAreKnownByTheirIDs(t *testing.T) {
	steered(t, SteeredConfig{}, func(t *testing.T, b *testServer) {
		var all []*heard
		for range 3 {
			all = append(all, b.ask(10, 20))
			pass(time.Millisecond)
		}
		pass(time.Minute)
		for i, h := range all {
			q, ok := b.steered.Of(h.id)
			testkit.That(t, ok && q.ID == uint64(i+1), "request %d is known as %d", i, q.ID)
			seen := false
			for _, batch := range b.batch {
				for _, r := range batch {
					seen = seen || r.RequestID == h.id && r.Request.ID == q.ID
				}
			}
			testkit.That(t, seen, "request %d is in no batch", i)
		}
		if _, ok := b.steered.Of("nobody"); ok {
			t.Error("somebody is known as nobody")
		}
		resp := testkit.Must(b.client.Post("http://localhost/v1/chat/completions", "application/json",
			strings.NewReader(`{"model":"lab","messages":[{"role":"user","content":"x"}],"n":3,"max_tokens":4}`)))(t)
		defer resp.Body.Close()
		var a struct{ ID string }
		testkit.OK(t, json.NewDecoder(resp.Body).Decode(&a))
		q, ok := b.steered.Of(a.ID)
		var tokens [3]int
		for _, e := range q.Emitted {
			tokens[e.Choice] += e.Tokens
		}
		testkit.That(t, a.ID == resp.Header.Get("X-Request-Id") && ok && q.ID == 4 && tokens == [3]int{4, 4, 4},
			"three choices: %v %+v", ok, q)
	})
}
