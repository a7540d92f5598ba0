package tap

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"

	"github.com/charmbracelet/x/term"
)

// Run starts a program that owns the terminal of this one, and returns its exit code once it
// has ended: 128 and the signal's number where one ended it. Signals that reach this program
// alone are passed on; those of the terminal reach the child as well, so that they are not.
// If this program is killed the child goes on without it.
func Run(words, env []string) (code int, err error) {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, os.Stdin, os.Stdout, os.Stderr
	signals := make(chan os.Signal, 16)
	for _, s := range passed { // from now on none of them ends this program
		if !signal.Ignored(s) { // as under nohup: so it stays for the child
			signal.Notify(signals, s)
		}
	}
	defer signal.Stop(signals)
	modes, _ := term.GetState(os.Stdin.Fd()) // nil: no terminal
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("start %s: %w", words[0], errors.Unwrap(err))
	}
	ended := make(chan struct{})
	defer func() { // a child that was killed leaves the terminal as it was
		if modes != nil && inFront() {
			_ = term.Restore(os.Stdin.Fd(), modes)
		}
	}()
	go func() {
		for {
			select {
			case s := <-signals:
				if !(ofTerminal(s) && inFront()) {
					_ = cmd.Process.Signal(s)
				}
			case <-ended:
				return
			}
		}
	}()
	err = cmd.Wait()
	close(ended)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return codeOf(exit), nil
	}
	return 0, err
}
