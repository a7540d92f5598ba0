package endpoint

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"tokscope/metrics/testkit"
)

// TestMain makes this test binary an api_key_cmd if the environment asks for
// it.
func TestMain(m *testing.M) {
	switch os.Getenv("ENDPOINT_TEST_COMMAND") {
	case "":
		os.Exit(m.Run())
	case "key":
		os.Stdout.WriteString("\n  sk-hunter2hunter2 \nsecond line\n")
	case "bearer":
		os.Stdout.WriteString("Bearer hunter2hunter2")
	case "silent":
	case "fails":
		os.Stdout.WriteString("hunter2hunter2")
		os.Stderr.WriteString("hunter2hunter2")
		os.Exit(3)
	case "hangs":
		os.Stdout.WriteString("hunter2hunter2")
		time.Sleep(time.Hour)
	case "floods":
		line := []byte(strings.Repeat("hunter2 ", 1024))
		for range 64 {
			os.Stdout.Write(line)
		}
	case "counts":
		f, err := os.OpenFile(os.Getenv("ENDPOINT_TEST_COUNT"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			os.Exit(9)
		}
		f.WriteString("x\n")
		f.Close()
		os.Stdout.WriteString("k-cmd-hunter2")
	case "reads":
		b := make([]byte, 1)
		if n, _ := os.Stdin.Read(b); n == 0 {
			os.Stdout.WriteString("no-input-hunter2")
		}
	}
	os.Exit(0)
}

func self(t *testing.T, part string) Command {
	t.Helper()
	t.Setenv("ENDPOINT_TEST_COMMAND", part)
	exe := testkit.Must(os.Executable())(t)
	return Command{Args: []string{exe, "-test.run=^$"}}
}

func TestCommand(t *testing.T) {
	for _, c := range []struct{ part, key, say string }{
		{"key", "sk-hunter2hunter2", ""},
		{"bearer", "hunter2hunter2", ""},
		{"reads", "no-input-hunter2", ""},
		{"silent", "", "printed nothing"},
		{"fails", "", "exit status 3"},
		{"floods", "", "holds a space"},
	} {
		t.Run(c.part, func(t *testing.T) {
			key, err := self(t, c.part).run(context.Background())
			testkit.Given(t, key == c.key && (err == nil) == (c.say == ""), "%q, %v", key, err)
			testkit.That(t, err == nil || strings.Contains(err.Error(), c.say) && !strings.Contains(err.Error(), "hunter2"),
				"error %v; want words %q and no output", err, c.say)
		})
	}
}

func TestCommandIsStopped(t *testing.T) {
	cmd := self(t, "hangs")
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := cmd.run(ctx)
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestCommandNotFound(t *testing.T) {
	_, err := Command{Args: []string{"no-such-program-hunter2"}}.run(context.Background())
	testkit.Refuses(t, err, "not found")
	none := filepath.Join(t.TempDir(), "none")
	if _, err := (Command{Args: []string{none}}).run(context.Background()); err == nil {
		t.Error("a program that is not there ran")
	}
}

func TestCommandByShell(t *testing.T) {
	shell := "sh"
	if runtime.GOOS == "windows" {
		shell = "cmd"
	}
	if _, err := exec.LookPath(shell); err != nil {
		t.Fatalf("this system has no %s, which a command in one string needs", shell)
	}
	key, err := Command{Args: []string{"echo hunter2hunter2"}, Shell: true}.run(context.Background())
	testkit.That(t, key == "hunter2hunter2" && err == nil, "%q %v", key, err)
}

func TestReadKeyFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		p := filepath.Join(dir, name)
		testkit.OK(t, os.WriteFile(p, []byte(text), mode))
		testkit.OK(t, os.Chmod(p, mode))
		return p
	}
	for _, c := range []struct {
		name, text string
		mode       os.FileMode
		key, say   string
		warn       bool
	}{
		{"plain", "sk-hunter2\n", 0o600, "sk-hunter2", "", false},
		{"crlf and mark", "\ufeff\r\nsk-hunter2\r\nmore", 0o600, "sk-hunter2", "", false},
		{"quoted", "\"sk-hunter2\"\n", 0o600, "sk-hunter2", "", false},
		{"others read", "sk-hunter2", 0o644, "sk-hunter2", "", true},
		{"group reads", "sk-hunter2", 0o640, "sk-hunter2", "", true},
		{"empty", "", 0o600, "", "first line is empty", false},
		{"blank", " \n\t\n", 0o600, "", "first line is empty", false},
		{"large", strings.Repeat("hunter2", keyBytes), 0o600, "", "larger than 64 KiB", false},
		{"sentence", "my key is hunter2", 0o600, "", "space", false},
		{"control", "sk-hunter2\x1b[0m", 0o600, "", "control", false},
		{"typographic", "“sk-hunter2”", 0o600, "", "outside ASCII", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			key, warn, err := readKeyFile(write(c.name, c.text, c.mode))
			if key != c.key || (err == nil) != (c.say == "") || err != nil && !strings.Contains(err.Error(), c.say) {
				t.Fatalf("%q, %v", key, err)
			}
			testkit.That(t, runtime.GOOS == "windows" || (warn != "") == c.warn, "warning %q", warn)
			testkit.That(t, (err == nil || !strings.Contains(err.Error(), "hunter2")) && !strings.Contains(warn, "hunter2"),
				"the content shows: %v %q", err, warn)
		})
	}
	if _, _, err := readKeyFile(dir); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("a folder: %v", err)
	}
	if _, _, err := readKeyFile(filepath.Join(dir, "none")); err == nil || strings.Contains(err.Error(), dir) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := readKey(iotest.ErrReader(errors.New("broken pipe"))); err == nil {
		t.Error("an unreadable input gave a key")
	}
}

// TestCappedKeepsTheCap also writes through io.Copy, which exec uses.
func TestCappedKeepsTheCap(t *testing.T) {
	c := &capped{left: 10}
	n, err := io.Copy(c, io.LimitReader(iotest.OneByteReader(strings.NewReader(strings.Repeat("x", 100))), 100))
	testkit.That(t, n == 100 && err == nil && c.buf.Len() == 10, "took %d, kept %d, %v", n, c.buf.Len(), err)
}

// TestReadKeyStopsAtTheLine reads from a terminal that delivers a line and
// stays open.
func TestReadKeyStopsAtTheLine(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	go io.WriteString(w, "\n sk-hunter2 \n")
	key, err := readKey(iotest.OneByteReader(r))
	testkit.That(t, key == "sk-hunter2" && err == nil, "%q %v", key, err)
}

// TestStdinEndsWithTheContext reads from a terminal without input.
func TestStdinEndsWithTheContext(t *testing.T) {
	in, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := &Resolver{Env: func(string) string { return "" }, Stdin: in, Ctx: ctx, Flags: Flags{APIKeyFile: "-"}}
	_, err := r.Resolve("https://h")
	testkit.That(t, err != nil && strings.Contains(err.Error(), "stopped"), "%v", err)
}
