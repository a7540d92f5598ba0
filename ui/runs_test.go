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
	r.press("space")
	r.b.Sent()
	r.b.Advance(wait)
	for i := range 8 {
		r.b.Chunk(fmt.Sprintf("word%d of %v ", i, wait))
		r.b.Advance(7 * time.Millisecond)
	}
	r.b.Finish()
	r.wait(300 * time.Millisecond)
}

// TestRunsOfLive lists the runs of the session, filters them, opens the slowest
// while another one streams, goes on to the next one, and back to the newest.
func TestRunsOfLive(t *testing.T) {
	play(t, 120, 40, Options{}, func(r *harness) {
		r.press("/")
		r.press("enter") // nothing to list yet
		r.seesNot("╭ runs")
		for _, wait := range []time.Duration{50, 900, 40, 300} {
			runOn(r, wait*time.Millisecond)
		}
		r.sees("session ─ 4 runs")
		r.press("/")
		r.sees("╭ runs ─ 4 ended")
		r.sees("all runs")
		r.press("esc")
		r.seesNot("╭ runs ─")
		r.press("/")
		r.typed("ttft>80 sort:-ttft")
		r.sees("2 of 4") // tried while it is typed
		r.press("enter")
		r.sees("╭ runs ─ / ttft>80 sort:-ttft")

		r.press("space") // the fifth streams on behind the list
		r.b.Sent()
		r.b.Advance(100 * time.Millisecond)
		r.b.Chunk("the fifth answers ")
		r.wait(300 * time.Millisecond)
		r.sees("╭ runs ─ / ttft>80")
		r.press("enter")
		r.sees(" run 2 ")
		r.sees("word7 of 900ms")
		r.sees("run 5 streams")
		r.press("left") // its chunks can be looked at
		r.sees("word7")
		r.press("=")
		r.sees("2=   900 ms")
		r.press("y")
		r.sees("copied")
		r.press("D")
		r.sees("run 2 as other tools define it")
		r.press("esc", "esc", "esc") // from the lab, from the cursor, to the list
		r.sees("╭ runs ─ / ttft>80")
		r.press("enter")
		r.press("n")
		r.sees(" run 4 ")
		r.sees("pinned #2")
		r.b.Chunk("and goes on")
		r.b.Advance(7 * time.Millisecond)
		r.b.Finish()
		r.wait(300 * time.Millisecond)
		r.seesNot("run 5 streams")
		r.press("esc")
		r.sees("3 of 5") // the fifth matches, and is in the list
		if l := r.m.look.Pinned; l == nil || l.Stream.ID != 2 {
			t.Errorf("pinned is %+v", l)
		}
		r.press("esc")
		r.sees("╭ runs ─ 5 ended")
		r.press("esc")
		r.sees("the fifth answers and goes on")
		r.sees("vs #2")
		if calls := strings.Join(r.b.Calls(), ", "); strings.Contains(calls, "stop") || strings.Count(calls, "begin") != 5 {
			t.Errorf("calls: %s", calls)
		}
	})
}
