package app

import (
	"io"
	"path/filepath"

	"tokscope/metrics/history"
	stored "tokscope/probe/history"
	"tokscope/probe/result"
)

// HistoryStore is the history as `tokscope history` uses it.
type HistoryStore struct {
	*stored.Store
	version string
}

// NewHistoryStore returns the store that the configuration names.
func NewHistoryStore(configPath string, changed map[string]string,
	env func(string) string, version string) (*HistoryStore, error) {
	store, err := storeOf(configPath, changed, env)
	if err != nil {
		return nil, err
	}
	return &HistoryStore{store, version}, nil
}

// ImportFile adds what the file at path holds, and searches it for changes.
func (h *HistoryStore) ImportFile(r io.Reader, path, machine string) (history.Imported, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return history.Imported{}, err
	}
	in, err := h.Import(r, stored.ImportOptions{Machine: machine, Session: path})
	if err == nil && in.New > 0 {
		err = h.Maintain(nil)
	}
	return in, err
}

// WriteView writes the JSON document of the answer to filter.
func (h *HistoryStore) WriteView(out io.Writer, filter string, v *history.View) error {
	return result.Sentences(nil).WriteDocument(out, result.HistoryOf(h.version, filter, v))
}
