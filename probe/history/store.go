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
	// maxAge is how long entries are kept at least: a year and a month, so that
	// a year can be compared with the one before it.
	maxAge = 400 * 24 * time.Hour
	// MaxBytes is the largest size of the file of entries: about 150,000.
	MaxBytes = 128 << 20
	// lockWithin bounds the wait for another process that has the lock.
	lockWithin = 5 * time.Second
)

// Store is the history in one folder. It is safe for concurrent use, also by
// several processes. It holds no file open between calls.
type Store struct {
	Machine string           // the name of this one in new entries; set before the first
	Now     func() time.Time // the clock; set before the first use

	dir string
	// These are the constants and f.Write, but for tests.
	maxAge, indexEvery time.Duration
	maxBytes           int64
	write              func(f *os.File, data []byte) (int, error)

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

	rewriting atomic.Bool // the file is being replaced
}

// Dir returns the folder of the history below a folder of state (session.StateDir).
func Dir(stateDir string) string { return filepath.Join(stateDir, "history") }

// Open returns the store in dir, of the machine with the host's name. It reads and
// creates nothing yet.
func Open(dir string) (*Store, error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("the folder of the history must be an absolute path, not %q", dir)
	}
	host, _ := os.Hostname() // "" with an error
	s := &Store{Machine: cmp.Or(host, "this machine"), Now: time.Now, dir: dir,
		maxAge: maxAge, indexEvery: indexEvery, maxBytes: MaxBytes, write: (*os.File).Write}
	s.table.reset()
	return s, nil
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
