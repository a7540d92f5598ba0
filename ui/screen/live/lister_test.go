package live

import (
	"fmt"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/dialog"
	"tokscope/ui/draw"
	"tokscope/ui/screen"
	"tokscope/ui/uitest/golden"
)

// sessionBackend has the runs of a session, of which the last streams.
type sessionBackend struct {
	Backend
	runs []metrics.Run
	left int
}

func (b *sessionBackend) Runs() []metrics.Run        { return b.runs }
func (b *sessionBackend) RunsLeftOut() int           { return b.left }
func (b *sessionBackend) Version() uint64            { return uint64(len(b.runs) + b.left) }
func (b *sessionBackend) Now() metrics.Stamp         { return origin }
func (b *sessionBackend) Observer() metrics.Observer { return metrics.Observer{} }
func (b *sessionBackend) Curl() string               { return "" }
func (b *sessionBackend) Snapshot() metrics.Stream   { return b.runs[len(b.runs)-1].Stream }
func (b *sessionBackend) Endpoint() metrics.Endpoint { return b.runs[len(b.runs)-1].Stream.Endpoint }

// onRuns is the Live screen after these runs, with their list.
func onRuns(b *sessionBackend, look *screen.Look) *Screen {
	s := New(screen.Deps{Look: look, Editor: dialog.NewEditor(metrics.Workload{})}, b).(*own).Screen
	s.view.Max = RunsPanel
	s.refresh()
	return s
}

// hostileRuns are runs whose names hold control characters.
func hostileRuns() []metrics.Run {
	bad := func(s *metrics.Stream) {
		s.Endpoint.Name, s.Endpoint.URL, s.Model, s.Work.Name = "gr\x1b[31moq\u202e", "http://b", "m\x07odel\x9b", "w\x00ork"
		s.State, s.Fault = metrics.Failed, &metrics.Fault{Kind: metrics.FaultHTTP, Status: 503,
			Message: "over\x1b[2Jloaded\u202e"}
	}
	return []metrics.Run{ended(1, 288, bad), ended(2, 41, nil), ended(3, 41, nil)}
}

// TestGoldenListOfRuns holds the list of runs at several sizes.
func TestGoldenListOfRuns(t *testing.T) {
	sheet := golden.NewSheet(t, "runlist")
	for _, c := range []struct {
		name, filter string
		runs         []metrics.Run
		left, row    int
		w, h         int
		ascii        bool
	}{
		{"newest first", "", twentyRuns(), 0, 0, 80, 24, false},
		{"slowest first", "sort:-ttft", twentyRuns(), 0, 1, 120, 40, false},
		{"failed ones, older ones left out", "status:failed", twentyRuns(), 180, 0, 120, 40, false},
		{"two endpoints", "", twoEndpoints().Runs, 0, 1, 80, 24, false},
		{"two endpoints", "", twoEndpoints().Runs, 0, 1, 120, 40, false},
		{"two endpoints", "endpoint:groq sort:ttft", twoEndpoints().Runs, 0, 0, 200, 50, false},
		{"nothing matches", "ttft>1h", twentyRuns(), 0, 0, 80, 24, false},
		{"hostile names", "", hostileRuns(), 0, 2, 120, 40, false},
		{"small", "sort:-ttft", twentyRuns(), 0, 3, 40, 12, false},
		{"failures first, ASCII", "sort:failure", twentyRuns(), 0, 0, 80, 24, true},
	} {
		look := &screen.Look{Glyphs: themes.UnicodeGlyphs(), W: c.w, H: c.h}
		if c.ascii {
			look.Glyphs = themes.ASCIIGlyphs()
		}
		s := onRuns(&sessionBackend{runs: c.runs, left: c.left}, look)
		err := s.pic.list.SetFilter(c.filter)
		testkit.Given(t, err == nil, "%v", err)
		s.rows().Move(c.row)
		g := draw.New(c.w-1, c.h-2)
		s.Draw(g, g.Bounds())
		name := fmt.Sprintf("%s, %dx%d", c.name, c.w, c.h)
		sheet.Screen(name, g)
		text := g.Plain()
		testkit.That(t, !strings.ContainsAny(text, "\x1b\x07\x00\u202e\u009b"), "%s: raw text:\n%s", name, text)
	}
}

// TestARunEndsInOneForm holds that the table of the session and the list say how a run
// failed with the same words, each in the same role.
func TestARunEndsInOneForm(t *testing.T) {
	failed := func(id, status int, kind metrics.FaultKind) metrics.Run {
		return ended(id, 41, func(s *metrics.Stream) {
			s.State, s.Fault = metrics.Failed,
				&metrics.Fault{Kind: kind, Status: status}
		})
	}
	all := []metrics.Run{failed(1, 429, metrics.FaultRateLimit), failed(2, 0, metrics.FaultConnect), ended(3, 41, nil)}
	v := *scene("done")
	v.Runs = all
	table := frame(&v, 120, 40)
	list := draw.New(119, 38)
	onRuns(&sessionBackend{runs: all}, &screen.Look{Glyphs: themes.UnicodeGlyphs(), W: 120, H: 40}).Draw(list,
		list.Bounds())
	for _, text := range []string{"✗ 429 rate limited", "✗ no connection"} {
		x, y, _ := find(t, table, text)
		at, row, _ := find(t, list, text)
		for i := range len([]rune(text)) {
			_, a := table.At(x+i, y)
			cell, b := list.At(at+i, row)
			testkit.That(t, cell == " " || a == b, "%q at %d: role %d in the table, %d in the list", text, i, a, b)
		}
	}
}

// TestADroppedRunLeavesTheList holds that a selected run that the session drops leaves
// another one selected, and cannot be opened.
func TestADroppedRunLeavesTheList(t *testing.T) {
	all := twentyRuns()
	b := &sessionBackend{runs: all[:18:18]}
	s := onRuns(b, &screen.Look{Glyphs: themes.UnicodeGlyphs()})
	s.rows().Move(2)
	b.runs, b.left = append(append([]metrics.Run(nil), all[17:]...), ended(21, 260, nil)), 17
	s.refresh()
	r := s.pic.list.Selected()
	testkit.That(t, r != nil && r.N >= 18, "after run 16 was dropped %+v is selected", r)
	_, ok := s.pic.list.Request(16)
	testkit.That(t, !ok, "a dropped run can be opened")
}
