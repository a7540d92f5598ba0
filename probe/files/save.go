package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// maxLinks bounds the links of a path.
const maxLinks = 40

// readerWithin bounds the wait for the reader of a FIFO.
const readerWithin = 10 * time.Second

var (
	errLinks    = errors.New("too many links: name the file itself")
	errNoReader = errors.New("nobody reads this FIFO: open its other end first")
)

// Save writes to a path that a person gave. Links are followed. A regular file is
// replaced once the new one is complete, and keeps its permissions; a missing one gets
// perm less the umask. Anything else is written into and never replaced: a device, a
// FIFO, this program's own stdout under any name. A FIFO without a reader is an error
// after 10 s. So is a file that may not be written, and a full device.
func Save(path string, perm fs.FileMode, write func(io.Writer) error) error {
	info, err := os.Stat(path)
	if err == nil {
		for _, std := range []*os.File{os.Stdout, os.Stderr} {
			if own, err := std.Stat(); err == nil && os.SameFile(own, info) {
				return write(std)
			}
		}
		if !info.Mode().IsRegular() {
			return writeInto(path, info, write)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, descriptor, err := resolve(path)
	if err != nil {
		return err
	}
	if descriptor && info != nil {
		return writeInto(path, info, write)
	}
	old, err := os.Lstat(file)
	if missing := errors.Is(err, fs.ErrNotExist); missing != (info == nil) || !missing && !os.SameFile(info, old) {
		return &fs.PathError{Op: "write", Path: path, Err: errChanged}
	}
	if old != nil { // renaming would ask the folder alone
		f, err := os.OpenFile(file, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_ = f.Close()
	}
	return replace(file, perm, old, true, func(f *os.File) error { return write(f) })
}

// writeInto writes into what is no regular file, and never creates one.
func writeInto(path string, info fs.FileInfo, write func(io.Writer) error) error {
	flags := os.O_WRONLY | os.O_APPEND
	fifo := info.Mode()&fs.ModeNamedPipe != 0
	if fifo {
		flags |= syscall.O_NONBLOCK // opening would wait for a reader without an end
	}
	var f *os.File
	for deadline := time.Now().Add(readerWithin); ; time.Sleep(20 * time.Millisecond) {
		var err error
		if f, err = os.OpenFile(path, flags, 0); err == nil {
			break
		}
		if !fifo || !errors.Is(err, syscall.ENXIO) {
			return err
		}
		if time.Now().After(deadline) {
			return &fs.PathError{Op: "write", Path: path, Err: errNoReader}
		}
	}
	_ = f.SetWriteDeadline(time.Now().Add(readerWithin)) // a FIFO has one; others do not wait
	return errors.Join(write(f), f.Close())
}

// OpenFIFO opens a FIFO for writing once it has a reader. It creates nothing.
func OpenFIFO(path string) (*os.File, error) { return os.OpenFile(path, os.O_WRONLY, 0) }

// resolve follows the links at the end of path. descriptor is true where one of them
// stands for an open file of a process, which cannot be replaced.
func resolve(path string) (file string, descriptor bool, err error) {
	for range maxLinks {
		to, err := os.Readlink(path)
		if err != nil {
			return path, false, nil // no link, or nothing
		}
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return "", false, err
		}
		if strings.HasPrefix(dir, "/proc/") || dir == "/dev/fd" {
			return path, true, nil
		}
		if path = to; !filepath.IsAbs(to) {
			path = filepath.Join(dir, to)
		}
	}
	return "", false, &fs.PathError{Op: "write", Path: path, Err: errLinks}
}
