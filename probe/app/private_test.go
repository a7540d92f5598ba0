package app_test

import (
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/app"
	"tokscope/probe/client"
	"tokscope/probe/config"
	"tokscope/probe/endpoint"
)

// private serves a short stream over TLS, HTTP/1.1 or 2, with a certificate
// that is valid only by the returned PEM file.
func private(t *testing.T) (url, cacert string) {
	t.Helper()
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"inhouse"}]}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"hello"}}]}`+"\n\n")
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	srv.EnableHTTP2 = true
	srv.StartTLS()
	t.Cleanup(srv.Close)
	cacert = filepath.Join(t.TempDir(), "authority.pem")
	data := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})
	testkit.OK(t, os.WriteFile(cacert, data, 0o600))
	return srv.URL + "/v1", cacert
}

// Select applies the certificates and the protocol of a profile while the
// program runs, and refuses an unusable profile.
func TestSelectBringsCertificatesAndProtocol(t *testing.T) {
	url, cacert := private(t)
	cfg := filepath.Join(t.TempDir(), "config.toml")
	text := ""
	for name, extra := range map[string]string{
		"private": fmt.Sprintf("cacert = %q", cacert), "two": fmt.Sprintf("cacert = %q\nhttp2 = true", cacert),
		"stranger": "", "typo": `cacert = "/nowhere/authority.pem"`, "empty": fmt.Sprintf("cacert = %q", cfg),
	} {
		text += fmt.Sprintf("[profile.%s]\nurl = %q\nmodel = \"inhouse\"\n%s\n", name, url, extra)
	}
	testkit.OK(t, os.WriteFile(cfg, []byte(text), 0o600))
	file := testkit.Must(config.Load(cfg))(t)
	e := client.New(client.Options{})
	s := app.New(app.Options{Engine: e, Resolver: &endpoint.Resolver{Profiles: file.Profiles,
		Env: func(string) string { return "" }}})
	changed := make(chan struct{}, 100)
	s.SetNotify(func() { changed <- struct{}{} })
	t.Cleanup(func() {
		s.Wait()
		e.Close()
	})
	known := map[string]metrics.Endpoint{}
	for _, p := range s.Endpoints(t.Context()) {
		known[p.Name] = p
	}
	for i, c := range []struct{ profile, proto, fault string }{
		{"private", "HTTP/1.1", ""},
		{"two", "HTTP/2.0", ""},
		{"stranger", "", "certificate"}, // connections of the others must not be lent to it
		{"private", "HTTP/1.1", ""},
	} {
		testkit.OK(t, s.Select(known[c.profile]), c.profile)
		models, err := s.Models(t.Context(), known[c.profile])
		if c.fault == "" && (err != nil || len(models) != 1 || models[0] != "inhouse") || c.fault != "" && err == nil {
			t.Errorf("%s: models %q, %v", c.profile, models, err)
		}
		s.Begin(metrics.Workload{Prompt: "hi", MaxTokens: 5})
		until(t, changed, func() bool { return len(s.Runs()) == i+1 })
		v := s.Runs()[i].Stream
		switch {
		case c.fault == "" && (v.State != metrics.Done || v.Conn.Proto != c.proto):
			t.Errorf("%s: %v over %q, %v; want done over %s", c.profile, v.State, v.Conn.Proto, v.Fault, c.proto)
		case c.fault != "" && (v.Fault == nil || v.Fault.Kind != metrics.FaultTLS || !strings.Contains(v.Fault.Message,
			c.fault)):
			t.Errorf("%s: fault %v, want one of TLS with %q", c.profile, v.Fault, c.fault)
		}
	}
	for profile, want := range map[string]string{"typo": "/nowhere/authority.pem", "empty": "holds no certificate"} {
		if err := s.Select(known[profile]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want it refused with %q", profile, err, want)
		}
		testkit.Is(t, s.Endpoint().Name, "private", "after", profile, "was refused the endpoint")
	}
}
