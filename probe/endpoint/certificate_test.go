package endpoint_test

import (
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
)

// TestCertificateFiles holds which files make a client certificate, what is said of all
// others before a request, and that nothing secret is in it.
func TestCertificateFiles(t *testing.T) {
	now := time.Now()
	cert, key := probetest.ClientCertificate(t, "alice", now.Add(-time.Hour), now.Add(time.Hour))
	_, otherKey := probetest.ClientCertificate(t, "bob", now.Add(-time.Hour), now.Add(time.Hour))
	ended, endedKey := probetest.ClientCertificate(t, "alice", now.Add(-48*time.Hour), now.Add(-24*time.Hour))
	early, earlyKey := probetest.ClientCertificate(t, "alice", now.Add(24*time.Hour), now.Add(48*time.Hour))
	read := func(name string) string { return string(testkit.Must(os.ReadFile(name))(t)) }
	write := func(name, text string) string {
		name = filepath.Join(t.TempDir(), name)
		testkit.OK(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	both := write("both.pem", read(key)+read(cert))
	sealed := write("sealed.key",
		string(pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: []byte("x")})))
	old := write("old.key", string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY",
		Headers: map[string]string{"Proc-Type": "4,ENCRYPTED"}, Bytes: []byte("x")})))
	for _, c := range []struct{ cert, key, say, next string }{
		{"", "", "", ""},
		{cert, key, "", ""},
		{both, "", "", ""},
		{both, key, "", ""},
		{cert, "", "holds no private key", "--key, or cert_key"},
		{key, key, "holds no certificate", "openssl pkcs12"},
		{cert, cert, "holds no private key", "--key"},
		{cert, otherKey, "are no pair", "was made for"},
		{cert, sealed, "is encrypted", "openssl pkey"},
		{cert, old, "is encrypted", "openssl pkey"},
		{cert, write("broken.key", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("x")}))),
			"are no pair", ""},
		{ended, endedKey, " to " + now.Add(-24*time.Hour).UTC().Format(time.DateOnly), "new one"},
		{early, earlyKey, "valid from " + now.Add(24*time.Hour).UTC().Format(time.DateOnly), "clock"},
		{cert + ".none", key, "client.pem.none cannot be read", "--cert"},
		{cert, key + ".none", "client.key.none cannot be read", "--key"},
		{cert + ":hunter2", key, "client.pem:[redacted] cannot be read", "without its password"},
		{cert, "sk-hunter2hunter2hunter2", "[redacted] cannot be read", "--api-key-file"},
	} {
		target := endpoint.Target{Cert: c.cert, CertKey: c.key}
		got, err := target.Certificate()
		if c.say == "" {
			testkit.That(t, err == nil && (got != nil) == (c.cert != ""), "%s, %s: %v, %v", c.cert, c.key, got, err)
			continue
		}
		f, ok := errors.AsType[*metrics.Fault](err)
		if !ok || f.Kind != metrics.FaultConfig || !strings.Contains(f.Message, c.say) ||
			!strings.Contains(f.Next, c.next) || f.Next == "" ||
			strings.Contains(f.Error(), "hunter2") {
			t.Errorf("%s, %s: %+v, want %q", c.cert, c.key, err, c.say)
		}
	}
}

// TestCertificateFlags holds that the command line's certificate replaces that of a
// profile with its key.
func TestCertificateFlags(t *testing.T) {
	profiles := map[string]endpoint.Profile{"gw": {URL: "https://gw.example/v1", Cert: "~/a.pem", CertKey: "~/a.key"}}
	env := func(name string) string { return map[string]string{"HOME": "/home/me"}[name] }
	for _, c := range []struct {
		flags     endpoint.Flags
		cert, key string
	}{
		{endpoint.Flags{}, "/home/me/a.pem", "/home/me/a.key"},
		{endpoint.Flags{Cert: "b.pem"}, "b.pem", ""},
		{endpoint.Flags{Cert: "b.pem", CertKey: "b.key"}, "b.pem", "b.key"},
		{endpoint.Flags{CertKey: "b.key"}, "/home/me/a.pem", "b.key"},
	} {
		r := endpoint.Resolver{Profiles: profiles, Env: env, Flags: c.flags}
		got := testkit.Must(r.Resolve("gw"))(t)
		testkit.That(t, got.Cert == c.cert && got.CertKey == c.key, "%+v: %q, %q", c.flags, got.Cert, got.CertKey)
	}
	if key, what, _ := (endpoint.Profile{URL: "https://h/v1", CertKey: "a.key"}).Check("x"); key != "cert_key" ||
		what == "" {
		t.Errorf("%q %q", key, what)
	}
}
