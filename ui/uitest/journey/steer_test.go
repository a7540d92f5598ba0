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
	x.do("2 <space> > lanes ─ 1")
	x.answers()
	x.do("p > prompt | ctrl+t")
	x.keys("\x14", "\x15", "4000", "<ctrl+r>") // ctrl+t, ctrl+u
	x.until("new requests send this; running ones finish", "bksp undo workload")
	x.do("v v > ╭ over time | ╎ a change: users, rate, workload, model, endpoint or objectives | prompt 4k")
	x.answers()
	x.do("m > esc back")
	x.do("gpt-oss-120b@2xh <enter> > new requests go there; running ones finish | bksp undo model")
	x.keys("v", "v", "v") // by those of TTFT and of lengths to that over users
	x.until("╭ speed over users", "dim: before a change", "gpt-oss-120b@2xh100")
	x.do("v > ╭ frontier | dim: before a change")
	x.do("<right> > lanes ─ 2 | bksp undo users")
	for _, undone := range []string{"users back to 1", "model back to ", "prompt back to 100"} {
		x.keys("<backspace>")
		x.until(undone)
	}
	x.wait("nothing left to take back", func() bool { return !strings.Contains(x.screen(), "bksp undo") })
	x.do("x x > ended")
	x.quits()
	path := recordedMarks(t, x, `"what":"workload"`, `"what":"model"`, `"what":"users"`, `"what":"users","undo":true`,
		`"what":"model","undo":true`, `"what":"workload","undo":true`)
	y := start(t, 120, 40, nil, "replay", path)
	y.until("replay")
	y.do("<tab> > 2 Load | speed over users")
	y.do("<end> > ended | last change: prompt 4k → 100 (undo)")
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
