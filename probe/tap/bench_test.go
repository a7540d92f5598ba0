package tap_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/tap"
)

// reads stamps the reads of an answer and the ends of their writes.
type reads struct {
	mu     *sync.Mutex
	delays *[]float64
	read   time.Time
	io.ReadCloser
	http.ResponseWriter
}

func (s *reads) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	s.read = time.Now()
	return n, err
}

func (s *reads) FlushError() error {
	err := http.NewResponseController(s.ResponseWriter).Flush()
	if s.ReadCloser != nil && !s.read.IsZero() {
		s.mu.Lock()
		defer s.mu.Unlock()
		*s.delays = append(*s.delays, float64(time.Since(s.read)))
	}
	return err
}

// BenchmarkAdded measures, for streams of 100 events a second each, what the tap adds to a
// piece, from its read to the end of its write, beside what httputil.ReverseProxy adds.
func BenchmarkAdded(b *testing.B) {
	for _, streams := range []int{1, 16} {
		b.Run(fmt.Sprint(streams), func(b *testing.B) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "text/event-stream")
				for range 50 {
					_, _ = io.WriteString(w, word)
					_ = http.NewResponseController(w).Flush()
					time.Sleep(10 * time.Millisecond)
				}
			}))
			defer server.Close()
			upstream := testkit.Must(url.Parse(server.URL))(b)
			e := client.New(client.Options{Bounds: tap.Bounds(), NoPathProbe: true})
			defer e.Close()
			tp := testkit.Must(tap.Open(tap.Options{Upstream: upstream, Engine: e}))(b)
			defer func() { _ = tp.Close() }()
			var mu sync.Mutex
			var other []float64
			type key struct{}
			proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(upstream) },
				ModifyResponse: func(r *http.Response) error {
					s := r.Request.Context().Value(key{}).(*reads)
					s.ReadCloser, r.Body = r.Body, s
					return nil
				}}
			beside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				s := &reads{mu: &mu, delays: &other, ResponseWriter: w}
				proxy.ServeHTTP(s, r.WithContext(context.WithValue(r.Context(), key{}, s)))
			}))
			defer beside.Close()
			ask := func(base string) {
				var wg sync.WaitGroup
				for range streams {
					wg.Go(func() {
						resp, err := http.Post(base+"/v1/chat/completions", "application/json", strings.NewReader(asking))
						if err != nil {
							b.Error(err)
							return
						}
						_, _ = io.Copy(io.Discard, resp.Body)
						_ = resp.Body.Close()
					})
				}
				wg.Wait()
			}
			for b.Loop() {
				ask(tp.URL())
				ask(beside.URL)
			}
			var own []float64
			for _, x := range tp.View(false).Turns {
				own = append(own, x.Added.P50.V)
			}
			p50 := func(v []float64) float64 {
				slices.Sort(v)
				return v[len(v)/2] / 1e3
			}
			b.ReportMetric(p50(own), "tap-p50-µs")
			b.ReportMetric(p50(other), "reverseproxy-p50-µs")
			b.ReportMetric(p50(own)/p50(other), "ratio")
		})
	}
}
