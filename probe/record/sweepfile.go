package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"tokscope/metrics"
)

// SweepFileSchema names the format of the file of finished steps (--resume).
const SweepFileSchema = "tokscope/sweep-steps/v1"

// SweepKey holds what two sweeps must have in common before one may reuse the
// other's steps.
type SweepKey struct {
	Endpoint SweepEndpoint `json:"endpoint"`
	Workload Workload      `json:"workload"`
	Load     SweepLoad     `json:"load"`
	SLO      []string      `json:"slo"` // the objectives of goodput
}

// SweepEndpoint identifies an endpoint. The embedded one has another address
// in every run, so its URL is omitted.
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

// SweepLine is a finished step.
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

// Close closes the file, which ends the lock.
func (s *SweepFile) Close() error { return s.f.Close() }
