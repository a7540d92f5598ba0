package ui

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/racestat"
	"tokscope/metrics/testkit"
	"tokscope/ui/prompts"
	"tokscope/ui/screen"
	"tokscope/ui/uitest"
)

// TestFlows plays each flow of testdata/flows as a test of its own. A flow begins with "== "
// and what it shows. Its next line may say where: "on", the topmost screen of play, sizes
// (it is played at each), and options of optionsOf. Each further line is a step of do, in
// which %PROMPT% is the prompt of a program that was given none.
func TestFlows(t *testing.T) {
	for _, file := range testkit.Must(filepath.Glob("testdata/flows/*.txt"))(t) {
		var flows [][]testkit.Line
		for _, line := range testkit.Lines(t, file) {
			if strings.HasPrefix(line.Text, "== ") {
				flows = append(flows, nil)
			}
			flows[len(flows)-1] = append(flows[len(flows)-1], line)
		}
		for _, flow := range flows {
			t.Run(filepath.Base(file)+" "+flow[0].Text[3:], func(t *testing.T) {
				on, steps := []string{"live"}, flow[1:]
				if rest, ok := strings.CutPrefix(steps[0].Text, "on "); ok {
					on, steps = strings.Fields(rest), steps[1:]
				}
				top, on := on[0], on[1:]
				sizes := [][2]int(nil)
				for len(on) > 0 && on[0][0] <= '9' {
					sizes, on = append(sizes, sizeOf(on[0])), on[1:]
				}
				if sizes == nil {
					sizes = [][2]int{{120, 40}}
				}
				for _, size := range sizes {
					play(t, top, size[0], size[1], optionsOf(on), func(r *harness) { r.steps(steps) })
				}
			})
		}
	}
}

// sizeOf reads "80x24".
func sizeOf(text string) (size [2]int) {
	if n, err := fmt.Sscanf(text, "%dx%d", &size[0], &size[1]); n != 2 {
		panic(err)
	}
	return size
}

// optionsOf are those of colours and: "start", "first=SCREEN", "lesson=N".
func optionsOf(words []string) Options {
	o := colours
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		switch name {
		case "start":
			o.Start = true
		case "first":
			o.First = screen.Name(strings.ReplaceAll(value, "_", " "))
		case "lesson":
			o.Screens.Lesson, _ = strconv.Atoi(value)
		default:
			panic(w + " is no option")
		}
	}
	return o
}

// steps carries out the steps of a flow; a failure names the place of its step.
func (r *harness) steps(steps []testkit.Line) {
	r.Helper()
	at := ""
	defer func() {
		if at != "" {
			r.Log("at " + at)
		}
	}()
	for _, step := range steps {
		at = step.At
		r.do(strings.ReplaceAll(step.Text, "%PROMPT%", prompts.Default().Prompt))
	}
	at = ""
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
	r.begun, r.effects = len(r.b.Begun()), nil
	for _, w := range word.FindAllString(done, -1) {
		r.act(w)
	}
	if !expects {
		return
	}
	for _, text := range strings.Split(wanted, " | ") {
		r.want(step, text)
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
	case "advance":
		r.b.Advance(r.duration(of))
	case "answer": // one request, to its end
		answer(r)
	case "calm": // one to six messages a second
		before, d := r.updates, r.duration(of)
		r.wait(d)
		if n := float64(r.updates-before) / d.Seconds(); n < 0.9 || n > 6 {
			r.Fatalf("%.1f updates a second in %s", n, of)
		}
	case "chunk":
		r.b.Chunk(of)
	case "click":
		r.click(of)
	case "drain":
		r.drain()
	case "fail": // with HTTP 429, and after so long a retry
		r.b.Fail(metrics.Fault{Kind: metrics.FaultRateLimit, Status: 429, Message: "HTTP 429: too many requests",
			RetryAfter: r.duration(of)})
		r.drain()
	case "finish":
		r.b.Finish()
	case "idle": // nothing may happen for so long
		before := r.updates
		if r.wait(r.duration(of)); r.updates != before {
			r.Fatalf("%d updates in %s of rest", r.updates-before, of)
		}
	case "run":
		runOn(r, r.duration(of))
	case "select":
		r.selects(of)
	case "sent":
		r.b.Sent()
	case "serve":
		r.serve(r.duration(of), 5)
	case "set":
		set, ok := settings()[of]
		if !ok {
			r.Fatalf("nothing is called %q", of)
		}
		set(r)
	case "size":
		size := sizeOf(of)
		r.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
	case "still": // nothing may change on the screen
		before := r.screen()
		r.wait(r.duration(of))
		testkit.Need(r, r.screen(), before, "the screen changes in", of)
	case "stream":
		n := testkit.Must(strconv.Atoi(of))(r)
		r.stream(n)
	case "users":
		r.users(of)
	case "wheel":
		button := map[string]tea.MouseButton{"up": tea.MouseWheelUp, "down": tea.MouseWheelDown}[of]
		r.send(tea.MouseWheelMsg{X: 40, Y: 10, Button: button})
	case "wait":
		r.wait(r.duration(of))
	default:
		if text, quoted := strings.CutPrefix(w, `"`); quoted {
			r.typed(strings.TrimSuffix(text, `"`))
		} else {
			r.press(w)
		}
	}
}

// want fails unless what a step expects is so: a text on the screen, in the header
// ("head:") or the footer ("foot:"), an entry of the footer ("hint:", "early:" for one of
// three, "first:" for how it begins), the screen that is shown, how many requests were
// begun in all ("5", "5+" for at least that many), or in this step ("new:"), a part of
// all calls of the backend, of the last prompt, of what was saved, or of the summary,
// what the load was told since it was last asked, the last things that the engine was
// told, a message for Bubble Tea in this step ("effect:"), or a fact ("is:").
func (r *harness) want(step, text string) {
	r.Helper()
	wanted, not := strings.CutPrefix(text, "!")
	verb, of, verbal := strings.Cut(wanted, ":")
	got, begun := "", len(r.b.Begun())
	found := false
	switch {
	case verbal && verb == "at":
		got = string(r.shown())
		found = got == of
	case verbal && verb == "head":
		got = r.header()
		found = strings.Contains(got, of)
	case verbal && verb == "foot":
		got = footer(r)
		found = strings.Contains(got, of)
	case verbal && verb == "requests":
		got, found = counts(begun, of)
	case verbal && verb == "new":
		got, found = counts(begun-r.begun, of)
	case verbal && verb == "calls":
		got = strings.Join(r.b.Calls(), ", ")
		found = strings.Contains(got, of)
	case verbal && verb == "told":
		calls := r.loadCalls()
		got, r.heard = strings.Join(calls[r.heard:], ", "), len(calls)
		found = got == of
	case verbal && verb == "hint":
		got = strings.Join(r.hints(), ", ")
		found = slices.Contains(r.hints(), of)
	case verbal && verb == "early":
		got = strings.Join(r.hints(), ", ")
		found = slices.Contains(r.hints()[:3], of)
	case verbal && verb == "first":
		got = strings.Join(r.hints(), ", ")
		found = strings.HasPrefix(got+", ", of+", ")
	case verbal && verb == "sent":
		got = strings.ReplaceAll(last(r.b.Begun()).Prompt, "\n", "/")
		found = strings.Contains(got, of)
	case verbal && verb == "saved":
		got = fmt.Sprint(r.b.Saved.Beside)
		found = strings.Contains(got, of)
	case verbal && verb == "summary":
		got = strings.ReplaceAll(r.m.Summary(), "\n", "/")
		found = strings.Contains(got, of)
	case verbal && verb == "effect":
		got = strings.Join(r.effects, " ")
		found = slices.Contains(r.effects, "tea."+of+"Msg")
	case verbal && verb == "last":
		calls := r.explainCalls()
		got = strings.Join(calls[max(len(calls)-len(strings.Split(of, ", ")), 0):], ", ")
		found = got == of
	case verbal && verb == "is":
		name, value, _ := strings.Cut(of, " ")
		fact, ok := facts[name]
		if !ok {
			r.Fatalf("no fact is called %q", name)
		}
		got = fmt.Sprint(fact(r))
		found = got == value
	default:
		got = "\n" + r.screen()
		found = strings.Contains(r.screen(), wanted)
	}
	if found == not {
		r.Fatalf("step %q: want %q, have %s\n%s", step, text, got, r.screen())
	}
}

// counts reports whether n is what a flow wants: a number, with "+" or more.
func counts(n int, want string) (got string, ok bool) {
	least, open := strings.CutSuffix(want, "+")
	m, err := strconv.Atoi(least)
	return strconv.Itoa(n), err == nil && (n == m || open && n > m)
}

// facts are what a flow can ask for with "is:name value".
var facts = map[string]func(*harness) any{
	"brand-cut": func(r *harness) any { // the program's name in the header
		return strings.Contains(r.header(), "tokscop") != strings.Contains(r.header(), " tokscope  ")
	},
	"calls":       func(r *harness) any { return len(r.b.Calls()) },
	"connection":  func(r *harness) any { return last(r.b.Begun()).Connection },
	"contestants": func(r *harness) any { return len(r.b.RaceContest().Targets) },
	"log": func(r *harness) any { // what the empty screen was told, since it was last asked
		log := strings.Join(r.empty.log, ", ")
		r.empty.log = nil
		return log
	},
	"mouse":    func(r *harness) any { return r.o.View().MouseMode != tea.MouseModeNone },
	"pictures": func(r *harness) any { return strings.Count(strings.Join(r.b.Calls(), "\n"), "save screen ") },
	"pinned":   func(r *harness) any { return r.m.look.Pinned.Stream.ID },
	"race": func(r *harness) any {
		switch v := r.b.RaceView(); {
		case v.Holding:
			return "held"
		case v.Running:
			return "running"
		case v.Ended == racestat.EndStopped:
			return "stopped"
		}
		return "none"
	},
	"races": func(r *harness) any {
		plans := r.b.plans
		return fmt.Sprintf("%d of %d tokens", len(plans), last(plans).Work.MaxTokens)
	},
	"replay": func(r *harness) any {
		s, open := r.b.ReplayState()
		if s.Paused {
			return "paused"
		}
		return open
	},
	"sent": func(r *harness) any { // name, prompt and answer of the last request
		w := last(r.b.Begun())
		return fmt.Sprint(w.Name, " ", w.InputTokens, " ", w.MaxTokens)
	},
	"summary-fits": func(r *harness) any {
		long := func(line string) bool { return len(line) > r.m.look.W }
		return !slices.ContainsFunc(strings.Split(r.m.Summary(), "\n"), long)
	},
	"suspended":   func(r *harness) any { return strings.Count(strings.Join(r.effects, " "), "tea.SuspendMsg") },
	"theme":       func(r *harness) any { return r.m.surface.palette.Theme().Name },
	"asked":       func(r *harness) any { return len(r.b.Asked()) }, // of the history, since it was last asked
	"opened":      func(r *harness) any { return len(r.b.Opened()) },
	"behind":      func(r *harness) any { return r.stepsBehind() }, // the newest step, of the cursor
	"behind-more": func(r *harness) any { return r.stepsBehind() >= 2 },
	"boxes":       func(r *harness) any { return r.boxes() },
	"dialog":      func(r *harness) any { return r.m.stack.top() != nil },
	"drive":       func(r *harness) any { return r.b.LoadView().Drive },
	"endpoint":    func(r *harness) any { return r.b.Endpoint().Name },
	"machine":     func(r *harness) any { return r.b.ExplainView().Knobs.Hardware },
	"knob":        func(r *harness) any { return r.knob() },
	"held":        func(r *harness) any { return r.b.LoadView().Holding },
	"load":        func(r *harness) any { return r.b.LoadView().Running },
	"marks":       func(r *harness) any { return len(r.b.LoadView().Marks) },
	"model":       func(r *harness) any { return r.b.Endpoint().Model },
	"new-steps":   func(r *harness) any { return r.newest() - r.made }, // since "set:steps"
	"moving":      func(r *harness) any { return r.m.moving() },
	"quit":        func(r *harness) any { return r.quit },
	"rate":        func(r *harness) any { return r.b.LoadView().Rate },
	"recorded":    func(r *harness) any { _, _, open := r.b.LoadReplay(); return open },
	"slos":        func(r *harness) any { return r.b.LoadView().SLOs },
	"summary":     func(r *harness) any { return strings.ReplaceAll(r.m.Summary(), "\n", "/") },
	"tour":        func(r *harness) any { return r.b.ExplainView().Tour.On },
	"users":       func(r *harness) any { return r.b.LoadView().Target },
	"varies":      func(r *harness) any { v := r.b.LoadView(); return v.Input.Varies() || v.Output.Varies() }, // a length
	"work": func(r *harness) any { // of the load: its name, prompt and answer
		w := r.b.LoadView().Work
		return fmt.Sprint(w.Name, " ", w.InputTokens, " ", w.MaxTokens)
	},
}

func (r *harness) duration(text string) time.Duration {
	d := testkit.Must(time.ParseDuration(text))(r)
	return d
}

// settings are what a flow sets with "set:name".
func settings() map[string]func(*harness) {
	return map[string]func(*harness){
		"40-ended":    func(r *harness) { r.b.Ended = uitest.Requests(0, 40) },
		"400-ended":   func(r *harness) { r.b.Ended = uitest.Requests(0, 400) },
		"none-ended":  func(r *harness) { r.b.Ended = nil },
		"60-recorded": func(r *harness) { openLoads(r, recordedLoad(1, 60, uitest.Ran(0, 60))) },
		"400-recorded": func(r *harness) {
			openLoads(r, recordedLoad(1, 700, uitest.Ran(0, 400)))
			r.b.Lack(1, 1, true)
		},
		"399-incomplete":     func(r *harness) { r.b.Lack(1, 399, false) },
		"399-without-events": func(r *harness) { r.b.Lack(1, 399, true) },
		"some-history": func(r *harness) {
			r.measured(40)
			r.b.SetReplay(file, recordedRun(11, 7*time.Millisecond))
		},
		"6-runs": func(r *harness) { r.measured(6) },
		"7-runs-unread": func(r *harness) {
			r.b.Err = errors.New("the history cannot be read: input/output error")
			r.measured(7)
		},
		"readable":   func(r *harness) { r.b.Err = nil },
		"asked":      func(r *harness) { r.b.Asked() },
		"broken":     func(r *harness) { r.b.Broken = metrics.NotBegun(errors.New("the engine ended: no port is free")) },
		"busy":       func(r *harness) { r.b.Busy = true },      // the prediction is being computed
		"computing":  func(r *harness) { r.b.Computing = true }, // the lesson is
		"no-engine":  func(r *harness) { r.b.OpenErr = errors.New("no port is free") },
		"no-room":    func(r *harness) { r.b.TurnErr = errors.New("no room for this") },
		"slow-steps": func(r *harness) { r.b.StepTakes = 100 * time.Millisecond },
		"steps":      func(r *harness) { r.made = r.newest() },
		"recording": func(r *harness) {
			replays(r, recordedRun(11, 7*time.Millisecond), recordedRun(12, 9*time.Millisecond))
		},
		"6-and-35": func(r *harness) {
			replays(r, recordedRun(6, 7*time.Millisecond), recordedRun(35, 9*time.Millisecond))
		},
		"two-loads": func(r *harness) {
			const why = "the budget\x1b[2J is used up"
			first, second := recordedLoad(4, 44, uitest.Ran(0, 3)), recordedLoad(7, 44, nil)
			first.Stopped, second.NoEnd = why, true
			openLoads(r, first, second)
		},
		"same-loads":    func(r *harness) { openLoads(r, recordedLoad(1, 44, nil), recordedLoad(2, 44, nil)) },
		"one-load":      func(r *harness) { openLoads(r, recordedLoad(4, 44, nil)) },
		"race-proposal": func(r *harness) { r.b.Proposal = racestat.Contest{Targets: []string{"here", "there"}} },
		"long-summary":  func(r *harness) { r.empty.long = "load   " + strings.Repeat("figure 49.2 ", 12) + "\n" },
		"plain":         func(r *harness) { r.empty.plain = true },
		"refuses":       func(r *harness) { r.empty.refuses = errors.New("nothing to show here") },
		"works":         func(r *harness) { r.empty.aside, r.empty.busy = "7 at work", "the work" },
		"notified":      func(r *harness) { r.m.Notify() },
		"pasted":        func(r *harness) { r.send(tea.PasteMsg{Content: "two\r\nlines\x1b[2J"}) },
		"resumed":       func(r *harness) { r.send(tea.ResumeMsg{}) },
		"refused":       func(r *harness) { r.b.SelectErr = errRefused },
		"disk-full":     func(r *harness) { r.b.SaveErr = errors.New("the disk is full") },
		"lag": func(r *harness) {
			r.b.Watch.LateP99 = 700 * time.Microsecond
			r.m.sample(true)
			r.m.dirty = true
		},
		"not-quit":  func(r *harness) { r.quit = false },
		"long-text": func(r *harness) { r.b.Chunk(strings.Repeat("a long text ", 400)) },
		"cut":       func(r *harness) { r.b.LoadCut() },
		"late":      func(r *harness) { r.b.Late = true }, // requests that are cut end later
		"no-move":   func(r *harness) { r.b.MoveErr = errNoKey },
		"no-start":  func(r *harness) { r.b.StartErr = errNoKey },
		"path":      func(r *harness) { r.b.Path = "there/session.load.json" },
	}
}

var errNoKey = errors.New("no key for it")
