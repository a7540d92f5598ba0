package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// runOn sends a request by hand and answers it after that wait.
func runOn(r *harness, wait time.Duration) {
	r.Helper()
	r.do("space sent")
	r.b.Advance(wait)
	for i := range 8 {
		r.b.Chunk(fmt.Sprintf("word%d of %v ", i, wait))
		r.b.Advance(7 * time.Millisecond)
	}
	r.do("finish wait:300ms")
}

// TestRunsOfLive lists the runs of the session, filters them, opens the slowest
// while another one streams, goes on to the next one, and back to the newest.
func TestRunsOfLive(t *testing.T) {
	play(t, "live", 120, 40, Options{}, func(r *harness) {
		r.do("/ enter > !╭ runs") // nothing to list yet
		for _, wait := range []time.Duration{50, 900, 40, 300} {
			runOn(r, wait*time.Millisecond)
		}
		r.sees("session ─ 4 runs")
		r.do("/ > ╭ runs ─ 4 ended | all runs")
		r.do("esc > !╭ runs ─")
		r.do(`/ "ttft>80 sort:-ttft" > 2 of 4`) // tried while it is typed
		r.do("enter > ╭ runs ─ / ttft>80 sort:-ttft")

		r.do("space sent") // the fifth streams on behind the list
		r.b.Advance(100 * time.Millisecond)
		r.do(`chunk:"the fifth answers " wait:300ms > ╭ runs ─ / ttft>80`)
		r.do("enter >  run 2  | word7 of 900ms | run 5 streams")
		r.do("left > word7") // its chunks can be looked at
		r.do("= > 2=   900 ms")
		r.do("y > copied")
		r.do("D > run 2 as other tools define it")
		r.do("esc esc esc > ╭ runs ─ / ttft>80") // from the lab, from the cursor, to the list
		r.do("enter n >  run 4  | pinned #2")
		r.b.Chunk("and goes on")
		r.b.Advance(7 * time.Millisecond)
		r.do("finish wait:300ms > !run 5 streams")
		r.do("esc > 3 of 5") // the fifth matches, and is in the list
		if l := r.m.look.Pinned; l == nil || l.Stream.ID != 2 {
			t.Errorf("pinned is %+v", l)
		}
		r.do("esc > ╭ runs ─ 5 ended")
		r.do("esc > the fifth answers and goes on | vs #2")
		if calls := strings.Join(r.b.Calls(), ", "); strings.Contains(calls, "stop") || strings.Count(calls, "begin") != 5 {
			t.Errorf("calls: %s", calls)
		}
	})
}
