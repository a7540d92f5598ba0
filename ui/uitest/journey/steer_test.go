//go:build !windows

package journey

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Of a load: its sentence about one user, and the requests that have ended.
var (
	oneUser = regexp.MustCompile(`(?m)^ 1 user: [0-9.,]+ tok/s per user, [0-9.,]+ tok/s aggregate(, not steady)?$`)
	ended   = regexp.MustCompile(`│ ([0-9]+) requests  [0-9]`)
)

// answers waits until ten more requests have ended and their figures are shown:
// enough for a point, steady or not. A machine that is busy otherwise may have none
// that is steady.
func (x *term) answers() {
	x.t.Helper()
	number := func() int {
		m := ended.FindStringSubmatch(x.screen())
		if m == nil {
			return 0
		}
		n, _ := strconv.Atoi(m[1])
		return n
	}
	enough := number() + 10
	x.wait("a point of this work", func() bool { return number() >= enough && oneUser.MatchString(x.screen()) })
}

// Steering: while a load runs it takes another prompt and another model in place,
// and backspace takes them back. Each change is a mark over time, the points
// before it are dim, and the replay of the recording has them all.
func TestSteering(t *testing.T) {
	t.Parallel()
	x := start(t, 120, 40, nil, "--input-tokens", "100", "--max-tokens", "30")
	x.until("done")
	x.keys("2")
	x.until("lanes ─ 1")
	x.answers()
	x.keys("p")
	x.until("prompt", "ctrl+t")
	x.keys("\x14", "\x15", "4000", "<ctrl+r>") // ctrl+t, ctrl+u
	x.until("new requests send this; running ones finish", "bksp undo workload")
	x.keys("v", "v")
	x.until("╭ over time", "╎ a change: users, rate, workload, model, endpoint or objectives", "prompt 4k")
	x.answers()
	x.keys("m")
	x.until("esc back")
	x.keys("gpt-oss-120b@2xh", "<enter>")
	x.until("new requests go there; running ones finish", "bksp undo model")
	x.keys("v", "v", "v", "v") // by the charts over a rate and a length to that over users
	x.until("╭ per-user falls", "dim: before a change", "gpt-oss-120b@2xh100")
	x.keys("v")
	x.until("╭ frontier", "dim: before a change")
	x.keys("<right>")
	x.until("lanes ─ 2", "bksp undo users")
	for _, undone := range []string{"users back to 1", "model back to ", "prompt back to 100"} {
		x.keys("<backspace>")
		x.until(undone)
	}
	x.wait("nothing left to take back", func() bool { return !strings.Contains(x.screen(), "bksp undo") })
	x.keys("x", "x")
	x.until("ended")
	x.keys("q")
	if code := x.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	path := recordedMarks(t, x, `"what":"workload"`, `"what":"model"`, `"what":"users"`, `"what":"users","undo":true`, `"what":"model","undo":true`, `"what":"workload","undo":true`)
	y := start(t, 120, 40, nil, "replay", path)
	y.until("replay")
	y.keys("<tab>")
	y.until("2 Load", "per-user falls")
	y.keys("<end>")
	y.until("ended", "last change: prompt 4k → 100 (undo)")
	y.keys("q")
	y.exit()
}

// recordedMarks fails unless the recording of x has lines of marks with each of
// these, in this order. It returns the recording's path.
func recordedMarks(t *testing.T, x *term, want ...string) (path string) {
	t.Helper()
	for path, data := range x.recordings() {
		left, marks := want, ""
		for line := range strings.Lines(data) {
			if !strings.HasPrefix(line, `{"type":"load_mark"`) {
				continue
			}
			if marks += line; len(left) > 0 && strings.Contains(line, left[0]) {
				left = left[1:]
			}
		}
		if len(left) == 0 {
			return path
		}
		t.Errorf("no mark with %s in %s:\n%s", left[0], path, marks)
	}
	t.FailNow()
	return ""
}

// A rate above what the endpoint can do: the screen says that the queue grows, by
// how much, and what the wait is from the schedule. The picture freezes, a ramp
// runs to its end, and the recording ends as the load did.
func TestRateAboveCapacity(t *testing.T) {
	t.Parallel()
	x := start(t, 120, 40, nil, "llama-3.1-8b@l4", "--input-tokens", "1000", "--max-tokens", "5")
	x.until("done")
	x.keys("2")
	x.until("lanes ─ 1", "completed", "req/s")
	x.keys("v", "v", "v")
	x.until("requests a second that end, at 1 user", "the arrows change to an open loop")
	x.keys("<right>")
	x.until("req/s asked for", "bksp undo rate", "0 due and unsent", "requests under way")
	x.keys("u")
	x.until("type 64, 12/s, 12/s poisson or 10-200 in 60s")
	x.keys("8/s poisson", "<enter>")
	x.until("at random (Poisson)", "req/s arrive", "the queue grows by", "sched p50")
	known := regexp.MustCompile(`sched p50 +[0-9]`)
	x.wait("TTFT from the schedule", func() bool { return known.MatchString(x.screen()) })
	x.keys("v")
	x.until("╭ queue: arrive and end over time", "under way + wait", "arrive above end: the queue grows")
	x.keys("f")
	x.until("frozen at", "f unfreeze")
	x.keys("f")
	x.wait("the picture moves again", func() bool { return !strings.Contains(x.screen(), "frozen at") })
	for _, size := range [][2]int{{80, 24}, {100, 30}, {200, 50}, {120, 40}} {
		x.resize(size[0], size[1])
		x.until("Poisson", "req/s arrive", "sched", "unsent")
	}
	x.keys("u")
	x.until("type 64, 12/s, 12/s poisson or 10-200 in 60s")
	x.keys("1-2/s in 5s", "<enter>")
	x.until("to 2/s in")
	x.until("2 req/s asked for")
	x.keys("<backspace>")
	x.until("rate back to ")
	x.keys("x", "x")
	x.until("ended")
	x.keys("q")
	if code := x.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	path := recordedMarks(t, x, `"rate_per_s":8,"poisson":true`, `"ramp_to":2,"ramp_s":5`, `"undo":true`)
	y := start(t, 200, 50, nil, "replay", path)
	y.until("replay")
	y.keys("<tab>")
	y.until("tab requests")
	y.until("╭ recorded load", "requests a second asked for in the last window", "last change: rate", "ended")
	y.keys("q")
	if code := y.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
