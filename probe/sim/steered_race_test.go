package sim

import (
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"tokscope/metrics/testkit"
	probetest "tokscope/probe/probetest"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// Many steer at once, against the real clock, while many ask: nobody is lost,
// the engine's time never goes back, and the observer sees every step once.
func TestEverybodySteersAtOnce(t *testing.T) {
	probetest.TakesTime(t, "twelve users of an engine in real time")
	s := start(t, Options{})
	setups := []*physics.Setup{setupOf(t, DefaultModel), setupOf(t, "llama-3.1-8b-fp8@h100"), setupOf(t, "qwen3-8b@h200"),
		setupOf(t, "llama-3.3-70b@4xh100+draft")}
	steered := testkit.Must(s.Steered(SteeredConfig{Config: engine.Config{Setup: setups[0]}, Speed: 20}))(t)
	var ended uint64
	seen := map[uint64]bool{}
	steered.Observe(func(r *StepReport) {
		if r.Begun {
			return
		}
		ended++
		testkit.That(t, !seen[r.Step.Number], "step %d ends twice", r.Step.Number)
		seen[r.Step.Number] = true
	})
	var asking, steering sync.WaitGroup
	for range 12 {
		asking.Go(func() {
			for range 4 {
				resp, err := http.Post(s.URL()+"/chat/completions", "application/json",
					strings.NewReader(`{"model":"lab","messages":[{"role":"user","content":"`+strings.Repeat("word ",
						200)+`"}],"max_tokens":60,"stream":true}`))
				if err != nil {
					t.Error(err)
					return
				}
				body, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if text := string(body); err != nil || !strings.Contains(text, "[DONE]") || strings.Contains(text, `"error"`) ||
					strings.Count(text, `"finish_reason":"length"`) != 1 {
					t.Errorf("%v …%s", err, body[max(0, len(body)-200):])
				}
				if q, ok := steered.Of(resp.Header.Get("X-Request-Id")); ok {
					n := 0
					for _, e := range q.Emitted {
						n += e.Tokens
					}
					testkit.Is(t, n, 60, "tokens of 60")
				} else {
					t.Error("the lab knows nothing of a request")
				}
			}
		})
	}
	stop := make(chan struct{})
	const seed = 7
	t.Logf("seed %d", seed)
	for i := range 4 {
		steering.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			last := 0.0
			for {
				select {
				case <-stop:
					return
				case <-time.After(time.Duration(rng.IntN(3000)) * time.Microsecond):
				}
				var err error
				switch rng.IntN(6) {
				case 0:
					steered.Pause(true)
				case 1, 2:
					steered.Pause(false)
				case 3:
					err = steered.SetSpeed(5 + 100*rng.Float64())
				case 4:
					steered.Step()
				case 5:
					err = steered.Configure(SteeredConfig{Config: engine.Config{Setup: setups[rng.IntN(len(setups))],
						Mode:   engine.Mode(rng.IntN(5)),
						Budget: rng.IntN(2) * 512}, PrefixCache: rng.IntN(2) == 0})
				}
				testkit.Is(t, err, nil)
				v := steered.Clock()
				testkit.That(t, v >= last, "the clock went from %v back to %v", last, v)
				last = v
			}
		})
	}
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		asking.Wait()
	}()
	// They steer for a while. Then the engine resumes, and every request must
	// end.
	select {
	case <-waited:
	case <-time.After(2 * time.Second):
	}
	close(stop)
	steering.Wait()
	steered.Pause(false)
	testkit.OK(t, steered.SetSpeed(100))
	<-waited
	steered.Observe(nil)
	st := steered.Stats()
	testkit.That(t, st.Running+st.Queued == 0 && st.KV == 0, "left over: %+v", st)
}
