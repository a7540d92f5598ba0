package ui

import (
	"io"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/ui/screen"
)

// answersWithin is how long an answer of the terminal may take, counted from
// the question. A slow round trip over SSH takes 300 ms. An answer that arrives after the
// program's end would be typed into the shell.
const answersWithin = 500 * time.Millisecond

// answersSettle leaves time for what arrives with the last answer. Bubble Tea
// waits half a second for a reader whose input is no longer taken.
const answersSettle = 20 * time.Millisecond

// asking holds the terminal's unanswered questions. Most terminals that
// answer neither question never will.
type asking struct {
	since    metrics.Stamp // when the question was sent
	ground   bool          // the background color arrived
	keyboard bool          // the keyboard's abilities arrived
	leaving  bool          // the interface ends as soon as it may
}

// askTerminal notes that the terminal is asked for its background, and asks. Bubble Tea
// itself asks for the keyboard, with the first frame.
func (m *Model) askTerminal() {
	m.asking = asking{since: m.back.Now(), leaving: m.asking.leaving, ground: m.askGround == nil}
	if m.askGround != nil {
		m.askGround()
	}
}

// answered notes answers, and ends the interface if it waited for them alone.
func (a *asking) answered(ground, keyboard bool) tea.Cmd {
	a.ground, a.keyboard = a.ground || ground, a.keyboard || keyboard
	if a.leaving && a.ground && a.keyboard {
		return quitAfter(answersSettle)
	}
	return nil
}

// quit ends the interface. In the first moments it waits for the terminal's
// answers; a second quit does not wait.
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
	return tea.Tick(d, func(time.Time) tea.Msg { return screen.Reply(func() tea.Cmd { return tea.Quit }) })
}

// hearing reads the terminal's input and reports when the terminal is closed.
// Bubble Tea takes the end of input for silence and would run forever.
type hearing struct {
	*os.File
	onHangup func()
}

func (h hearing) Read(b []byte) (int, error) {
	n, err := h.File.Read(b)
	if err == io.EOF {
		h.onHangup()
	}
	return n, err
}

// nudgeEvery is how often a program that wants to be stopped checks whether
// it still runs. A shell stops it at once.
const nudgeEvery = 250 * time.Millisecond

// suspend returns the terminal and stops the program until it is continued.
// Without a shell to continue it (a window or container of its own) the
// system ignores the stop. Bubble Tea would then wait forever, so a program
// that still runs continues itself.
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

// resume handles that the program runs again and has the terminal.
func (m *Model) resume() {
	if m.resumed != nil {
		close(m.resumed)
		m.resumed = nil
	}
	m.sample(true)
	m.askTerminal()
}
