package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/probe/endpoint"
	"tokscope/probe/filelock"
	"tokscope/probe/files"
	"tokscope/probe/result"
)

// SweepFileSchema names the format of the file of finished steps (--resume).
const SweepFileSchema = "tokscope/sweep-steps/v1"

// SweepKey holds what two sweeps must have in common before one may reuse the
// other's steps.
type SweepKey struct {
	Endpoint SweepEndpoint    `json:"endpoint"`
	Workload metrics.Workload `json:"workload"`
	Load     result.SweepLoad `json:"load"`
	SLO      []string         `json:"slo"` // the objectives of goodput
}

// SweepEndpoint identifies an endpoint. The embedded one has another address
// in every run, so its URL is omitted.
type SweepEndpoint struct {
	Kind  string `json:"kind"`
	URL   string `json:"url"`
	API   string `json:"api,omitempty"` // "" for chat completions
	Model string `json:"model"`
}

// SweepKeyOf returns the key of a sweep.
func SweepKeyOf(e metrics.Endpoint, w metrics.Workload, l result.SweepLoad, slos []slo.Objective) SweepKey {
	w.Concurrency, w.Nonce = 0, "" // set by each step
	k := SweepKey{SweepEndpoint{string(e.Kind), e.URL, e.API, e.Model}, w, l, result.SLOWords(slos)}
	if e.Kind == metrics.EndpointEmbedded {
		k.Endpoint.URL = ""
	}
	return k
}

// SweepHead is the first line of the file.
type SweepHead struct {
	Type    string   `json:"type"` // "sweep"
	Schema  string   `json:"schema"`
	Version string   `json:"version"` // of tokscope
	Started string   `json:"started"` // wall clock, RFC 3339
	Key     SweepKey `json:"key"`
}

// SweepLine is a finished step.
type SweepLine struct {
	Type  string            `json:"type"`            // "step"
	At    string            `json:"at"`              // wall clock, RFC 3339
	Users int               `json:"asked_users"`     // 0 in an open loop
	Rate  float64           `json:"asked_rate"`      // requests per second; 0 in a closed loop
	Lag   metrics.Dist      `json:"schedule_lag_ms"` // how late requests were sent, open loop
	Point result.SweepPoint `json:"point"`
}

// SweepFile is the file of finished steps. It is only appended to, under a lock
// that no two programs have at once. Each step is one write, and is synced to
// the disk before the next step begins. Only the cut last line of a program
// that was killed is ever removed. It is safe for concurrent use; the owner
// must close it.
type SweepFile struct {
	Sentences result.Sentences // of its steps; set before the first Add

	// Warning is a sentence for a person when nothing prevents a second sweep from
	// using the file; "" with a lock.
	Warning string

	path string

	mu      sync.Mutex
	f       *os.File
	out     io.Writer // f
	size    int64     // bytes of complete lines
	have    []SweepLine
	waiting []any // lines that could not be written yet
}

// refused says that the file at path cannot keep finished steps, and is unchanged: why
// is what it is, next what to do.
func refused(path, why, next string) error { return errors.New(path + " " + why + ": " + next) }

// anotherFile is the advice for a file that is not ours.
const anotherFile = "give another file to --resume"

// OpenSweep opens the file at path, or creates it, readable only by its
// owner, and locks it until Close. It changes no file that it refuses: one
// that another sweep holds, that is not a file of finished steps, or that
// belongs to another workload, endpoint, load or objective.
func OpenSweep(path, version string, now time.Time, key SweepKey) (*SweepFile, error) {
	f, err := openSteps(path)
	if err != nil {
		return nil, err
	}
	s := &SweepFile{path: path, f: f, out: f}
	if err := s.begin(version, now, key); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

// openSteps opens path for appending, or creates it. It never opens what is
// not a regular file: a FIFO would wait, a link may lead anywhere.
func openSteps(path string) (*os.File, error) {
	f, err := files.Open(path, os.O_CREATE|os.O_RDWR|os.O_APPEND)
	if err == nil {
		return f, nil
	}
	why := "cannot be opened for writing (" + endpoint.Reason(err) + ")"
	next := "check the folder and the permissions, or " + anotherFile
	if errors.Is(err, files.ErrNotRegular) {
		why, next = "is not a regular file", anotherFile
		switch info, err := os.Lstat(path); {
		case err != nil:
		case info.IsDir():
			why, next = "is a folder", "give a file in it"
		case info.Mode()&fs.ModeSymlink != 0:
			why, next = "is a symbolic link", "give the file that it leads to"
		}
	}
	return nil, refused(path, why, next)
}

// begin locks the file, reads it and writes its head if it is empty.
func (s *SweepFile) begin(version string, now time.Time, key SweepKey) error {
	err := filelock.Try(s.f)
	if errors.Is(err, filelock.ErrLocked) {
		return refused(s.path, "is in use by another program", "wait for its end, or "+anotherFile)
	}
	if err != nil {
		s.Warning = fmt.Sprintf("%s is not locked (%s): let no other sweep use it meanwhile", s.path, endpoint.Reason(err))
	}
	if err := s.load(key); err != nil {
		return err
	}
	if s.size == 0 {
		at := now.UTC().Format(time.RFC3339Nano)
		s.waiting = append(s.waiting, SweepHead{"sweep", SweepFileSchema, version, at, key})
	}
	if err := s.flush(); err != nil {
		return refused(s.path, "cannot be written ("+endpoint.Reason(err)+")",
			"free space on its disk, or "+anotherFile)
	}
	return nil
}

// load reads the file. It removes nothing but the cut last line of an earlier run.
func (s *SweepFile) load(key SweepKey) error {
	br := bufio.NewReaderSize(io.NewSectionReader(s.f, 0, 1<<40), 64<<10)
	for n := 1; ; n++ {
		line, err := readLine(br)
		switch {
		case err == io.EOF:
			return s.tail(n, line)
		case err != nil:
			return s.notOurs(n, err.Error())
		case n == 1:
			err = s.readHead(line, key)
		default:
			err = s.readStep(n, line)
		}
		if err != nil {
			return err
		}
		s.size += int64(len(line)) + 1
	}
}

// Beginnings of the lines of a file of finished steps, as flush makes them.
const (
	headPrefix = `{"type":"sweep","schema":"` + SweepFileSchema + `",`
	stepPrefix = `{"type":"step",`
)

// tail removes the rest of the file after its last line end: line n. A step that lacks
// only its line end is written again.
func (s *SweepFile) tail(n int, rest []byte) error {
	text := string(bytes.TrimRight(rest, "\x00")) // blocks that never reached the disk
	switch {
	case len(rest) == 0:
		return nil
	case n == 1 && !strings.HasPrefix(text, headPrefix):
		return s.notOurs(1, "")
	case n > 1 && !strings.HasPrefix(text, stepPrefix) && !strings.HasPrefix(stepPrefix, text):
		return s.damaged(n)
	}
	if n > 1 && s.readStep(n, rest) == nil {
		s.waiting = append(s.waiting, s.have[len(s.have)-1])
	}
	if err := filelock.Truncate(s.f, s.path, s.size); err != nil {
		return refused(s.path, "ends with a cut line that cannot be removed ("+endpoint.Reason(err)+")",
			anotherFile)
	}
	return nil
}

// readHead reads the first line.
func (s *SweepFile) readHead(line []byte, key SweepKey) error {
	var h SweepHead
	err := result.Unmarshal(line, &h)
	if err != nil || h.Type != "sweep" || !strings.HasPrefix(h.Schema, "tokscope/sweep-steps/") {
		return s.notOurs(1, "")
	}
	if h.Schema != SweepFileSchema {
		return refused(s.path, fmt.Sprintf("has the format %q, which this version does not write", h.Schema),
			"use the version that wrote it, or "+anotherFile)
	}
	if diff := difference("%s is %s in the file, %s now", "", result.Tree(h.Key), result.Tree(key)); diff != "" {
		return refused(s.path, "is of another sweep", diff+"; give the same flags, or another file")
	}
	return nil
}

// readStep reads line n.
func (s *SweepFile) readStep(n int, line []byte) error {
	var l SweepLine
	if err := result.Unmarshal(line, &l); err != nil || l.Type != "step" {
		return s.damaged(n)
	}
	s.have = append(s.have, l)
	return nil
}

// notOurs refuses a file that no sweep has written. why is "" when its first
// line says so.
func (s *SweepFile) notOurs(n int, why string) error {
	if why == "" {
		why = fmt.Sprintf("does not say %q", SweepFileSchema)
	}
	return refused(s.path, fmt.Sprintf("is not a file of finished steps (line %d %s)", n, why), anotherFile)
}

// damaged refuses a file of finished steps with a line that is none.
func (s *SweepFile) damaged(n int) error {
	return refused(s.path, fmt.Sprintf("is damaged (line %d is not a finished step)", n),
		"remove that line from a copy and give the copy, or "+anotherFile)
}

// Have returns the finished step at that number of users, or at that rate;
// the last one of several.
func (s *SweepFile) Have(users int, rate float64) (p loadstat.Point, lag metrics.Dist, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.have) - 1; i >= 0; i-- {
		l := &s.have[i]
		if l.Users != users || l.Rate != rate {
			continue
		}
		p, err := l.Point.Measured()
		return p, l.Lag, err == nil
	}
	return p, lag, false
}

// Add appends a finished step and waits until it is on disk. After an error
// the step waits in memory, and the next Add writes it too.
func (s *SweepFile) Add(users int, rate float64, p *loadstat.Point, lag metrics.Dist, now time.Time) error {
	l := SweepLine{"step", now.UTC().Format(time.RFC3339Nano), users,
		rate, lag, result.SweepPointOf(p, s.Sentences)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.have = append(s.have, l)
	s.waiting = append(s.waiting, l)
	if err := s.flush(); err != nil {
		return fmt.Errorf("finished steps missing in %s: %d (%s). A later sweep with --resume measures them again",
			s.path, len(s.waiting), endpoint.Reason(err))
	}
	return nil
}

// flush writes the lines that wait, each in one write, and syncs them. After an error
// the file is as long as before, so that no line follows half of another: s.mu is held.
func (s *SweepFile) flush() error {
	for ; len(s.waiting) > 0; s.waiting = s.waiting[1:] {
		var b bytes.Buffer
		if err := s.Sentences.WriteLine(&b, s.waiting[0]); err != nil {
			return err
		}
		_, err := s.out.Write(b.Bytes())
		if err == nil {
			err = s.f.Sync()
		}
		if err != nil {
			if undo := filelock.Truncate(s.f, s.path, s.size); undo != nil {
				return fmt.Errorf("%w, and the file keeps a cut line: %w", err, undo)
			}
			return err
		}
		s.size += int64(b.Len())
	}
	return nil
}

// Close closes the file, which ends the lock.
func (s *SweepFile) Close() error { return s.f.Close() }

// difference returns the first field, by name, in which two values of JSON differ:
// "workload.max_tokens is 200 in the file, 100 now"; "" for equal ones. name is
// theirs, and form has a place for it and for both values.
func difference(form, name string, was, is any) string {
	a, ok := was.(map[string]any)
	b, both := is.(map[string]any)
	if !ok || !both {
		if reflect.DeepEqual(was, is) {
			return ""
		}
		return fmt.Sprintf(form, name, short(was), short(is))
	}
	all := maps.Clone(a)
	maps.Copy(all, b)
	for _, k := range slices.Sorted(maps.Keys(all)) {
		if d := difference(form, strings.TrimPrefix(name+"."+k, "."), a[k], b[k]); d != "" {
			return d
		}
	}
	return ""
}

// short returns a value of JSON in few words.
func short(v any) string {
	if v == nil {
		return "not set"
	}
	data, err := json.Marshal(v)
	if err != nil {
		return "unwritable"
	}
	return metrics.Shortened(string(data), 60)
}
