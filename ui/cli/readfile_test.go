package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

// A stop ends the wait for an input that does not come.
func TestReadUntilStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	reading := make(chan struct{})
	go func() {
		<-reading
		cancel()
	}()
	_, err := readUntil(ctx, func() ([]byte, error) {
		close(reading)
		return io.ReadAll(r)
	})
	testkit.Is(t, CodeOf(err), ExitInterrupted, err, "want an interruption")
	_ = w.Close()

	path := filepath.Join(t.TempDir(), "prompts")
	testkit.OK(t, os.WriteFile(path, []byte("one\n\ntwo\n"), 0o600))
	if list, err := readPrompts(t.Context(), path); err != nil || strings.Join(list, " ") != "one two" {
		t.Errorf("%q, %v", list, err)
	}
	if _, err := readPrompts(t.Context(), path+"x"); CodeOf(err) != ExitUsage {
		t.Errorf("a file that is not there: %v", err)
	}
}

// Only a terminal that can move its cursor has a screen.
func TestDrawable(t *testing.T) {
	for _, x := range []struct {
		term, system string
		want         bool
	}{{"xterm-256color", "linux", true}, {"dumb", "linux", false}, {"", "linux", false}, {"", "windows", true}, {"dumb", "windows", false}, {"vt100", "darwin", true}} {
		testkit.Is(t, drawable(x.term, x.system), x.want, "TERM", x.term, "on", x.system)
		at := &Job{Settings: settings{}, Console: Console{InTerminal: true, OutTerminal: true, Env: func(string) string { return x.term }}}
		if have := (&Form{}).headless(at); x.system == runtime.GOOS && have == x.want {
			t.Errorf("TERM=%q: a race or a watch without a screen: %v", x.term, have)
		}
	}
}
