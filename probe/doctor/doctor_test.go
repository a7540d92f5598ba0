package doctor

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/doctor"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
	"tokscope/probe/secret"
	"tokscope/probe/transport"
)

// backend is a server that counts what it is asked for.
type backend struct {
	mu       sync.Mutex
	requests int
	tokens   int
	protos   []string
	batch    int // chunks that it sends at a time, with a pause before the next; 0: one
}

func (b *backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		_, _ = io.WriteString(w, `{"data":[{"id":"m"}]}`)
		return
	}
	var asked struct {
		MaxTokens int `json:"max_tokens"`
	}
	_ = json.NewDecoder(r.Body).Decode(&asked)
	b.mu.Lock()
	b.requests++
	b.tokens += asked.MaxTokens
	b.protos = append(b.protos, r.Proto)
	b.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	for i := range asked.MaxTokens {
		_, _ = fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":{"content":"t%d "}}]}`+"\n\n", i)
		if b.batch > 0 && (i+1)%b.batch != 0 {
			continue
		}
		time.Sleep(time.Duration(max(b.batch, 1)) * 3 * time.Millisecond)
		_ = http.NewResponseController(w).Flush()
	}
	_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
}

// examine does a check-up of target. change may alter its options.
func examine(t *testing.T, target endpoint.Target, proxy func(*http.Request) (*url.URL, error),
	change func(*Options)) *doctor.Report {
	t.Helper()
	bounds := transport.DefaultBounds()
	bounds.Connect, bounds.FirstByte = 5*time.Second, 5*time.Second
	if proxy == nil {
		proxy = func(*http.Request) (*url.URL, error) { return nil, nil }
	}
	e := client.New(client.Options{Proxy: proxy, Bounds: bounds})
	defer e.Close()
	target.Model = "m"
	o := Options{Engine: e, Target: target, Work: doctor.Work{
		Short: metrics.Workload{Prompt: "p", MaxTokens: 4}, Long: metrics.Workload{Prompt: "p", MaxTokens: 120},
	}}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if change != nil {
		change(&o)
	}
	return Run(ctx, o)
}

// grades are the grades of a check-up, by check.
func grades(r *doctor.Report) map[doctor.Code]*doctor.Check {
	out := map[doctor.Code]*doctor.Check{}
	for i := range r.Checks {
		out[r.Checks[i].Code] = &r.Checks[i]
	}
	return out
}

func at(u string) endpoint.Target {
	return endpoint.Target{Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, Name: "t", URL: u, Ready: true},
		Auth: endpoint.AuthNone, Server: "other"}
}

// TestPlanHolds holds that no more is sent than the plan says, in its order.
func TestPlanHolds(t *testing.T) {
	b := &backend{}
	s := httptest.NewServer(b)
	defer s.Close()
	var began, said []doctor.Code
	r := examine(t, at(s.URL+"/v1"), nil, func(o *Options) {
		o.Begin = func(c doctor.Code) { began = append(began, c) }
		o.Say = func(k *doctor.Check) { said = append(said, k.Code) }
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	if want := (doctor.Plan{Requests: 2, Tokens: 124}); r.Plan != want || b.requests != want.Requests ||
		b.tokens != want.Tokens {
		t.Errorf("plan %+v, sent %d requests for %d tokens", r.Plan, b.requests, b.tokens)
	}
	testkit.That(t, len(r.Found()) == 0 && !r.Interrupted(), "found %+v", r.Checks)
	testkit.That(t, len(began) == 10 && len(said) == 12 && said[0] == doctor.Key && said[11] == doctor.Client,
		"began %v, said %v", began, said)
	if k := grades(r)[doctor.Buffers]; k.N != 120 || k.Grade == doctor.Skipped && k.Why != doctor.WhyLagged {
		t.Errorf("%+v", k)
	}
}

// TestLagHidesBuffers holds that a stream during which tokscope itself was late, or did not
// run, is not called free of buffers: what it collected then hides theirs.
func TestLagHidesBuffers(t *testing.T) {
	for _, code := range []metrics.SuspectCode{metrics.SuspectLate, metrics.SuspectStopped} {
		r := metrics.Run{Figures: metrics.Figures{Chunks: 120, Suspect: []metrics.Suspicion{{Code: code}}}}
		e := client.New(client.Options{})
		defer e.Close()
		c := checkup{Options: Options{Engine: e}, report: &doctor.Report{}}
		c.buffers(&r)
		k := &c.report.Checks[0]
		testkit.That(t, k.Grade == doctor.Skipped && k.Why == doctor.WhyLagged && k.Suspect.Code == code, "%s: %+v", code, k)
	}
}

// TestABatchSpoilsAMeasurement holds that a stream is bad whose chunks come so many at a
// time that most gaps are unknown, whoever collects them, and that its speed is marked. Where
// this machine held tokscope up, that is said in its place: TestLagHidesBuffers.
func TestABatchSpoilsAMeasurement(t *testing.T) {
	s := httptest.NewServer(&backend{batch: 20})
	defer s.Close()
	r := examine(t, at(s.URL+"/v1"), nil, nil)
	k := grades(r)[doctor.Buffers]
	if k.Why == doctor.WhyLagged {
		return
	}
	if k.Grade != doctor.Bad || k.Suspect == nil || k.Suspect.Code != metrics.SuspectBuffered ||
		!slices.Contains(r.Found(), k) {
		t.Errorf("%+v, suspected %+v", k, k.Suspect)
	}
	if f := &k.Run.Figures; !f.BurstsHide() || !f.About() {
		t.Errorf("%d gaps known, %d unknown; about: %v", f.Gaps.N, f.GapsUnknown, f.About())
	}
}

// TestLeftOpen holds that a missing end marker is noted at every stream, and is no failure:
// where the connection stays open, and where it breaks.
func TestLeftOpen(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it waits twice for the end of a silence")
	}
	for _, code := range []metrics.SuspectCode{metrics.SuspectLeftOpen, metrics.SuspectCutOff} {
		t.Run(string(code), func(t *testing.T) { leftOpen(t, code) })
	}
}

func leftOpen(t *testing.T, doubt metrics.SuspectCode) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, `{"data":[{"id":"m"}]}`)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"t"},"finish_reason":"length"}]}`+"\n\n")
		_ = http.NewResponseController(w).Flush()
		if doubt == metrics.SuspectCutOff {
			panic(http.ErrAbortHandler)
		}
		<-r.Context().Done()
	}))
	defer s.Close()
	r := examine(t, at(s.URL+"/v1"), nil, nil)
	for _, code := range []doctor.Code{doctor.HTTP1, doctor.Stream} {
		if k := grades(r)[code]; k.Grade != doctor.Noted || k.Why != doctor.WhyLeftOpen || k.Suspect == nil ||
			k.Suspect.Code != doubt || k.Fault != nil {
			t.Errorf("%+v", k)
		}
	}
	if found := r.Found(); len(found) != 0 {
		t.Errorf("found %+v", found[0])
	}
}

// TestHTTP2 holds that both protocols are tried where a server speaks both.
func TestHTTP2(t *testing.T) {
	b := &backend{}
	s := httptest.NewUnstartedServer(b)
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	target := at(s.URL + "/v1")
	target.CACert = filepath.Join(t.TempDir(), "ca.pem")
	testkit.OK(t, os.WriteFile(target.CACert,
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600))
	r := examine(t, target, nil, nil)
	g := grades(r)
	if p := g[doctor.TLS].Peer; g[doctor.TLS].Grade != doctor.OK || p == nil || p.Protocol != "h2" ||
		p.Version != "TLS 1.3" || !p.NotAfter.Equal(s.Certificate().NotAfter) {
		t.Fatalf("%+v %+v", g[doctor.TLS], p)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	found := slices.DeleteFunc(r.Found(), func(k *doctor.Check) bool { // a busy machine is late, and its chunks pile up
		return k.Code == doctor.Client || k.Code == doctor.Buffers
	})
	if len(found) != 0 || g[doctor.HTTP2].Grade != doctor.OK ||
		strings.Join(b.protos, " ") != "HTTP/1.1 HTTP/2.0 HTTP/1.1" || r.Plan.Requests != 3 {
		t.Errorf("protocols %v, plan %+v, HTTP/2 %+v", b.protos, r.Plan, g[doctor.HTTP2])
	}
}

// TestClientCertificate holds that a handshake in which a client certificate is asked
// for says so, and the failure that follows as well.
func TestClientCertificate(t *testing.T) {
	for _, c := range []struct {
		name string
		auth tls.ClientAuthType
		most uint16
		ok   bool
	}{
		{"asked for", tls.RequestClientCert, 0, true},
		{"wanted if there is one", tls.VerifyClientCertIfGiven, tls.VersionTLS12, true},
		{"required, TLS 1.3", tls.RequireAnyClientCert, 0, false},
		{"required, TLS 1.2", tls.RequireAnyClientCert, tls.VersionTLS12, false},
	} {
		s := httptest.NewUnstartedServer(&backend{})
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.TLS = &tls.Config{ClientAuth: c.auth, MaxVersion: c.most}
		s.StartTLS()
		target := at(s.URL + "/v1")
		target.CACert = filepath.Join(t.TempDir(), "ca.pem")
		testkit.OK(t, os.WriteFile(target.CACert,
			pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600))
		g := grades(examine(t, target, nil, nil))
		s.Close()
		if k := g[doctor.TLS]; k.Fault == nil && (k.Grade != doctor.Noted || k.Why != doctor.WhyAsksCert ||
			!k.Peer.AsksCertificate) ||
			k.Fault != nil && (c.ok || !strings.Contains(k.Fault.Message, "client certificate")) {
			t.Errorf("%s: TLS %+v %+v", c.name, k, k.Fault)
		}
		if k := g[doctor.HTTP1]; c.ok && k.Grade != doctor.OK || !c.ok && k.Fault != nil &&
			!strings.Contains(k.Fault.Message, "client certificate") {
			t.Errorf("%s: HTTP/1.1 %+v %+v", c.name, k, k.Fault)
		}
	}
}

// TestUnixSocket holds that a check-up of a unix socket names no network.
func TestUnixSocket(t *testing.T) {
	file := filepath.Join(t.TempDir(), "llm.sock")
	ln := testkit.Must(net.Listen("unix", file))(t)
	s := &http.Server{Handler: &backend{}}
	go func() { _ = s.Serve(ln) }()
	r := examine(t, at("unix://"+file+":/v1"), nil, nil)
	g := grades(r)
	for _, code := range []doctor.Code{doctor.Proxy, doctor.Lookup} {
		if k := g[code]; k.Grade != doctor.Skipped || k.Why != doctor.WhySocket {
			t.Errorf("%+v", k)
		}
	}
	if k := g[doctor.Connect]; k.Grade != doctor.OK || k.Family != doctor.Unix || k.Address != file {
		t.Errorf("%+v", k)
	}
	if k := g[doctor.HTTP1]; k.Grade != doctor.OK || g[doctor.Stream].Grade != doctor.OK || r.Plan.Requests != 2 {
		t.Errorf("%+v, %+v, plan %+v", k, g[doctor.Stream], r.Plan)
	}
	_ = s.Close()
	r = examine(t, at("unix://"+file+":/v1"), nil, nil)
	if k := grades(r)[doctor.Connect]; k.Grade != doctor.Bad || k.Fault == nil || !strings.Contains(k.Fault.Message,
		file) || len(r.Found()) != 1 {
		t.Errorf("%+v", k)
	}
}

// TestOwnCertificate holds that the client certificate that is sent is told, with its end.
func TestOwnCertificate(t *testing.T) {
	to := time.Now().Add(48 * time.Hour).Truncate(time.Second)
	cert, key := probetest.ClientCertificate(t, "alice", time.Now().Add(-time.Hour), to)
	for _, auth := range []tls.ClientAuthType{tls.NoClientCert, tls.RequireAnyClientCert} {
		s := httptest.NewUnstartedServer(&backend{})
		s.TLS = &tls.Config{ClientAuth: auth}
		s.StartTLS()
		target := at(s.URL + "/v1")
		target.Cert, target.CertKey = cert, key
		target.CACert = filepath.Join(t.TempDir(), "ca.pem")
		testkit.OK(t, os.WriteFile(target.CACert,
			pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600))
		g := grades(examine(t, target, nil, nil))
		s.Close()
		k := g[doctor.TLS]
		if k.Fault != nil || k.Why != doctor.WhyExpires || k.Peer.AsksCertificate != (auth != tls.NoClientCert) ||
			k.Peer.Client != "CN=alice" ||
			!k.Peer.ClientEnds.Equal(to) || g[doctor.HTTP1].Grade != doctor.OK {
			t.Errorf("%v: %+v %+v, %+v", auth, k, k.Peer, g[doctor.HTTP1])
		}
	}
}

// through returns a proxy, and the function that names it.
func through(t *testing.T, h http.Handler) (addr string, proxy func(*http.Request) (*url.URL, error)) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	u := testkit.Must(url.Parse(s.URL))(t)
	u.User = url.UserPassword("user", "proxy-secret-9d1")
	return u.Host, func(*http.Request) (*url.URL, error) { return u, nil }
}

// TestProxies holds what is said of the way through a proxy and of the one
// without it. The proxy's password is never in a result.
func TestProxies(t *testing.T) {
	s := httptest.NewServer(&backend{})
	defer s.Close()
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {}, FlushInterval: -1}
	nobody := probetest.Refuses(t)
	for _, c := range []struct {
		name    string
		handler http.Handler // nil: nobody listens
		want    map[doctor.Code]doctor.Grade
	}{
		{"a proxy that works", forward, map[doctor.Code]doctor.Grade{doctor.Proxy: doctor.OK, doctor.HTTP1: doctor.OK,
			doctor.Direct: doctor.OK, doctor.Stream: doctor.OK}},
		{"it wants a password", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(407) }),
			map[doctor.Code]doctor.Grade{doctor.Proxy: doctor.OK, doctor.HTTP1: doctor.Bad, doctor.Direct: doctor.OK,
				doctor.Stream: doctor.Skipped}},
		{"nobody is there", nil, map[doctor.Code]doctor.Grade{doctor.Proxy: doctor.Bad, doctor.HTTP1: doctor.Bad,
			doctor.Direct: doctor.OK, doctor.Stream: doctor.Skipped}},
	} {
		addr, proxy := nobody, func(*http.Request) (*url.URL, error) { return &url.URL{Scheme: "http", Host: nobody}, nil }
		if c.handler != nil {
			addr, proxy = through(t, c.handler)
		}
		r := examine(t, at(s.URL+"/v1"), proxy, nil)
		g := grades(r)
		for code, want := range c.want {
			if k := g[code]; k == nil || k.Grade != want {
				t.Errorf("%s: %s is %+v, want %s", c.name, code, k, want)
			}
		}
		if g[doctor.Proxy].Address != addr || r.Plan.Requests != 3 {
			t.Errorf("%s: proxy %q, plan %+v", c.name, g[doctor.Proxy].Address, r.Plan)
		}
		if k := g[doctor.HTTP1]; c.handler != nil && k.Grade == doctor.OK && k.Run.Stream.Conn.Proxy != addr ||
			g[doctor.Direct].Run.Stream.Conn.Proxy != "" {
			t.Errorf("%s: the ways are %+v and %+v", c.name, k.Run.Stream.Conn, g[doctor.Direct].Run.Stream.Conn)
		}
		if all, err := json.Marshal(r.Checks); err != nil || strings.Contains(string(all), "proxy-secret") {
			t.Errorf("%s: a result holds the password (%v)", c.name, err)
		}
	}
}

// TestDirectWayIsClosed holds that a failure of the direct way is no finding
// where requests take the proxy.
func TestDirectWayIsClosed(t *testing.T) {
	b := &backend{}
	_, proxy := through(t, b) // it answers for every server
	r := examine(t, at("http://"+probetest.Refuses(t)+"/v1"), proxy, nil)
	g := grades(r)
	if len(r.Found()) != 0 || g[doctor.Connect].Why != doctor.WhyThrough || g[doctor.Direct].Why != doctor.WhyThrough ||
		g[doctor.Stream].Grade != doctor.OK {
		t.Errorf("found %d, TCP %+v, direct %+v, stream %+v", len(r.Found()), g[doctor.Connect], g[doctor.Direct],
			g[doctor.Stream])
	}
}

// TestNames holds what a name server's answers lead to. It replaces the
// process's resolver.
func TestNames(t *testing.T) {
	pc := testkit.Must(net.ListenPacket("udp", "127.0.0.1:0"))(t)
	defer func() { _ = pc.Close() }()
	go func() { // answers every question with: no such name
		buf := make([]byte, 512)
		for {
			n, from, err := pc.ReadFrom(buf)
			if err != nil {
				return
			}
			reply := append([]byte{}, buf[:n]...)
			reply[2] |= 0x80
			reply[3] = reply[3]&0xf0 | 3
			_, _ = pc.WriteTo(reply, from)
		}
	}()
	was := net.DefaultResolver
	defer func() { net.DefaultResolver = was }()
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", pc.LocalAddr().String())
	}}
	r := examine(t, at("https://no-such-name.example/v1"), nil, nil)
	g := grades(r)
	k := g[doctor.Lookup]
	if k.Grade != doctor.Bad || k.Fault == nil || k.Fault.Kind != metrics.FaultDNS || !strings.Contains(k.Fault.Message,
		"no-such-name.example") {
		t.Errorf("%+v %+v", k, k.Fault)
	}
	if len(r.Found()) != 1 || g[doctor.TLS].Why != doctor.WhyEarlier || g[doctor.Stream].Why != doctor.WhyEarlier {
		t.Errorf("%d found, TLS %+v", len(r.Found()), g[doctor.TLS])
	}
}

// TestKeyless holds that a provider's missing key is found, that its path is
// checked all the same, and that nothing is asked of it.
func TestKeyless(t *testing.T) {
	b := &backend{}
	s := httptest.NewServer(b)
	defer s.Close()
	target := at(s.URL + "/v1")
	target.Auth, target.Ready, target.Note = endpoint.AuthBearer, false, "needs a key: SOME_API_KEY"
	r := examine(t, target, nil, nil)
	g := grades(r)
	if k := g[doctor.Key]; k.Grade != doctor.Bad || k.Name != target.Note || len(r.Found()) != 1 {
		t.Errorf("%+v, %d found", k, len(r.Found()))
	}
	if g[doctor.Connect].Grade != doctor.OK || g[doctor.Models].Why != doctor.WhyEarlier || b.requests != 0 {
		t.Errorf("TCP %+v, models %+v, %d requests", g[doctor.Connect], g[doctor.Models], b.requests)
	}
}

// TestInterrupted holds that a stop ends the check-up with what is done.
func TestInterrupted(t *testing.T) {
	s := httptest.NewServer(&backend{})
	defer s.Close()
	e := client.New(client.Options{Proxy: func(*http.Request) (*url.URL, error) { return nil, nil }})
	defer e.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	o := Options{Engine: e, Target: at(s.URL + "/v1"),
		Work: doctor.Work{Short: metrics.Workload{Prompt: "p", MaxTokens: 4}, Long: metrics.Workload{Prompt: "p",
			MaxTokens: 9}}}
	o.Begin = func(c doctor.Code) {
		if c == doctor.HTTP1 {
			cancel(errors.New("ctrl+c"))
		}
	}
	r := Run(ctx, o)
	testkit.That(t, r.Interrupted() && len(r.Found()) == 0 && grades(r)[doctor.Stream] == nil, "%+v", r.Checks)
}

// TestOtherAPIIsNamed holds that a server without a list at its address, which has one in
// another API, is asked in that API; a base URL of the same API comes before it.
func TestOtherAPIIsNamed(t *testing.T) {
	for path, want := range map[string]struct {
		why  doctor.Why
		name string
		list string
	}{
		"/api/tags":      {doctor.WhyAPI, "ollama", `{"models":[{"name":"a:7b","model":"a:7b"}]}`},
		"/v1beta/models": {doctor.WhyAPI, "gemini", `{"models":[{"name":"models/g"}]}`},
		"/api/v1/models": {doctor.WhyBase, "/api/v1", `{"data":[{"id":"m"}]}`},
		"/nowhere":       {doctor.WhyNoList, "m", ""},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != path {
				http.NotFound(w, r)
				return
			}
			_, _ = io.WriteString(w, want.list)
		}))
		r := examine(t, at(s.URL+"/v1"), nil, nil)
		s.Close()
		if k := grades(r)[doctor.Models]; k.Why != want.why || strings.TrimPrefix(k.Name, s.URL) != want.name {
			t.Errorf("%s: %s %q, fault %v", path, k.Why, k.Name, k.Fault)
		}
	}
}

// TestEchoedKey holds that a key that a server echoes, in an error or in a
// model's name, is in no result.
func TestEchoedKey(t *testing.T) {
	const key = "echoed-Zq7hT3pW9xK2wmB5"
	for _, status := range []int{200, 400, 401, 404, 500} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Location", "/"+key)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"data":[{"id":"m-`+key+`"}],"error":{"message":"wrong key `+key+`","code":"`+key+`"}}`)
		}))
		target := at(s.URL + "/v1")
		target.Auth, target.Key, target.KeyFrom = endpoint.AuthBearer, secret.NewSecret(key), "env K"
		r := examine(t, target, nil, func(o *Options) { o.Target.Model = "" })
		s.Close()
		if grades(r)[doctor.Key].Name != "env K" {
			t.Errorf("%+v", grades(r)[doctor.Key])
		}
		all, err := json.Marshal(r.Checks)
		testkit.That(t, err == nil && !strings.Contains(string(all), key[7:]),
			"status %d: a result holds the key (%v): %s", status, err, all)
	}
}
