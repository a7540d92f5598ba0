package session_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/session"
)

// Whatever is not a file of finished steps is refused with a next step, and
// keeps every byte.
func TestSweepFileThatIsNotOurs(t *testing.T) {
	key, slos := sweepKey(t)
	ours := filepath.Join(t.TempDir(), "ours")
	f := openSweep(t, ours, key)
	p := loadPoint(1, slos)
	testkit.OK(t, f.Add(1, 0, &p, metrics.Dist{}, time.Unix(9, 0)))
	testkit.OK(t, f.Close())
	steps := string(read(t, ours))
	head, _, _ := strings.Cut(steps, "\n")
	for _, x := range []struct{ name, text, want string }{
		{"a note without a line end", "buy milk", "is not a file of finished steps"},
		{"a key", "sk-" + strings.Repeat("x", 40), "is not a file of finished steps"},
		{"a key with a line end", "sk-" + strings.Repeat("x", 40) + "\n", "is not a file of finished steps"},
		{"minified JSON", `{"my":"file"}`, "is not a file of finished steps"},
		{"one brace", "{", "is not a file of finished steps"},
		{"our first bytes", `{"type":"sweep","schema":"tok`, "is not a file of finished steps"},
		{"zeros", strings.Repeat("\x00", 4096), "is not a file of finished steps"},
		{"binary", "\x7fELF\x02\x01\x01\x00\xff\xfe\n\x00", "is not a file of finished steps"},
		{"one endless line", strings.Repeat("x", 9<<20), "longer than 8 MiB"},
		{"a session file", `{"type":"session","schema":"tokscope/session/v1"}` + "\n", "is not a file of finished steps"},
		{"a result", "{\n  \"schema\": \"tokscope/sweep/v1\"\n}\n", "is not a file of finished steps"},
		{"a newer format", strings.Replace(head, "sweep-steps/v1", "sweep-steps/v2", 1) + "\n",
			"use the version that wrote it"},
		{"a newer format, one line", strings.Replace(head, "sweep-steps/v1", "sweep-steps/v2", 1),
			"is not a file of finished steps"},
		{"a note behind the steps", steps + "to do: look at this", "line 3 is not a finished step"},
		{"a note among the steps", steps + "look\n" + steps[len(head)+1:], "line 3 is not a finished step"},
		{"half a step among the steps", steps[:len(steps)-20] + "\n" + steps[len(head)+1:], "line 2 is not a finished step"},
	} {
		path := filepath.Join(t.TempDir(), "file")
		testkit.OK(t, os.WriteFile(path, []byte(x.text), 0o644))
		refused(t, x.name, path, key, x.want)
		testkit.Is(t, string(read(t, path)), x.text, x.name, "was changed")
	}
}

// refused opens a file that must be refused with want and a next step.
func refused(t *testing.T, name, path string, key session.SweepKey, want string) {
	t.Helper()
	f, err := session.OpenSweep(path, "test", time.Unix(0, 0), key)
	if err == nil {
		_ = f.Close()
		t.Errorf("%s was taken for a file of finished steps", name)
		return
	}
	if !strings.HasPrefix(err.Error(), path+" ") || !strings.Contains(err.Error(), ": ") || !strings.Contains(err.Error(),
		want) {
		t.Errorf("%s: %v; want %q and what to do", name, err, want)
	}
}

// Names that are not writable regular files are refused before they are
// opened: a FIFO would wait for a writer.
func TestSweepFileThatIsNoFile(t *testing.T) {
	key, _ := sweepKey(t)
	dir := t.TempDir()
	refused(t, "a folder", dir, key, "is a folder: give a file in it")
	refused(t, "a folder that is missing", filepath.Join(dir, "no", "file"), key, "check the folder")
	if runtime.GOOS == "windows" {
		return
	}
	refused(t, "a device", os.DevNull, key, "is not a regular file")
	for name, target := range map[string]string{"to a file": filepath.Join(dir, "target"),
		"to nothing": filepath.Join(dir, "nothing")} {
		if name == "to a file" {
			testkit.OK(t, os.WriteFile(target, []byte("mine"), 0o600))
		}
		link := filepath.Join(dir, name)
		testkit.OK(t, os.Symlink(target, link))
		refused(t, "a link "+name, link, key, "is a symbolic link: give the file that it leads to")
	}
	testkit.Is(t, string(read(t, filepath.Join(dir, "target"))), "mine", "the target of a link was changed")
	_, err := os.Stat(filepath.Join(dir, "nothing"))
	testkit.That(t, err != nil, "the target of a link was made")
}

// One sweep has the file. Others are refused as often as they
// try, and change nothing. The end of the first ends the lock.
func TestSweepFileInUse(t *testing.T) {
	key, slos := sweepKey(t)
	path := filepath.Join(t.TempDir(), "steps")
	f := testkit.Must(session.OpenSweep(path, "test", time.Unix(0, 0), key))(t)
	testkit.Is(t, f.Warning, "", "no lock here")
	before := read(t, path)
	for range 2 {
		refused(t, "a file in use", path, key, "is in use by another program: wait for its end, or give another file")
	}
	testkit.Is(t, string(before), string(read(t, path)), "a file in use was changed")
	p := loadPoint(1, slos)
	testkit.OK(t, f.Add(1, 0, &p, metrics.Dist{}, time.Unix(9, 0)))
	testkit.OK(t, f.Close())
	_, _, ok := openSweep(t, path, key).Have(1, 0)
	testkit.That(t, ok, "the step of the first sweep is lost")
}

// A FIFO is refused at once, without a wait for its other end.
func TestSweepFileFIFO(t *testing.T) {
	key, _ := sweepKey(t)
	path := filepath.Join(t.TempDir(), "fifo")
	if !mkfifo(t, path) {
		return
	}
	refused(t, "a FIFO", path, key, "is not a regular file")
}
