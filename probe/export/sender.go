package export

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	otlp "go.opentelemetry.io/proto/otlp/metrics/v1"

	"tokscope/probe/secret"
)

// Bounds of the conversation with a collector.
const (
	maxAnswer  = 64 << 10         // bytes of an answer that are read
	firstRetry = time.Second      // doubles with each failure
	lastRetry  = 5 * time.Minute  // also the most that Retry-After can ask for
	quietFor   = 10 * time.Minute // between two sentences about a collector
)

// sender sends the sums of an Exporter to a collector, over and over. Nothing
// queues while a collector fails: cumulative sums are only ever sent as they are
// now, and sums of a time span wait in one table that grows no larger than the
// first.
type sender struct {
	o       *OTLP
	version string
	collect func() *table // the sums: all since the start, or since the last call
	warn    func(string)
	now     func() time.Time
	client  *http.Client
	scrub   *secret.Scrubber

	begun   time.Time // of the sums that are sent next
	since   time.Time // when the collector last took something
	unsent  *table    // of a time span; nil without any
	stop    chan struct{}
	stopped sync.Once
	done    chan struct{}
	ctx     context.Context // of requests under way
	cancel  context.CancelFunc

	failing bool // the last request failed, and a sentence said so
	warned  time.Time
}

// retryable is an error after which the same can be sent again. wait is what the
// collector asks for, 0 for nothing.
type retryable struct {
	err  error
	wait time.Duration
}

func (r *retryable) Error() string { return r.err.Error() }

func newSender(o *OTLP, version string, scrub *secret.Scrubber,
	warn func(string), now func() time.Time, collect func() *table) *sender {
	s := &sender{o: o, version: version, collect: collect, warn: warn, now: now, begun: now(),
		since: now(), scrub: scrub, stop: make(chan struct{}), done: make(chan struct{})}
	for _, v := range o.header {
		scrub.Add(v)
	}
	s.client = &http.Client{Transport: o.transport(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	go s.loop()
	return s
}

// loop sends once in an interval, and sooner after a failure, until close.
func (s *sender) loop() {
	defer close(s.done)
	wait, failures := s.o.interval, 0
	for {
		select {
		case <-s.stop:
			return
		case <-time.After(wait):
		}
		err := s.send(s.ctx)
		s.report(err)
		wait = s.o.interval
		var again *retryable
		if !errors.As(err, &again) {
			failures = 0
			continue
		}
		wait = backoff(failures, again.wait)
		failures++
	}
}

// backoff returns the pause after a failure that followed n others.
func backoff(n int, asked time.Duration) time.Duration {
	d := min(firstRetry<<min(n, 20), lastRetry)
	return min(max(d, asked), lastRetry)
}

// close sends what is left and ends the goroutine. It returns within the bound of
// the last attempt, or when ctx ends. The error is nil if a sentence has already
// said that the collector fails.
func (s *sender) close(ctx context.Context) error {
	first := false
	s.stopped.Do(func() { first = true; close(s.stop) })
	if !first {
		return nil
	}
	defer s.client.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(ctx, s.o.lastAttempt)
	defer cancel()
	unhook := context.AfterFunc(ctx, s.cancel)
	defer unhook()
	<-s.done
	var err error
	for pause := firstRetry / 4; ; pause *= 2 {
		err = s.send(ctx)
		var again *retryable
		if !errors.As(err, &again) || pause > firstRetry/2 || again.wait > s.o.lastAttempt {
			break
		}
		select {
		case <-time.After(max(pause, again.wait)):
			continue
		case <-ctx.Done():
		}
		break
	}
	s.cancel()
	said := s.failing
	if s.failing = err != nil; err == nil || said {
		return nil
	}
	return errors.New(s.sentence(err) + "; the last figures were not sent")
}

// send sends the sums once.
func (s *sender) send(ctx context.Context) error {
	now := s.now()
	t, start := s.collect(), s.begun
	if s.o.form.temporality == delta {
		if s.unsent != nil {
			s.unsent.merge(t)
			t = s.unsent
		}
		s.unsent = t
	}
	m := message(t, s.o.form, s.version, s.o.resource(s.version), start, now, s.since)
	if m == nil {
		return nil
	}
	err := s.post(ctx, m)
	if _, ok := errors.AsType[*retryable](err); ok {
		return err
	}
	s.since = now
	if s.o.form.temporality == delta {
		s.unsent, s.begun = nil, now
	}
	return err
}

// post sends a message and reads the answer.
func (s *sender) post(ctx context.Context, m *otlp.MetricsData) error {
	kind := "application/x-protobuf"
	if s.o.json {
		kind = "application/json"
	}
	body, err := encoded(m, s.o.json)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.o.timeout)
	defer cancel()
	if s.o.gzip {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(body) // a buffer takes everything
		_ = w.Close()
		body = b.Bytes()
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.o.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for name, v := range s.o.header {
		r.Header.Set(name, v.Reveal())
	}
	r.Header.Set("Content-Type", kind)
	r.Header.Set("User-Agent", "tokscope/"+s.version)
	if s.o.gzip {
		r.Header.Set("Content-Encoding", "gzip")
	}
	resp, err := s.client.Do(r)
	if err != nil {
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err // without the address
		}
		if errors.Is(err, context.DeadlineExceeded) {
			err = errors.New("no answer in time")
		}
		return &retryable{err: err}
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return &retryable{err: errors.New("the answer broke off")}
	}
	return s.judge(resp, answer)
}

// judge returns what an answer means: nil for accepted.
func (s *sender) judge(resp *http.Response, answer []byte) error {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return &retryable{fmt.Errorf("it answers HTTP %d", resp.StatusCode),
			retryAfter(resp.Header.Get("Retry-After"), s.now())}
	}
	switch {
	case resp.StatusCode/100 == 3:
		return fmt.Errorf("it answers HTTP %d, a redirect that is not followed", resp.StatusCode)
	case resp.StatusCode/100 != 2:
		return fmt.Errorf("it refuses the figures with HTTP %d", resp.StatusCode)
	case strings.HasPrefix(kind, "text/"):
		return fmt.Errorf("it answers with %s: that is no OTLP receiver", kind)
	}
	var part rejection
	if kind == "application/json" {
		part = readJSONRejection(answer)
	} else {
		part = readRejection(answer)
	}
	if part.points != 0 || part.message != "" {
		text := fmt.Sprintf("it left out %d points", part.points)
		if part.message != "" {
			text += ": " + tidy(part.message, s.scrub.String)
		}
		return errors.New(text)
	}
	return nil
}

// readJSONRejection reads the partial success of an answer in JSON.
func readJSONRejection(answer []byte) rejection {
	var a struct {
		PartialSuccess struct {
			RejectedDataPoints json.RawMessage `json:"rejectedDataPoints"`
			ErrorMessage       string          `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	_ = json.Unmarshal(answer, &a) // an empty answer accepts everything
	n, _ := strconv.ParseInt(strings.Trim(string(a.PartialSuccess.RejectedDataPoints), `"`), 10, 64)
	return rejection{n, a.PartialSuccess.ErrorMessage}
}

// retryAfter reads the header: seconds, or a date. 0 without a valid one.
func retryAfter(v string, now time.Time) time.Duration {
	if n, err := strconv.Atoi(v); err == nil && n > 0 {
		return min(time.Duration(min(n, 3600))*time.Second, lastRetry)
	}
	if at, err := http.ParseTime(v); err == nil && at.After(now) {
		return min(at.Sub(now), lastRetry)
	}
	return 0
}

// report says once that a collector fails, and is quiet until it has taken
// something and some time has gone by.
func (s *sender) report(err error) {
	if err == nil || s.ctx.Err() != nil {
		s.failing = s.failing && err != nil
		return
	}
	now := s.now()
	if !s.failing && (s.warned.IsZero() || now.Sub(s.warned) >= quietFor) {
		s.warned = now
		s.warn(s.sentence(err))
	}
	s.failing = true
}

// longPart is the length from which a part of a path or a query may be a token, in bytes.
const longPart = 8

// sentence says that the collector did not take the figures, and why, without what may
// be a token in its address.
func (s *sender) sentence(err error) string {
	u, bad := url.Parse(s.o.url)
	if bad != nil {
		u = &url.URL{} // cannot be: it was checked
	}
	why := s.scrub.String(err.Error())
	separates := func(r rune) bool { return strings.ContainsRune("/&=", r) }
	for _, part := range strings.FieldsFunc(u.Path+"/"+u.EscapedPath()+"/"+u.RawQuery, separates) {
		if len(part) >= longPart {
			why = strings.ReplaceAll(why, part, "[path]")
		}
	}
	return "the collector at " + s.scrub.String(u.Scheme+"://"+u.Host) + " does not take the figures: " + why
}
