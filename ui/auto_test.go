package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/prompts"
	"tokscope/ui/screen"
	"tokscope/ui/uitest"
)

// groq is an endpoint that costs money.
var groq = metrics.Endpoint{Kind: metrics.EndpointProvider, Name: "groq", URL: "https://api.groq.com/openai/v1", Model: "llama-3.3-70b", Ready: true,
	Price: metrics.Price{In: 0.6, Out: 0.8, Currency: "USD"}}

// selects makes e the endpoint, as the picker does.
func (r *harness) selects(e metrics.Endpoint) {
	r.Helper()
	if err := r.b.Select(e); err != nil {
		r.Fatal(err)
	}
	r.m.Notify()
	r.drain()
}

// serve answers every request for d with n chunks, 20 ms apart.
func (r *harness) serve(d time.Duration, n int) {
	for end := r.b.Now() + metrics.Stamp(d); r.b.Now() < end; {
		if r.b.Running() {
			r.stream(n)
		}
		r.wait(50 * time.Millisecond)
	}
}

func (r *harness) header() string { head, _, _ := strings.Cut(r.screen(), "\n"); return head }

// TestAutoOnLive: a sends the same request again and again; x ends it.
func TestAutoOnLive(t *testing.T) {
	play(t, 120, 40, colours, func(r *harness) {
		r.do("a > auto 0 | a auto off | x stop")
		r.serve(10*time.Second, 20)
		n := len(r.b.Begun())
		if n < 5 {
			t.Fatalf("%d requests in 10 s", n)
		}
		r.sees(fmt.Sprintf("auto %d", n), "trend: ")
		if strings.Contains(r.header(), "left") {
			t.Errorf("a bound on this machine: %s", r.header())
		}
		r.press("x")
		r.seesNot("auto off", fmt.Sprintf("auto %d", n))
		r.serve(10*time.Second, 20)
		if len(r.b.Begun()) > n {
			t.Error("x did not end it")
		}
	})
}

// TestAutoCostsNothingAfterItsEnd: no message comes any more.
func TestAutoCostsNothingAfterItsEnd(t *testing.T) {
	play(t, 120, 40, colours, func(r *harness) {
		r.press("a")
		r.serve(3*time.Second, 5)
		r.do("x wait:5s")
		before := r.updates
		r.wait(time.Minute)
		if r.updates != before {
			t.Errorf("%d updates in an idle minute", r.updates-before)
		}
	})
}

// TestAutoCountsDownToItsBound: on somebody else's endpoint the header counts
// down, auto ends by itself and says so, and a asks for more.
func TestAutoCountsDownToItsBound(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: an hour of auto on the screen")
	}
	play(t, 120, 40, colours, func(r *harness) {
		r.selects(groq)
		r.do("a > USD left")
		left := func() (n int) {
			_, text, _ := strings.Cut(r.header(), "auto ")
			_, text, _ = strings.Cut(text, "· ")
			text, _, _ = strings.Cut(text, " tokens")
			if _, err := fmt.Sscan(strings.ReplaceAll(text, ",", ""), &n); err != nil {
				t.Fatalf("%q: %v", r.header(), err)
			}
			return n
		}
		r.serve(10*time.Second, 20)
		first := left()
		r.serve(10*time.Second, 20)
		if second := left(); first >= 20_000 || second >= first {
			t.Errorf("%d tokens left, then %d", first, second)
		}
		for range 100 {
			r.serve(30*time.Second, 200)
			if strings.Contains(r.screen(), "auto ended") {
				break
			}
		}
		n := len(r.b.Begun())
		r.sees("auto ended at its bound:", "of 20,000 tokens", "a raise bound")
		r.serve(time.Minute, 20)
		if len(r.b.Begun()) != n {
			t.Error("it goes on beyond its bound")
		}
		r.do("a > Allow 20,000 more")
		r.press("esc")
		if r.serve(5*time.Second, 20); len(r.b.Begun()) != n {
			t.Error("no means no")
		}
		r.press("a", "enter")
		if r.serve(5*time.Second, 20); len(r.b.Begun()) == n {
			t.Error("it does not go on after a yes")
		}
	})
}

// TestAutoAsksBeforeALargeRun: a single run beyond the bound is not sent
// without a yes.
func TestAutoAsksBeforeALargeRun(t *testing.T) {
	o := colours
	p, _ := prompts.ByName("10k in")
	o.Screens.Work = p.Work
	o.Screens.Work.InputTokens = 30_000
	play(t, 80, 24, o, func(r *harness) {
		r.selects(groq)
		r.do("a > Allow 20,000 more")
		if len(r.b.Begun()) > 0 {
			t.Fatal("it was sent unasked")
		}
		r.do("enter wait:1s > requests:1")
	})
}

// TestAFailedRunPausesAuto: the reason stands on the screen, a Retry-After is
// counted down, and space goes on at once.
func TestAFailedRunPausesAuto(t *testing.T) {
	fault := metrics.Fault{Kind: metrics.FaultHTTP, Status: 429, Message: "the server has too many requests"}
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		play(t, size[0], size[1], colours, func(r *harness) {
			r.do("a sent")
			r.b.Fail(fault)
			r.do("wait:1m > requests:1 | auto paused | too many requests | space go on")
			r.do("space wait:1s > requests:2")
			fault.RetryAfter = 20 * time.Second
			r.b.Sent()
			r.b.Fail(fault)
			r.wait(5 * time.Second)
			if !strings.Contains(r.header(), "auto paused 15 s") && !strings.Contains(r.header(), "auto paused 16 s") {
				t.Errorf("no countdown: %s", r.header())
			}
			r.do("wait:16s > requests:3")
			fault.RetryAfter = 0
		})
	}
}

// TestAutoGoesOnBehindOtherScreens: a mark says so. A load takes the endpoint.
func TestAutoGoesOnBehindOtherScreens(t *testing.T) {
	playEmpty(t, func(r *harness, _ *empty, _ *uitest.ExplainBackend) {
		r.press("a")
		r.serve(3*time.Second, 5)
		n := len(r.b.Begun())
		r.press("3")
		r.serve(5*time.Second, 5)
		if len(r.b.Begun()) <= n {
			t.Fatal("it stopped behind another screen")
		}
		r.sees("auto, ", " runs ")
		r.do("2 wait:1s")
		n = len(r.b.Begun())
		if r.serve(5*time.Second, 5); r.shown() == screen.Load && len(r.b.Begun()) != n {
			t.Error("it disturbs the load")
		}
	})
}

// TestExplainEndsAuto: its engine needs the machine, and the header says so.
func TestExplainEndsAuto(t *testing.T) {
	playEmpty(t, func(r *harness, _ *empty, _ *uitest.ExplainBackend) {
		r.press("a")
		r.serve(3*time.Second, 5)
		r.do("4 > auto on Live was stopped")
		n := len(r.b.Begun())
		if r.serve(5*time.Second, 5); len(r.b.Begun()) != n {
			t.Error("it sends on behind Explain")
		}
	})
}

// TestAutoEndsWithItsEndpoint: another endpoint needs a decision of its own.
func TestAutoEndsWithItsEndpoint(t *testing.T) {
	play(t, 120, 40, colours, func(r *harness) {
		r.press("a")
		r.serve(2*time.Second, 5)
		r.do("e down enter drain enter")
		n := len(r.b.Begun())
		if r.serve(5*time.Second, 5); len(r.b.Begun()) != n {
			t.Error("it goes on at another endpoint")
		}
		r.sees("a auto")
	})
}

// TestTheCursorHoldsAuto: what a person looks at is not taken away.
func TestTheCursorHoldsAuto(t *testing.T) {
	play(t, 120, 40, colours, func(r *harness) {
		r.do("a stream:20 left")
		n := len(r.b.Begun())
		r.wait(10 * time.Second)
		if len(r.b.Begun()) != n {
			t.Fatal("the next run took the cursor away")
		}
		r.sees("auto holds while the cursor is shown", "esc back")
		r.do("esc wait:2s")
		if len(r.b.Begun()) == n {
			t.Error("it does not go on")
		}
	})
}

// TestAutoAfterAStop: a, pressed before a stopped run has ended, sends again.
func TestAutoAfterAStop(t *testing.T) {
	play(t, 120, 40, colours, func(r *harness) {
		r.do("space sent x a")
		if r.serve(5*time.Second, 5); len(r.b.Begun()) < 3 {
			t.Errorf("%d requests", len(r.b.Begun()))
		}
	})
}

// TestAutoHasAnInterval: - and + choose it.
func TestAutoHasAnInterval(t *testing.T) {
	play(t, 120, 40, colours, func(r *harness) {
		r.do("a - - > auto: a run every 10 s")
		r.serve(41*time.Second, 5)
		r.do("> requests:5 | , next in ")
		r.do("+ + > auto: again when a run ends")
	})
}

// minute plays the first minute with a server of 140 tok/s, and returns when
// each of the texts was seen first.
func minute(t *testing.T, w, h int, texts ...string) map[string]time.Duration {
	seen := map[string]time.Duration{}
	o := colours
	o.Start, o.Screens.FirstMinute = true, true
	o.Screens.Work = prompts.Default()
	o.Screens.Work.MaxTokens = 3000
	play(t, w, h, o, func(r *harness) {
		began := r.b.Now()
		look := func() {
			for _, text := range texts {
				if _, ok := seen[text]; !ok && strings.Contains(r.screen(), text) {
					seen[text] = time.Duration(r.b.Now() - began)
				}
			}
		}
		look()
		for range 3 {
			for !r.b.Running() {
				r.wait(50 * time.Millisecond)
				look()
				if r.b.Now()-began > metrics.Stamp(90*time.Second) {
					t.Fatal("there are no three runs")
				}
			}
			r.b.Sent()
			for range 28 {
				r.wait(10 * time.Millisecond)
				look()
			}
			for i := range 200 {
				for range 15 {
					r.b.Chunk("word ")
					r.b.Advance(7 * time.Millisecond)
				}
				time.Sleep(105 * time.Millisecond)
				r.drain()
				if i%3 == 0 {
					look()
				}
			}
			r.b.Finish()
			r.drain()
			look()
		}
		if n := slices.Index(r.b.Calls(), "another user, 12000 tokens"); n < 0 {
			t.Errorf("no other user came: %q", r.b.Calls())
		}
		r.wait(3 * time.Second)
		look()
		updates, requests := r.updates, len(r.b.Begun())
		r.wait(5 * time.Minute)
		if r.updates != updates || len(r.b.Begun()) != requests || requests != 3 {
			t.Errorf("after the first minute: %d updates, %d requests", r.updates-updates, len(r.b.Begun()))
		}
		r.do("space > !auto 1") // an ordinary run
	})
	return seen
}

// TestFirstMinute: without a key pressed a newcomer sees a whole frame at once,
// text within a second, a conclusion with figures within three, and every
// caption within sixty. After three runs nothing moves.
func TestFirstMinute(t *testing.T) {
	limits := []struct {
		text string
		by   time.Duration
	}{
		{"TTFT", 0}, {"auto 1 of 3", 0}, {"the wait for prefill.", 0},
		{"word word", time.Second}, {"First token after 280 ms", 3 * time.Second},
		{"token by token: decode", 3 * time.Second}, {"Another user's long prompt", 12 * time.Second}, {"what the figures show", 18 * time.Second},
		{"Auto sends it again", 25 * time.Second}, {"line of reading pace", 35 * time.Second},
		{"their last runs", 50 * time.Second}, {"Next: 2 many users", 60 * time.Second},
		{"space again, 2 many users", 70 * time.Second},
	}
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		var texts []string
		for _, l := range limits {
			texts = append(texts, l.text)
		}
		seen := minute(t, size[0], size[1], texts...)
		for _, l := range limits {
			if at, ok := seen[l.text]; !ok || at > l.by {
				t.Errorf("%v: %q seen %v, after %v", size, l.text, ok, at)
			}
		}
	}
}

// TestTheFirstMinuteGivesWay: what a person changes ends it.
func TestTheFirstMinuteGivesWay(t *testing.T) {
	o := colours
	o.Start, o.Screens.FirstMinute = true, true
	for _, key := range []string{"x", "c", "]"} {
		play(t, 120, 40, o, func(r *harness) {
			r.sees("auto 1 of 3")
			r.press(key)
			r.seesNot("auto 1 of 3", "the wait for prefill.")
			if r.b.Running() {
				r.stream(5)
			}
			if r.serve(5*time.Second, 5); len(r.b.Begun()) != 1 {
				t.Errorf("%s: %d requests", key, len(r.b.Begun()))
			}
		})
	}
}

// TestFiguresOfAnotherRunAreNamed: after another endpoint, model, workload or
// connection was chosen, the last run's figures say whose they are, and are dim.
func TestFiguresOfAnotherRunAreNamed(t *testing.T) {
	bright := func(r *harness, text string) bool {
		x, y := r.locate(text)
		_, role := r.m.surface.grid.At(x, y)
		return role != themes.Dim
	}
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}, {200, 50}} {
		play(t, size[0], size[1], colours, func(r *harness) {
			r.do("space stream:30 > !last run")
			if !bright(r, "tok/s") && size[0] > 40 {
				t.Errorf("%v: figures of the present run are dim", size)
			}
			other := r.b.Endpoint()
			other.Model = "llama-3.1-70b"
			r.selects(other)
			r.sees("last run: llama-3.1-8b")
			if bright(r, "tok/s") {
				t.Errorf("%v: figures of another model are bright", size)
			}
			r.selects(groq)
			r.sees("last run: demo", "space run")
			r.selects(uitest.Demo)
			r.seesNot("last run")
			r.do("] > last run: up to 200 tokens")
			r.do("[ c > last run: auto connection")
			r.do("space > !last run")
		})
	}
}
