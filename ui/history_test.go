package ui

import (
	"errors"
	"testing"
	"time"

	"tokscope/ui/screen"
	"tokscope/ui/uitest"
)

// playHistory is play with a week of history that ends now, of one request an hour.
func playHistory(t *testing.T, w, h int, f func(*harness, *uitest.HistoryBackend)) {
	t.Helper()
	playOn(t, w, h, Options{}, func() (*uitest.HistoryBackend, *uitest.Backend) {
		b := uitest.NewHistory()
		watch := uitest.AWeek(time.Now().UTC(), 20*time.Minute)
		entries := watch.Entries()
		b.SetHistory(t, entries, watch.Found(entries))
		return b, b.Backend
	}, f)
}

// TestHistoryByKeys goes through the History screen by keys: 5 shows it, v goes to
// the next figure, a filter is typed and removed, a baseline is set, a change and a
// run are chosen, and enter opens the run's recording in Live.
func TestHistoryByKeys(t *testing.T) {
	playHistory(t, 120, 40, func(r *harness, b *uitest.HistoryBackend) {
		r.do("5 > at:history")
		r.sees("runs since", "TTFT is 1.9", "what it was before", "all of it prefill", "phases before and after")
		r.do("v > TPOT ─ groq")
		r.do(`/ "lab" > lab as usual | TPOT ─ lab`)
		r.do("enter > !together | lab as usual | / lab | 504 of 2,016")
		r.do("esc > 2,016 runs | together")
		r.do("v = enter > baseline groq usual | its baseline since")
		r.do("n > phases before and after")
		r.press("down", "up", "enter")
		if got := b.Opened(); len(got) != 1 {
			t.Errorf("opened %v", got)
		}
	})
}

// playEvery is play with every screen and some hours of history.
func playEvery(t *testing.T, f func(*harness, *uitest.AllBackend)) {
	t.Helper()
	playOn(t, 120, 40, Options{}, func() (*uitest.AllBackend, *uitest.Backend) {
		b := uitest.NewAll()
		entries := uitest.AWeek(time.Now().UTC(), time.Hour).Entries()
		b.SetHistory(t, entries[:40], nil)
		b.SetReplay(file, recordedRun(11, 7*time.Millisecond))
		return b, b.Backend
	}, f)
}

// TestHistoryOpensTheReplay checks that enter shows the chosen run's recording, and
// not what Live itself measures.
func TestHistoryOpensTheReplay(t *testing.T) {
	playEvery(t, func(r *harness, _ *uitest.AllBackend) {
		r.press("5", "enter")
		if r.shown() != screen.Replay {
			t.Errorf("enter shows %s:\n%s", r.shown(), r.screen())
		}
		r.do("5 > at:history")
	})
}

// TestTabVisitsEveryScreen checks that tab goes through the tabs in their order and
// back to the first, past the question of Explain, and shift+tab the other way.
func TestTabVisitsEveryScreen(t *testing.T) {
	for key, order := range map[string][]screen.Name{
		"tab":       {screen.Load, screen.Race, screen.Explain, screen.History, screen.Live},
		"shift+tab": {screen.History, screen.Explain, screen.Race, screen.Load, screen.Live},
	} {
		playEvery(t, func(r *harness, _ *uitest.AllBackend) {
			for _, want := range order {
				if r.press(key); r.m.stack.top() != nil {
					r.press("enter")
				}
				if r.shown() != want {
					t.Fatalf("%s shows %s, want %s", key, r.shown(), want)
				}
			}
		})
		playEvery(t, func(r *harness, b *uitest.AllBackend) {
			r.press("2")
			if !b.LoadView().Running {
				t.Fatal("no load runs")
			}
			past := screen.History
			if r.press("5"); key == "tab" {
				r.press("3")
			} else {
				past = screen.Race
			}
			r.press(key)
			r.sees("Show it?", "tab skip")
			r.press(key)
			if r.shown() != past || !b.LoadView().Running {
				t.Errorf("%s past Explain shows %s, load runs: %v", key, r.shown(), b.LoadView().Running)
			}
		})
	}
}

// TestHistoryLooksForOthers checks that runs of another process appear within
// seconds, that the screen recovers from an error, and that it asks nothing when it
// is not shown.
func TestHistoryLooksForOthers(t *testing.T) {
	playOn(t, 120, 40, Options{}, func() (*uitest.HistoryBackend, *uitest.Backend) { b := uitest.NewHistory(); return b, b.Backend }, func(r *harness, b *uitest.HistoryBackend) {
		r.do("5 > Nothing has been measured on this machine yet. | Every run of Live")
		w := uitest.AWeek(time.Now().UTC(), time.Hour)
		b.SetHistory(t, w.Entries()[:6], nil)
		r.do("wait:5s > 6 runs since")
		b.Err = errors.New("the history cannot be read: input/output error")
		b.SetHistory(t, w.Entries()[:7], nil)
		r.do("wait:5s > input/output error")
		b.Err = nil
		r.do("wait:5s > !input/output error | 7 runs since")
		r.press("1")
		b.Asked()
		r.wait(20 * time.Second)
		if asked := b.Asked(); len(asked) > 0 {
			t.Errorf("asked while Live is shown: %v", asked)
		}
	})
}
