package ui

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"go.uber.org/goleak"

	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/screen"
	"tokscope/ui/screen/registry"
)

// onPipe runs m with its output in a buffer and its keys from a pipe. It
// leaves out the real terminal.
func onPipe(ctx context.Context, m *Model, keys io.Reader) (string, error) {
	var out bytes.Buffer
	m.opt.Output = &out
	err := m.Run(ctx, tea.WithInput(keys), tea.WithWindowSize(80, 24), tea.WithoutSignalHandler())
	return out.String(), err
}

func TestRunPaintsAndQuits(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	keys, typist := io.Pipe()
	defer keys.Close()
	b := newLive()
	m := New(registry.All(), b, Options{Profile: themes.TrueColor})
	b.Changed = m.Notify
	go func() {
		_, _ = typist.Write([]byte(" "))
		for len(b.Begun()) == 0 {
			time.Sleep(time.Millisecond)
		}
		b.Sent()
		b.Chunk("word")
		b.Finish()
		_, _ = typist.Write([]byte("q"))
		typist.Close()
	}()
	out := testkit.Must(onPipe(context.Background(), m, keys))(t)
	if !strings.Contains(out, "tokscope") || !strings.Contains(out, "\x1b[?1049h") ||
		!strings.Contains(out, "\x1b[?1049l") {
		t.Errorf("no frame, or the terminal is not restored: %q", out)
	}
	m.Notify() // after the end: harmless
	m.Notify()
}

func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel() // the library waits for a reader that cannot be ended
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	keys, typist := io.Pipe()
	defer typist.Close()
	_, err := onPipe(ctx, New(registry.All(), newLive(), Options{}), keys)
	testkit.That(t, err == nil, "error %v", err)
}

// stuck takes output until it is full, as a terminal that was paused with ctrl+s.
type stuck struct {
	room   atomic.Int64
	begun  chan struct{} // closed at the first byte
	once   sync.Once
	opened chan struct{} // closed: it takes output again
}

func (s *stuck) Write(b []byte) (int, error) {
	s.once.Do(func() { close(s.begun) })
	if s.room.Add(-int64(len(b))) < 0 {
		<-s.opened
	}
	return len(b), nil
}

// TestAStuckTerminalDoesNotHoldTheEnd: the program ends on a signal although its
// terminal takes no more output.
func TestAStuckTerminalDoesNotHoldTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	out := &stuck{begun: make(chan struct{}), opened: make(chan struct{})}
	out.room.Store(100)
	m := New(registry.All(), newLive(), Options{Output: out})
	m.patience = 10 * time.Millisecond
	keys, typist := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- m.Run(ctx, tea.WithInput(keys), tea.WithWindowSize(80, 24), tea.WithoutSignalHandler())
	}()
	<-out.begun
	cancel()
	err := <-ended
	testkit.That(t, errors.Is(err, ErrStuck), "error %v", err)
	close(out.opened) // what was left behind ends too
	typist.Close()
}

// bomb is a backend that panics in the middle of a run.
type bomb struct{ liveFake }

func (bomb) Stop() { panic("boom") }

func TestAPanicRestoresTheTerminal(t *testing.T) {
	b := bomb{newLive()}
	m := New(registry.All(), b, Options{Start: true})
	keys, typist := io.Pipe()
	defer keys.Close()
	go func() {
		for len(b.Begun()) == 0 {
			time.Sleep(time.Millisecond)
		}
		_, _ = typist.Write([]byte("x"))
		typist.Close()
	}()
	out, err := onPipe(context.Background(), m, keys)
	testkit.That(t, errors.Is(err, tea.ErrProgramPanic), "error %v", err)
	testkit.That(t, strings.LastIndex(out, "\x1b[?1049l") >= strings.LastIndex(out, "\x1b[?1049h"),
		"the alternate screen stays: %q", out)
}

func TestACommandThatPanicsIsAMessage(t *testing.T) {
	m := New(registry.All(), newBackend(t), Options{})
	reply, ok := m.safely(func() screen.Reply { panic("boom") })().(screen.Reply)
	testkit.Given(t, ok, "no reply")
	if reply(); !strings.Contains(m.toast.text, "boom") {
		t.Errorf("the toast says %q", m.toast.text)
	}
}

func TestFPSForSSH(t *testing.T) {
	testkit.Is(t, FPSFor(func(k string) string { return map[string]string{"SSH_TTY": "/dev/pts/1"}[k] }), 15, "over SSH")
	testkit.Is(t, FPSFor(func(string) string { return "" }), 30, "here")
}
