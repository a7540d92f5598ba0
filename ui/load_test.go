package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/ui/draw"
	"tokscope/ui/prompts"
	"tokscope/ui/screen"
	"tokscope/ui/uitest"
)

// settleFor is how long Load waits for the end of a cut request.
const settleFor = time.Second

// playLoad is play with a backend that can drive a load.
func playLoad(t *testing.T, w, h int, o Options, f func(*harness, *uitest.LoadBackend)) {
	t.Helper()
	playOn(t, w, h, o, func() (*uitest.LoadBackend, *uitest.Backend) { b := uitest.NewLoad(); return b, b.Backend }, f)
}

func (r *harness) loadCalls() []string {
	var out []string
	for _, c := range r.b.Calls() {
		if strings.HasPrefix(c, "load") {
			out = append(out, strings.TrimPrefix(c, "load "))
		}
	}
	return out
}

func TestTheSliderMovesTheLoad(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *harness, b *uitest.LoadBackend) {
		r.do("tab > told:start 1")
		r.do("right right right shift+right shift+right shift+left left")
		r.do("> told:resize 2, resize 4, resize 8, resize 9, resize 10, resize 9, resize 8")
		r.sees("lanes", "falling to 8 users")
	})
}

// s on the Load screen saves the load, not the requests of Live.
func TestSavingOnTheLoadScreenSavesTheLoad(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *harness, b *uitest.LoadBackend) {
		b.Path = "there/session.load.json"
		r.do("tab s > told:start 1, save | there/session.load.json")
	})
}

// The workload of a load draws the lengths beside its prompt. They do not
// affect Live or other dialogs.
func TestTheWorkloadDrawsLengths(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *harness, b *uitest.LoadBackend) {
		r.do("tab p > tokens of a prompt [1000  | tokens of an answer at most [200  | ctrl+t lengths")
		r.do(`ctrl+t ctrl+u "200..4000" ctrl+t ctrl+u "50,400" ctrl+r > told:start 1, steer custom`)
		if w := b.LoadView().Work; w.InputTokens != 0 || w.MaxTokens != 400 || w.Name != prompts.Custom {
			r.Errorf("the workload is %+v", w)
		}
		r.sees("200..4000 in")

		r.do(`p ctrl+t ctrl+u "x" ctrl+r`) // nothing: the row says why
		r.sees(`prompts: "x" is not a number`)
		r.do("esc > lengths unchanged")
		r.do("p > tokens of a prompt [200..4000  | tokens of an answer at most [50,400 ")
		r.do(`ctrl+t ctrl+u "500" ctrl+t ctrl+u "60" ctrl+r > told:steer custom`)
		if v := b.LoadView(); v.Input.Varies() || v.Output.Varies() || v.Work.InputTokens != 500 || v.Work.MaxTokens != 60 {
			r.Errorf("the load draws %v and %v, of %+v", v.Input, v.Output, v.Work)
		}

		r.press("esc", "p")
		if s := r.m.surface.grid.Plain(); strings.Contains(s, "tokens of a prompt") || strings.Contains(s, "ctrl+t") {
			r.Errorf("a single request has lengths to draw:\n%s", s)
		}
	})
}

// Opening and leaving a dialog does not change the workload.
func TestLeavingADialogKeepsTheWorkload(t *testing.T) {
	hot := 0.5
	w := prompts.Load()
	w.MaxTokens, w.System, w.Temperature = 77, "Be brief.", &hot
	playLoad(t, 120, 40, Options{Screens: screen.Options{LoadWork: w}}, func(r *harness, b *uitest.LoadBackend) {
		r.do("tab t esc p esc o esc x x space")
		if have := b.LoadView().Work; have != w {
			r.Errorf("it was %+v, now %+v", w, have)
		}
		r.do(`p " Why?" ctrl+r`)
		if have := b.LoadView().Work; have.System != w.System || have.Temperature != w.Temperature || have.MaxTokens != 77 || have.InputTokens != 1000 || !strings.HasSuffix(have.Prompt, " Why?") {
			r.Errorf("edited: %+v", have)
		}
	})
}

func TestHoldStopCut(t *testing.T) {
	playLoad(t, 100, 30, Options{}, func(r *harness, b *uitest.LoadBackend) {
		r.do("2 right right right space space > told:start 1, resize 2, resize 4, resize 8, hold true, hold false")
		r.do("x x > told:stop, cut")
		if r.m.moving() {
			r.Error("nothing runs and the clock still beats")
		}
		r.do("space > told:start 8")
		r.press("left", "x") // the users who leave are cut, the rest goes on
		if got := r.loadCalls(); got[len(got)-1] != "cut" || !b.LoadView().Running {
			r.Errorf("after a cut of those who leave: %q, running %v", got, b.LoadView().Running)
		}
	})
}

// A cut request takes a moment to end. The x after that of the cut stops the load
// all the same.
func TestAStopRightAfterACut(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *harness, b *uitest.LoadBackend) {
		b.Late = true
		r.do("2 right right left > x cut")
		r.do("x > 2 requests of leaving users were cut | x stop")
		r.do("x > stopping: running requests finish; x again cuts them | x cut")
		r.do("x > 4 requests were cut | told:start 1, resize 2, resize 4, resize 2, cut, stop, cut")
	})
}

// After a stop, nothing suggests that a second x would stop anything.
func TestStopOfNothing(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *harness, b *uitest.LoadBackend) {
		r.do("2 users:8")
		b.Idle()
		r.do("x > stopped: no request was under way")
	})
}

func TestAnEndpointOfOthersWaitsForAKey(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *harness, b *uitest.LoadBackend) {
		if err := b.Select(b.Offered[1]); err != nil {
			t.Fatal(err)
		}
		b.Needs = loadstat.Question{Endpoint: "llm.example.com", Forecast: loadstat.Forecast{Users: 2, Prompt: 90_000}}
		r.do("tab > told: | space starts with 1 user")
		r.do("right space > told:start 2 | up to 90,000 tokens")
		r.do("esc > told:")
		r.do("space enter > told:start 2, consent, start 2")
	})
}

func TestGrowingAsksAgain(t *testing.T) {
	playLoad(t, 100, 30, Options{}, func(r *harness, b *uitest.LoadBackend) {
		b.Free = 4
		r.do("tab users:8 > told:start 1, resize 8 | 8 users on there")
		r.press("n")
		if r.m.stack.top() != nil {
			r.Error("a no leaves the question")
		}
		r.sees("users    1") // the slider's position after a no
		r.do("users:8 y")
		if got := b.LoadView().Target; got != 8 {
			r.Errorf("after a yes there are %d users", got)
		}
	})
}

// TestSpaceStartsTheSliderInUse checks that an ended load leaves no rate behind the
// number of users that the screen shows.
func TestSpaceStartsTheSliderInUse(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *harness, b *uitest.LoadBackend) {
		r.do("tab users:12/s v v v v")
		b.LoadCut()
		r.do("wait:1s > ╭ users ─ | the load was at 12 req/s | ended")
		r.press("right", "space")
		if v := b.LoadView(); !v.Running || v.Rate != 0 || v.Target != 2 {
			t.Errorf("%+v, %d users", v.Drive, v.Target)
		}
	})
}

// TestRateIsDriven checks the slider of the rate: v reaches it, its first step
// keeps the load, then it moves; a ramp is typed, and the users' slider leads
// back.
func TestRateIsDriven(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *harness, b *uitest.LoadBackend) {
		r.do("tab v v v > requests a second that end, at 1 user | the load is at 1 user")
		r.do("> told:start 1") // looking changes nothing
		r.press("right", "right", "shift+right")
		const drive = "drive {Users:0 Rate:%v Poisson:false To:0 Within:0s}"
		r.do(fmt.Sprintf("> told:"+drive+", "+drive+", "+drive, 1, 2, 2.1))
		r.do(`users:"5-20 in 60s poisson" users:64 > 64`)
		r.do(`u "8-100 in 30s" esc`)
		if d := b.LoadView().Drive; d.Rate != 64 {
			t.Errorf("the load is %+v", d)
		}
		r.do("v > ╭ queue") // the queue of an open loop
		r.do("v > ╭ TTFT over time")
		r.do("v > ╭ over prompt length")
		r.do("v > ╭ per-user falls")
		if d := b.LoadView().Drive; d.Rate != 64 {
			t.Errorf("looking at the users changed the load: %+v", d)
		}
		r.press("right") // as many users as requests are under way
		if v := b.LoadView(); v.Rate != 0 || v.Target != 4 {
			t.Errorf("%+v, %d users", v.Drive, v.Target)
		}
		r.users("4-40 in 1m")
		if d := b.LoadView().Drive; d.To != 40 || d.Within != time.Minute {
			t.Errorf("the ramp is %+v", d)
		}
		r.press("right") // any other change ends it
		if d := b.LoadView().Drive; d.Ramps() {
			t.Errorf("the ramp goes on: %+v", d)
		}
	})
}

func TestALaneOpensInLive(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *harness, b *uitest.LoadBackend) {
		r.do("tab users:8 down down enter > the text of user 2 | user 2 of the load | ╭ user 2 ─")
		if r.shown() != screen.Lent {
			r.Fatalf("the keys go to %s", r.shown())
		}
		if head := strings.SplitN(r.m.surface.grid.Plain(), "\n", 2)[0]; !strings.Contains(head, b.LoadView().Work.Name) || strings.Contains(head, prompts.Default().Name) {
			r.Errorf("the load sends %q, Live %q, the header above a lane says %q", b.LoadView().Work.Name, prompts.Default().Name, head)
		}
		r.do("n > the text of user 3 | ╭ user 3 ─")
		r.do("esc > per-user falls")
		r.do("esc > 8 users at load | at:live | told:start 1, resize 8") // opening changed nothing
	})
}

func TestTheMouseDragsTheSlider(t *testing.T) {
	playLoad(t, 120, 40, Options{Mouse: true}, func(r *harness, b *uitest.LoadBackend) {
		r.press("tab")
		x, y := r.locate("128")
		r.send(tea.MouseClickMsg{X: x + 1, Y: y, Button: tea.MouseLeft})
		if got := b.LoadView().Target; got != 128 {
			r.Fatalf("a click on 128 asks for %d users", got)
		}
		for i := range 30 {
			r.send(tea.MouseMotionMsg{X: x - i, Y: y, Button: tea.MouseLeft})
		}
		r.wait(100 * time.Millisecond)
		low := b.LoadView().Target
		if low >= 16 {
			r.Errorf("dragged far to the left there are still %d users", low)
		}
		r.send(tea.MouseReleaseMsg{X: 2, Y: y})
		r.send(tea.MouseMotionMsg{X: x, Y: y})
		r.wait(100 * time.Millisecond)
		if got := b.LoadView().Target; got != low {
			r.Errorf("released, the slider still follows: %d", got)
		}
	})
}

// locate is where text first stands on the screen.
func (r *harness) locate(text string) (x, y int) {
	r.Helper()
	for y, row := range strings.Split(r.m.surface.grid.Plain(), "\n") {
		if i := strings.Index(row, text); i >= 0 {
			return len([]rune(row[:i])), y
		}
	}
	r.Fatalf("%q is not on the screen:\n%s", text, r.m.surface.grid.Plain())
	return 0, 0
}

func TestWorkloadAndObjectives(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *harness, b *uitest.LoadBackend) {
		r.do(`tab o "ttft=1s" enter`)
		if got := b.LoadView().SLOs; len(got) != 1 || got[0] != (slo.Objective{Name: "ttft", Limit: 1000}) {
			r.Errorf("objectives are %v", got)
		}
		r.do(`o "voice" enter > goodput ─ voice: ttft ≤ 260 ms and speed ≥ 4.1 tok/s and gap ≤ 1 s`)
		if got := b.LoadView().SLOs; !slices.Equal(got, slo.LensByKey("voice").SLOs()) {
			r.Errorf("the objectives of a voice are %v", got)
		}
		r.press("?", "esc", "p", "tab", "ctrl+r")
		if got := b.LoadView().Work; got.Name != "10k in" {
			r.Errorf("the load sends %q", got.Name)
		}
		r.press("p", "tab", "esc") // chosen for the next load, not sent by this one
		if head := strings.SplitN(r.m.surface.grid.Plain(), "\n", 2)[0]; !strings.Contains(head, "10k in") {
			r.Errorf("the header of a load of 10k in: %q", head)
		}
		r.do("esc space")
		if sent := r.b.Begun(); len(sent) != 1 || sent[0].Prompt != prompts.Default().Prompt {
			r.Errorf("the workload of Live changed with that of the load: %+v", sent)
		}
	})
}

func TestWithoutALoadBackendThereIsNoScreen(t *testing.T) {
	play(t, 120, 40, Options{}, func(r *harness) {
		r.press("tab", "2")
		if r.shown() != screen.Live || strings.Contains(r.m.surface.grid.Plain(), "2 Load") {
			r.Errorf("a screen that cannot work is offered:\n%s", r.m.surface.grid.Plain())
		}
	})
}

func TestTinyTerminalsOfTheLoad(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *harness, b *uitest.LoadBackend) {
		r.do("tab users:99")
		for w := range 5 {
			for h := range 5 {
				r.send(tea.WindowSizeMsg{Width: w, Height: h})
			}
		}
		for _, size := range [][2]int{{40, 12}, {80, 24}, {200, 50}, {300, 80}} {
			r.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			r.sees("99")
		}
	})
}

// TestAnyKeyAnywhere presses random keys on the Load screen, its dialogs and
// its lanes while the window changes its size. Nothing panics, slider and
// backend agree, and quitting works in the end.
func TestAnyKeyAnywhere(t *testing.T) {
	rnd := testkit.Rand(t, 4)
	pool := []string{"left", "right", "up", "down", "pgup", "pgdown", "home", "end", "enter", "enter", "esc", "tab", "space", "space", "x", "c", "v", "Z", "l", "w", "o", "e", "m", "t", "k", "s", "?",
		"[", "]", "f", "d", "r", "u", "0", "1", "2", "3", "7", "9", "y", "n", "ctrl+r", "backspace"}
	playLoad(t, 100, 30, Options{Mouse: true}, func(r *harness, b *uitest.LoadBackend) {
		b.Free = 100
		r.press("tab")
		for range 600 {
			switch rnd.IntN(12) {
			case 0:
				r.send(tea.WindowSizeMsg{Width: rnd.IntN(210), Height: rnd.IntN(60)})
			case 1:
				r.send(tea.MouseClickMsg{X: rnd.IntN(200), Y: rnd.IntN(55), Button: tea.MouseLeft})
			case 2:
				r.send(tea.MouseMotionMsg{X: rnd.IntN(200), Y: rnd.IntN(55), Button: tea.MouseLeft})
			case 3:
				r.wait(time.Duration(rnd.IntN(1200)) * time.Millisecond)
			default:
				r.press(pool[rnd.IntN(len(pool))])
			}
			r.worksAll()
			r.quit = false // a click on "quit" is as random as any
			if v := b.LoadView(); v.Running && v.Target > 1024 {
				r.Fatalf("the load has %d users", v.Target)
			}
		}
	})
}

// TestAsideChangesNothing checks that asking a screen for its aside changes neither
// its picture nor what the backend does: only Sample takes new figures.
func TestAsideChangesNothing(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *harness, b *uitest.LoadBackend) {
		r.do("tab right right wait:1s 1")
		picture := func(s screen.Screen) string {
			g := draw.New(120, 38)
			s.Draw(g, g.Bounds())
			return g.Plain()
		}
		for _, s := range r.m.screens.all {
			before := picture(s)
			b.LoadDrive(loadstat.Drive{Users: 64})
			b.Advance(time.Second)
			calls := len(b.Calls())
			_ = s.Aside()
			if picture(s) != before || len(b.Calls()) != calls {
				t.Errorf("the aside of %s changed it", s.Name())
			}
		}
		if got := r.m.screens.all[r.m.screens.find(screen.Load)].Aside(); got != "64 users at load" {
			t.Errorf("the aside of a load of 64 users is %q", got)
		}
	})
}

func TestALoadIsAlone(t *testing.T) {
	playLoad(t, 120, 40, Options{Start: true}, func(r *harness, b *uitest.LoadBackend) {
		r.do(`sent chunk:"still writing " wait:100ms tab > told:`)
		r.wait(settleFor + 10*time.Millisecond)
		if calls := strings.Join(r.b.Calls(), ", "); !strings.Contains(calls, "stop, load start 1") && !strings.Contains(calls, "stop, objectives, load start 1") {
			r.Errorf("the request of Live goes on under the load: %s", calls)
		}
	})
}

// A request of Live that has ended does not delay a load, and nothing reports
// it as stopped.
func TestAnEndedRequestHoldsNoLoadUp(t *testing.T) {
	playLoad(t, 120, 40, Options{Start: true}, func(r *harness, b *uitest.LoadBackend) {
		if err := b.Select(b.Offered[1]); err != nil {
			t.Fatal(err)
		}
		r.do(`sent chunk:"still writing " wait:100ms tab finish wait:100ms space > !was stopped | told:start 1`)
	})
}

// TestAWaitingLoadIsStopped: x keeps a load from beginning that waits for the end
// of a cut request, and a load that was stopped meanwhile does not begin again.
func TestAWaitingLoadIsStopped(t *testing.T) {
	for _, keys := range [][]string{{"x"}, {"space", "x", "x"}} {
		playLoad(t, 120, 40, Options{Start: true}, func(r *harness, b *uitest.LoadBackend) {
			r.do("2 > x stop")
			r.press(keys...)
			before := len(r.loadCalls())
			r.wait(2 * settleFor)
			if calls := r.loadCalls(); len(calls) != before || b.LoadView().Running {
				r.Errorf("after %q a load begins: %q", keys, calls)
			}
		})
	}
}

// users types a number of users.
func (r *harness) users(n string) {
	r.press("u")
	r.typed(n)
	r.press("enter")
}

// TestUsersAreTyped checks the picker of users: any number up to the most, from
// the list too, and none after esc.
func TestUsersAreTyped(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *harness, b *uitest.LoadBackend) {
		r.do("tab users:64 > told:start 1, resize 64")
		r.do("users:3 > told:resize 3")
		r.do(`u "9" esc u "99999" enter esc esc > told:`) // no such number: the list stays
		r.press("2", "u", "down", "enter")
		if calls := r.loadCalls(); len(calls) != 4 {
			t.Errorf("the list chose nothing: %q", calls)
		}
	})
}

// TestDigitsAreScreens checks that a digit on Load chooses a screen, and never
// the number of users.
func TestDigitsAreScreens(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *harness, b *uitest.LoadBackend) {
		r.press("tab")
		for _, key := range []string{"0", "2", "3", "5", "6", "7", "8", "9", "1"} {
			r.press(key)
			if want := map[bool]screen.Name{true: screen.Live, false: screen.Load}[key == "1"]; r.shown() != want {
				t.Errorf("%s shows %s", key, r.shown())
			}
		}
		r.do("> told:start 1")
	})
}

// TestLengthsAreFetched checks that the chart over the prompt length takes the ended
// requests when v reaches it, of an ended load too, and that a frozen one stands
// still.
func TestLengthsAreFetched(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *harness, b *uitest.LoadBackend) {
		b.Ended = uitest.Requests(0, 40)
		r.do("tab v v v v v > ╭ over prompt length | fit – (all prompts are about as long): p changes the length")
		r.seesNot("waiting for the first request")
		r.press("f")
		b.Ended = nil
		r.do("v v v v v v > fit – (all prompts are about as long)")
		r.do("f > !fit – (all prompts")
	})
}
