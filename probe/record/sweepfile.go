package record

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/probe/filelock"
)

// SweepFileSchema names the format of the file of finished steps (--resume).
const SweepFileSchema = "tokscope/sweep-steps/v1"

// SweepKey holds what two sweeps must have in common before one may reuse the
// other's steps.
type SweepKey struct {
	Endpoint SweepEndpoint    `json:"endpoint"`
	Workload metrics.Workload `json:"workload"`
	Load     SweepLoad        `json:"load"`
	SLO      []string         `json:"slo"` // the objectives of goodput
}

// SweepEndpoint identifies an endpoint. The embedded one has another address
// in every run, so its URL is omitted.
type SweepEndpoint struct {
	Kind  string `json:"kind"`
	URL   string `json:"url"`
	Model string `json:"model"`
}

// SweepKeyOf returns the key of a sweep.
func SweepKeyOf(e metrics.Endpoint, w metrics.Workload, l SweepLoad, slos []slo.Objective) SweepKey {
	w.Concurrency, w.Nonce = 0, "" // set by each step
	k := SweepKey{SweepEndpoint{string(e.Kind), e.URL, e.Model}, w, l, []string{}}
	if e.Kind == metrics.EndpointEmbedded {
		k.Endpoint.URL = ""
	}
	for _, o := range slos {
		k.SLO = append(k.SLO, o.String())
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

// SweepRun is the line that a program appends when it opens the file.
type SweepRun struct {
	Type    string `json:"type"`    // "run"
	At      string `json:"at"`      // wall clock, RFC 3339
	Version string `json:"version"` // of tokscope
	PID     int    `json:"pid"`
	Host    string `json:"host"` // "" when the system does not name it
}

// SweepLine is a finished step.
type SweepLine struct {
	Type  string       `json:"type"`            // "step"
	At    string       `json:"at"`              // wall clock, RFC 3339
	Users int          `json:"asked_users"`     // 0 in an open loop
	Rate  float64      `json:"asked_rate"`      // requests per second; 0 in a closed loop
	Lag   metrics.Dist `json:"schedule_lag_ms"` // how late requests were sent, open loop
	Point SweepPoint   `json:"point"`
}

// SweepFile is the file of finished steps. It is only appended to, under a lock
// that no two programs have at once. Each step is one write, and is synced to
// the disk before the next step begins. Only the cut last line of a program
// that was killed is ever removed. It is safe for concurrent use; the owner
// must close it.
type SweepFile struct {
	Sentences Sentences // of its steps; set before the first Add

	path    string
	warning string

	mu      sync.Mutex
	f       *os.File
	out     io.Writer // f
	size    int64     // bytes of complete lines
	have    []SweepLine
	waiting []SweepLine // finished steps that could not be written yet
}

// Warning returns a sentence for a person when nothing prevents a second
// sweep from using the file; "" with a lock.
func (s *SweepFile) Warning() string { return s.warning }

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
		rate, lag, SweepPointOf(p, s.Sentences)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.have = append(s.have, l)
	s.waiting = append(s.waiting, l)
	for len(s.waiting) > 0 {
		if err := s.write(s.waiting[0]); err != nil {
			return &SweepUnkept{s.path, len(s.waiting), err}
		}
		s.waiting = s.waiting[1:]
	}
	return nil
}

// write appends lines in one write and syncs them. After an error the file is
// as long as before, so that no line follows half of another: s.mu is held.
func (s *SweepFile) write(lines ...any) error {
	var b bytes.Buffer
	for _, v := range lines {
		if err := s.Sentences.WriteLine(&b, v); err != nil {
			return err
		}
	}
	data := b.Bytes()
	_, err := s.out.Write(data)
	if err == nil {
		err = s.f.Sync()
	}
	if err != nil {
		if undo := filelock.Truncate(s.f, s.path, s.size); undo != nil {
			return fmt.Errorf("%w, and the file keeps a cut line: %w", err, undo)
		}
		return err
	}
	s.size += int64(len(data))
	return nil
}

// Close closes the file, which ends the lock.
func (s *SweepFile) Close() error { return s.f.Close() }

// SweepUnkept reports that finished steps could not be written.
type SweepUnkept struct {
	Path  string
	Steps int // waiting, at least 1
	Err   error
}

// Error implements error.
func (e *SweepUnkept) Error() string {
	return fmt.Sprintf("finished steps missing in %s: %d (%s). A later sweep with --resume measures them again",
		e.Path, e.Steps, cause(e.Err))
}

// Unwrap returns the cause.
func (e *SweepUnkept) Unwrap() error { return e.Err }
