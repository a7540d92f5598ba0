package sim

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics/testkit"
	"tokscope/probe/sim/engine"
)

// A request that asks for the truth hears once that it waits, and only when a
// step begins without it. Then it hears that it is admitted, and gets its
// tokens.
func TestQueueStateIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := testkit.Must(find(nil, DefaultModel))(t)
		d := newDriver(DefaultModel, 1, &Options{Log: discardLog(), Sleep: time.Sleep})
		d.start(engine.Options{Config: engine.Config{Setup: f.setup, MaxSeqs: 2}})
		defer d.close()
		submit := func(truth bool) (*outbox, *engine.Request) {
			f := newOutbox()
			r := &engine.Request{Prompt: 100, Output: 50, User: &requestRef{out: f, truth: truth}}
			testkit.OK(t, d.submit([]*engine.Request{r}))
			return f, r
		}
		words := func(f *outbox) (words []string, tokens int) {
			got, _ := f.swap(nil)
			for _, a := range got {
				switch {
				case a.word == "":
					tokens += a.n
				case tokens > 0:
					t.Errorf("%q after %d tokens", a.word, tokens)
				default:
					words = append(words, a.word)
				}
			}
			return words, tokens
		}
		first, _ := submit(true)
		time.Sleep(30 * time.Millisecond) // the first one decodes
		joins, _ := submit(true)          // arrives during a step and joins the next
		third, _ := submit(true)
		silent, _ := submit(false)
		cancelled, r := submit(true)
		time.Sleep(100 * time.Millisecond)
		if w, n := words(third); !slices.Equal(w, []string{"waiting"}) || n != 0 {
			t.Errorf("in the queue: %q, %d tokens", w, n)
		}
		d.cancel([]*engine.Request{r})
		time.Sleep(3 * time.Second)
		for _, c := range []struct {
			name   string
			f      *outbox
			words  string
			tokens int
		}{
			{"first", first, "prefill", 50}, {"joins", joins, "prefill", 50}, {"third", third, "prefill", 50},
			{"did not ask", silent, "", 50}, {"canceled", cancelled, "waiting", 0},
		} {
			if w, n := words(c.f); strings.Join(w, " ") != c.words || n != c.tokens {
				t.Errorf("%s: %q and %d tokens, want %q and %d", c.name, w, n, c.words, c.tokens)
			}
		}
		testkit.Is(t, len(d.unnotified), 0, "are still to be told")
	})
}

func TestQueueStateIsReportedInTheStream(t *testing.T) {
	t.Parallel()
	s := start(t, Options{Model: DefaultModel + "+none", Speed: 2})
	var first sync.WaitGroup
	defer first.Wait()
	first.Go(func() {
		resp, err := http.Post(s.URL()+"/chat/completions", "application/json", strings.NewReader(ask+`,"max_tokens":100}`))
		if err != nil {
			t.Error(err)
			return
		}
		resp.Body.Close()
	})
	d, _ := s.driver("")
	for d.view().stats.Running == 0 {
		time.Sleep(time.Millisecond)
	}
	_, notes := stream(t, s, `"max_tokens":3`, "X-Sim-Truth", "1")
	if len(notes) != 5 || notes[0] != ": waiting" || notes[1] != ": prefill" || !strings.HasPrefix(notes[2], ": sim ") {
		t.Errorf("comments %q", notes)
	}
}
