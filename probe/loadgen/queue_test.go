package loadgen

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
	"tokscope/probe/sim"
)

// The embedded endpoint reports its queue. With one request at a time all
// users but one wait, the lanes show it, and the figures agree.
func TestQueueOfTheEmbeddedEndpoint(t *testing.T) {
	t.Parallel()
	probetest.TakesTime(t, "it waits for a second and more")
	// At this speed the way of a chunk through a loaded machine is short beside a request.
	e, target := demo(t, sim.Options{Speed: 1}, nil)
	target.Model = "llama-3.1-8b@h100+none"
	l := Start(context.Background(), Config{Engine: e, Target: target,
		Work: metrics.Workload{Prompt: "Tell me of rivers.", MaxTokens: 60}, Shape: Shape{Drive: loadstat.Drive{Users: 6}},
		Seed: 1})
	v := until(t, l, "five wait, one does not", func(v *loadstat.View) bool {
		return v.Waiting == metrics.Known(5, 0) && v.InFlight == 6 && v.Decoding == 1
	})
	count := map[loadstat.LaneState]int{}
	for _, n := range v.Lanes {
		count[n.State]++
	}
	testkit.That(t, count[loadstat.LaneWaiting] == 5 && count[loadstat.LaneDecoding]+count[loadstat.LaneStalled] == 1,
		"lanes %v", count)
	v = until(t, l, "six seconds of it", func(v *loadstat.View) bool { return v.Done >= 12 && v.Live.Running.OK })
	p := v.Live
	if all := p.Running.V + p.Waiting.V; !p.Waiting.OK || p.Waiting.V < 4 || p.Waiting.V > 5.2 || all < 5.5 ||
		all > 6.001 || p.Prefill.V > p.Running.V {
		t.Errorf("running %v, of these prefill %v, waiting %v of 6 users", p.Running, p.Prefill, p.Waiting)
	}
	testkit.Is(t, p.TTFT.N, p.GoodShare.N, "TTFT of … requests of … is known")
	waited := 0
	for _, n := range v.Lanes {
		for _, s := range n.Past {
			if s.State == loadstat.LaneWaiting {
				waited++
			}
		}
	}
	testkit.That(t, waited != 0, "no slice of a lane's past says that it waited")
	finish(l)
}

// Other servers are not asked, and their comments are not read as queue
// reports.
func TestQueueOfOthersIsUnknown(t *testing.T) {
	t.Parallel()
	probetest.TakesTime(t, "it waits for a second and more")
	asked := make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case asked <- r.Header.Get("X-Sim-Truth"):
		default:
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, ": waiting\n\n")
		w.(http.Flusher).Flush()
		select {
		case <-time.After(400 * time.Millisecond):
		case <-r.Context().Done():
			return
		}
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"so\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	defer server.Close()
	e := client.New(client.Options{})
	defer e.Close()
	target := endpoint.Target{Endpoint: metrics.Endpoint{Kind: metrics.EndpointLoopback, Name: "other",
		URL: server.URL + "/v1", Model: "m"}, Auth: endpoint.AuthNone, Server: "vllm"}
	l := Start(context.Background(), Config{Engine: e, Target: target, Work: metrics.Workload{Prompt: "x"},
		Shape: Shape{Drive: loadstat.Drive{Users: 3}}, Seed: 1})
	v := until(t, l, "two answers", func(v *loadstat.View) bool { return v.Done >= 6 && v.Live.Running.OK })
	testkit.Is(t, <-asked, "", "another server was sent X-Sim-Truth")
	if v.Waiting.OK || v.Live.Waiting.OK || v.Live.Waiting.Why != metrics.WhyNoQueue || !v.Live.Prefill.OK ||
		v.Live.Prefill.V < 1 {
		t.Errorf("waiting %+v and %+v, prefill %+v", v.Waiting, v.Live.Waiting, v.Live.Prefill)
	}
	for _, n := range v.Lanes {
		for _, s := range n.Past {
			testkit.Given(t, s.State != loadstat.LaneWaiting, "a lane is said to wait in a queue that nobody told of")
		}
	}
	finish(l)
}
