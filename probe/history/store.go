package history

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"tokscope/metrics/history"
	"tokscope/probe/filelock"
	"tokscope/probe/record"
)

// Bounds of the store.
const (
	// DefaultAge is how long entries are kept: a year and a month, so that a year
	// can be compared with the one before it.
	DefaultAge = 400 * 24 * time.Hour
	// DefaultBytes is the largest size of the file of entries: about 150,000.
	DefaultBytes = 128 << 20
	// lockWithin bounds the wait for another process that has the lock.
	lockWithin = 5 * time.Second
)

// Options of a store.
type Options struct {
	// Machine is the name of this one in new entries; "" takes the host's name.
	Machine string
	// MaxAge and MaxBytes bound what is kept; 0 takes the defaults.
	MaxAge   time.Duration
	MaxBytes int64
	// Now returns the time; nil takes the system's.
	Now func() time.Time

	write func(f *os.File, data []byte) (int, error) // nil: f.Write
}

// Store is the history in one folder. It is safe for concurrent use, also by
// several processes. It holds no file open between calls.
type Store struct {
	dir string
	o   Options

	mu                      sync.Mutex
	table                   table
	file                    os.FileInfo // of the file that table was read from; nil before any
	head                    []byte      // its first line
	offset                  int64       // of the file, up to which table has it
	indexed                 int64       // the same of the index
	damaged, newer, leftOut int
	partial                 bool // the file ends with a cut line
	generation              int  // of what is in table, the baselines and the changes
	results                 results
	series                  []seriesRows // by number in table
	changes                 changes
	baselines               baselines
}

// Dir returns the folder of the history below a folder of state (record.StateDir).
func Dir(stateDir string) string { return filepath.Join(stateDir, "history") }

// Open returns the store in dir. It reads and creates nothing yet.
func Open(dir string, o Options) (*Store, error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("the folder of the history must be an absolute path, not %q", dir)
	}
	if o.Machine == "" {
		host, err := os.Hostname()
		if err != nil || host == "" {
			host = "this machine"
		}
		o.Machine = host
	}
	o.MaxAge, o.MaxBytes = cmp.Or(o.MaxAge, DefaultAge), cmp.Or(o.MaxBytes, DefaultBytes)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.write == nil {
		o.write = (*os.File).Write
	}
	s := &Store{dir: dir, o: o}
	s.table.reset()
	return s, nil
}

// Path returns the path of the file of entries, which may not exist yet.
func (s *Store) Path() string { return filepath.Join(s.dir, "history.ndjson") }

// Machine returns the name of this machine in new entries.
func (s *Store) Machine() string { return s.o.Machine }

func (s *Store) path(name string) string { return filepath.Join(s.dir, name) }

// errBusy means that another process keeps the lock.
var errBusy = errors.New("another tokscope is writing to it; try again")

// lock locks the store against other processes and returns what unlocks it. Who
// needs s.mu as well takes that first. A file
// system without locks is used without: whole lines are appended by one write.
func (s *Store) lock(within time.Duration) (unlock func(), err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(s.path("lock"), os.O_CREATE|os.O_RDWR, 0o600)
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
		pause = min(2*pause, 20*time.Millisecond)
	}
}

// Append adds entries. Those with an ID that the store has already are not read
// twice. When it returns nil they are in the file, also if the program is killed
// at once; after an error none of them is.
func (s *Store) Append(entries ...history.Entry) error {
	var lines []byte
	for i := range entries {
		e := &entries[i]
		if _, ok := parseID(e.ID); !ok {
			return fmt.Errorf("the ID %q of an entry is not one", e.ID)
		}
		var err error
		if lines, err = record.AppendHistoryLine(lines, e); err != nil {
			return err
		}
	}
	if len(lines) == 0 {
		return nil
	}
	unlock, err := s.lock(lockWithin)
	if err != nil {
		return s.wrap("write", err)
	}
	defer unlock()
	return s.wrap("write", s.appendLines(lines))
}

// appendLines appends whole lines to the file, or nothing: the lock is held.
func (s *Store) appendLines(lines []byte) error {
	f, err := os.OpenFile(s.Path(), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if size == 0 {
		lines = append(record.HistoryHeadLine(0, s.o.Now()), lines...)
	} else {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, size-1); err != nil {
			return err
		}
		if last[0] != '\n' { // a line was cut: it stays alone
			lines = append([]byte{'\n'}, lines...)
		}
	}
	if _, err = s.o.write(f, lines); err == nil {
		return nil
	}
	return errors.Join(err, filelock.Truncate(f, s.Path(), size))
}

// wrap names the history in an error.
func (s *Store) wrap(verb string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s the history: %w%s", verb, err, advice(err))
}

// replace writes a file of the store as a whole: the lock is held.
func (s *Store) replace(name string, data []byte) error {
	tmp := s.path(name + ".part")
	err := func() error {
		f, err := os.OpenFile(tmp, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
		if err != nil {
			return err
		}
		_, err = s.o.write(f, data)
		if err == nil {
			err = f.Sync()
		}
		return errors.Join(err, f.Close())
	}()
	if err == nil {
		err = os.Rename(tmp, s.path(name))
	}
	if err != nil {
		_ = os.Remove(tmp) // a full disk needs the room
		return err
	}
	filelock.SyncDir(s.dir)
	return nil
}

// missing reports whether err is about a missing file.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
