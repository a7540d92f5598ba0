//go:build !windows

package journey

import (
	"bytes"
	"fmt"
	"image/color"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/ui/uitest/vterm"
)

// binDir is where the binary is built.
var binDir string

func TestMain(m *testing.M) {
	probetest.Main() // the scripted endpoint, in a process of its own
	// Children inherit an ignored SIGHUP (nohup, some CI runners), not a caught one.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	var err error
	if binDir, err = os.MkdirTemp("", "tokscope-journey"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	probetest.WaitTogether(3)
	code := m.Run()
	_ = os.RemoveAll(binDir)
	os.Exit(code)
}

// build makes the binary, once.
var build = sync.OnceValues(func() (string, error) {
	path := filepath.Join(binDir, "tokscope")
	cmd := exec.Command("go", "build", "-ldflags=-w", "-o", path, "tokscope") // -w halves the linking
	cmd.Dir = "../../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// built is the path of the binary. What runs it takes seconds: not in short mode.
func built(t testing.TB) string {
	t.Helper()
	probetest.TakesTime(t, "the built program runs in real time")
	path := testkit.Must(build())(t)
	return path
}

// patience bounds every wait for the screen. It is long because the machines
// are shared; nothing is measured by it.
const patience = 30 * time.Second

// term is the program in a virtual terminal; every wait in vain fails the test.
type term struct {
	t     *testing.T
	state string // XDG_STATE_HOME of the run
	x     *vterm.Term
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
	begin := func(cmd *exec.Cmd) (*vterm.Term, error) { return vterm.Start(cmd, cols, rows) }
	return startIn(t, begin, env, built(t), args...)
}

// startIn runs a program in the terminal that begin makes.
func startIn(t *testing.T, begin func(*exec.Cmd) (*vterm.Term, error), env []string, program string,
	args ...string) *term {
	t.Helper()
	x := &term{t: t, state: t.TempDir()}
	cmd := exec.Command(program, args...)
	cmd.Env = environment(x.state, env...)
	var err error
	x.x, err = begin(cmd)
	must(t, err)
	t.Cleanup(func() {
		x.x.Close()
		if t.Failed() {
			t.Logf("the screen at the end:\n%s", x.screen())
		}
	})
	return x
}

// startMute is start in a terminal that answers no question.
func startMute(t *testing.T, args ...string) *term {
	t.Helper()
	begin := func(cmd *exec.Cmd) (*vterm.Term, error) { return vterm.StartOn(color.Black, false, cmd, 100, 30) }
	return startIn(t, begin, nil, built(t), args...)
}

// startShell is start for a line of shell, in which $0 is the program.
func startShell(t *testing.T, line string) *term {
	t.Helper()
	begin := func(cmd *exec.Cmd) (*vterm.Term, error) { return vterm.Start(cmd, 100, 30) }
	return startIn(t, begin, nil, "sh", "-c", line, built(t))
}

// startOn is start in a terminal of that background.
func startOn(t *testing.T, background color.Color, cols, rows int, args ...string) *term {
	t.Helper()
	begin := func(cmd *exec.Cmd) (*vterm.Term, error) { return vterm.StartOn(background, true, cmd, cols, rows) }
	return startIn(t, begin, nil, built(t), args...)
}

// startB is start for benchmarks.
func startB(b *testing.B, cols, rows int, args ...string) *vterm.Term {
	b.Helper()
	cmd := exec.Command(built(b), args...)
	cmd.Env = environment(b.TempDir())
	x := testkit.Must(vterm.Start(cmd, cols, rows))(b)
	b.Cleanup(x.Close)
	return x
}

// must ends the test at an error.
func must(t testing.TB, err error) {
	t.Helper()
	testkit.OK(t, err)
}

func (x *term) screen() string  { return x.x.Screen() }
func (x *term) written() string { return x.x.Written() }

// until waits for every one of the texts to be on the screen.
func (x *term) until(texts ...string) {
	x.t.Helper()
	must(x.t, x.x.Until(patience, texts...))
}

func (x *term) wait(what string, ok func() bool) {
	x.t.Helper()
	must(x.t, x.x.Wait(what, patience, ok))
}

// keys types. After an Escape there must be a look at what it did: with the next
// key right behind it a terminal means Alt and that key.
func (x *term) keys(keys ...string) {
	x.t.Helper()
	if i := slices.Index(keys, "<esc>"); i >= 0 && i < len(keys)-1 {
		x.t.Fatalf("%q right behind an Escape", keys[i+1])
	}
	must(x.t, x.x.Keys(keys...))
}

// do carries out a step of vterm.Step.
func (x *term) do(step string) {
	x.t.Helper()
	keys, texts := vterm.Step(step)
	x.keys(keys...)
	x.until(texts...)
}

func (x *term) resize(cols, rows int) {
	x.t.Helper()
	must(x.t, x.x.Resize(cols, rows))
}

func (x *term) signal(sig syscall.Signal) {
	x.t.Helper()
	must(x.t, x.x.Signal(sig))
}

// exit waits for the program to end and returns its exit code.
func (x *term) exit() int {
	x.t.Helper()
	code := testkit.Must(x.x.Exit(patience))(x.t)
	return code
}

// exits waits for the program to end and fails unless it has that exit code.
func (x *term) exits(want int) {
	x.t.Helper()
	if code := x.exit(); code != want {
		x.t.Errorf("exit code %d, want %d", code, want)
	}
}

// quits ends the program by its key.
func (x *term) quits() {
	x.t.Helper()
	x.keys("q")
	x.exits(0)
}

// restored reports what is wrong with the terminal after the program has gone.
func (x *term) restored() {
	x.t.Helper()
	for _, left := range x.x.Left() {
		x.t.Error(left)
	}
}

// filesIn returns the contents of all files in a folder, by path.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	}))
	return all
}

// recordings returns the contents of all files the program left, but for the figures of
// its runs.
func (x *term) recordings() map[string]string {
	x.t.Helper()
	all := filesIn(x.t, x.state)
	maps.DeleteFunc(all, func(path, _ string) bool { return strings.Contains(path, "/history/") })
	return all
}

// command runs the program without a terminal and returns stdout, stderr and
// the exit code.
func command(t *testing.T, env []string, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.Command(built(t), args...)
	cmd.Env = environment(t.TempDir(), env...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	_, exited := err.(*exec.ExitError)
	testkit.Given(t, err == nil || exited, "%v", err)
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
