package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// frameMsg is a tick of the frame clock.
type frameMsg struct{}

// clock is the only clock of the interface. It ticks only while something
// moves; otherwise no message comes and nothing is drawn.
type clock struct {
	ticking bool      // a tick is pending
	beats   int       // counts up, for spinners
	next    time.Time // when the pending tick is due
}

// slowly is the time between two frames that change seconds alone.
const slowly = 200 * time.Millisecond

// tick returns the command for the next tick. It is nil when no tick is
// needed or one is pending.
func (m *Model) tick() tea.Cmd {
	if m.clock.ticking || !m.moving() {
		return nil
	}
	m.clock.ticking = true
	period := time.Second / time.Duration(m.opt.fps())
	if m.screens.shown().Slow() && !m.stack.busy() {
		period = max(period, slowly)
	}
	return tea.Tick(m.clock.beat(time.Now(), period), func(time.Time) tea.Msg { return frameMsg{} })
}

// beat returns the time until the next tick. It counts one period from when
// the last tick was due, so that drawing does not slow the clock. After a
// rest, or after a tick that came more than a period late, it is a whole
// period. now is the time of tea.Tick's own timer.
func (c *clock) beat(now time.Time, period time.Duration) time.Duration {
	c.next = c.next.Add(period)
	if d := c.next.Sub(now); d <= 0 || d > period {
		c.next = now.Add(period)
	}
	return c.next.Sub(now)
}

// moving reports whether the picture changes by itself.
func (m *Model) moving() bool { return m.stack.busy() || m.screens.shown().Animating() }

// spin is the frame number of all spinners: ten a second, at any frame rate.
func (m *Model) spin() int { return m.clock.beats * 10 / m.opt.fps() }
