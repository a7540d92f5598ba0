package ui

import (
	"strings"
	"testing"

	"tokscope/metrics/loadstat"
	"tokscope/ui/uitest"
)

// A load that runs takes another prompt, model and objectives in place, and
// backspace takes them back, the last one first.
func TestALoadIsSteered(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *harness, b *uitest.LoadBackend) {
		r.do("tab > !undo")
		r.do(`backspace p ctrl+t ctrl+u "4000" ctrl+r > told:start 1, steer custom`) // nothing to take back
		r.sees("new requests send this", "undo workload")
		r.press("m", "down", "enter")
		if e := b.Endpoint(); e.Model == uitest.Demo.Model || e.URL != uitest.Demo.URL {
			r.Errorf("the endpoint is %+v", e)
		}
		r.sees("undo model")
		r.do("o down enter > undo objectives")
		if v := b.LoadView(); !v.Running || len(v.Marks) != 3 || v.Work.InputTokens != 4000 {
			r.Fatalf("%d marks, running %v, %+v", len(v.Marks), v.Running, v.Work)
		}
		r.do("right > undo users")
		r.press("backspace")
		if v := b.LoadView(); v.Target != 1 {
			r.Errorf("%d users", v.Target)
		}
		r.press("backspace", "backspace")
		if e := b.Endpoint(); e.Model != uitest.Demo.Model {
			r.Errorf("the model is %q", e.Model)
		}
		r.sees("model back to ")
		r.do("backspace > prompt back to 1k | !undo")
		if v := b.LoadView(); !v.Running || v.Work.InputTokens != 1000 || len(v.Marks) != 8 {
			r.Errorf("%d marks, %+v", len(v.Marks), v.Work)
		}
		r.do("p > tokens of a prompt [1000 ") // the editor has what is sent now
	})
}

// Another endpoint asks first. Anything but yes changes nothing; neither does an
// endpoint that cannot be used. Undo asks as well.
func TestAnotherEndpointAsks(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *harness, b *uitest.LoadBackend) {
		elsewhere := func() {
			r.do(`e "work" enter enter`)
		}
		r.press("tab")
		elsewhere()
		r.sees("The load would leave demo and go on at work.", "150,000 tokens", "enter yes")
		r.press("esc")
		if e, v := b.Endpoint(), b.LoadView(); e.Name != "demo" || !v.Running || len(v.Marks) != 0 {
			r.Errorf("after a no: %+v, %d marks", e, len(v.Marks))
		}
		elsewhere()
		r.do("enter > undo endpoint | work")
		if v := b.LoadView(); b.Endpoint().Name != "work" || !v.Running || len(v.Marks) != 1 || v.Marks[0].Kind != loadstat.MarkEndpoint {
			r.Errorf("after a yes: %+v", v.Marks)
		}
		r.do("backspace > The load would leave work and go on at demo.")
		r.press("enter")
		if b.Endpoint().Name != "demo" || !b.LoadView().Marks[1].Undo {
			r.Errorf("the undo left it at %s", b.Endpoint().Name)
		}
	})
	playLoad(t, 120, 40, Options{}, func(r *harness, b *uitest.LoadBackend) { // without a load, as ever
		r.do(`tab x x e "work" enter enter`)
		for _, c := range r.loadCalls() {
			if strings.HasPrefix(c, "move") {
				r.Errorf("an ended load moved: %v", r.loadCalls())
			}
		}
		if b.Endpoint().Name != "work" {
			r.Errorf("the endpoint is %+v", b.Endpoint())
		}
	})
}

// f lets the picture stand still while the load goes on, and follow it again.
func TestFreezeOnLoad(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *harness, b *uitest.LoadBackend) {
		r.do("tab wait:3s f > frozen at 3 s | f unfreeze | lanes ─ 1")
		r.do("right right wait:2s")
		if v := b.LoadView(); v.Target != 4 {
			r.Errorf("%d users", v.Target)
		}
		r.sees("lanes ─ 1", "frozen at 3 s")
		r.do("f > lanes ─ 4 | !frozen")
	})
}

// TestAFrozenSliderStandsAtItsFigures checks that a change of a frozen load is named
// and does not move the slider: its state and figures belong to the frozen setting.
func TestAFrozenSliderStandsAtItsFigures(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {100, 30}, {120, 40}} {
		playLoad(t, size[0], size[1], Options{}, func(r *harness, b *uitest.LoadBackend) {
			r.do("tab wait:3s f")
			slider := func() string {
				before, _, _ := strings.Cut(r.screen(), "◆")
				return before[strings.LastIndex(before, "\n")+1:]
			}
			before, state := slider(), "not steady"
			r.sees(state)
			r.do("right right wait:2s > now 4 users")
			if now := slider(); now != before {
				t.Errorf("%v: the frozen slider was %q and is %q", size, before, now)
			}
			r.press("left", "left")
			r.sees(state)
			r.seesNot("now ")
			r.do(`u "40/s" enter > now 40 req/s`)
			r.do("f > !now 40 req/s")
		})
	}
}

// The palette says what undo takes back.
func TestThePaletteNamesTheUndo(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *harness, b *uitest.LoadBackend) {
		r.do(`tab right : "undo last" > undo last change: users 1 → 2`)
		r.press("enter")
		if v := b.LoadView(); v.Target != 1 {
			r.Errorf("%d users", v.Target)
		}
	})
}

// A model that cannot be used is reported, and changes nothing.
func TestAMoveThatFails(t *testing.T) {
	playLoad(t, 120, 40, Options{}, func(r *harness, b *uitest.LoadBackend) {
		b.MoveErr = errNoKey{}
		r.do("tab m down enter > no key for it")
		if v := b.LoadView(); !v.Running || len(v.Marks) != 0 || b.Endpoint().Model != uitest.Demo.Model {
			r.Errorf("%+v", v.Marks)
		}
	})
}

type errNoKey struct{}

func (errNoKey) Error() string { return "no key for it" }
