package uitest

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"

	"tokscope/metrics/history"
	stored "tokscope/probe/history"
	"tokscope/probe/result"
)

// Memory is the store of the program in a folder of the test. The test sets its
// change points, since the search for them takes seconds. All methods may be
// called by any goroutine.
type Memory struct {
	mu     sync.Mutex
	store  *stored.Store // nil: no entries
	stores uint64        // so far
	opened []string
	asked  []history.Query
	// Err, when set, is returned by every question.
	Err error
	// Replay is what OpenReplay returns.
	Replay error
}

// written are the files of the stores so far, by the place of their first entry. A
// store with an index is read in a tenth of the time that writing it takes.
var written sync.Map

// changesLine is the form of a series in the store's file of changes.
type changesLine struct {
	Series  history.Series   `json:"series"`
	Changes []history.Change `json:"changes"`
}

// files are the files of a store with these entries and changes.
func files(entries []history.Entry, changes map[history.Series][]history.Change) fs.FS {
	if all, ok := written.Load(&entries[0]); ok {
		return all.(fs.FS)
	}
	dir := must(os.MkdirTemp("", "history"))
	defer os.RemoveAll(dir)
	s := must(stored.Open(dir))
	err := s.Append(entries...)
	if err == nil {
		err = s.Maintain(func() bool { return true }) // writes the index, searches nothing
	}
	var lines []changesLine
	for series, found := range changes {
		lines = append(lines, changesLine{series, found})
	}
	all := fstest.MapFS{"changes.json": {Data: must(result.Marshal(lines)), Mode: 0o600}}
	for _, e := range must(os.ReadDir(dir)) {
		all[e.Name()] = &fstest.MapFile{Data: must(os.ReadFile(filepath.Join(dir, e.Name()))), Mode: 0o600}
	}
	written.Store(&entries[0], must(all, err))
	return all
}

// SetHistory makes entries, ascending and at least one, the history, with those
// change points.
func (m *Memory) SetHistory(tb testing.TB, entries []history.Entry, changes map[history.Series][]history.Change) {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "history")
	must(dir, os.CopyFS(dir, files(entries, changes)))
	m.mu.Lock()
	defer m.mu.Unlock()
	m.store = must(stored.Open(dir))
	m.stores++
}

// Append adds entries to the history, which must have some.
func (m *Memory) Append(entries ...history.Entry) error { return m.store.Append(entries...) }

// Asked are the questions since the last call.
func (m *Memory) Asked() []history.Query {
	m.mu.Lock()
	defer m.mu.Unlock()
	asked := m.asked
	m.asked = nil
	return asked
}

// Opened are the recordings that were opened.
func (m *Memory) Opened() []string { return locked(&m.mu, &m.opened) }

// HistoryVersion implements the backend of the History screen, as all of the
// following do.
func (m *Memory) HistoryVersion(context.Context) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.store == nil {
		return 0
	}
	return m.stores<<32 + must(m.store.Version())
}

// HistoryView answers with the entries and series of the store.
func (m *Memory) HistoryView(_ context.Context, q history.Query) (history.View, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asked = append(m.asked, q); m.Err != nil || m.store == nil {
		return history.View{}, m.Err
	}
	return m.store.View(q)
}

// HistoryBaseline sets a baseline.
func (m *Memory) HistoryBaseline(_ context.Context, b history.Baseline) (history.Baseline, error) {
	return m.store.SetBaseline(b.Name, b.Series, b.From, b.To)
}

// HistorySave returns a path.
func (m *Memory) HistorySave(context.Context, history.Query) (string, error) {
	return "/state/tokscope/session-history.json", m.Err
}

// OpenReplay opens nothing.
func (m *Memory) OpenReplay(_ context.Context, path string, request int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.opened = append(m.opened, fmt.Sprintf("%s %d", path, request))
	return m.Replay
}
