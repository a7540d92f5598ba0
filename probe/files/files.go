package files

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"tokscope/probe/filelock"
)

// ErrNotRegular means that a link, a FIFO, a device or a folder stands where a file
// of tokscope's own should be.
var ErrNotRegular = errors.New("not a regular file: remove it")

// ErrTooLarge means that a file of tokscope's own is larger than any that it writes.
var ErrTooLarge = errors.New("larger than tokscope makes it: remove it")

// errChanged means that another program changed a path while it was looked at.
var errChanged = errors.New("changed by another program meanwhile: try again")

// Names of unfinished files.
const partPrefix, partSuffix = ".tokscope-", ".part"

// tries bounds the attempts to open a file that others create or remove meanwhile.
const tries = 10

// Replace writes a file of tokscope's own as a whole: a reader never sees half of it.
// A link at path is replaced, not followed. Only its owner may read the file. A firm
// file is on the disk when Replace returns nil. After an error the old file is there.
func Replace(path string, firm bool, write func(*os.File) error) error {
	return replace(path, 0o600, nil, firm, write)
}

// Create creates a file of tokscope's own for appending, readable only by its owner.
// It is an error (fs.ErrExist) when anything stands there, a link too.
func Create(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
}

// Open opens a file of tokscope's own with flags of os.OpenFile, or creates it
// where flags have os.O_CREATE, readable only by its owner. It follows no link and
// waits for no FIFO: they are ErrNotRegular. It does not truncate.
func Open(path string, flags int) (*os.File, error) {
	create := flags&os.O_CREATE != 0
	flags &^= os.O_CREATE | os.O_EXCL | os.O_TRUNC
	for range tries {
		have, err := os.Lstat(path)
		if create && errors.Is(err, fs.ErrNotExist) {
			f, err := os.OpenFile(path, flags|os.O_CREATE|os.O_EXCL, 0o600)
			if errors.Is(err, fs.ErrExist) {
				continue
			}
			if err == nil {
				filelock.SyncDir(filepath.Dir(path))
			}
			return f, err
		}
		if err != nil {
			return nil, err
		}
		if !have.Mode().IsRegular() {
			return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
		}
		f, err := os.OpenFile(path, flags, 0)
		if create && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if opened, err := f.Stat(); err == nil && os.SameFile(have, opened) {
			return f, nil
		}
		_ = f.Close() // another file stands there since
	}
	return nil, &fs.PathError{Op: "open", Path: path, Err: errChanged}
}

// Read returns the content of a file of tokscope's own, opened as Open does. One of more
// than most bytes is ErrTooLarge.
func Read(path string, most int64) ([]byte, error) {
	f, err := Open(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > most {
		return nil, &fs.PathError{Op: "read", Path: path, Err: ErrTooLarge}
	}
	data := make([]byte, info.Size())
	n, err := io.ReadFull(f, data)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // it was cut meanwhile
	}
	return data[:n], err
}

// Text returns the text of r in UTF-8: UTF-16 that begins with a byte order mark is
// decoded, as Windows PowerShell writes what it redirects, and such a mark is left out.
// Other bytes come as they are. A bound on memory belongs around it: UTF-16 grows by
// half.
func Text(r io.Reader) io.Reader {
	return transform.NewReader(r, unicode.BOMOverride(transform.Nop))
}

// ReadText returns the Text of a file that a person named, up to most+1 bytes of it.
func ReadText(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(Text(f), most+1))
}

// Full reports whether err says that a disk, or a person's part of it, is full.
func Full(err error) bool {
	full := [2]syscall.Errno{syscall.ENOSPC, syscall.EDQUOT}
	if runtime.GOOS == "windows" {
		full = [2]syscall.Errno{112, 39} // ERROR_DISK_FULL, ERROR_HANDLE_DISK_FULL
	}
	return errors.Is(err, full[0]) || errors.Is(err, full[1])
}

// partAge is the time since the last write from which an unfinished file has no writer.
const partAge = time.Minute

// RemoveParts removes from a folder what programs left behind that were killed while
// they wrote.
func RemoveParts(dir string) {
	entries, _ := os.ReadDir(dir) // a folder that cannot be read keeps them
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), partPrefix) || !strings.HasSuffix(e.Name(), partSuffix) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > partAge {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// replace writes a new file beside path and renames it over what stands there. The
// file has the permissions of old, or without one perm less the umask.
func replace(path string, perm fs.FileMode, old fs.FileInfo, firm bool, write func(*os.File) error) error {
	dir := filepath.Dir(path)
	part := filepath.Join(dir, partPrefix+rand.Text()+partSuffix)
	f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, perm)
	if err != nil {
		return named(path, err)
	}
	renamed := false
	defer func() {
		if !renamed {
			_, _ = f.Close(), os.Remove(part) // a full disk needs the room
		}
	}()
	if old != nil {
		err = f.Chmod(old.Mode().Perm())
	}
	if err == nil {
		err = write(f)
	}
	if err == nil && firm {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		return named(path, err)
	}
	renamed = true
	if firm {
		filelock.SyncDir(dir)
	}
	return nil
}

// named returns err about path, where it is about an unfinished file.
func named(path string, err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return &fs.PathError{Op: "write", Path: path, Err: p.Err}
	}
	if l := (*os.LinkError)(nil); errors.As(err, &l) {
		return &fs.PathError{Op: "write", Path: path, Err: l.Err}
	}
	return err
}
