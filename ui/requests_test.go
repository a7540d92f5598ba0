package ui

import (
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/screen"
	"tokscope/ui/uitest"
)

// TestRequestsOfALoad lists the requests of a load, filters them, opens the
// slowest, goes to the next one and back.
func TestRequestsOfALoad(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *harness, b *uitest.LoadBackend) {
		r.do("tab drain > / list")
		b.Ended = uitest.Requests(0, 400)
		r.do("/ > ╭ requests ─ 400 ended | all requests")
		r.do("esc > !╭ requests") // as it was
		r.do(`/ "ttft>oops" > write milliseconds or a unit`)
		r.do(`ctrl+u "ttft>500 sort:-ttft" > 12 of 400`) // tried while it is typed
		r.do("enter > ╭ requests ─ / ttft>500 sort:-ttft")
		r.do("enter > request 52 of the load, user 4 | ╭ request 52 ─ | word 3")
		r.do("n > of the load, user | !request 52 of the load")
		r.do("esc > ╭ requests ─ / ttft>500 sort:-ttft")
		r.do("esc > ╭ requests ─ 400 ended")
		r.do("end enter > figures only; events are kept of the 64 slowest and the last 256")
		r.do("home enter wait:1s > request 400 of the load, user 8")
		r.do("esc esc > !╭ requests")
	})
}

// TestRequestsBeforeALoad checks that the list opens before the first request and
// takes what is typed: no letter of a filter is a key of the screen.
func TestRequestsBeforeALoad(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}} {
		playLoad(t, size[0], size[1], Options{}, func(r *harness, b *uitest.LoadBackend) {
			b.StartErr = errNoKey{}
			r.do("tab / > type words")
			r.do(`"status:5xx" > status:5xx`)
			r.press("enter")
			if size[0] > 40 {
				r.sees("a request is listed when it has ended")
			}
			r.sees("no request has ended yet")
			r.do("esc esc > !no request has ended yet | at:load")
		})
	}
}

// TestRequestsOfARecordedLoad filters the requests of a recorded load, opens one,
// and comes back to the same list.
func TestRequestsOfARecordedLoad(t *testing.T) {
	playReplay(t, 120, 40, Options{First: screen.LoadReplay}, func(r *harness, b *uitest.ReplayBackend) {
		openLoads(r, b, recordedLoad(loadstat.Replay{Load: 1, Sent: 700, Recorded: 400}, uitest.Requests(0, 400)))
		r.do("> ╭ requests ─ 400 ended | 400 of 700 in the f")
		r.do(`/ "gap>200 sort:-ttft" enter > ╭ requests ─ / gap>200 sort:-ttft`)
		r.do("enter > request 156, recorded | word 3")
		r.sees("╭ " + file) // beside those of the recording, and without the lag of today
		r.do("> !lag 200 µs | !events are missing here")
		r.do("n > , recorded | !request 156, recorded")
		r.do("esc > ╭ requests ─ / gap>200 sort:-ttft")
		r.do(`/ ctrl+u "sort:number" enter enter > figures only; its events are not in the recording`)
		r.do(`/ ctrl+u "number=399" enter`)
		b.Lacks = map[int]metrics.ReplayMissing{498: metrics.ReplayIncomplete}
		r.do("enter > events are missing here: these are not the figures of the")
		r.press("esc")
		b.Lacks[498] = metrics.ReplayNoEvents
		r.do("enter > request 399: figures only")
		if r.shown() != screen.LoadReplay {
			t.Errorf("a request without events opens %s", r.shown())
		}
		r.do("esc > ╭ requests ─ 400 ended") // without the filter, as large as before
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
		r.do("enter >  request 60, recorded  ")
	})
}
