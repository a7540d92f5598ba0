package sim

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tokscope/metrics/testkit"
	probetest "tokscope/probe/probetest"
)

// Five hundred streams, half of them cut by their client at a random moment:
// the others get every token, and nothing is left in the engine. TestMain
// holds that no goroutine is left either.
func TestHalfTheCrowdVanishes(t *testing.T) {
	probetest.TakesTime(t, "500 requests in real time")
	seed := testkit.Seed(t)
	s := start(t, Options{Speed: 20, Seed: seed})
	tr := &http.Transport{}
	defer tr.CloseIdleConnections()
	client := &http.Client{Transport: tr}
	var whole, cut atomic.Int64
	var wg sync.WaitGroup
	for i := range 500 {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		wg.Go(func() {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			body := fmt.Sprintf(`{"messages":[{"role":"user","content":"request %d"}],"stream":true,"max_tokens":80}`, i)
			req, err := http.NewRequestWithContext(ctx, "POST", s.URL()+"/chat/completions", strings.NewReader(body))
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Content-Type", "application/json")
			stop := -1
			if i%2 == 0 {
				stop = rng.IntN(70)
			}
			if stop == 0 { // some disconnect before the first token
				time.AfterFunc(time.Duration(rng.IntN(20))*time.Millisecond, cancel)
			}
			resp, err := client.Do(req)
			if err != nil {
				cut.Add(1)
				return
			}
			defer resp.Body.Close()
			sc := bufio.NewScanner(resp.Body)
			chunks := 0
			for sc.Scan() {
				if strings.Contains(sc.Text(), `"content":`) && !strings.Contains(sc.Text(), `"role"`) {
					chunks++
				}
				if chunks == stop {
					cut.Add(1)
					return
				}
				if sc.Text() == "data: [DONE]" && chunks == 80 {
					whole.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if whole.Load() < 250 {
		t.Errorf("%d streams came whole, %d were cut", whole.Load(), cut.Load())
	}
	d, _ := s.driver("")
	for range 500 {
		if v := d.view().stats; v.Running == 0 && v.Waiting == 0 && v.KV == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("left in the engine: %+v", d.view().stats)
}

func TestQueueIsBounded(t *testing.T) {
	s := start(t, Options{Speed: 0.001, MaxQueue: 3})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	statuses := make(chan int, 10)
	for range 10 {
		go func() {
			req, err := http.NewRequestWithContext(ctx, "POST", s.URL()+"/chat/completions",
				strings.NewReader(`{"messages":[{"role":"user","content":"x"}],"stream":true}`))
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Content-Type", "application/json")
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				statuses <- 0
				return
			}
			statuses <- resp.StatusCode
			if resp.StatusCode == 200 {
				_, _ = io.Copy(io.Discard, resp.Body) // until the test cuts it
			}
			resp.Body.Close()
		}()
	}
	got := map[int]int{}
	for range 10 {
		got[<-statuses]++
	}
	testkit.That(t, got[200] == 3 && got[503] == 7, "statuses %v, want 3 of 200 and 7 of 503", got)
}

func TestLargeBodiesAreRefused(t *testing.T) {
	s := start(t, Options{})
	code, _, body := post(t, s, "/chat/completions", `{"messages":[{"role":"user","content":"`+strings.Repeat("x",
		maxBody)+`"}]}`)
	testkit.That(t, code == 413 && strings.Contains(body, "larger than"), "%d %.200s", code, body)
}
