package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
)

// frameMsg is a beat of the frame clock.
type frameMsg struct{}

// clock is the one clock of the interface. It beats only while something
// moves: when nothing does, no message comes, and nothing is drawn.
type clock struct {
	ticking bool // a beat is on its way
	beats   int  // counts on, for spinners
	asked   bool // a request was asked for and has not shown up yet
	version uint64
	since   metrics.Stamp // when it was asked for
	next    time.Time     // when the beat that is on its way is due
}

// askedPatience is how long the clock waits for the backend to show a request
// that it was asked for: a Notify wakes it later all the same.
const askedPatience = 2 * time.Second

// tick returns the command for the next beat, or nil when none is needed or
// one is on its way.
func (m *Model) tick() tea.Cmd {
	if m.clock.ticking || !m.moving() {
		return nil
	}
	m.clock.ticking = true
	return tea.Tick(m.clock.beat(time.Now(), time.Second/time.Duration(m.opt.fps())), func(time.Time) tea.Msg { return frameMsg{} })
}

// beat returns how long it is until the next beat: a period after the last one
// was due, so that what a frame takes does not slow the clock down; a whole
// period after a rest, and after a beat that was late by more than that. now is
// the time of tea.Tick's own timer.
func (c *clock) beat(now time.Time, period time.Duration) time.Duration {
	c.next = c.next.Add(period)
	if d := c.next.Sub(now); d <= 0 || d > period {
		c.next = now.Add(period)
	}
	return c.next.Sub(now)
}

// moving reports whether the picture changes by itself.
func (m *Model) moving() bool {
	if m.clock.asked {
		if d, _ := m.back.Now().Sub(m.clock.since); m.back.Version() != m.clock.version || d > askedPatience {
			m.clock.asked = false
		} else {
			return true
		}
	}
	for _, d := range m.dialogs {
		if d.Busy() {
			return true
		}
	}
	switch {
	case m.explain.on:
		return m.engineMoves()
	case m.load.on:
		return m.load.screen.Animating(&m.load.view)
	}
	return !m.view.Frozen && (m.screen.Animating(&m.view) || m.load.lane > 0)
}

// onFrame is a beat: it takes a new look at the backend.
func (m *Model) onFrame() {
	m.clock.ticking = false
	m.clock.beats++
	m.sample(false)
	if m.moving() {
		m.dirty = true
	}
}

// spin is the frame of every spinner: ten a second, whatever the frame rate.
func (m *Model) spin() int { return m.clock.beats * 10 / m.opt.fps() }
