//go:build !windows

package ui

import (
	"bytes"
	"context"
	"io"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/creack/pty"
	"go.uber.org/goleak"

	"tokscope/themes"
	"tokscope/ui/uitest"
)

// On a terminal the reader of the keys waits in the system. Whatever ends the
// interface has to end that reader before its files are closed, and nothing may
// be left running: the race detector watches.
func TestTheReaderEndsBeforeItsFiles(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	for range 5 {
		for name, end := range map[string]func(cancel func(), typist io.Writer){
			"the context": func(cancel func(), _ io.Writer) { cancel() },
			"a key":       func(_ func(), typist io.Writer) { _, _ = io.WriteString(typist, "q") },
		} {
			screen, tty, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			if err := pty.Setsize(tty, &pty.Winsize{Cols: 80, Rows: 24}); err != nil {
				t.Fatal(err)
			}
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
			m := New(uitest.New(), Options{Profile: themes.TrueColor})
			if err := m.Run(ctx, tea.WithInput(tty), tea.WithOutput(tty), tea.WithoutSignalHandler()); err != nil {
				t.Errorf("ended by %s: %v", name, err)
			}
			cancel()
			_ = tty.Close()
			_ = screen.Close()
			<-shown
		}
	}
}
