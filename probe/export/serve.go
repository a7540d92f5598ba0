package export

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"tokscope/probe/access"
)

// DefaultAddr is the usual address of the page: the port that OpenTelemetry's
// exporters for Prometheus use.
const DefaultAddr = "127.0.0.1:9464"

// Bounds of the page's server.
const (
	maxScrapes    = 8 // at the same time
	maxHeader     = 16 << 10
	scrapeTimeout = 10 * time.Second
	scrapesEnd    = time.Second // for open scrapes after the end
)

// Page says where Prometheus can read the figures.
type Page struct {
	Addr string // host:port; port 0 takes a free one
	// Remote allows an address that other machines can reach.
	Remote bool
	// AllowHosts are further names that requests may use; "*" allows all.
	AllowHosts []string
}

// pageServer serves the page until it is closed.
type pageServer struct {
	rules  access.Rules
	write  func(open bool) []byte
	ln     net.Listener
	http   *http.Server
	served chan struct{}
	places chan struct{} // of scrapes under way
}

// startPage listens on p.Addr. write returns the page.
func startPage(p *Page, write func(open bool) []byte) (*pageServer, error) {
	host, _, err := net.SplitHostPort(p.Addr)
	switch {
	case err != nil:
		return nil, wrong("--metrics-addr "+strconv.Quote(p.Addr)+" is no address",
			"give host and port, such as "+DefaultAddr)
	case !p.Remote && !access.IsLocal(access.Host(p.Addr)):
		return nil, wrong("--metrics-addr "+p.Addr+" can be reached by other machines",
			"add --metrics-remote to allow that, or use "+DefaultAddr)
	}
	s := &pageServer{write: write, served: make(chan struct{}), places: make(chan struct{}, maxScrapes)}
	if s.rules, err = access.New(p.Addr, p.Remote, p.AllowHosts, nil); err != nil {
		return nil, wrong("--metrics-allow-host names no host", "give names without scheme and port, or *")
	}
	if s.ln, err = net.Listen("tcp", p.Addr); err != nil {
		return nil, wrong(fmt.Sprintf("cannot serve metrics: %v", err),
			"choose another address with --metrics-addr; "+net.JoinHostPort(host, "0")+" takes a free port")
	}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: scrapeTimeout, ReadTimeout: scrapeTimeout,
		WriteTimeout: scrapeTimeout, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxHeader}
	go s.serve()
	return s, nil
}

// serve runs until close. A listener that fails ends it: the figures stay in
// memory, and a measurement goes on.
func (s *pageServer) serve() {
	defer close(s.served)
	_ = s.http.Serve(s.ln)
}

func (s *pageServer) url() string { return "http://" + s.ln.Addr().String() + "/metrics" }

// close ends the server and waits for it.
func (s *pageServer) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), scrapesEnd)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = s.http.Close()
	}
	<-s.served
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	return err
}

// ServeHTTP answers GET /metrics, and HEAD without the body.
func (s *pageServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !s.rules.AllowsHost(r):
		http.Error(w, "this Host is not allowed: use localhost or an address, or allow a name with --metrics-allow-host",
			http.StatusForbidden)
		return
	case r.URL.Path != "/metrics":
		http.Error(w, "the figures are at /metrics", http.StatusNotFound)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD are answered", http.StatusMethodNotAllowed)
		return
	}
	for _, origin := range r.Header.Values("Origin") {
		if !s.rules.AllowsOrigin(origin, r) {
			http.Error(w, "web pages from elsewhere may not read the figures", http.StatusForbidden)
			return
		}
	}
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
	default:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "too many scrapes at the same time", http.StatusServiceUnavailable)
		return
	}
	kind, open := access.MetricsType(r.Header.Values("Accept"))
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Vary", "Accept")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	if r.Method == http.MethodGet {
		_, _ = w.Write(s.write(open)) // a client that has left reads nothing
	}
}
