package history

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"tokscope/probe/filelock"
	"tokscope/probe/files"
	"tokscope/probe/result"
)

// Path returns the path of the file of entries, which may not exist yet.
func (s *Store) Path() string { return s.path(fileName) }

func (s *Store) path(name string) string { return filepath.Join(s.dir, name) }

// fileName is the file of entries.
const fileName = "history.ndjson"

// errBusy means that another process keeps the lock.
var errBusy = errors.New("another tokscope is writing to it; try again")

// lock locks the store against other processes and returns what unlocks it. Who
// needs s.mu as well takes that first. A file
// system without locks is used without: whole lines are appended by one write.
func (s *Store) lock(within time.Duration) (unlock func(), err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	f, err := files.Open(s.path("lock"), os.O_CREATE|os.O_RDWR)
	if err != nil {
		return nil, err
	}
	pause, deadline := time.Millisecond, time.Now().Add(within)
	for {
		err := filelock.Try(f)
		if err == nil || !errors.Is(err, filelock.ErrLocked) {
			return func() { _ = f.Close() }, nil
		}
		if time.Now().After(deadline) {
			_ = f.Close()
			return nil, errBusy
		}
		time.Sleep(pause)
		pause = min(2*pause, 4*time.Millisecond)
	}
}

// appendLines appends whole lines to the file, or nothing: the lock is held.
func (s *Store) appendLines(lines []byte) error {
	f, err := files.Open(s.Path(), os.O_CREATE|os.O_RDWR|os.O_APPEND)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if size == 0 {
		lines = append(result.HistoryHeadLine(0, s.Now(), rand.Text()), lines...)
	} else {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, size-1); err != nil {
			return err
		}
		if last[0] != '\n' { // a line was cut: it stays alone
			lines = append([]byte{'\n'}, lines...)
		}
	}
	if _, err = s.write(f, lines); err == nil {
		return nil
	}
	return errors.Join(err, filelock.Truncate(f, s.Path(), size))
}

// wrap names the history in an error.
func wrap(verb string, err error) error {
	if err == nil {
		return nil
	}
	advice := ""
	if files.Full(err) {
		advice = "; free space there, or switch it off with --no-history"
	}
	return fmt.Errorf("%s the history: %w%s", verb, err, advice)
}

// replace writes a file of the store as a whole: the lock is held. firm files are on
// the disk when it returns, also if the power fails; others can be made again.
func (s *Store) replace(name string, data []byte, firm bool) error {
	return s.fill(name, firm, func(w *bufio.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// fill is replace for what need not fit the memory.
func (s *Store) fill(name string, firm bool, fill func(w *bufio.Writer) error) error {
	files.RemoveParts(s.dir)
	return files.Replace(s.path(name), firm, func(f *os.File) error {
		w := bufio.NewWriterSize(writer(func(b []byte) (int, error) { return s.write(f, b) }), 256<<10)
		if err := fill(w); err != nil {
			return err
		}
		return w.Flush()
	})
}

// writer is a function as an io.Writer.
type writer func(b []byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }

// missing reports whether err is about a missing file.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
