package ui

import (
	"tokscope/metrics"
	"tokscope/themes"
)

// Options is what the interface is opened with. The zero value works: a dark
// or light theme by the terminal's background, no colour, mouse off.
type Options struct {
	// Theme is a theme's name; "" follows the terminal's background.
	Theme   string
	Profile themes.Profile
	ASCII   bool
	// ReducedMotion draws four frames a second and leaves out fades.
	ReducedMotion bool
	// Mouse captures the mouse from the start.
	Mouse bool
	// FPS is the rate of the frame clock while something moves; 0 is 30. Use
	// FPSFor to lower it over SSH.
	FPS int
	// Work is the first workload; its zero value is the first preset.
	Work metrics.Workload
	// LoadWork is what every user of a load sends; its zero value is prompts.Load.
	LoadWork metrics.Workload
	// Pace is the name of the reading pace, one of metrics.Paces; "" is the first.
	Pace string
	// Units is the name of a way to write speed, one of live.Units; "" is the first.
	Units string
	// Yield, when set, makes the calling goroutine's thread give way to all
	// others: the interface calls it where it draws and writes, so that drawing
	// never makes a reader of the network late.
	Yield func()
	// Start sends the first request as soon as the interface is open.
	Start bool
	// Tour opens the Explain screen with the tour instead, at lesson Lesson; 0
	// is where the person was last.
	First  bool
	Lesson int
}

// Rates of the interface.
const (
	// framesPerSecond is where text that arrives looks continuous; more is
	// not seen and takes time from the readers.
	framesPerSecond = 30
	// flushesPerSecond is how often Bubble Tea looks whether the frame is
	// another: a key is seen within 17 ms, and a look at the same frame is free.
	flushesPerSecond = 60
	// framesOverSSH: frames are not synchronised there, and each costs a packet.
	framesOverSSH = 15
	// framesReduced is for people whom motion disturbs: as often as figures change.
	framesReduced = 4
	// figuresPerSecond is how often numbers change: faster cannot be read.
	figuresPerSecond = 4
)

// FPSFor returns the frame rate for an environment: lower over SSH.
func FPSFor(env func(string) string) int {
	if env("SSH_TTY") != "" {
		return framesOverSSH
	}
	return framesPerSecond
}

func (o Options) fps() int {
	switch {
	case o.ReducedMotion:
		return framesReduced
	case o.FPS > 0:
		return min(o.FPS, 60)
	}
	return framesPerSecond
}
