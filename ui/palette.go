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
	return m.choice.all()
}

// commands lists the actions: those of the shown screen, of all screens, and
// of the screens with a tab, each action once.
func commands(m *Model) []dialog.Command {
	l := commandList{m: m, has: map[keys.Intent]bool{}}
	l.add(m.screens.at, m.bindings.screens[m.screens.at], "")
	l.add(m.screens.at, m.bindings.global, "")
	for i, s := range m.screens.all {
		t := s.Tab()
		if t == (screen.Tab{}) || m.screens.first(t) != i {
			continue
		}
		if i != m.screens.at {
			if t != m.screens.shown().Tab() && keys.Find(m.keys(), t.Key) == nil {
				l.out = append(l.out, dialog.Command{Name: "to " + string(s.Name()), About: "to the " + t.Label + " screen", Key: t.Key, Act: dialog.RunKey{Screen: i}})
			}
			l.add(i, s.Bindings(), "on "+t.Label+": ")
		}
		if c, ok := s.(screen.Commander); ok {
			l.add(i, c.Commands(), "")
		}
	}
	return l.out
}

// commandList collects the commands of the palette.
type commandList struct {
	m   *Model
	has map[keys.Intent]bool
	out []dialog.Command
}

// add adds the bindings of screen i that do what none before does. where
// begins their sentences; a key of another screen is not one of the shown.
func (l *commandList) add(i int, table []keys.Binding, where string) {
	for j := range table {
		b := &table[j]
		if l.has[b.Do] {
			continue
		}
		l.has[b.Do] = true
		l.out = append(l.out, dialog.Command{Name: string(b.Do), About: where + b.Help, Key: b.Name(l.m.look.Glyphs.ASCII),
			Off: where == "" && !b.Works(), Act: dialog.RunKey{Screen: i, Binding: b}})
	}
}

// command carries out what was chosen in the palette.
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
	key := ""
	if len(b.Keys) > 0 {
		key = b.Keys[0]
	}
	return tea.Batch(cmd, m.press(b, key))
}
