//go:build darwin || freebsd || linux || netbsd || openbsd

package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"tokscope/metrics/testkit"
)

// TestDevicesAreWrittenInto: what is no regular file gets the bytes and stays what it
// is, also behind a link and under the names of an open file.
func TestDevicesAreWrittenInto(t *testing.T) {
	dir := t.TempDir()
	fifo, null := filepath.Join(dir, "fifo"), filepath.Join(dir, "null")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	link(t, os.DevNull, null)
	for _, path := range []string{os.DevNull, null} {
		testkit.Is(t, Save(path, 0o600, says("x")), nil)
		if info, err := os.Stat(path); err != nil || info.Mode()&os.ModeDevice == 0 {
			t.Errorf("%s became %v, %v", path, info.Mode(), err)
		}
	}
	if info, err := os.Lstat(null); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info.Mode(), err)
	}
	reader := testkit.Must(os.OpenFile(fifo, os.O_RDWR, 0))(t)
	defer func() { _ = reader.Close() }()
	testkit.Is(t, Save(fifo, 0o600, says("through")), nil)
	got := make([]byte, 7)
	if _, err := io.ReadFull(reader, got); err != nil || string(got) != "through" {
		t.Errorf("the FIFO has %q, %v", got, err)
	}
	if info, err := os.Lstat(fifo); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the FIFO became %v, %v", info.Mode(), err)
	}
	if _, err := Open(fifo, os.O_RDONLY); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a FIFO as a file of our own: %v", err)
	}
}

// TestOwnStdout: a path that names this program's own stdout is written into it, at
// its place, also when stdout is a regular file.
func TestOwnStdout(t *testing.T) {
	path := put(t, "stdout", "")
	f := testkit.Must(os.OpenFile(path, os.O_RDWR, 0))(t)
	defer func() { _ = f.Close() }()
	old := os.Stdout
	os.Stdout = f
	defer func() { os.Stdout = old }()
	testkit.OK(t, errors.Join(says("first ")(f), Save(path, 0o600, says("second ")), says("third")(f)))
	holds(t, path, "first second third")
}

// TestOpenDescriptors: the name of an open file is written into and not replaced.
func TestOpenDescriptors(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("these names are links on Linux only")
	}
	path := put(t, "file", "before ")
	f := testkit.Must(os.OpenFile(path, os.O_RDWR, 0))(t)
	defer func() { _ = f.Close() }()
	alias := filepath.Join(t.TempDir(), "alias")
	link(t, fmt.Sprintf("/dev/fd/%d", f.Fd()), alias)
	for _, name := range []string{fmt.Sprintf("/dev/fd/%d", f.Fd()), fmt.Sprintf("/proc/self/fd/%d", f.Fd()), alias} {
		testkit.Is(t, Save(name, 0o600, says("more ")), nil)
	}
	holds(t, path, "before more more more ")
	opened, _ := f.Stat()
	info, err := os.Stat(path)
	testkit.That(t, err == nil && os.SameFile(info, opened), "the open file was replaced: %v", err)
}

// TestFullDevice: a device without room is an error.
func TestFullDevice(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	if err := Save("/dev/full", 0o600, says("x")); !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
}

// TestProtectedFile: a file that may not be written is not replaced, though its folder
// would let us.
func TestProtectedFile(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write it")
	}
	path := put(t, "file", victim)
	testkit.OK(t, os.Chmod(path, 0o444))
	err := Save(path, 0o600, says("x"))
	testkit.That(t, errors.Is(err, os.ErrPermission), "%v", err)
	holds(t, path, victim)
}
