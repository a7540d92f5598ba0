package ui

import (
	"testing"
	"time"

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
