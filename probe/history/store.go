package history

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tokscope/metrics/history"
	"tokscope/probe/result"
)

// Bounds of the store.
const (
	// DefaultAge is how long entries are kept at least: a year and a month, so that
	// a year can be compared with the one before it.
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

	// writeFile writes to a file in tests; nil: f.Write.
	writeFile func(f *os.File, data []byte) (int, error)
}

// Store is the history in one folder. It is safe for concurrent use, also by
// several processes. It holds no file open between calls.
type Store struct {
	directory
	o Options

	mu                      sync.Mutex
	table                   table
	file                    os.FileInfo // of the file that table was read from; nil before any
	head                    []byte      // its first line
	offset                  int64       // of the file, up to which table has it
	indexed                 int64       // the same of the index
	damaged, newer, leftOut int
	partial                 bool         // the file ends with a cut line
	generation              int          // of what is in table, the baselines and the changes
	series                  []seriesRows // by number in table
	changes                 changes
	baselines               baselines
	notes                   []string // what Notes returns

	rewriting  atomic.Bool   // the file is being replaced
	indexEvery time.Duration // the constant, but for tests
}

// Dir returns the folder of the history below a folder of state (session.StateDir).
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
	if o.writeFile == nil {
		o.writeFile = (*os.File).Write
	}
	s := &Store{directory: directory{dir, o.Now, o.writeFile}, o: o, indexEvery: indexEvery}
	s.table.reset()
	return s, nil
}

// Machine returns the name of this machine in new entries.
func (s *Store) Machine() string { return s.o.Machine }

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
		if lines, err = result.AppendHistoryLine(lines, e); err != nil {
			return err
		}
		if i == 0 { // the others are about as long: grown step by step they would leave five times as much
			lines = slices.Grow(lines, (len(entries)-1)*(len(lines)+len(lines)/8))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	unlock, err := s.lock(lockWithin)
	if err != nil {
		return wrap("write", err)
	}
	defer unlock()
	return wrap("write", s.appendLines(lines))
}
