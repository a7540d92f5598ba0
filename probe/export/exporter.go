package export

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/turn"
	"tokscope/metrics/watchstat"
	"tokscope/probe/secret"
)

// Options configure an Exporter.
type Options struct {
	Version string // of tokscope
	// Scrub removes keys; nil knows the shapes of keys only.
	Scrub *secret.Scrubber
	// Warn receives a sentence for a person when a collector fails. It is called
	// from a goroutine of the Exporter and must not block; nil drops it.
	Warn func(string)
	Now  func() time.Time // nil: time.Now
	// Latest chooses the specification's newest names: see Latest.
	Latest bool
	// Page is where Prometheus can read the figures; nil: nowhere.
	Page *Page
	// OTLP is the collector that receives them; nil: none.
	OTLP *OTLP
}

// Exporter sums what ended requests have shown, for Prometheus and for a
// collector. All methods are safe for concurrent use and return without waiting
// for the network, apart from Close. A nil Exporter does nothing.
type Exporter struct {
	scrub  *secret.Scrubber
	now    func() time.Time
	page   *pageServer
	sender *sender
	spans  bool // the collector wants sums of time spans

	mu      sync.Mutex
	session string // of requests that are recorded
	total   table
	span    table // since the collector's last one; only with spans
}

// Start returns a running Exporter. The caller must Close it. It listens before
// it returns, so that a taken address is an error: a *metrics.Fault.
func Start(o Options) (*Exporter, error) {
	if o.Scrub == nil {
		o.Scrub = secret.NewScrubber()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	e := &Exporter{scrub: o.Scrub, now: o.Now, total: table{latest: o.Latest}, span: table{latest: o.Latest}}
	if o.Page != nil {
		p, err := startPage(o.Page, func(open bool) []byte { return pageOf(e.sums(), o.Version, open) })
		if err != nil {
			return nil, err
		}
		e.page = p
	}
	if o.OTLP != nil {
		settings := *o.OTLP
		if settings.instance == "" {
			settings.instance = newInstance()
		}
		e.spans = settings.form.temporality == delta
		collect := e.sums
		if e.spans {
			collect = e.drainSpan
		}
		e.sender = newSender(&settings, o.Version, o.Scrub, o.Warn, o.Now, collect)
	}
	return e, nil
}

// newInstance returns a random UUID (version 4).
func newInstance() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// NameSession makes the exemplars of requests from now on name a session file.
func (e *Exporter) NameSession(path string) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.session = ""; path != "" {
		e.session = strings.TrimSuffix(filepath.Base(path), ".ndjson")
	}
}

// Add adds an ended request with its figures. It keeps neither. The request is in
// the session file, if there is one.
func (e *Exporter) Add(s *metrics.Stream, f *metrics.Figures) { e.add(s, f, true) }

// AddUnrecorded is Add for a request that no session file has.
func (e *Exporter) AddUnrecorded(s *metrics.Stream, f *metrics.Figures) { e.add(s, f, false) }

func (e *Exporter) add(s *metrics.Stream, f *metrics.Figures, recorded bool) {
	if e == nil || !s.State.Ended() {
		return
	}
	l, from := labelsOf(s, e.scrub.String), origin{request: s.ID, at: e.now()}
	e.mu.Lock()
	defer e.mu.Unlock()
	if recorded {
		from.session = e.session
	}
	e.change(func(t *table) { t.addRequest(l, s, f, from) })
}

// AddTurn adds the parts of a turn whose time is known. It keeps nothing of it.
func (e *Exporter) AddTurn(v *turn.Turn) {
	if e == nil {
		return
	}
	parts := map[turn.Activity]time.Duration{}
	for _, s := range v.Spans {
		parts[s.Activity] += time.Duration(s.To - s.From)
	}
	l, from := labelsOf(v.Stream(), e.scrub.String), origin{at: e.now()}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.change(func(t *table) {
		l := t.admit(l)
		for activity, d := range parts {
			t.record(turnPart, l, activity.String(), d.Seconds(), from)
		}
	})
}

// SetVerdicts sets what a watch concludes of a target. A figure without a baseline has no
// verdict.
func (e *Exporter) SetVerdicts(of *watchstat.Target) {
	if e == nil {
		return
	}
	l, now, since := labelsOfTarget(of, e.scrub.String), origin{at: e.now()}, time.Time{}
	if c := of.View.Change; c != nil {
		since = c.Since
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.change(func(t *table) {
		for i := range of.View.Rows {
			if r := &of.View.Rows[i]; r.Watched {
				t.setVerdict(t.admit(l), r, since, now)
			}
		}
	})
}

// Address returns the address that Prometheus can read, "" without one.
func (e *Exporter) Address() string {
	if e == nil || e.page == nil {
		return ""
	}
	return e.page.url()
}

// Close sends the last figures and ends everything, within some seconds. The
// error says that a collector did not take them. A second Close does nothing.
func (e *Exporter) Close(ctx context.Context) error {
	if e == nil {
		return nil
	}
	var err error
	if e.sender != nil {
		err = e.sender.close(ctx)
	}
	if e.page != nil {
		err = errors.Join(err, e.page.close())
	}
	return err
}

// Lost reports, after Close, whether a collector did not take the last figures.
func (e *Exporter) Lost() bool { return e != nil && e.sender != nil && e.sender.failing }

// change applies f to the sums. The caller holds mu.
func (e *Exporter) change(f func(*table)) {
	f(&e.total)
	if e.spans {
		f(&e.span)
	}
}

// sums returns a copy of all sums, which shares nothing with them.
func (e *Exporter) sums() *table {
	e.mu.Lock()
	defer e.mu.Unlock()
	t := &table{}
	t.merge(&e.total)
	return t
}

// drainSpan returns the sums since its last call.
func (e *Exporter) drainSpan() *table {
	e.mu.Lock()
	defer e.mu.Unlock()
	t := e.span
	e.span = table{latest: t.latest}
	return &t
}
