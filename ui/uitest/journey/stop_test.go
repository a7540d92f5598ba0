//go:build !windows

package journey

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tokscope/metrics/testkit"
)

// questions are what a terminal is asked by programs: its background, what it
// is, where its cursor is, its modes, its keyboard.
func questions(written string) map[string]int {
	n := map[string]int{}
	for _, q := range []string{"\x1b]11;?", "\x1b]10;?", "\x1b[c", "\x1b[6n", "\x1b[?2026$p", "\x1b[?2027$p", "\x1b[?u"} {
		if c := strings.Count(written, q); c > 0 {
			n[q] = c
		}
	}
	return n
}

// whole fails unless every recording has nothing but whole lines, and an end
// for every request.
func (x *term) whole() {
	x.t.Helper()
	files := x.recordings()
	if len(files) != 1 {
		x.t.Errorf("%d files were left, want the one recording", len(files))
	}
	for path, data := range files {
		if begun, ended := strings.Count(data, `{"type":"request"`), strings.Count(data, `{"type":"end"`); begun == 0 ||
			begun != ended {
			x.t.Errorf("%s: %d requests begun, %d ended", filepath.Base(path), begun, ended)
		}
		for line := range strings.Lines(data) {
			if !strings.HasSuffix(line, "\n") || !json.Valid([]byte(line)) {
				x.t.Errorf("%s has a broken line: %q", filepath.Base(path), line)
			}
		}
	}
}

// The program asks a silent terminal a few questions once, at the start, and
// does not wait for the answers. Neither the first frame nor the end takes
// longer.
func TestATerminalThatAnswersNothing(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"SIGTERM", "SIGINT", "q"} {
		t.Run(by, func(t *testing.T) {
			x := startMute(t)
			x.until("TTFT", "decoding") // the first answer lasts 20 s
			before := questions(x.written())
			testkit.That(t, before["\x1b]11;?"] == 1 && before["\x1b[c"] == 0, "asked at the start: %v", before)
			code := 130
			switch by {
			case "SIGTERM":
				x.signal(syscall.SIGTERM)
			case "SIGINT":
				x.signal(syscall.SIGINT)
			default:
				x.keys(by)
				code = 0
			}
			x.exits(code)
			x.until("data  ", "session-") // the summary
			x.restored()
			x.whole()
			for q, n := range questions(x.written()) {
				if n != before[q] {
					t.Errorf("%q was asked %d times at the end", q, n-before[q])
				}
			}
		})
	}
}

// What is printed without a screen asks nothing at all, and a help has its
// colours all the same.
func TestPrintingAsksNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args   []string
		code   int
		prints string
	}{
		{[]string{"--help"}, 0, "\x1b[1;35mUSAGE"}, {[]string{"help", "sweep"}, 0, "\x1b[1;35mFLAGS"},
		{[]string{"config"}, 0, "\x1b[1;35mCOMMANDS"},
		{[]string{"--version"}, 0, "tokscope version"}, {[]string{"--bogus"}, 2, "unknown flag: --bogus"},
		{[]string{"--theme", "bogus"}, 2, "theme"},
		{[]string{"tour", "--list"}, 0, "11"}, {[]string{"probe", "-n", "1", "--max-tokens", "3", "--slo", "ttft=1ns"}, 3,
			"MISSED"},
		{[]string{"probe", "http://127.0.0.1:1/v1", "-m", "m", "-n", "1"}, 5, "refused"},
	} {
		x := startMute(t, c.args...)
		if code := x.exit(); code != c.code {
			t.Errorf("%q: exit code %d, want %d", c.args, code, c.code)
		}
		x.wait(c.prints, func() bool { return strings.Contains(x.written(), c.prints) })
		q := questions(x.written())
		testkit.That(t, len(q) == 0, "%q asks the terminal %v", c.args, q)
	}
}

// A hangup ends the program in order, in the middle of a stream: the recording
// has its end, and the terminal is given back if it is still there.
func TestHangup(t *testing.T) {
	t.Parallel()
	x := start(t, 100, 30, nil, "--max-tokens", "4000")
	x.until("decoding")
	x.signal(syscall.SIGHUP)
	x.signal(syscall.SIGHUP) // of the shell, after that of the system
	x.exits(130)
	x.until("stopped", "session-")
	x.restored()
	x.whole()
}

// A program that was started to outlive its terminal continues to its end.
func TestHangupIsIgnoredByChoice(t *testing.T) {
	t.Parallel()
	x := startShell(t, `trap "" HUP; exec "$0" probe -n 3 --max-tokens 80`)
	x.until("1 of 3 ended")
	x.signal(syscall.SIGHUP)
	x.exits(0)
	x.until("3 done")
	x.whole()
}

// A window that is closed takes the program with it, also one that was told to
// outlive hangups: without keys nobody could ever end it.
func TestTheTerminalGoes(t *testing.T) {
	t.Parallel()
	for _, line := range []string{`exec "$0" --max-tokens 4000`, `trap "" HUP; exec "$0" --max-tokens 4000`} {
		x := startShell(t, line)
		x.until("decoding")
		must(x.t, x.x.HangUp())
		x.exits(130)
		x.whole()
	}
}

// ctrl+z returns the terminal to the shell. fg restores the screen in the
// terminal's present size, with the stream that continued meanwhile.
func TestSuspendedByAShell(t *testing.T) {
	t.Parallel()
	x := startShell(t, `set -m; "$0" --max-tokens 400; echo put aside; read wait; fg; echo code $?`)
	x.until("decoding")
	x.keys("\x1a")
	x.until("put aside")
	x.restored()
	x.resize(140, 45)
	x.do("<enter> > done")
	x.wait("the new width", func() bool {
		for line := range strings.Lines(x.screen()) {
			if len([]rune(line)) > 130 {
				return true
			}
		}
		return false
	})
	x.do("q > code 0 | session-")
	x.restored()
	x.whole()
}

// Without a shell to return to, ctrl+z does not stop the program, and the
// program does not wait for a continue.
func TestSuspendedByNobody(t *testing.T) {
	t.Parallel()
	x := start(t, 100, 30, nil, "--max-tokens", "60")
	x.until("done")
	x.keys("\x1a")
	x.wait("the screen to come back",
		func() bool { return strings.Count(x.written(), "\x1b[?1049h") == 2 && x.x.AltScreen() })
	x.do("<space> > stream 2")
	x.signal(syscall.SIGTERM)
	x.exits(130)
	x.restored()
	x.whole()
}

// unreadPipe returns the end of a pipe whose reader has closed it: every write
// fails. No process that starts meanwhile has the reader's end either, which it
// would keep open until it runs its program.
func unreadPipe() (*os.File, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return write, read.Close()
}

// When the reader of the output closes it, the program ends without a
// message. It has closed it before the program starts: a short output would fit
// into the pipe before a close that comes later.
func TestNobodyReads(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"probe", "-n", "500", "--max-tokens", "100", "--ndjson"}, {"probe", "-n", "1", "--max-tokens", "5"},
		{"probe", "-n", "1", "--max-tokens", "5", "--json"},
		{"sweep", "--users", "1", "--requests", "2", "--output-tokens", "5"}, {"sweep", "--users", "1", "--requests", "2",
			"--output-tokens", "5", "--json"},
		{"--plain", "--max-tokens", "20"}, {"config", "sample"}, {"serve", "--preset", "list"}, {"--help"},
	} {
		write, err := unreadPipe()
		must(t, err)
		cmd := exec.Command(built(t), args...)
		x := &term{t: t, state: t.TempDir()}
		cmd.Env = environment(x.state)
		cmd.Stdout = write
		var said strings.Builder
		cmd.Stderr = &said
		must(t, cmd.Start())
		_ = write.Close()
		_ = cmd.Wait()
		s, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
		testkit.That(t, s.Signaled() && s.Signal() == syscall.SIGPIPE,
			"%q: %v, want the end that a broken pipe brings", args, cmd.ProcessState)
		if args[0] == "probe" && args[2] == "1" {
			x.whole()
		}
		testkit.That(t, said.Len() <= 0, "%q says %q", args, said.String())
	}
}

// A terminal that cannot move its cursor gets lines, and one line says why.
func TestDumbTerminal(t *testing.T) {
	t.Parallel()
	for _, term := range []string{"dumb", ""} {
		x := start(t, 100, 40, []string{"TERM=" + term}, "--max-tokens", "10")
		x.exits(0)
		out := x.written()
		n := strings.Count(out, fmt.Sprintf("TERM is %q, which draws no screen: lines instead, as with --plain", term))
		testkit.That(t, n == 1, "TERM=%q: the reason is written %d times in %q", term, n, out)
		testkit.That(t, !strings.ContainsRune(out, 0x1b) && strings.Contains(out, "TTFT"), "TERM=%q: %q", term, out)
	}
}
