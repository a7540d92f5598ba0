package loadgen

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
)

// A running load gets other work: running requests end unchanged, later ones
// use the new work, and every ended request was reported.
func TestSteerToOtherWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := serve(t, "llama-3.1-8b@h100")
		var mu sync.Mutex
		var ended []int // output tokens of the requests, as they ended
		nonces := 0
		l := modelLoad(f, Config{Shape: Shape{Drive: loadstat.Drive{Users: 2}}, Ended: func(user int, v *metrics.Stream,
			x *metrics.Figures) {
			mu.Lock()
			defer mu.Unlock()
			testkit.That(t, user >= 1 && user <= 2 && (v.State != metrics.Done || x.TTFT.OK),
				"told of user %d, TTFT %+v", user, x.TTFT)
			ended = append(ended, v.Work.MaxTokens)
			if v.Work.Nonce != "" {
				nonces++
			}
		}}, 100, 200)
		time.Sleep(500 * time.Millisecond)
		w, shared := metrics.Workload{Prompt: "y", InputTokens: 50, MaxTokens: 5}, true
		l.Steer(func(c *Config) { c.Work, c.SharedPrefix = w, shared })
		time.Sleep(3 * time.Second)
		v := l.View()
		stopAll(l, f)
		mu.Lock()
		defer mu.Unlock()
		testkit.That(t, len(ended) >= 6 && ended[0] == 200 && ended[1] == 200 && ended[2] == 5 && nonces == 2,
			"ended %v, %d with a line of their own", ended, nonces)
		testkit.That(t, v.Failed <= 0 && v.Cancelled <= 0 && v.Work.MaxTokens == 5,
			"%d failed, %d cancelled, work %+v", v.Failed, v.Cancelled, v.Work)
	})
}

// Renewed users return one after the other, with the new work. Their requests
// are cancelled, not failed, and the load continues.
func TestRenew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := serve(t, "llama-3.1-8b@h100")
		l := modelLoad(f, Config{Shape: Shape{Drive: loadstat.Drive{Users: 10}}}, 100, 4000)
		time.Sleep(time.Second)
		testkit.Need(t, l.View().InFlight, 10, "run")
		l.Steer(func(c *Config) { c.Work = metrics.Workload{Prompt: "y", InputTokens: 50, MaxTokens: 4000} })
		l.Renew(0, time.Second)
		time.Sleep(550 * time.Millisecond)
		if v := l.View(); v.InFlight < 4 || v.InFlight > 7 || v.Cancelled != 10 {
			t.Errorf("half-way %d run, %d were cancelled", v.InFlight, v.Cancelled)
		}
		time.Sleep(time.Second)
		v := l.View()
		testkit.That(t, v.InFlight == 10 && v.Failed <= 0 && v.Cancelled == 10 && v.Running && v.Stopped.Code == "",
			"%d run, %d failed, %d cancelled, %+v", v.InFlight, v.Failed, v.Cancelled, v.Stopped)
		for user := 1; user <= 10; user++ {
			s, ok := l.Stream(user)
			testkit.That(t, ok && s.Work.InputTokens == 50, "user %d sends %+v", user, s.Work)
		}
		// Leaving users take no place in the sequence.
		l.Resize(2)
		began := f.begun()
		l.Renew(0, time.Second)
		time.Sleep(400 * time.Millisecond)
		testkit.Is(t, f.begun()-began, 1, "of two users over a second … began in its first half")
		l.Resize(10)
		time.Sleep(2 * time.Second)
		cancelled := l.View().Cancelled
		testkit.That(t, cancelled >= 20, "%d were cancelled", cancelled)
		// Repeatedly, faster than any user begins.
		for range 5 {
			l.Renew(0, time.Second)
			time.Sleep(time.Millisecond)
		}
		time.Sleep(2 * time.Second)
		if v := l.View(); v.InFlight != 10 || v.Failed > 0 || !v.Running {
			t.Errorf("after five times %d run, %d failed", v.InFlight, v.Failed)
		}
		stopAll(l, f)
	})
}

// begun returns the number of begun requests.
func (f *served) begun() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count
}
