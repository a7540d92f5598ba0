//go:build !windows

package tap_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"

	"tokscope/metrics/testkit"
	"tokscope/probe/tap"
)

// runs says, in the environment of this test binary, that it runs a child as the tap does. It
// then exits with the code of the child.
const runs = "TAP_TEST_RUNS"

func init() {
	if script := os.Getenv(runs); script != "" {
		code, err := tap.Run([]string{"sh", "-c", script}, os.Environ())
		if err != nil {
			_, _ = os.Stderr.WriteString(err.Error())
		}
		os.Exit(code)
	}
}

// parent is this binary as the parent of a child with that script.
func parent(script string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), runs+"="+script)
	return cmd
}

// TestExitCode holds that the code of the child is that of the tap, as a shell tells it.
func TestExitCode(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]int{"exit 0": 0, "exit 7": 7, "kill -TERM $$": 128 + 15,
		"kill -KILL $$": 128 + 9} {
		cmd := parent(script)
		_ = cmd.Run()
		testkit.Is(t, cmd.ProcessState.ExitCode(), want, script, cmd.ProcessState)
	}
	_, err := tap.Run([]string{filepath.Join(t.TempDir(), "nosuch")}, nil)
	testkit.That(t, err != nil, "a program that is not there was started")
}

// TestSignalsPass holds that a signal to the tap alone reaches the child, which decides what
// becomes of it.
func TestSignalsPass(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT,
		"USR1": syscall.SIGUSR1} {
		cmd := parent("trap 'echo got; exit 9' " + name + "; echo ready; while :; do sleep 0.02; done")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal
		out := testkit.Must(cmd.StdoutPipe())(t)
		testkit.OK(t, cmd.Start())
		read(t, out, "ready")
		testkit.OK(t, cmd.Process.Signal(s))
		read(t, out, "got")
		_ = cmd.Wait()
		testkit.Is(t, cmd.ProcessState.ExitCode(), 9, name, cmd.ProcessState)
	}
}

// TestNohup holds that a child under nohup outlives its terminal as without the tap.
func TestNohup(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("nohup", os.Args[0])
	cmd.Env = append(os.Environ(), runs+"=kill -HUP $$; exit 5")
	_ = cmd.Run()
	testkit.Is(t, cmd.ProcessState.ExitCode(), 5, "ended with", cmd.ProcessState)
}

// TestKilledTap holds that a child goes on when the tap is killed.
func TestKilledTap(t *testing.T) {
	t.Parallel()
	cmd := parent("echo ready; read x; echo on; exit 0")
	in, out := testkit.Must(cmd.StdinPipe())(t), testkit.Must(cmd.StdoutPipe())(t)
	testkit.OK(t, cmd.Start())
	read(t, out, "ready")
	testkit.OK(t, cmd.Process.Kill())
	_, _ = cmd.Process.Wait()
	_, _ = io.WriteString(in, "x\n")
	read(t, out, "on")
}

// said is what a child has said so far.
type said struct {
	from io.Reader
	all  string
}

// until reads until text has come.
func (s *said) until(t *testing.T, text string) {
	t.Helper()
	for buf := make([]byte, 1024); !strings.Contains(s.all, text); {
		n, err := s.from.Read(buf)
		if s.all += string(buf[:n]); n == 0 && err != nil {
			t.Fatalf("%q did not come: %q, %v", text, s.all, err)
		}
	}
}

// read reads until text has come.
func read(t *testing.T, from io.Reader, text string) {
	t.Helper()
	(&said{from: from}).until(t, text)
}

// TestTerminalIsTheChilds holds that a child has the terminal: its size and its changes, what is
// typed, and a key's signal once; and that the terminal is as before when the child was killed.
func TestTerminalIsTheChilds(t *testing.T) {
	t.Parallel()
	cmd := parent("trap 'n=$((n+1)); echo int $n.' INT; trap 'stty size' WINCH; stty size; stty -echo; echo ready; " +
		"while :; do read x && echo typed $x; [ \"$x\" = end ] && kill -KILL $$; done")
	f, tty, err := pty.Open()
	testkit.OK(t, err)
	defer func() { _, _ = f.Close(), tty.Close() }()
	testkit.OK(t, pty.Setsize(f, &pty.Winsize{Cols: 91, Rows: 17}))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	before := testkit.Must(term.GetState(tty.Fd()))(t)
	testkit.OK(t, cmd.Start())
	child := &said{from: f}
	child.until(t, "17 91")
	child.until(t, "ready")
	testkit.OK(t, pty.Setsize(f, &pty.Winsize{Cols: 100, Rows: 20}))
	_, _ = f.WriteString("\n") // a shell whose read began behind the signal runs its trap after a line
	child.until(t, "20 100")
	for i, word := range []string{"one", "two", "three"} {
		_, _ = f.WriteString(word + "\n")
		child.until(t, "typed "+word)
		_, _ = f.WriteString("\x03\n") // ctrl+c, and a line as above
		child.until(t, "int "+strconv.Itoa(i+1)+".")
	}
	testkit.Lacks(t, child.all, "int 4.")
	_, _ = f.WriteString("end\n")
	_ = cmd.Wait()
	testkit.Is(t, cmd.ProcessState.ExitCode(), 128+9, "ended with", cmd.ProcessState)
	after := testkit.Must(term.GetState(tty.Fd()))(t)
	testkit.That(t, *after == *before, "the terminal stays as the child left it: %v, was %v", after, before)
}
