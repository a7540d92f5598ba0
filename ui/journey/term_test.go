//go:build !windows

package journey

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// program is the built binary, made once by TestMain.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "tokscope-journey")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	program = filepath.Join(dir, "tokscope")
	build := exec.Command("go", "build", "-o", program, "tokscope")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// patience bounds every wait for the screen. It is long because the machines
// are shared; nothing is measured by it.
const patience = 30 * time.Second

// term is the program in a virtual terminal.
type term struct {
	t     *testing.T
	state string // XDG_STATE_HOME of the run
	cmd   *exec.Cmd
	pty   *os.File
	done  chan struct{}

	mu  sync.Mutex
	vt  *vt.Emulator
	raw bytes.Buffer // everything the program wrote
}

// environment is what the program sees: nothing of the machine's own keys,
// configuration or home.
func environment(state string, extra ...string) []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + state, "XDG_STATE_HOME=" + state, "XDG_CONFIG_HOME=" + state,
		"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "TOKSCOPE_DISCOVER=false",
	}, extra...)
}

// start runs the program with args in a terminal of the given size.
func start(t *testing.T, cols, rows int, env []string, args ...string) *term {
	t.Helper()
	x := &term{t: t, state: t.TempDir(), vt: vt.NewEmulator(cols, rows), done: make(chan struct{})}
	x.cmd = exec.Command(program, args...)
	x.cmd.Env = environment(x.state, env...)
	f, err := pty.StartWithSize(x.cmd, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)})
	if err != nil {
		t.Fatal(err)
	}
	x.pty = f
	var pumps sync.WaitGroup
	pumps.Go(func() { // what the program writes
		buf := make([]byte, 64<<10)
		for {
			n, err := f.Read(buf)
			x.mu.Lock()
			x.raw.Write(buf[:n])
			_, _ = x.vt.Write(buf[:n])
			x.mu.Unlock()
			if err != nil {
				return
			}
		}
	})
	pumps.Go(func() { _, _ = io.Copy(f, x.vt) }) // what the terminal answers
	go func() {
		_ = x.cmd.Wait()
		close(x.done)
	}()
	t.Cleanup(func() {
		_ = x.cmd.Process.Kill()
		<-x.done
		_ = f.Close()
		_ = x.vt.Close()
		pumps.Wait()
		if t.Failed() {
			t.Logf("the screen at the end:\n%s", x.screen())
		}
	})
	return x
}

// screen is what a person sees, without colour.
func (x *term) screen() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	lines := strings.Split(x.vt.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// written is everything the program has written, escape sequences and all.
func (x *term) written() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.raw.String()
}

// until waits for every one of the texts to be on the screen.
func (x *term) until(texts ...string) {
	x.t.Helper()
	x.wait(fmt.Sprintf("%q on the screen", texts), func() bool {
		s := x.screen()
		for _, text := range texts {
			if !strings.Contains(s, text) {
				return false
			}
		}
		return true
	})
}

// gone waits for a text to leave the screen.
func (x *term) gone(text string) {
	x.t.Helper()
	x.wait(fmt.Sprintf("%q to leave the screen", text), func() bool { return !strings.Contains(x.screen(), text) })
}

func (x *term) wait(what string, ok func() bool) {
	x.t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			x.t.Fatalf("waited in vain for %s; the screen:\n%s", what, x.screen())
		}
	}
}

// keys types: plain text, or the sequences of the table below in <>.
func (x *term) keys(keys ...string) {
	x.t.Helper()
	for _, k := range keys {
		if seq, ok := sequences[k]; ok {
			k = seq
		}
		if _, err := io.WriteString(x.pty, k); err != nil {
			x.t.Fatalf("type %q: %v", k, err)
		}
		time.Sleep(30 * time.Millisecond) // as a person: an escape must not meet the next key
	}
}

var sequences = map[string]string{
	"<esc>": "\x1b", "<enter>": "\r", "<tab>": "\t", "<up>": "\x1b[A", "<down>": "\x1b[B", "<right>": "\x1b[C", "<left>": "\x1b[D",
	"<ctrl+c>": "\x03", "<ctrl+s>": "\x13", "<ctrl+u>": "\x15", "<backspace>": "\x7f", "<space>": " ",
}

// resize changes the terminal's size under the running program.
func (x *term) resize(cols, rows int) {
	x.t.Helper()
	x.mu.Lock()
	x.vt.Resize(cols, rows)
	x.mu.Unlock()
	if err := pty.Setsize(x.pty, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}); err != nil {
		x.t.Fatal(err)
	}
}

// exit waits for the program to end and returns its exit code.
func (x *term) exit() int {
	x.t.Helper()
	select {
	case <-x.done:
	case <-time.After(patience):
		x.t.Fatalf("the program does not end; the screen:\n%s", x.screen())
	}
	return x.cmd.ProcessState.ExitCode()
}

// restored reports what is wrong with the terminal after the program has gone.
func (x *term) restored() {
	x.t.Helper()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.vt.IsAltScreen() {
		x.t.Error("the terminal was left in the alternate screen")
	}
	raw := x.raw.String()
	for mode, name := range map[string]string{"?1049": "alternate screen", "?1000": "mouse clicks", "?1002": "mouse drags", "?1003": "mouse moves", "?1006": "SGR mouse", "?2004": "bracketed paste", "?1004": "focus reports"} {
		on, off := strings.LastIndex(raw, "\x1b["+mode+"h"), strings.LastIndex(raw, "\x1b["+mode+"l")
		if on > off {
			x.t.Errorf("%s was left on", name)
		}
	}
	if strings.LastIndex(raw, "\x1b[?25l") > strings.LastIndex(raw, "\x1b[?25h") {
		x.t.Error("the cursor was left hidden")
	}
}

// recordings returns the contents of all files the program left.
func (x *term) recordings() map[string]string {
	x.t.Helper()
	out := map[string]string{}
	err := filepath.Walk(x.state, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		out[path] = string(data)
		return err
	})
	if err != nil {
		x.t.Fatal(err)
	}
	return out
}

// signal sends sig to the program.
func (x *term) signal(sig syscall.Signal) {
	x.t.Helper()
	if err := x.cmd.Process.Signal(sig); err != nil {
		x.t.Fatal(err)
	}
}

// command runs the program without a terminal and returns stdout, stderr and
// the exit code.
func command(t *testing.T, env []string, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = environment(t.TempDir(), env...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
