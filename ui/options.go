package ui

import (
	"io"
	"os"

	"tokscope/themes"
	"tokscope/ui/screen"
)

// Options configures the interface. The zero value works: a dark or light
// theme by the terminal's background, no color, mouse off.
type Options struct {
	// Theme is a theme's name; "" follows the terminal's background.
	Theme   string
	Profile themes.Profile
	ASCII   bool
	// ReducedMotion draws four frames a second, without fades.
	ReducedMotion bool
	// Mouse captures the mouse from the beginning.
	Mouse bool
	// FPS is the rate of the frame clock while something moves; 0 is 30. Use
	// FPSFor to lower it over SSH.
	FPS int
	// Screens configures the screens.
	Screens screen.Options
	// Output is the terminal; nil is os.Stdout.
	Output io.Writer
	// Yield, when set, lowers the priority of the calling goroutine's thread.
	// The interface calls it where it draws and writes, so that drawing never
	// delays a reader of the network.
	Yield func()
	// Start starts the first screen as soon as the interface is open. First
	// names another screen to start instead.
	Start bool
	First screen.Name
}

// Rates of the interface.
const (
	// framesPerSecond makes arriving text look continuous. A higher rate is not
	// seen and takes time from the readers.
	framesPerSecond = 30
	// flushesPerSecond is the most frames that are written. A key that follows
	// another one is seen within 17 ms.
	flushesPerSecond = 60
	// modesPerSecond is how often Bubble Tea looks for changed modes of the
	// terminal, also when nothing moves. A cursor or the mouse come on within
	// 100 ms.
	modesPerSecond = 10
	// framesOverSSH is lower: frames are not synchronized there, and each costs
	// a packet.
	framesOverSSH = 15
	// framesReduced is for people whom motion disturbs. Frames come as often as
	// figures change.
	framesReduced = 4
)

// FPSFor returns the frame rate for an environment: lower over SSH.
func FPSFor(env func(string) string) int {
	if env("SSH_TTY") != "" {
		return framesOverSSH
	}
	return framesPerSecond
}

func (o Options) output() io.Writer {
	if o.Output == nil {
		return os.Stdout
	}
	return o.Output
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
