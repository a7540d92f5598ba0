package endpoint

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"tokscope/metrics"
)

const theKey = "sk-proj-Ab+/\"\\&<é1234567890"

// every is each way of printing v that the standard library has.
func every(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	for _, verb := range "vTtbcdoOqxXUeEfFgGsp" {
		for _, flag := range []string{"", "+", "#", "-", " ", "0", "40", ".3", "+#"} {
			fmt.Fprintf(&b, "%"+flag+string(verb)+"\n", v)
		}
	}
	fmt.Fprintln(&b, v, []any{v}, map[string]any{"k": v}, errors.New(fmt.Sprint(v)))
	j, err := json.Marshal(v)
	fmt.Fprintln(&b, string(j), err)
	x, err := xml.Marshal(v)
	fmt.Fprintln(&b, string(x), err)
	for _, h := range []slog.Handler{slog.NewTextHandler(&b, nil), slog.NewJSONHandler(&b, nil)} {
		slog.New(h).Info("m", "v", v, "in", []any{v}, "map", map[string]any{"k": v})
	}
	return b.String()
}

func TestSecretIsNeverPrinted(t *testing.T) {
	s := NewSecret(theKey)
	type outer struct {
		Open   Secret
		hidden Secret
	}
	type deep struct {
		in  outer
		ptr *outer
		m   map[string]Secret
		l   []Secret
	}
	o := outer{s, s}
	values := map[string]any{
		"secret": s, "pointer": &s, "struct": o, "struct pointer": &o,
		"deep": deep{o, &o, map[string]Secret{"k": s}, []Secret{s}}, "slice": []Secret{s}, "array": [1]Secret{s},
	}
	for name, v := range values {
		out := every(t, v)
		for _, part := range []string{theKey, theKey[:12], "1234567890", fmt.Sprintf("%x", theKey[:8]), fmt.Sprintf("%X", theKey[:8])} {
			if strings.Contains(out, part) {
				t.Errorf("%s: the key shows (%q)", name, part)
			}
		}
	}
	if got := fmt.Sprintf("%s %v %q %x %d", s, s, s, s, s); got != strings.TrimSpace(strings.Repeat(Redacted+" ", 5)) {
		t.Errorf("printed as %s", got)
	}
	if s.Reveal() != theKey || NewSecret("").String() != "" || !NewSecret("").Empty() || s.Empty() {
		t.Error("Reveal, String or Empty is wrong")
	}
	if !s.Equal(NewSecret(theKey)) || s.Equal(NewSecret("other")) {
		t.Error("Equal is wrong")
	}
}

func TestTargetIsPrintedWithoutSecrets(t *testing.T) {
	target := Target{Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, Name: "n", URL: "https://h/v1"}, Key: NewSecret(theKey), Auth: AuthBearer}
	target.setHeader("x-gateway-token", "gateway-hunter2", false)
	target.setHeader("Authorization", "Custom custom-hunter2", false)
	target.setHeader("X-Odd", "odd-hunter2", true)
	target.setHeader("X-Team", "blue", false)
	target.setQuery("sig", []string{"sig-hunter2"}, false)
	target.setQuery("api-version", []string{"2024-10-21"}, false)
	out := every(t, target) + every(t, &target) + every(t, struct{ in Target }{target})
	for _, part := range []string{theKey[:12], "1234567890", "hunter2"} {
		if strings.Contains(out, part) {
			t.Errorf("%q shows", part)
		}
	}
	var known []string
	for _, s := range target.Secrets() {
		known = append(known, s.Reveal())
	}
	for _, want := range []string{theKey, "gateway-hunter2", "custom-hunter2", "odd-hunter2", "sig-hunter2"} {
		if !strings.Contains(strings.Join(known, "\n"), want) {
			t.Errorf("Secrets misses %q", want)
		}
	}

	r := httptest.NewRequest("GET", "https://h/v1/models?a=1", nil)
	target.Authorize(r)
	if got := r.Header.Get("Authorization"); got != "Custom custom-hunter2" {
		t.Errorf("a header of the target must win over the key: %q", got)
	}
	if r.Header.Get("X-Gateway-Token") != "gateway-hunter2" || r.Header.Get("X-Team") != "blue" || r.URL.RawQuery != "a=1&api-version=2024-10-21&sig=sig-hunter2" {
		t.Errorf("request lacks something: %v %s", r.Header, r.URL.RawQuery)
	}
}

func TestAuthorize(t *testing.T) {
	for _, c := range []struct{ auth, bearer, apiKey string }{
		{AuthBearer, "Bearer k", ""}, {"", "Bearer k", ""}, {AuthAPIKey, "", "k"}, {AuthNone, "", ""},
	} {
		r := httptest.NewRequest("GET", "http://h/", nil)
		Target{Key: NewSecret("k"), Auth: c.auth}.Authorize(r)
		if r.Header.Get("Authorization") != c.bearer || r.Header.Get("Api-Key") != c.apiKey {
			t.Errorf("auth %q: %v", c.auth, r.Header)
		}
	}
}
