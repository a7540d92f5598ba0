package ui

import (
	"io"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
)

// answersWithin is how long an answer of the terminal may be under way, from
// the question on: that leaves with one of the first frames, and a long way round
// over SSH is 300 ms. An answer that comes when the program has gone would be
// typed into the shell.
const answersWithin = 500 * time.Millisecond

// answersSettle is for what comes with the last answer: Bubble Tea waits half a
// second for a reader that has something which nobody takes any more.
const answersSettle = 20 * time.Millisecond

// leaveMsg ends the interface from outside: a signal, or the terminal has gone.
type leaveMsg struct{}

// answersMsg says that no answer can be under way any more.
type answersMsg struct{}

// asking is what the terminal was asked and has not answered yet. Most
// terminals that answer neither question never will.
type asking struct {
	since    metrics.Stamp // when it was asked
	ground   bool          // its background came
	keyboard bool          // what its keyboard can came
	leaving  bool          // the interface ends as soon as it may
}

// askTerminal asks the terminal for its background; Bubble Tea asks for the keyboard by
// itself, with the first frame.
func (m *Model) askTerminal() tea.Cmd {
	m.asking = asking{since: m.back.Now(), leaving: m.asking.leaving}
	return tea.RequestBackgroundColor
}

// told notes answers, and ends the interface if it waited for them alone.
func (m *Model) told(ground, keyboard bool) tea.Cmd {
	a := &m.asking
	a.ground, a.keyboard = a.ground || ground, a.keyboard || keyboard
	if a.leaving && a.ground && a.keyboard {
		return quitAfter(answersSettle)
	}
	return nil
}

// quit ends the interface. In its first moments it waits for what the terminal
// was asked; whoever cannot wait says it twice.
func (m *Model) quit() tea.Cmd {
	a := &m.asking
	past, _ := m.back.Now().Sub(a.since)
	if a.leaving || a.ground && a.keyboard || past >= answersWithin {
		return tea.Quit
	}
	a.leaving = true
	return quitAfter(answersWithin - past)
}

func quitAfter(d time.Duration) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return answersMsg{} })
}

// hearing is the terminal's input. It tells when the terminal has gone: Bubble
// Tea takes the end of input for silence, and would run for ever.
type hearing struct {
	*os.File
	onHangup func()
}

// Read implements io.Reader.
func (h hearing) Read(b []byte) (int, error) {
	n, err := h.File.Read(b)
	if err == io.EOF {
		h.onHangup()
	}
	return n, err
}

// nudgeEvery is how often a program that wants to be stopped looks whether it
// still runs. A shell stops it at once.
const nudgeEvery = 250 * time.Millisecond

// suspend gives the terminal back and stops the program until it is continued.
// Where no shell could continue it (a window or a container of its own) the
// system does not stop it, and Bubble Tea would wait for ever: so whoever still
// runs continues himself.
func (m *Model) suspend() tea.Cmd {
	resumed := make(chan struct{})
	m.resumed = resumed
	return tea.Batch(tea.Suspend, func() tea.Msg {
		for tick := time.NewTicker(nudgeEvery); ; {
			select {
			case <-tick.C:
				wakeUp()
			case <-resumed:
				tick.Stop()
				return nil
			case <-m.closed:
				tick.Stop()
				return nil
			}
		}
	})
}

// resume is called when the program runs again and has the terminal.
func (m *Model) resume() tea.Cmd {
	if m.resumed != nil {
		close(m.resumed)
		m.resumed = nil
	}
	m.sample(true)
	return m.askTerminal()
}
