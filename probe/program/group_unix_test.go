//go:build !windows

package program

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

// TestEnd: a group ends as it was asked to, and is killed where it does not: also what its
// first process has left behind, and what is deaf to the question.
func TestEnd(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		within time.Duration
		atMost time.Duration
	}{
		"asked": {"sleep 600", time.Minute, 10 * time.Second},
		"takes a while": {"trap 'sleep 0.3; exit 0' TERM; echo y >&3; while :; do sleep 0.05; done", time.Minute,
			10 * time.Second},
		"deaf":        {"trap '' TERM; sleep 600 & sleep 600", 200 * time.Millisecond, 10 * time.Second},
		"left behind": {"(trap '' TERM; sleep 600) & exit 3", 200 * time.Millisecond, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // most of it is waiting
			fifo := filepath.Join(t.TempDir(), "held")
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				t.Skip(err)
			}
			held, err := os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0) // at its end all who hold it have ended
			testkit.OK(t, err)
			defer func() { _ = held.Close() }()
			cmd := exec.CommandContext(t.Context(), "sh", "-c", "exec 3>"+fifo+"; echo x >&3; "+c.script)
			Group(cmd)
			testkit.OK(t, cmd.Start())
			ended := make(chan struct{})
			go func() { _ = cmd.Wait(); close(ended) }()
			for n := 0; n == 0; time.Sleep(time.Millisecond) {
				n, _ = held.Read(make([]byte, 2)) // it runs
			}
			began := time.Now()
			End(cmd, c.within)
			<-ended
			took := time.Since(began)
			testkit.That(t, took <= c.atMost, "took %v", took)
			_ = held.SetReadDeadline(time.Now().Add(30 * time.Second))
			if _, err := io.ReadAll(held); err != nil {
				t.Errorf("somebody still runs: %v", err)
			}
		})
	}
}
