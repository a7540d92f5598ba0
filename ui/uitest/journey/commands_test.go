//go:build !windows

package journey

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

// argument is a word of a command line, in quotes if it has spaces.
var argument = regexp.MustCompile(`[@<]?"[^"]*"|\S+`)

// TestCommands runs the built program without a terminal, as testdata/lines.txt says: the
// exit codes that a line may have, variables, the arguments (in quotes if they have spaces),
// and after " > " what stdout or stderr then has, or with "!" has not. "@" begins a plan of a
// scripted endpoint that is asked, "<" what is on stdin; "fits:" names the schema of the
// document on stdout, "lines:" that of its lines. No line prints an escape sequence or the key.
func TestCommands(t *testing.T) {
	t.Parallel()
	for _, line := range testkit.Lines(t, "testdata/lines.txt") {
		t.Run(line.Text, func(t *testing.T) {
			t.Parallel()
			t.Log("at " + line.At)
			typed, wanted, _ := strings.Cut(line.Text, "> ")
			var env, args []string
			var stdin string
			words := argument.FindAllString(strings.ReplaceAll(typed, "=KEY ", "="+apiKey+" "), -1)
			for _, w := range words[1:] {
				w = strings.ReplaceAll(w, `"`, "")
				switch name, _, isVar := strings.Cut(w, "="); {
				case w[0] == '@':
					env = append(env, serve(t, w[1:])...)
				case w[0] == '<':
					stdin = w[1:]
				case isVar && name == strings.ToUpper(name):
					env = append(env, w)
				default:
					args = append(args, w)
				}
			}
			stdout, stderr, code := command(t, env, stdin, args...)
			testkit.That(t, slices.Contains(strings.Split(words[0], ","), strconv.Itoa(code)),
				"exit code %d\n%s%s", code, stdout, stderr)
			printed := stdout + stderr
			hidesKey(t, "what it prints", printed)
			testkit.That(t, !strings.ContainsRune(printed, 0x1b), "escape sequences outside of a terminal: %q", printed)
			for _, want := range strings.Split(wanted, " | ") {
				text, not := strings.CutPrefix(want, "!")
				if schema, ok := strings.CutPrefix(want, "fits:"); ok {
					fits(t, schema, stdout)
				} else if schema, ok := strings.CutPrefix(want, "lines:"); ok {
					for line := range strings.Lines(stdout) {
						fits(t, schema, line)
					}
				} else if strings.Contains(printed, text) == not {
					t.Errorf("want %q in\n%s", want, printed)
				}
			}
		})
	}
}

// TestInterrupted interrupts command lines once they are under way. They end in order,
// with what they have, and the code of an interruption.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "fifo")
	must(t, syscall.Mkfifo(fifo, 0o600))
	waits := serve(t, "prefill 1h; 5 tokens @ 1ms")
	for _, c := range []struct {
		env   []string
		args  string
		after string // on stdout; "": a recording, or a file of steps, is there
		says  string
	}{
		{nil, "tour --plain --record=false", "claim:", ""},
		{nil, "--plain --max-tokens 4000 --record=false", "[first token", ""},
		{waits, "doctor -m m", "models", "Interrupted before all checks were done."},
		// With an hour between a user's requests no step ever ends by itself.
		{nil, "sweep --users 1,64 --requests 3 --think 1h --output-tokens 20 --resume STEPS --record=false", "",
			"0 of 2 finished"},
		// The prompt does not come.
		{nil, "probe --prompt-file " + fifo, "", ""},
		{nil, "probe --prompt -", "", ""},
		{nil, "sweep --users 1 --prompt-file " + fifo, "", ""},
	} {
		t.Run(c.args, func(t *testing.T) {
			state := t.TempDir()
			steps := filepath.Join(state, "steps")
			cmd := exec.Command(built(t), strings.Fields(strings.ReplaceAll(c.args, "STEPS", steps))...)
			cmd.Env = environment(state, c.env...)
			stdin, err := cmd.StdinPipe()
			must(t, err)
			defer stdin.Close()
			var out printed
			cmd.Stdout = &out
			must(t, cmd.Start())
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			begun := func() bool {
				made, _ := filepath.Glob(filepath.Join(state, "tokscope", "session-*"))
				data, _ := os.ReadFile(steps)
				return c.after == "" && len(made)+len(data) > 0 || c.after != "" && strings.Contains(out.String(), c.after)
			}
			limit := time.After(patience)
			for signaled := false; ; {
				select {
				case <-time.After(5 * time.Millisecond):
					if !signaled && begun() {
						must(t, cmd.Process.Signal(syscall.SIGINT))
						signaled = true
					}
					continue
				case <-ended:
				case <-limit:
					_ = cmd.Process.Kill()
					t.Errorf("signaled: %v, and it goes on", signaled)
					<-ended
				}
				break
			}
			code := cmd.ProcessState.ExitCode()
			testkit.That(t, code == 130 && strings.Contains(out.String(), c.says), "exit code %d, stdout %q", code, out.String())
		})
	}
}

// printed is what a running program has printed.
type printed struct {
	mu   sync.Mutex
	text strings.Builder
}

func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *printed) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}
