//go:build !windows

package ui

import (
	"bytes"
	"context"
	"io"
	"sync"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/creack/pty"
	"go.uber.org/goleak"

	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/screen/registry"
)

// On a terminal the reader of the keys waits in the system. Every end of the
// interface must end that reader before its files are closed. The race
// detector checks that nothing keeps running.
func TestTheReaderEndsBeforeItsFiles(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	var runs sync.WaitGroup
	for range 5 {
		for name, end := range map[string]func(cancel func(), typist io.Writer){
			"the context": func(cancel func(), _ io.Writer) { cancel() },
			"a key":       func(_ func(), typist io.Writer) { _, _ = io.WriteString(typist, "q") },
		} {
			runs.Go(func() { runOnTerminal(t, name, end) })
		}
	}
	runs.Wait()
}

// runOnTerminal runs the interface on a terminal of its own, and ends it by end
// once it is painted.
func runOnTerminal(t *testing.T, name string, end func(cancel func(), typist io.Writer)) {
	screen, tty, err := pty.Open()
	if err != nil {
		t.Error(err)
		return
	}
	testkit.Is(t, pty.Setsize(tty, &pty.Winsize{Cols: 80, Rows: 24}), nil)
	painted := make(chan struct{})
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		var seen []byte
		buf := make([]byte, 4096)
		for {
			n, err := screen.Read(buf)
			if before := bytes.Contains(seen, []byte("tokscope")); !before {
				if seen = append(seen, buf[:n]...); bytes.Contains(seen, []byte("tokscope")) {
					close(painted)
				}
			}
			if err != nil {
				return
			}
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-painted
		end(cancel, screen)
	}()
	m := New(registry.All(), newLive(), Options{Profile: themes.TrueColor, Output: tty})
	testkit.Is(t, m.Run(ctx, tea.WithInput(tty), tea.WithoutSignalHandler()), nil, "ended by", name)
	cancel()
	_ = tty.Close()
	_ = screen.Close()
	<-shown
}
