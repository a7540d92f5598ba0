package ui

import (
	"fmt"
	"image/color"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/themes"
	"tokscope/ui/screen"
	"tokscope/ui/screen/registry"
	"tokscope/ui/uitest"
)

// harness runs a Model as Bubble Tea does, in virtual time: commands run in
// goroutines, their messages come back in order.
type harness struct {
	*testing.T
	m       *Model
	b       *uitest.Backend
	msgs    chan tea.Msg
	updates int
	effects []string // types of messages for Bubble Tea itself
	quit    bool
	mute    bool // the terminal answers no question
	heard   int  // how many calls of the load have been looked at
}

// play runs f with a harness of w by h in a bubble of virtual time.
func play(t *testing.T, w, h int, o Options, f func(*harness)) {
	t.Helper()
	playOn(t, w, h, o, func() (*uitest.Backend, *uitest.Backend) { b := uitest.New(); return b, b }, func(r *harness, _ *uitest.Backend) { f(r) })
}

// playOn is play with the backend that begin makes: what the model gets, and
// the part of it that moves the clock.
func playOn[B Backend](t *testing.T, w, h int, o Options, begin func() (B, *uitest.Backend), f func(*harness, B)) {
	t.Helper()
	playScreens(t, registry.All(), w, h, o, begin, f)
}

// playScreens is playOn with these screens.
func playScreens[B Backend](t *testing.T, all []screen.Maker, w, h int, o Options, begin func() (B, *uitest.Backend), f func(*harness, B)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b, core := begin()
		r := newHarness(t, New(all, b, o), core)
		defer r.end()
		r.spawn(r.m.Init())
		r.send(tea.WindowSizeMsg{Width: w, Height: h})
		f(r, b)
	})
}

// newHarness returns a harness of m, which has not begun.
func newHarness(t *testing.T, m *Model, b *uitest.Backend) *harness {
	b.Changed = m.Notify
	return &harness{T: t, m: m, b: b, msgs: make(chan tea.Msg, 1000)}
}

// end ends what m waits for.
func (r *harness) end() {
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
	_, cmd := r.m.Update(msg)
	r.spawn(cmd)
	r.m.View()
	if !r.mute && fmt.Sprintf("%T", msg) == "tea.backgroundColorMsg" { // as most terminals do
		r.update(tea.BackgroundColorMsg{Color: color.Black})
		r.update(tea.KeyboardEnhancementsMsg{})
	}
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
	if d > 2*time.Second {
		step = 10 * time.Millisecond
	}
	for range d / step {
		r.b.Advance(step)
		time.Sleep(step)
		r.drain()
	}
}

// keyCodes are the keys that are not text.
var keyCodes = map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
	"left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd,
	"backspace": tea.KeyBackspace}

// tap presses keys of m and drops their commands.
func tap(m *Model, names ...string) {
	for _, n := range names {
		m.Update(keyOf(n))
	}
}

// keyOf is the key that the key table calls n.
func keyOf(n string) tea.KeyPressMsg {
	k := tea.Key{}
	rest, ctrl := strings.CutPrefix(n, "ctrl+")
	bare, shift := strings.CutPrefix(n, "shift+")
	switch code, special := keyCodes[rest]; {
	case shift:
		k = tea.Key{Code: keyCodes[bare], Mod: tea.ModShift}
	case ctrl && special:
		k = tea.Key{Code: code, Mod: tea.ModCtrl}
	case ctrl:
		k = tea.Key{Code: rune(rest[0]), Mod: tea.ModCtrl}
	case special:
		k = tea.Key{Code: code}
	case n == "space":
		k = tea.Key{Code: ' ', Text: " "}
	default:
		k = tea.Key{Code: []rune(n)[0], Text: n}
	}
	return tea.KeyPressMsg(k)
}

// press presses keys by the names that the key table uses.
func (r *harness) press(names ...string) {
	for _, n := range names {
		k := keyOf(n)
		if got := k.String(); got != n {
			r.Fatalf("the key %q calls itself %q", n, got)
		}
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

// word is a word of a step: a key, or what a verb takes, in quotes if it has spaces.
var word = regexp.MustCompile(`(\w+:)?"[^"]*"|\S+`)

// do carries out a step: what is done, and after " > " what is then to be seen, each
// text between bars. Keys have the names of the key table, "text" is typed; the verbs
// are those of act and of want. A text with "!" before it must not be there.
func (r *harness) do(step string) {
	r.Helper()
	done, wanted, expects := strings.Cut(step, "> ")
	if expects && done != "" && !strings.HasSuffix(done, " ") {
		r.Fatalf("%q is no step", step)
	}
	for _, w := range word.FindAllString(done, -1) {
		r.act(w)
	}
	if !expects {
		return
	}
	for _, text := range strings.Split(wanted, " | ") {
		r.want(text)
	}
}

// act does what a word of a step says.
func (r *harness) act(w string) {
	r.Helper()
	verb, of, _ := strings.Cut(strings.ReplaceAll(w, `"`, ""), ":")
	if of == "" {
		verb = w
	}
	switch verb {
	case "click":
		r.click(of)
	case "users":
		r.users(of)
	case "stream":
		n, err := strconv.Atoi(of)
		if err != nil {
			r.Fatal(err)
		}
		r.stream(n)
	case "wait":
		r.wait(r.duration(of))
	case "advance":
		r.b.Advance(r.duration(of))
	case "chunk":
		r.b.Chunk(of)
	case "sent":
		r.b.Sent()
	case "finish":
		r.b.Finish()
	case "drain":
		r.drain()
	default:
		if text, quoted := strings.CutPrefix(w, `"`); quoted {
			r.typed(strings.TrimSuffix(text, `"`))
		} else {
			r.press(w)
		}
	}
}

// want fails unless what a step expects is there: a text on the screen or in the
// footer, the screen that is shown, the number of requests that were begun, what the
// load was told since it was last asked, the last things that the engine was told.
func (r *harness) want(text string) {
	r.Helper()
	verb, of, _ := strings.Cut(text, ":")
	switch verb {
	case "at":
		if got := r.shown(); string(got) != of {
			r.Fatalf("%s is shown, want %s:\n%s", got, of, r.screen())
		}
	case "foot":
		if !strings.Contains(footer(r), of) {
			r.Fatalf("%q is missing from the footer %q", of, footer(r))
		}
	case "requests":
		if got := strconv.Itoa(len(r.b.Begun())); got != of {
			r.Fatalf("%s requests were begun, want %s", got, of)
		}
	case "told":
		calls := r.loadCalls()
		if got := strings.Join(calls[r.heard:], ", "); got != of {
			r.Fatalf("the load was told %q, want %q", got, of)
		}
		r.heard = len(calls)
	case "last":
		r.wantLast(strings.Split(of, ", ")...)
	default:
		if without, not := strings.CutPrefix(text, "!"); not {
			r.seesNot(without)
		} else {
			r.sees(text)
		}
	}
}

func (r *harness) duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		r.Fatal(err)
	}
	return d
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
	for y, line := range strings.Split(r.screen(), "\n") {
		if before, _, ok := strings.Cut(line, text); ok {
			x := len([]rune(before))
			r.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
			r.send(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
			return
		}
	}
	r.Fatalf("%q is not on the screen:\n%s", text, r.screen())
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

var colours = Options{Profile: themes.TrueColor, Mouse: true}
