package journey

import (
	"io"
	"math"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
)

// shortRequest has few chunks, so that what a request costs beside them shows.
const shortRequest = "prefill 20ms; 4 tokens @ 5ms; finish; usage; done"

// BenchmarkRequest fails when a short request of `probe --json`, with its recording, line of
// the history and document, takes more than 7 times the CPU time of one of net/http's
// client, which keeps nothing. It was 10 while documents were encoded by encoding/json.
// What a probe of few requests takes is taken off. The best of each side counts: another
// process can only make a round worse.
func BenchmarkRequest(b *testing.B) {
	const requests, users, most, rounds = 2000, 64, 7.0, 6
	binary := *otherProgram
	if binary == "" {
		binary = built(b)
	}
	server := testkit.Must(probetest.Spawn(probetest.Options{ChatOnly: true, Logged: "nothing"}))(b)
	defer server.Close()
	probe := func(n int) time.Duration {
		cmd := exec.Command(binary, "probe", server.URL(shortRequest), "--model", "m", "-q", "--json",
			"-n", strconv.Itoa(n), "-c", strconv.Itoa(users))
		cmd.Env = environment(b.TempDir())
		out, err := cmd.Output()
		testkit.Given(b, err == nil && strings.Contains(string(out), `"done": `+strconv.Itoa(n)), "%v\n%.2000s", err, out)
		return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	for b.Loop() {
		ours, theirs := math.Inf(1), math.Inf(1)
		for round := 0; round == 0 || round < rounds && ours > most*theirs; round++ {
			ours = min(ours, float64((probe(requests+users)-probe(users)).Microseconds())/requests)
			theirs = min(theirs, float64(plainRequests(b, server, requests, users).Microseconds())/requests)
		}
		b.ReportMetric(ours, "µs/request")
		b.ReportMetric(theirs, "net/http-µs/request")
		b.ReportMetric(ours/theirs, "ratio")
		if ours > most*theirs {
			b.Errorf("a request takes %.0f µs, %.1f times that of net/http's client, at most %.0f", ours, ours/theirs, most)
		}
	}
}

// plainRequests is the CPU time of this process for n requests of net/http's client.
func plainRequests(b *testing.B, server *probetest.Process, n, users int) time.Duration {
	tr := &http.Transport{MaxIdleConnsPerHost: users}
	defer tr.CloseIdleConnections()
	client, url := http.Client{Transport: tr}, server.URL(shortRequest)+"/chat/completions"
	before := usedByThis()
	var all sync.WaitGroup
	for range users {
		all.Go(func() {
			for range n / users {
				resp, err := client.Post(url, "application/json",
					strings.NewReader(`{"model":"m","stream":true,"messages":[{"role":"user","content":"a prompt"}]}`))
				if err != nil {
					b.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		})
	}
	all.Wait()
	return usedByThis() - before
}
