package ui

import (
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/screen"
	"tokscope/ui/uitest"
)

// TestRequestsOfALoad lists the requests of a load, filters them, opens the
// slowest, goes to the next one and back.
func TestRequestsOfALoad(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *harness, b *uitest.LoadBackend) {
		r.press("tab")
		r.drain()
		r.sees("/ list")
		b.Ended = uitest.Requests(0, 400)
		r.press("/")
		r.sees("╭ requests ─ 400 ended")
		r.sees("all requests")
		r.press("esc")
		r.seesNot("╭ requests") // as it was
		r.press("/")
		r.typed("ttft>oops")
		r.sees("write milliseconds or a unit")
		r.press("ctrl+u")
		r.typed("ttft>500 sort:-ttft")
		r.sees("12 of 400") // tried while it is typed
		r.press("enter")
		r.sees("╭ requests ─ / ttft>500 sort:-ttft")
		r.press("enter")
		r.sees("request 52 of the load, user 4")
		r.sees("╭ request 52 ─")
		r.sees("word 3")
		r.press("n")
		r.sees("of the load, user")
		r.seesNot("request 52 of the load")
		r.press("esc")
		r.sees("╭ requests ─ / ttft>500 sort:-ttft")
		r.press("esc")
		r.sees("╭ requests ─ 400 ended")
		r.press("end")
		r.press("enter")
		r.sees("figures only; events are kept of the 64 slowest and the last 256")
		r.press("home")
		r.press("enter")
		r.wait(time.Second)
		r.sees("request 400 of the load, user 8")
		r.press("esc")
		r.press("esc")
		r.seesNot("╭ requests")
	})
}

// TestRequestsBeforeALoad checks that the list opens before the first request and
// takes what is typed: no letter of a filter is a key of the screen.
func TestRequestsBeforeALoad(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}} {
		playLoad(t, size[0], size[1], Options{}, func(r *harness, b *uitest.LoadBackend) {
			b.StartErr = errNoKey{}
			r.press("tab", "/")
			r.sees("type words")
			r.typed("status:5xx")
			r.sees("status:5xx")
			r.press("enter")
			if size[0] > 40 {
				r.sees("a request is listed when it has ended")
			}
			r.sees("no request has ended yet")
			r.press("esc", "esc")
			r.seesNot("no request has ended yet")
			if r.shown() != screen.Load {
				t.Errorf("%v: the screen is %v", size, r.shown())
			}
		})
	}
}

// TestRequestsOfARecordedLoad filters the requests of a recorded load, opens one,
// and comes back to the same list.
func TestRequestsOfARecordedLoad(t *testing.T) {
	playReplay(t, 120, 40, Options{First: screen.LoadReplay}, func(r *harness, b *uitest.ReplayBackend) {
		openLoads(r, b, recordedLoad(loadstat.Replay{Load: 1, Sent: 700, Recorded: 400}, uitest.Requests(0, 400)))
		r.sees("╭ requests ─ 400 ended")
		r.sees("400 of 700 in the f")
		r.press("/")
		r.typed("gap>200 sort:-ttft")
		r.press("enter")
		r.sees("╭ requests ─ / gap>200 sort:-ttft")
		r.press("enter")
		r.sees("request 156, recorded")
		r.sees("word 3")
		r.sees("╭ " + file) // beside those of the recording, and without the lag of today
		r.seesNot("lag 200 µs")
		r.seesNot("events are missing here")
		r.press("n")
		r.sees(", recorded")
		r.seesNot("request 156, recorded")
		r.press("esc")
		r.sees("╭ requests ─ / gap>200 sort:-ttft")
		r.press("/")
		r.press("ctrl+u")
		r.typed("sort:number")
		r.press("enter")
		r.press("enter")
		r.sees("figures only; its events are not in the recording")
		r.press("/")
		r.press("ctrl+u")
		r.typed("number=399")
		r.press("enter")
		b.Lacks = map[int]metrics.ReplayMissing{498: metrics.ReplayIncomplete}
		r.press("enter")
		r.sees("events are missing here: these are not the figures of the")
		r.press("esc")
		b.Lacks[498] = metrics.ReplayNoEvents
		r.press("enter")
		r.sees("request 399: figures only")
		if r.shown() != screen.LoadReplay {
			t.Errorf("a request without events opens %s", r.shown())
		}
		r.press("esc")
		r.sees("╭ requests ─ 400 ended") // without the filter, as large as before
		r.press("Z")
		if _, _, open := b.LoadReplay(); !open {
			t.Error("the replay is closed")
		}
	})
}

// TestListKeysAtTheSmallSize holds that the footer of a recorded load names the keys
// of its list, the way back and the way out at 80 columns.
func TestListKeysAtTheSmallSize(t *testing.T) {
	playReplay(t, 80, 24, Options{First: screen.LoadReplay}, func(r *harness, b *uitest.ReplayBackend) {
		openLoads(r, b, recordedLoad(loadstat.Replay{Load: 1, Sent: 60, Recorded: 60}, uitest.Requests(0, 60)))
		for _, key := range []string{"enter open", "↑↓ request", "/ filter", "esc live", "q quit"} {
			if !strings.Contains(footer(r), key) {
				t.Errorf("%q is not in %q", key, footer(r))
			}
		}
		r.press("enter")
		r.sees(" request 60, recorded  ")
	})
}
