package ui

import (
	"fmt"
	"image/color"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/screen"
	"tokscope/ui/screen/registry"
	tapped "tokscope/ui/screen/tap"
	"tokscope/ui/uitest"
)

// harness runs a Model as Bubble Tea does, in virtual time: commands run in
// goroutines, their messages come back in order.
type harness struct {
	*testing.T
	m       *Model
	o       onTerminal // of m
	b       *backend
	empty   *empty // nil without it
	msgs    chan tea.Msg
	updates int
	effects []string // types of messages for Bubble Tea itself
	quit    bool
	mute    bool // the terminal answers no question
	heard   int  // how many calls of the load have been looked at
	made    int  // steps of the engine, when the flow asked last
	begun   int  // how many requests were begun before the last step
}

// backend is a backend of all screens: on Load and Race, the program.
type backend struct {
	*uitest.AllBackend
	*rootFake
	*loads
	*races
	close func()
}

// newBackend returns a backend that ends with the test.
func newBackend(t testing.TB) *backend {
	b := uitest.New()
	s, end := uitest.Session(t, func() { b.Changed() })
	root := newRootFake(b.Backend)
	root.also = s.Select
	end = sync.OnceFunc(end)
	t.Cleanup(end)
	return &backend{b, root, &loads{Load: s.Load, of: b.Backend, root: root}, &races{Race: s.Race, root: root}, end}
}

// only returns b without the screens above that one: "live", "load", "explain", "race",
// "replay", "all", or "empty", with one that the program does not know.
func only(b *backend, top string) Backend {
	switch top {
	case "live":
		return liveFake{b.Backend, b.rootFake}
	case "load":
		return struct {
			liveFake
			*loads
		}{liveFake{b.Backend, b.rootFake}, b.loads}
	case "explain", "empty":
		return struct {
			*uitest.ExplainBackend
			*rootFake
			*loads
		}{b.ExplainBackend, b.rootFake, b.loads}
	case "race":
		return struct {
			*uitest.ExplainBackend
			*rootFake
			*loads
			*races
		}{b.ExplainBackend, b.rootFake, b.loads, b.races}
	case "replay":
		return struct {
			*uitest.ExplainBackend
			*uitest.ReplayBackend
			*rootFake
			*loads
			*races
		}{b.ExplainBackend, b.ReplayBackend, b.rootFake, b.loads, b.races}
	case "all":
		return b
	}
	panic(top + " is no screen")
}

// withTap returns all screens, and that of a tap's session in that state.
func withTap(state string) []screen.Maker {
	return append(registry.All(), tapped.New(uitest.NewTap(state)))
}

// play runs f with a harness of w by h in a bubble of virtual time, with the screens up
// to top, or with all and that of a tap for "tap:STATE".
func play(t *testing.T, top string, w, h int, o Options, f func(*harness)) {
	t.Helper()
	if state, ok := strings.CutPrefix(top, "tap:"); ok {
		playScreens(t, withTap(strings.ReplaceAll(state, "_", " ")), "all", w, h, o, f)
		return
	}
	if top == "empty" {
		s := &empty{}
		playScreens(t, withEmpty(s), top, w, h, o, func(r *harness) {
			r.empty = s
			f(r)
		})
		return
	}
	playScreens(t, registry.All(), top, w, h, o, f)
}

// playScreens is play with these screens.
func playScreens(t *testing.T, all []screen.Maker, top string, w, h int, o Options, f func(*harness)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := newBackend(t)
		r := newHarness(t, New(all, only(b, top), o), b)
		defer r.end()
		r.spawn(r.m.Init())
		r.send(tea.WindowSizeMsg{Width: w, Height: h})
		f(r)
	})
}

// newHarness returns a harness of m, which has not begun.
func newHarness(t *testing.T, m *Model, b *backend) *harness {
	b.Changed = m.Notify
	r := &harness{T: t, m: m, o: nowhere(m), b: b, msgs: make(chan tea.Msg, 1000)}
	m.askGround = func() {
		if !r.mute { // as most terminals do
			r.msgs <- tea.BackgroundColorMsg{Color: color.Black}
			r.msgs <- tea.KeyboardEnhancementsMsg{}
		}
	}
	return r
}

// end ends what m waits for.
func (r *harness) end() {
	r.b.close()
	r.drain()
	r.m.close.Do(func() { close(r.m.closed) })
	r.m.choice.cancel()
	time.Sleep(time.Hour) // every timer fires; none may be left
	synctest.Wait()
}

func (r *harness) spawn(cmd tea.Cmd) {
	if cmd != nil {
		go func() { r.msgs <- cmd() }()
	}
}

// send gives msg to the model and settles.
func (r *harness) send(msg tea.Msg) {
	r.update(msg)
	r.drain()
}

func (r *harness) update(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
		return
	case tea.BatchMsg:
		for _, c := range msg {
			r.spawn(c)
		}
		return
	case tea.QuitMsg:
		r.quit = true
		return
	}
	if msg = r.m.filter(msg); msg == nil {
		return
	}
	if name := fmt.Sprintf("%T", msg); strings.HasPrefix(name, "tea.") {
		r.effects = append(r.effects, name)
	}
	r.updates++
	cmd := r.m.Update(msg)
	r.spawn(cmd)
	r.o.t.write(&r.m.surface)
}

// drain takes the messages that are there now.
func (r *harness) drain() {
	for {
		synctest.Wait()
		select {
		case msg := <-r.msgs:
			r.update(msg)
		default:
			return
		}
	}
}

// wait lets time pass on both clocks in small steps.
func (r *harness) wait(d time.Duration) {
	step := time.Millisecond
	if d >= time.Second {
		step = 10 * time.Millisecond
	}
	for range d / step {
		r.b.Advance(step)
		time.Sleep(step)
		r.drain()
	}
}

// keyCodes are the keys that are not text.
var keyCodes = map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp,
	"down": tea.KeyDown,
	"left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome,
	"end":       tea.KeyEnd,
	"backspace": tea.KeyBackspace}

// tap presses keys of m and drops their commands.
func tap(m *Model, names ...string) {
	for _, n := range names {
		m.Update(keyOf(n))
	}
}

// keyOf is the key that the key table calls n.
func keyOf(n string) tea.KeyPressMsg {
	k, bare := tea.Key{}, n
	for prefix, mod := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "shift+": tea.ModShift, "alt+": tea.ModAlt} {
		if rest, ok := strings.CutPrefix(n, prefix); ok {
			k.Mod, bare = mod, rest
		}
	}
	switch code, special := keyCodes[bare]; {
	case special:
		k.Code = code
	case n == "space":
		k = tea.Key{Code: ' ', Text: " "}
	case k.Mod != 0:
		k.Code = rune(bare[0])
	default:
		k = tea.Key{Code: []rune(n)[0], Text: n}
	}
	return tea.KeyPressMsg(k)
}

// press presses keys by the names that the key table uses.
func (r *harness) press(names ...string) {
	for _, n := range names {
		k := keyOf(n)
		testkit.Need(r, k.String(), n, "the key … calls itself")
		r.send(k)
	}
}

// typed types text.
func (r *harness) typed(s string) {
	for _, c := range s {
		if c == ' ' {
			r.press("space")
			continue
		}
		r.press(string(c))
	}
}

// shown is the screen that is shown.
func (r *harness) shown() screen.Name { return r.m.screens.shown().Name() }

var stepsBack = regexp.MustCompile(`(\d+) steps? back`)

// stepsBehind is how many steps the cursor of the Explain screen lies behind the newest.
func (r *harness) stepsBehind() int {
	m := stepsBack.FindStringSubmatch(r.screen())
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// newest is the number of the engine's last step, 0 before the first.
func (r *harness) newest() int {
	steps := r.b.ExplainView().Steps
	if len(steps) == 0 {
		return 0
	}
	return int(last(steps).Number)
}

// knob is the heading above the selected knob of the Explain screen.
func (r *harness) knob() string {
	r.Helper()
	rows := strings.Split(r.screen(), "\n")
	before, _, ok := strings.Cut(rows[3], "▸")
	if !ok {
		r.Fatalf("no knob is selected:\n%s", r.screen())
	}
	heads := []rune(rows[2])
	name, _, _ := strings.Cut(string(heads[len([]rune(before))+1:]), " ")
	return name
}

func (r *harness) screen() string { return r.m.surface.grid.Plain() }

// sees fails when one of the texts is not on the screen.
func (r *harness) sees(texts ...string) {
	r.Helper()
	for _, s := range texts {
		if !strings.Contains(r.screen(), s) {
			r.Fatalf("%q is not on the screen:\n%s", s, r.screen())
		}
	}
}

func (r *harness) seesNot(texts ...string) {
	r.Helper()
	for _, s := range texts {
		if strings.Contains(r.screen(), s) {
			r.Fatalf("%q is on the screen:\n%s", s, r.screen())
		}
	}
}

// click clicks on a text that is on the screen.
func (r *harness) click(text string) {
	r.Helper()
	x, y := r.locate(text)
	r.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	r.send(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
}

// stream plays a whole short stream: 40 ms of wait, n chunks 20 ms apart.
func (r *harness) stream(n int) {
	r.b.Sent()
	r.wait(40 * time.Millisecond)
	for range n {
		r.b.Chunk("word ")
		r.wait(20 * time.Millisecond)
	}
	r.b.Finish()
	r.drain()
}

// groq costs money; big is another model of the first endpoint.
var (
	groq = metrics.Endpoint{Kind: metrics.EndpointProvider, Name: "paid", URL: "https://api.groq.com/openai/v1",
		Model: "llama-3.3-70b", Ready: true, Price: metrics.Price{In: 0.6, Out: 0.8, Currency: "USD"}}
	big = metrics.Endpoint{Kind: uitest.Demo.Kind, Name: "demo 70b", URL: uitest.Demo.URL, Model: "llama-3.1-70b",
		Ready: true}
)

var colours = Options{Profile: themes.TrueColor, Mouse: true}

// serve answers every request for d with n chunks, 20 ms apart.
func (r *harness) serve(d time.Duration, n int) {
	for end := r.b.Now() + metrics.Stamp(d); r.b.Now() < end; {
		if r.b.Running() {
			r.stream(n)
		}
		r.wait(50 * time.Millisecond)
	}
}

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

// answer lets one request run to its end.
func answer(r *harness) {
	r.do("space sent")
	r.b.Advance(100 * time.Millisecond)
	for range 20 {
		r.b.Chunk("word ")
		r.b.Advance(10 * time.Millisecond)
	}
	r.b.Finish()
	r.drain()
}

// users types a number of users.
func (r *harness) users(n string) {
	r.press("u")
	r.typed(n)
	r.press("enter")
}

// selects makes an endpoint of that name the one in use, as the picker does: one of
// those that are offered, "paid" for one that costs money, or "demo 70b" for another
// model of the first one.
func (r *harness) selects(name string) {
	r.Helper()
	offered := append(slices.Clone(r.b.Offered), groq, big)
	i := slices.IndexFunc(offered, func(e metrics.Endpoint) bool { return e.Name == name })
	testkit.OK(r, r.b.Select(offered[i]))
	r.m.Notify()
	r.drain()
}

// locate is where text first stands on the screen.
func (r *harness) locate(text string) (x, y int) {
	r.Helper()
	for y, row := range strings.Split(r.screen(), "\n") {
		if before, _, ok := strings.Cut(row, text); ok {
			return len([]rune(before)), y
		}
	}
	r.Fatalf("%q is not on the screen:\n%s", text, r.screen())
	return 0, 0
}

func (r *harness) header() string { head, _, _ := strings.Cut(r.screen(), "\n"); return head }

func footer(r *harness) string { return last(strings.Split(r.screen(), "\n")) }

func last[T any](s []T) T { return s[len(s)-1] }
