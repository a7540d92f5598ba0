package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"tokscope/metrics"
)

// SweepFileSchema names the format of the file of finished steps (--resume).
const SweepFileSchema = "tokscope/sweep-steps/v1"

// SweepKey is what two sweeps must have in common for a step of one to stand
// for a step of the other.
type SweepKey struct {
	Endpoint SweepEndpoint `json:"endpoint"`
	Workload Workload      `json:"workload"`
	Load     SweepLoad     `json:"load"`
	SLO      []string      `json:"slo"` // goodput is counted against them
}

// SweepEndpoint is what identifies an endpoint. The embedded one has another
// address in every run, so that its URL is left out.
type SweepEndpoint struct {
	Kind  string `json:"kind"`
	URL   string `json:"url"`
	Model string `json:"model"`
}

// SweepKeyOf returns the key of a sweep.
func SweepKeyOf(e metrics.Endpoint, w metrics.Workload, l SweepLoad, slos []metrics.Objective) SweepKey {
	w.Concurrency, w.Nonce = 0, "" // a step's own
	k := SweepKey{SweepEndpoint{string(e.Kind), e.URL, e.Model}, workloadOf(w), l, []string{}}
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

// SweepLine is every further line: a finished step.
type SweepLine struct {
	Type  string     `json:"type"`            // "step"
	At    string     `json:"at"`              // wall clock, RFC 3339
	Users int        `json:"asked_users"`     // 0 in an open loop
	Rate  float64    `json:"asked_rate"`      // requests per second; 0 in a closed loop
	Lag   Dist       `json:"schedule_lag_ms"` // how late requests were sent, open loop
	Point SweepPoint `json:"point"`
}

// SweepFile is the file of finished steps: append-only, one line a step, each
// on disk before the next step begins. A line that a kill has cut is dropped
// when the file is opened again.
type SweepFile struct {
	mu   sync.Mutex
	f    *os.File
	have []SweepLine
}

// OpenSweep opens the file at path, or makes it, readable by its owner alone.
// A file of another workload, endpoint, load or objective is refused with a
// *SweepMismatch, anything else with the line that is wrong.
func OpenSweep(path, version string, now time.Time, key SweepKey) (*SweepFile, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the file of finished steps: %w", err)
	}
	s := &SweepFile{f: f}
	if err := s.load(path, version, now, key); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

// load reads what is there and leaves the file ready to be appended to.
func (s *SweepFile) load(path, version string, now time.Time, key SweepKey) error {
	var good int64 // bytes of whole lines
	br := bufio.NewReaderSize(s.f, 64<<10)
	for n := 1; ; n++ {
		line, err := readLine(br)
		if err == io.EOF {
			break // what stands behind the last line end was cut
		}
		if err != nil {
			return fmt.Errorf("%s, line %d: %w", path, n, err)
		}
		if err := s.take(path, n, line, key); err != nil {
			return err
		}
		good += int64(len(line)) + 1
	}
	if err := s.f.Truncate(good); err != nil {
		return err
	}
	if _, err := s.f.Seek(good, io.SeekStart); err != nil {
		return err
	}
	if good == 0 {
		return s.write(SweepHead{"sweep", SweepFileSchema, version, now.UTC().Format(time.RFC3339Nano), key})
	}
	return nil
}

// take reads line n.
func (s *SweepFile) take(path string, n int, line []byte, key SweepKey) error {
	if n == 1 {
		var h SweepHead
		if err := json.Unmarshal(line, &h); err != nil || h.Type != "sweep" || h.Schema != SweepFileSchema {
			return fmt.Errorf("%s is no file of finished steps: its first line does not say %q", path, SweepFileSchema)
		}
		if diff := difference(h.Key, key); diff != "" {
			return &SweepMismatch{path, diff}
		}
		return nil
	}
	var l SweepLine
	if err := json.Unmarshal(line, &l); err != nil || l.Type != "step" {
		return fmt.Errorf("%s, line %d is no finished step", path, n)
	}
	s.have = append(s.have, l)
	return nil
}

// Have returns the step that was finished before at so many users, or at that
// rate; the last one when there are several.
func (s *SweepFile) Have(users int, rate float64) (p metrics.Point, lag metrics.Dist, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.have) - 1; i >= 0; i-- {
		l := &s.have[i]
		if l.Users != users || l.Rate != rate {
			continue
		}
		p, err := l.Point.Point()
		return p, l.Lag.dist(), err == nil
	}
	return p, lag, false
}

// Add appends a finished step and waits until it is on disk.
func (s *SweepFile) Add(users int, rate float64, p *metrics.Point, lag metrics.Dist, now time.Time) error {
	l := SweepLine{"step", now.UTC().Format(time.RFC3339Nano), users, rate, DistOf(lag), SweepPointOf(p)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.write(l); err != nil {
		return fmt.Errorf("keep the finished step: %w", err)
	}
	s.have = append(s.have, l)
	return s.f.Sync()
}

// write appends v as one line, in one write.
func (s *SweepFile) write(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := s.f.Write(harmless(b.Bytes()))
	return err
}

// Close closes the file.
func (s *SweepFile) Close() error { return s.f.Close() }
