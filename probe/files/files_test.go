package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

// victim is the content of a file that nothing may change.
const victim = "of another"

// put writes a file into a new folder.
func put(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	testkit.OK(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// link makes a symbolic link, where the system lets the test.
func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Skip(err)
	}
}

// holds checks the content of a file, and that it is the only one in its folder.
func holds(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s holds %q, %v, want %q", filepath.Base(path), got, err, want)
	}
	entries, _ := os.ReadDir(filepath.Dir(path))
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), partSuffix) && strings.HasPrefix(e.Name(), partPrefix) {
			t.Errorf("%s is left behind", e.Name())
		}
	}
}

func says(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

func saysFile(text string) func(*os.File) error {
	return func(f *os.File) error { return says(text)(f) }
}

// TestSaveReplacesFiles: a missing file, an old one with its permissions, one behind
// links, and one behind a link that leads nowhere yet.
func TestSaveReplacesFiles(t *testing.T) {
	old := put(t, "old", "old")
	testkit.OK(t, os.Chmod(old, 0o640))
	before, _ := os.Stat(old)
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing")
	for _, path := range []string{old, missing, missing} {
		testkit.Is(t, Save(path, 0o600, says("new")), nil)
		holds(t, path, "new")
	}
	if after, err := os.Stat(old); err != nil || after.Mode() != before.Mode() || os.SameFile(before, after) {
		t.Errorf("%v becomes %v, %v", before.Mode(), after.Mode(), err)
	}
	link(t, old, filepath.Join(dir, "a"))
	link(t, "a", filepath.Join(dir, "b"))
	link(t, filepath.Join("sub", "later"), filepath.Join(dir, "c"))
	testkit.OK(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	for name, file := range map[string]string{"b": old, "c": filepath.Join(dir, "sub", "later")} {
		testkit.Is(t, Save(filepath.Join(dir, name), 0o600, says("behind "+name)), nil)
		holds(t, file, "behind "+name)
		if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("the link %s became %v, %v", name, info.Mode(), err)
		}
	}
	link(t, "loop", filepath.Join(dir, "loop"))
	for _, path := range []string{
		dir, filepath.Join(dir, "loop"), filepath.Join(dir, "none", "file"), filepath.Join(old, "below a file"),
	} {
		if err := Save(path, 0o600, says("x")); err == nil {
			t.Errorf("%s is taken", path)
		}
	}
}

// TestNothingIsLostOnErrors: after an error or a panic of the writer the old file is
// there, and nothing else.
func TestNothingIsLostOnErrors(t *testing.T) {
	refused := errors.New("refused")
	path := put(t, "file", victim)
	failing := func(w io.Writer) error { return errors.Join(says("half")(w), refused) }
	for range 2 { // an old file, and none
		want, wantErr := os.ReadFile(path)
		for name, write := range map[string]func() error{
			"save":    func() error { return Save(path, 0o600, failing) },
			"replace": func() error { return Replace(path, true, func(f *os.File) error { return failing(f) }) },
		} {
			if err := write(); !errors.Is(err, refused) {
				t.Errorf("%s: %v", name, err)
			}
		}
		func() {
			defer func() { _ = recover() }()
			_ = Replace(path, true, func(*os.File) error { panic("in the writer") })
		}()
		if got, err := os.ReadFile(path); string(got) != string(want) || (err == nil) != (wantErr == nil) {
			t.Errorf("%q, %v", got, err)
		}
		entries, _ := os.ReadDir(filepath.Dir(path))
		testkit.That(t, len(entries) <= 1 && (wantErr == nil || len(entries) == 0), "the folder has %v", entries)
		_ = os.Remove(path)
	}
}

// TestPlantedLinks: no file of tokscope's own is read or written through a link, and
// no name of an unfinished file can be known before.
func TestPlantedLinks(t *testing.T) {
	other := put(t, "victim", victim)
	dir := t.TempDir()
	path := filepath.Join(dir, "own")
	for _, name := range []string{"own", "own.part", ".own.part"} {
		link(t, other, filepath.Join(dir, name))
	}
	for _, flags := range []int{
		os.O_RDONLY, os.O_RDWR | os.O_CREATE, os.O_WRONLY | os.O_APPEND | os.O_CREATE, os.O_RDWR | os.O_CREATE | os.O_TRUNC,
	} {
		if f, err := Open(path, flags); !errors.Is(err, ErrNotRegular) {
			t.Errorf("Open with %#x: %v, %v", flags, f, err)
		}
	}
	if f, err := Create(path); !errors.Is(err, os.ErrExist) {
		t.Errorf("Create: %v, %v", f, err)
	}
	if data, err := Read(path, 1<<20); !errors.Is(err, ErrNotRegular) {
		t.Errorf("Read: %q, %v", data, err)
	}
	holds(t, other, victim)
	testkit.Is(t, Replace(path, true, saysFile("own")), nil)
	holds(t, path, "own")
	holds(t, other, victim)
	testkit.Is(t, Save(path, 0o600, says("saved")), nil)
	holds(t, path, "saved")
	holds(t, other, victim)
	if data, err := Read(path, 1<<20); string(data) != "saved" || err != nil {
		t.Errorf("Read: %q, %v", data, err)
	}
}

// TestOpenCreates: a missing file is created once, and appended to.
func TestOpenCreates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "own")
	_, err := Open(path, os.O_RDONLY)
	testkit.That(t, errors.Is(err, os.ErrNotExist), "%v", err)
	for range 3 {
		f := testkit.Must(Open(path, os.O_CREATE|os.O_RDWR|os.O_APPEND))(t)
		testkit.Is(t, errors.Join(says("line\n")(f), f.Close()), nil)
	}
	holds(t, path, strings.Repeat("line\n", 3))
}

// TestRemoveParts: what a killed program left behind goes, what is being written stays.
func TestRemoveParts(t *testing.T) {
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{
		partPrefix + "A" + partSuffix: 2 * partAge, partPrefix + "B" + partSuffix: 0, "history.ndjson": 2 * partAge,
	} {
		path := filepath.Join(dir, name)
		at := time.Now().Add(-age)
		testkit.OK(t, errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, at, at)))
	}
	RemoveParts(dir)
	RemoveParts(filepath.Join(dir, "none"))
	entries, _ := os.ReadDir(dir)
	testkit.That(t, len(entries) == 2 && entries[0].Name() == partPrefix+"B"+partSuffix, "%v", entries)
}
