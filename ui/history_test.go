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
		b.SetHistory(entries, watch.Found(entries))
		return b, b.Backend
	}, f)
}

// TestHistoryByKeys goes through the History screen by keys: 5 shows it, v goes to
// the next figure, a filter is typed and removed, a baseline is set, a change and a
// run are chosen, and enter opens the run's recording in Live.
func TestHistoryByKeys(t *testing.T) {
	playHistory(t, 120, 40, func(r *harness, b *uitest.HistoryBackend) {
		r.press("5")
		if r.shown() != screen.History {
			t.Fatalf("5 shows %s", r.shown())
		}
		r.sees("runs since", "TTFT is 1.9", "what it was before", "all of it prefill", "phases before and after")
		r.press("v")
		r.sees("TPOT ─ groq")
		r.press("/")
		r.typed("lab")
		r.sees("lab as usual", "TPOT ─ lab")
		r.press("enter")
		r.seesNot("together")
		r.sees("lab as usual", "/ lab", "504 of 2,016")
		r.press("esc")
		r.sees("2,016 runs", "together")
		r.press("v", "=", "enter")
		r.sees("baseline groq usual", "its baseline since")
		r.press("n")
		r.sees("phases before and after")
		r.press("down", "up", "enter")
		if got := b.Opened(); len(got) != 1 || r.shown() != screen.Live {
			t.Errorf("opened %v, on %s", got, r.shown())
		}
	})
}

// TestHistoryIsOnTheWayRound checks that tab goes from Explain through History to
// Live.
func TestHistoryIsOnTheWayRound(t *testing.T) {
	playHistory(t, 120, 40, func(r *harness, _ *uitest.HistoryBackend) {
		r.press("4", "tab")
		if r.shown() != screen.History {
			t.Fatalf("after Explain comes %s", r.shown())
		}
		r.press("tab")
		if r.shown() != screen.Live {
			t.Errorf("after History comes %s", r.shown())
		}
	})
}

// TestHistoryLooksForOthers checks that runs of another process appear within
// seconds, that the screen recovers from an error, and that it asks nothing when it
// is not shown.
func TestHistoryLooksForOthers(t *testing.T) {
	playOn(t, 120, 40, Options{}, func() (*uitest.HistoryBackend, *uitest.Backend) { b := uitest.NewHistory(); return b, b.Backend }, func(r *harness, b *uitest.HistoryBackend) {
		r.press("5")
		r.sees("Nothing has been measured on this machine yet.", "Every run of Live")
		w := uitest.AWeek(time.Now().UTC(), time.Hour)
		b.SetHistory(w.Entries()[:6], nil)
		r.wait(5 * time.Second)
		r.sees("6 runs since")
		b.Err = errors.New("the history cannot be read: input/output error")
		b.SetHistory(w.Entries()[:7], nil)
		r.wait(5 * time.Second)
		r.sees("input/output error")
		b.Err = nil
		r.wait(5 * time.Second)
		r.seesNot("input/output error")
		r.sees("7 runs since")
		r.press("1")
		b.Asked()
		r.wait(20 * time.Second)
		if asked := b.Asked(); len(asked) > 0 {
			t.Errorf("asked while Live is shown: %v", asked)
		}
	})
}
