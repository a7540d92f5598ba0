package app_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/metrics/watchstat"
	"tokscope/probe/app"
	"tokscope/probe/client"
	"tokscope/probe/dialect"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
	"tokscope/probe/sim"
)

// came is what the requests of one command came to.
type came struct {
	done int
	ttft time.Duration // median
}

// TestCommandsInEachAPI: a sweep, a load and a watch of the embedded endpoint come to the same
// counts and times in every API, in virtual time. Prompts differ by some tokens of their first
// line; a token takes 3 µs. That much later a request may begin after the end of a load, one for
// each user.
func TestCommandsInEachAPI(t *testing.T) {
	probetest.TakesTime(t, "some thousand tokens in each API")
	var chat map[string]came
	work := metrics.Workload{Prompt: "Say a word.", MaxTokens: 12}
	for _, api := range dialect.Names() {
		work := work
		if api == "completions" { // no template of a chat comes around its prompt: 15 tokens
			work.Prompt += strings.Repeat(" now", 15)
		}
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			var first []time.Duration // of the requests of a command
			var now came
			said := map[string]came{}
			wire := make(probetest.Pipes)
			srv := testkit.Must(sim.Start(sim.Options{Listener: wire, Speed: 1, Sleep: time.Sleep}))(t)
			e := client.New(client.Options{NoPathProbe: true, Proxy: func(*http.Request) (*url.URL, error) { return nil, nil },
				Dial: wire.Dial,
				Ended: func(v metrics.Stream) {
					mu.Lock()
					defer mu.Unlock()
					switch f := metrics.Measure(&v, metrics.Options{}); {
					case v.State == metrics.Cancelled: // at the end of a step
					case v.State == metrics.Done && v.Usage.Completion == work.MaxTokens:
						now.done++
						first = append(first, time.Duration(f.TTFT.V*1e6))
					default:
						t.Errorf("%s: %v, %d tokens, %v", api, v.State, v.Usage.Completion, v.Fault)
					}
				}})
			r := &endpoint.Resolver{Env: func(string) string { return "" }, Flags: endpoint.Flags{API: api, Model: srv.Model()}}
			target := testkit.Must(r.Resolve("http://127.0.0.1:8000"))(t)
			a := &app.App{Options: app.Options{Engine: e, Resolver: r, Target: target, Version: "test"}}
			// did notes what the requests of a command came to.
			did := func(command string) {
				synctest.Wait()
				mu.Lock()
				defer mu.Unlock()
				slices.Sort(first)
				if len(first) > 0 {
					now.ttft = first[len(first)/2]
				}
				said[command], now, first = now, came{}, nil
			}
			s := testkit.Must(a.Sweep(loadstat.SweepPlan{Work: work, Users: []int{1, 3}, Requests: 9}))(t)
			out := testkit.Must(s.Run(t.Context()))(t)
			testkit.OK(t, s.Close())
			did("sweep")
			delete(said, "sweep") // how many it takes to be steady may differ
			for _, step := range out.Steps {
				p := &step.Point
				said[fmt.Sprint("step ", p.Users)] = came{p.Requests, time.Duration(p.TTFT.P50.V * 1e6)}
			}
			watch := a.NewWatch()
			testkit.OK(t, watch.Start(t.Context(), watchstat.Order{Work: []metrics.Workload{work}, Probes: 5,
				Plan: watchstat.Plan{Every: time.Second, Learn: 10}}, nil))
			watch.Wait()
			did("watch")
			session := app.New(a.Options)
			testkit.Must(session.LoadStart(work, 2))(t)
			time.Sleep(3 * time.Second)
			session.LoadStop() // the running requests end
			time.Sleep(time.Second)
			session.Wait()
			did("load")
			e.Close()
			testkit.OK(t, srv.Close(t.Context()))
			if chat == nil {
				chat = said
			}
			for command, users := range map[string]int{"step 1": 0, "step 3": 0, "watch": 0, "load": 2} {
				got, want := said[command], chat[command]
				if want.done < 5 || max(got.done-want.done, want.done-got.done) > users ||
					(got.ttft-want.ttft).Abs() > 100*time.Microsecond {
					t.Errorf("%s, %s: %+v, chat %+v", api, command, got, want)
				}
			}
		})
	}
}
