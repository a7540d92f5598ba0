package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tokscope/ui/dialog"
	"tokscope/ui/keys"
	"tokscope/ui/screen"
)

// openPalette opens the command palette. It asks for endpoints and models,
// unless a request runs: nothing else goes over the network then, and the
// palette lists what is known from before.
func openPalette(m *Model) tea.Cmd {
	d := dialog.NewPalette(commands(m))
	d.Endpoints(m.choice.known.endpoints)
	d.Models(m.choice.known.of, m.choice.known.models)
	m.open(d, func(a dialog.Act) tea.Cmd { return command(m, a) })
	if slices.ContainsFunc(m.screens.all, func(s screen.Screen) bool { return s.Busy() != "" }) {
		m.choice.cancel()
		return nil
	}
	return m.choice.ask(modelsWithin, m.choice.askEndpoints, m.choice.modelsOf(m.back.Endpoint()))
}

// answers are questions as a person has them, each with the screen and the action there
// that answers it. A search finds them by their names and sentences.
var answers = [...]struct {
	name, about string
	on          screen.Name
	do          keys.Intent // none: the screen itself does
}{
	{"why slow", "what took the time: the wait, the pauses and every figure of the run", screen.Live, keys.NextPanel},
	{"go to the pause", "the next stall, silence or failure of the answer, with its cause", screen.Live, "next stall"},
	{"compare with usual", "this run's wait and speed against your earlier ones", screen.Live, "compare with usual"},
	{"compare with yesterday", "this endpoint today, yesterday and before, in the history", screen.History, keys.None},
	{"copy for the ticket", "the run in eight lines for Slack, Jira or an incident, with its id", screen.Live, "copy"},
}

// commands lists the answers, then the actions: those of the shown screen, those of each other
// screen with a tab, and showing each of these. What the root carries out is
// the same on every screen and listed once.
func commands(m *Model) []dialog.Command {
	l := commandList{m: m, named: map[string]bool{}, screens: map[keys.Intent]int{}}
	for i, s := range m.screens.all {
		if i == m.screens.at || m.screens.leads(i) {
			for _, b := range s.Bindings() {
				l.screens[b.Do]++
			}
		}
	}
	for _, a := range answers {
		i := m.screens.find(a.on)
		if i < 0 {
			continue
		}
		if m.screens.all[i].Tab() == m.screens.shown().Tab() {
			i = m.screens.at // a replay answers of itself
		}
		b := keys.Of(slices.Concat(m.screens.all[i].Bindings(), m.screens.all[i].Commands()), a.do)
		if b != nil || a.do == keys.None {
			l.named[a.name] = true
			l.out = append(l.out, dialog.Command{Name: a.name, About: a.about,
				Off: b != nil && i == m.screens.at && !b.Works(), Act: dialog.RunKey{Screen: i, Binding: b}})
		}
	}
	l.add(m.screens.at, m.bindings[m.screens.at], "")
	l.add(m.screens.at, everywhere, "")
	for i, s := range m.screens.all {
		t := s.Tab()
		if !m.screens.leads(i) {
			continue
		}
		if i != m.screens.at {
			if name := "to " + string(s.Name()); t != m.screens.shown().Tab() && !l.named[name] {
				l.named[name] = true
				l.out = append(l.out, dialog.Command{Name: name, About: "to the " + t.Label + " screen",
					Key: t.Key, Act: dialog.RunKey{Screen: i}})
			}
			l.add(i, s.Bindings(), t.Label)
		}
		l.add(i, s.Commands(), "")
	}
	return l.out
}

type commandList struct {
	m       *Model
	named   map[string]bool     // the names in out
	screens map[keys.Intent]int // on how many screens there is an action
	out     []dialog.Command
}

// add adds the bindings of screen i. other is the screen's label where it is
// not shown, else "". An action of another screen has that label in its
// sentence, and in its name too where several screens have such an action.
func (l *commandList) add(i int, table []keys.Binding, other string) {
	for j := range table {
		b := &table[j]
		name, about := string(b.Do), b.Help
		if b.Do == keys.ToScreen || (b.Act == nil || len(b.Keys) == 0) && l.named[name] || other != "" && b.ShowsScreen() {
			continue
		}
		if other != "" {
			about = "on " + other + ": " + about
		}
		if other != "" && b.Act != nil && l.screens[b.Do] > 1 {
			name += " (" + other + ")"
		}
		l.named[name] = true
		l.out = append(l.out, dialog.Command{Name: name, About: about, Key: b.Name(l.m.look.Glyphs.ASCII),
			Off: other == "" && !b.Works(), Act: dialog.RunKey{Screen: i, Binding: b}})
	}
}

func command(m *Model, a dialog.Act) tea.Cmd {
	k, ok := a.(dialog.RunKey)
	if !ok {
		return m.themed(a)
	}
	cmd := m.show(k.Screen)
	b := k.Binding
	if b == nil || m.screens.at != k.Screen {
		return cmd
	}
	if !b.Works() {
		return tea.Batch(cmd, m.say("not now: "+b.Help))
	}
	return tea.Batch(cmd, m.press(b, ""))
}
