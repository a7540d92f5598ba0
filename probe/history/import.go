package history

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"tokscope/metrics/history"
	"tokscope/probe/result"
	"tokscope/probe/session"
)

// ImportOptions say what a file does not.
type ImportOptions struct {
	// Machine is the name of who measured. A session file does not say it; entries
	// keep their own.
	Machine string
	// Session is the path of a session file, so that its requests can be opened.
	Session string
}

// named returns an error without the name of the machine.
func (o *ImportOptions) named() error {
	if o.Machine == "" {
		return errors.New("the file does not say which machine measured: name it with --machine NAME")
	}
	return nil
}

// maxImport bounds a file.
const maxImport = 1 << 30

// Import adds what r holds: a session file, the file of a history, the document
// of `tokscope history --json`, or the file of another program. Figures and names come in, no text. What the
// history has already is not added again.
func (s *Store) Import(r io.Reader, o ImportOptions) (history.Imported, error) {
	unpacked, err := session.Unpacked(r)
	if err != nil {
		return history.Imported{}, fmt.Errorf("it is not readable as gzip: %w", err)
	}
	br := bufio.NewReaderSize(io.LimitReader(unpacked, maxImport), 64<<10)
	var entries []history.Entry
	var in history.Imported
	var rec *session.Recording
	switch session.SchemaOf(br) {
	case session.SessionSchema:
		if err = o.named(); err == nil {
			rec, err = session.Read(br)
		}
	case result.HistoryFileSchema:
		entries, in.Damaged, err = ofLines(br)
	case result.HistorySchema:
		entries, in.Damaged, err = ofDocument(br)
	default:
		var foreign bool
		if rec, foreign, err = session.Foreign(br); !foreign {
			err = errors.New("neither a session file, nor the file of a history, nor the output of tokscope history --json, " +
				"nor a file of " + session.Openable())
		}
	}
	if err == nil && rec != nil {
		entries, in.Running, err = s.ofSession(rec, o)
	}
	if err != nil {
		return history.Imported{}, err
	}
	in.Entries = len(entries)
	entries, err = s.unknown(entries)
	if err != nil {
		return history.Imported{}, err
	}
	in.New = len(entries)
	for batch := range slices.Chunk(entries, 4096) {
		if err := s.Append(batch...); err != nil {
			return history.Imported{}, err
		}
	}
	return in, nil
}

// unknown returns the entries that the history does not have, each once.
func (s *Store) unknown(entries []history.Entry) ([]history.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(); err != nil {
		return nil, wrap("read", err)
	}
	have := make(map[id]bool, len(s.table.order))
	for _, i := range s.table.order {
		have[s.table.rows[i].id] = true
	}
	return slices.DeleteFunc(entries, func(e history.Entry) bool {
		key, ok := parseID(e.ID)
		double := !ok || have[key]
		have[key] = true
		return double
	}), nil
}

// ofLines reads the file of a history.
func ofLines(r io.Reader) (entries []history.Entry, damaged int, err error) {
	_, rest, err := eachLine(bufio.NewReader(r), func(line []byte) bool {
		switch kind, e, _ := parseLine(line); kind {
		case lineEntry:
			entries = append(entries, e)
		case lineDamaged, lineNewer:
			damaged++
		}
		return true
	})
	if rest > 0 {
		damaged++
	}
	return entries, damaged, err
}

// ofDocument reads the output of tokscope history --json.
func ofDocument(r io.Reader) (entries []history.Entry, damaged int, err error) {
	var doc struct {
		Entries []json.RawMessage `json:"entries"`
	}
	if err := json.NewDecoder(r).Decode(&doc); err != nil {
		return nil, 0, fmt.Errorf("the document cannot be read: %w", err)
	}
	for _, raw := range doc.Entries {
		var h result.HistoryEntry
		bad := result.Unmarshal(raw, &h)
		e, err := h.Of()
		if _, ok := parseID(e.ID); bad != nil || err != nil || !ok {
			damaged++
			continue
		}
		entries = append(entries, e)
	}
	return entries, damaged, nil
}

// ofSession returns the requests of a file outside of loads. running is the
// number of those that had not ended.
func (s *Store) ofSession(rec *session.Recording, o ImportOptions) (entries []history.Entry, running int, err error) {
	if err := o.named(); err != nil {
		return nil, 0, err
	}
	key := sync.OnceValue(s.readSalt)
	group := "session-" + rec.Started.UTC().Format("20060102T150405.000000000Z")
	if rec.Foreign != nil {
		rec.Version = strings.TrimSpace(rec.Foreign.Tool + " " + bounded(rec.Foreign.Version))
	}
	for _, q := range rec.Requests {
		if q.Load != 0 {
			continue
		}
		r := q.End
		switch {
		case r == nil:
			running++
			continue
		case r.Wall.IsZero():
			return nil, 0, fmt.Errorf("request %d: an entry needs a moment, which the file does not say; "+
				"replay and compare open it", q.ID)
		case !r.State.Ended():
			return nil, 0, fmt.Errorf("request %d: an entry needs the state in which it ended", q.ID)
		}
		v := *r.Stream
		v.Conn = r.Connection.Connection
		e := entryOf(o.Machine, &v, &r.Figures) // with the ID of the request itself
		e.Series.Prompt = digest(key, &v.Work)
		e.Group, e.Version, e.Kind = group, rec.Version, history.Session
		if e.Session = o.Session; e.Session == "" {
			e.Request = 0
		}
		entries = append(entries, e)
	}
	return entries, running, nil
}
