//go:build !windows

package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

// waiting closes told once it is written that the program is waited for.
type waiting struct {
	text bytes.Buffer
	told chan struct{}
	once sync.Once
}

func (w *waiting) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("waiting for the program")) {
		w.once.Do(func() { close(w.told) })
	}
	return w.text.Write(p)
}

// TestHookEndsWithItsChildren: a program of --exec that does not end is named while the
// watch waits for it, and is ended with its children: by its bound, by a Ctrl-C while
// the watch waits, and by a second one after that which ended the watch. One that only
// leaves a child behind keeps it.
func TestHookEndsWithItsChildren(t *testing.T) {
	for name, x := range map[string]struct {
		program string
		within  time.Duration
		before  bool // ctx ends before the wait
		stop    func(h *hook, cancel func())
		said    string
		code    int
		stays   bool // a child
	}{
		"its bound": {"sleep 600 & sleep 600", 100 * time.Millisecond, false, func(*hook, func()) {},
			"sh ended after 100ms, its bound", 0, false},
		"no child": {"exec sleep 600", time.Minute, false, func(_ *hook, cancel func()) { cancel() },
			"waiting for the program of --exec (sh), for at most 1m0s; Ctrl-C ends it", 0, false},
		"grandchildren": {"(sleep 600 & sleep 600) & wait", time.Minute, false,
			func(_ *hook, cancel func()) { cancel() }, "--exec for a: sh was ended", 0, false},
		"deaf to signals": {"trap '' INT TERM HUP; sleep 600; sleep 600", time.Minute, false,
			func(_ *hook, cancel func()) { cancel() }, "sh was ended", 0, false},
		"the second Ctrl-C": {"sleep 600 & sleep 600", time.Minute, true,
			func(h *hook, _ func()) { h.signal <- os.Interrupt }, "waiting for the program", ExitInterrupted, false},
		"SIGTERM": {"sleep 600 & wait", time.Minute, true, func(h *hook, _ func()) { h.signal <- syscall.SIGTERM },
			"waiting for the program", ExitInterrupted, false},
		"leaves one": {"sleep 30 2>/dev/null & exit 0", time.Minute, false, func(*hook, func()) {}, "", 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // most of it is waiting
			fifo := filepath.Join(t.TempDir(), "held")
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				t.Skip(err)
			}
			// at its end all who hold it have ended
			held := testkit.Must(os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0))(t)
			defer func() { _ = held.Close() }()
			said := &waiting{told: make(chan struct{})}
			h := newHook([]string{"sh", "-c", "exec 3>" + fifo + "; echo x >&3; " + x.program}, &fakeWatcher{}, said)
			h.within = x.within
			code := make(chan int, 1)
			h.exit = func(c int) { code <- c }
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			stop := h.listen(ctx)
			defer stop()
			h.run("a", nil)
			first := make([]byte, 2)
			for n := 0; n == 0; time.Sleep(time.Millisecond) {
				h.mu.Lock()
				early := !h.running["a"] // a busy machine: its bound came before its first word
				h.mu.Unlock()
				if early {
					h.run("a", nil)
				}
				n, _ = held.Read(first) // it runs
			}
			if x.before {
				cancel()
			}
			waited := make(chan struct{})
			go func() {
				select {
				case <-said.told:
					x.stop(h, cancel)
				case <-waited:
				}
			}()
			h.wait(ctx)
			close(waited)
			text := said.text.String()
			testkit.That(t, strings.Contains(text, x.said) && (x.said != "" || text == ""), "said %q", text)
			if x.code != 0 {
				testkit.Is(t, <-code, x.code, "exit code")
			}
			patience := 30 * time.Second // their ends need no time but that of the machine
			if x.stays {
				patience = 500 * time.Millisecond
			}
			testkit.OK(t, held.SetReadDeadline(time.Now().Add(patience)))
			_, err := io.ReadAll(held)
			testkit.Is(t, os.IsTimeout(err), x.stays, "somebody still runs", err)
		})
	}
}
