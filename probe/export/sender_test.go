package export

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	otlp "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"tokscope/metrics/testkit"
	"tokscope/probe/secret"
)

// collector is a scripted one, in memory. Each request takes the next answer; the
// last one repeats.
type collector struct {
	mu      sync.Mutex
	answers []func(*http.Request) (*http.Response, error)
	at      []time.Time
	header  http.Header // of the last request
	got     []*otlp.MetricsData
	taken   []*otlp.MetricsData // those that were answered with 200
}

// RoundTrip implements http.RoundTripper.
func (c *collector) RoundTrip(r *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		body, _ = io.ReadAll(z)
	}
	var data otlp.MetricsData
	if err := proto.Unmarshal(body, &data); err != nil {
		return nil, err
	}
	c.mu.Lock()
	answer := c.answers[min(len(c.at), len(c.answers)-1)]
	c.at, c.header, c.got = append(c.at, time.Now()), r.Header, append(c.got, &data)
	c.mu.Unlock()
	resp, err := answer(r)
	if err == nil && resp.StatusCode == 200 {
		c.mu.Lock()
		c.taken = append(c.taken, &data)
		c.mu.Unlock()
	}
	return resp, err
}

// attempts returns when requests came.
func (c *collector) attempts() []time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// says answers with a status, a type and a body, and headers after it.
func says(status int, kind, body string, header ...string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		h := http.Header{"Content-Type": {kind}}
		for i := 0; i+1 < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
}

// accepts takes everything.
var accepts = says(200, "application/x-protobuf", "")

// hangs never answers.
func hangs(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func refusesToConnect(*http.Request) (*http.Response, error) {
	return nil, errors.New("dial tcp 127.0.0.1:4318: connect: connection refused")
}

// partial is a partial success in protobuf: 3 points, and a message.
func partial(message string) string {
	inner := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 3)
	inner = protowire.AppendString(protowire.AppendTag(inner, 2, protowire.BytesType), message)
	return string(protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), inner))
}

// sending starts an exporter on c in a bubble of virtual time. said returns what a
// person was told.
func sending(t *testing.T, c *collector, env ...string) (e *Exporter, said func() []string) {
	t.Helper()
	o, err := Settings("http://127.0.0.1:4318", false, vars(env...))
	testkit.OK(t, err)
	o.roundTrip = c
	var mu sync.Mutex
	var texts []string
	e, err = Start(Options{Version: "v1", OTLP: o, Warn: func(s string) {
		mu.Lock()
		defer mu.Unlock()
		texts = append(texts, s)
	}})
	testkit.OK(t, err)
	e.NameSession("session-1.ndjson")
	return e, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return texts
	}
}

// send adds a request.
func send(e *Exporter, id int) {
	r := played(answer{id: id, endpoint: "groq", model: "m", preset: "chat", chunks: []float64{float64(100 + id), 200,
		230}, prompt: 5, output: 3})
	e.Add(&r.s, &r.f)
}

// sum returns the requests that a message counts, and the values of TTFT.
func sum(m *otlp.MetricsData) (n int64, ttft uint64) {
	for _, metric := range m.ResourceMetrics[0].ScopeMetrics[0].Metrics {
		switch metric.Name {
		case "tokscope.requests":
			for _, p := range metric.GetSum().DataPoints {
				n += p.GetAsInt()
			}
		case "tokscope.time_to_first_token":
			for _, p := range metric.GetExponentialHistogram().DataPoints {
				ttft += p.Count
			}
		}
	}
	return n, ttft
}

// TestSendsInIntervals holds that a collector gets cumulative sums once in an
// interval and at the end, with the headers of the environment.
func TestSendsInIntervals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &collector{answers: []func(*http.Request) (*http.Response, error){accepts}}
		begun := time.Now()
		e, said := sending(t, c, "OTEL_EXPORTER_OTLP_HEADERS=x-scope=eu%20west", "OTEL_EXPORTER_OTLP_COMPRESSION=gzip")
		time.Sleep(90 * time.Second) // nothing to send yet
		if n := len(c.attempts()); n > 0 {
			t.Errorf("%d empty messages", n)
		}
		send(e, 1)
		time.Sleep(time.Minute)
		send(e, 2)
		if err := e.Close(context.Background()); err != nil || len(said()) > 0 {
			t.Error(err, said())
		}
		testkit.Given(t, len(c.got) == 2 && c.at[0].Sub(begun) == 2*time.Minute, "messages at %v", c.at)
		for i, m := range c.got {
			if n, ttft := sum(m); n != int64(i+1) || ttft != uint64(i+1) {
				t.Errorf("message %d counts %d requests, %d of TTFT", i, n, ttft)
			}
		}
		testkit.That(t, c.header.Get("X-Scope") == "eu west" && c.header.Get("Content-Type") == "application/x-protobuf",
			"the headers are %v", c.header)
		testkit.Is(t, exemplarsOf(c.got[1]), 1, "the second message has … exemplars of TTFT, want that of the new request")
	})
}

func exemplarsOf(m *otlp.MetricsData) (n int) {
	for _, metric := range m.ResourceMetrics[0].ScopeMetrics[0].Metrics {
		if metric.Name == "tokscope.time_to_first_token" {
			for _, p := range metric.GetExponentialHistogram().DataPoints {
				n += len(p.Exemplars)
			}
		}
	}
	return n
}

// TestDeltaLosesNothing holds that sums of time spans, put together, are the
// whole, whatever a collector refused in between, and that spans join.
func TestDeltaLosesNothing(t *testing.T) {
	busy := says(503, "text/plain", "")
	synctest.Test(t, func(t *testing.T) {
		c := &collector{answers: []func(*http.Request) (*http.Response, error){accepts, busy, hangs, refusesToConnect,
			accepts, busy, accepts}}
		e, said := sending(t, c, envTemporality+"=delta")
		for i := range 40 {
			send(e, i)
			time.Sleep(7 * time.Second)
		}
		testkit.Is(t, e.Close(context.Background()), nil)
		var n, last int64
		var ttft, until uint64
		for _, m := range c.taken {
			requests, values := sum(m)
			n, ttft, last = n+requests, ttft+values, requests
			p := m.ResourceMetrics[0].ScopeMetrics[0].Metrics[0].GetExponentialHistogram().DataPoints[0]
			testkit.That(t, until == 0 || p.StartTimeUnixNano == until,
				"a span begins at %d, the one before ended at %d", p.StartTimeUnixNano, until)
			until = p.TimeUnixNano
		}
		testkit.That(t, n == 40 && ttft == 40 && last != 40 && len(c.taken) >= 4,
			"%d messages count %d requests and %d of TTFT, want 40", len(c.taken), n, ttft)
		if len(said()) != 1 {
			t.Errorf("a person was told %q", said())
		}
	})
}

// TestCollectorFails holds, for each way in which a collector fails, that a person
// gets one sentence with the reason and no secret, that the time between attempts
// grows, that the end is soon, and that what is kept does not grow.
func TestCollectorFails(t *testing.T) {
	const secret = "glc_0123456789abcdef"
	for _, c := range []struct {
		name   string
		answer func(*http.Request) (*http.Response, error)
		says   string
		after  time.Duration // of the second attempt
	}{
		{"hangs", hangs, "no answer in time", 11 * time.Second},
		{"refuses to connect", refusesToConnect, "connection refused", time.Second},
		{"503", says(503, "text/plain", "busy"), "HTTP 503", time.Second},
		{"429 for a while", says(429, "", "", "Retry-After", "40"), "HTTP 429", 40 * time.Second},
		{"401", says(401, "application/json", `{"message":"`+secret+`"}`), "refuses the figures with HTTP 401", time.Minute},
		{"redirect", says(302, "", "", "Location", "http://elsewhere.example"), "redirect", time.Minute},
		{"HTML", says(200, "text/html; charset=utf-8", "<html>"), "no OTLP receiver", time.Minute},
		{"partial success", says(200, "application/x-protobuf", partial("bad \x1b[31m "+secret)),
			"left out 3 points: bad \uFFFD[31m [redacted]", time.Minute},
		{"partial success in JSON", says(200, "application/json",
			`{"partialSuccess":{"rejectedDataPoints":"3","errorMessage":"old"}}`), "left out 3 points: old", time.Minute},
		{"an error with the key", func(*http.Request) (*http.Response,
			error) {
			return nil, errors.New("proxy says " + secret)
		}, "proxy says [redacted]", time.Second},
	} {
		for _, temporality := range []string{"cumulative", "delta"} {
			t.Run(c.name+" "+temporality, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					col := &collector{answers: []func(*http.Request) (*http.Response, error){c.answer}}
					e, said := sending(t, col, "OTEL_EXPORTER_OTLP_HEADERS=authorization="+secret, envTemporality+"="+temporality)
					began := time.Now()
					for i := range 40 {
						send(e, i)
						time.Sleep(10 * time.Second)
					}
					if d := time.Since(began); d != 400*time.Second {
						t.Errorf("adding requests waited: %v", d-400*time.Second)
					}
					if got := said(); len(got) != 1 || !strings.Contains(got[0], c.says) || strings.Contains(fmt.Sprint(got), secret) {
						t.Errorf("a person was told %q, want %q once", got, c.says)
					}
					at := col.attempts()
					testkit.That(t, len(at) >= 2 && at[1].Sub(at[0]) == c.after && len(at) <= 20, "tried at %v", at)
					began = time.Now()
					testkit.Is(t, e.Close(context.Background()), nil, "said once more")
					if d := time.Since(began); d > lastAttempt {
						t.Errorf("the end took %v", d)
					}
					n := points(e)
					testkit.That(t, n <= 80, "%d points are kept", n)
				})
			})
		}
	}
}

// points returns how many points a closed exporter and its sender hold.
func points(e *Exporter) int {
	n := len(e.total.points) + len(e.span.points)
	if e.sender.unsent != nil {
		n += len(e.sender.unsent.points)
	}
	return n
}

// TestShortRunTellsOfAFailure holds that a program that ends before the first
// interval says that its figures did not arrive, once.
func TestShortRunTellsOfAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &collector{answers: []func(*http.Request) (*http.Response, error){refusesToConnect}}
		e, said := sending(t, c)
		send(e, 1)
		err := e.Close(context.Background())
		if err == nil || !strings.Contains(err.Error(), "the last figures were not sent") || len(said()) > 0 {
			t.Errorf("%v, told %q", err, said())
		}
		testkit.Is(t, len(c.at), 3, "attempts at the end")
		testkit.Is(t, e.Close(context.Background()), nil, "the second time")
	})
}

// TestCloseIsBounded holds that neither a request under way nor the last one
// delays the end beyond the bound, and that a canceled context ends it at once.
func TestCloseIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &collector{answers: []func(*http.Request) (*http.Response, error){hangs}}
		e, _ := sending(t, c)
		send(e, 1)
		time.Sleep(time.Minute + time.Second) // a request is under way
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		began := time.Now()
		_ = e.Close(ctx)
		d := time.Since(began)
		testkit.That(t, d <= 0, "the end took %v", d)
	})
}

// TestRecovers holds that a collector that comes back gets everything, and that a
// later failure is reported again only after a while.
func TestRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down, up := says(503, "", ""), accepts
		c := &collector{answers: []func(*http.Request) (*http.Response, error){down, up, down, up, up, up, up, up, up, up,
			up, up, up, up, down, up}}
		e, said := sending(t, c)
		send(e, 1)
		time.Sleep(5 * time.Minute)
		if len(said()) != 1 {
			t.Errorf("told %q", said())
		}
		time.Sleep(20 * time.Minute)
		if len(said()) != 2 {
			t.Errorf("told %q", said())
		}
		testkit.Is(t, e.Close(context.Background()), nil)
	})
}

// TestNoTokenOfAPathIsSaid holds that what may be a token in the path or the query of a
// collector is in no sentence, whether the address or the collector's answer has it.
func TestNoTokenOfAPathIsSaid(t *testing.T) {
	for address, token := range map[string]string{
		"https://c.example/otlp/dt0c01.ABCDEF123":         "dt0c01.ABCDEF123",
		"https://c.example/v1/ingest/9f8e7d6c5b4a/a%2Fb":  "9f8e7d6c5b4a",
		"https://c.example/secretsecret/v1/metrics":       "secretsecret",
		"https://c.example/x?token=glc_0123456789abcdef":  "glc_0123456789abcdef",
		"http://127.0.0.1:4318/t/k%C3%A4se-0123456789/v1": "käse-0123456789",
	} {
		o, err := Settings(address, false, vars())
		testkit.OK(t, err, address)
		s := &sender{o: o, scrub: secret.NewScrubber()}
		for _, why := range []string{"connection refused", "Cannot POST " + o.url, "no tenant " + token,
			"Post \"" + o.url + "\": EOF"} {
			if text := s.sentence(errors.New(why)); strings.Contains(text, token) ||
				!strings.HasPrefix(text, "the collector at http") || !strings.Contains(text, "does not take the figures: ") {
				t.Errorf("%s: %s", address, text)
			}
		}
	}
}
