package endpoint

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/probe/secret"
)

// Values of Target.Auth: how a key is sent.
const (
	AuthBearer = "bearer"  // Authorization: Bearer KEY
	AuthAPIKey = "api-key" // api-key: KEY (Azure)
	AuthNone   = "none"    // no key is sent
)

// Target is an endpoint with everything that a request to it needs. No way of
// printing it shows the key, or secret values of headers and query.
type Target struct {
	metrics.Endpoint
	// Key is the key to send; empty if unknown or not needed.
	Key secret.Secret
	// Auth is AuthBearer, AuthAPIKey or AuthNone.
	Auth string
	// Header holds further request headers, without possible secrets. Only
	// Authorize sets those.
	Header map[string]string
	// Query is added to the query of every request (Azure's api-version),
	// without possible secrets as in Header.
	Query url.Values
	// Extra is merged into the JSON body of every request.
	Extra map[string]any
	// KeyFrom names the source of the key for a person: "env GROQ_API_KEY",
	// "file", "stdin", "api_key_cmd", "the profile's headers: Authorization"; "" without
	// a key.
	KeyFrom string
	// InsecureHTTP allows a key over http to another machine.
	InsecureHTTP bool
	// CACert is the path of a PEM file with additional root certificates.
	CACert string
	// HTTP2 requests HTTP/2.
	HTTP2 bool
	// Direct leaves out the proxy of the environment.
	Direct bool
	// Connection is the connection that the target was named with; ReuseAuto
	// leaves it to the workload.
	Connection metrics.Reuse
	// Server is the fingerprint: "vllm", "llama.cpp", "ollama", a provider's
	// name, …; "" if unknown.
	Server string
	// MaxField is the field that bounds the output ("max_tokens",
	// "max_completion_tokens"), "" if any is accepted.
	MaxField string
	// MaxTokens bounds the output if the user set no bound; 0 = not set.
	MaxTokens int
	// Bases are the base URLs to try in this order; the first is URL.
	Bases []string
	// Warnings are sentences for the user, such as about a key file that other
	// users can read.
	Warnings []string

	// The price of the tokens, see Price.
	price    ModelPrice
	priced   string // the model of price; "" means any
	prices   map[string]ModelPrice
	currency string

	secretHeader map[string]secret.Secret
	secretQuery  map[string][]secret.Secret
}

// Headers that ask the embedded endpoint to report its queue, in comments
// before the first token.
const (
	truthHeader = "X-Sim-Truth"
	truthQueue  = "queue"
)

// AskQueue returns t with a header that requests queue reports, if t is the
// embedded endpoint. Other servers do not report their queue: t is unchanged.
func (t Target) AskQueue() Target {
	if t.Kind == metrics.EndpointEmbedded && t.Header[truthHeader] == "" {
		t.setHeader(truthHeader, truthQueue, false)
	}
	return t
}

// TellsQueue reports whether AskQueue requested queue reports.
func (t Target) TellsQueue() bool {
	return t.Kind == metrics.EndpointEmbedded && t.Header[truthHeader] == truthQueue
}

// Asked returns the class of service that the requests name in Extra.
func (t *Target) Asked() metrics.Service {
	tier, _ := t.Extra["service_tier"].(string)
	speed, _ := t.Extra["speed"].(string)
	return metrics.Service{Tier: tier, Speed: speed}
}

// Here reports whether t is on this machine, where tokens cost nothing: the embedded
// endpoint, and servers on loopback.
func (t *Target) Here() bool {
	return t.Kind == metrics.EndpointEmbedded || LoopbackURL(t.URL)
}

// setHeader adds a header. It is kept as secret if secret is set or the name
// says so. Maps are replaced, not changed: copies of t share them.
func (t *Target) setHeader(name, value string, hidden bool) {
	name = http.CanonicalHeaderKey(name)
	t.Header, t.secretHeader = maps.Clone(t.Header), maps.Clone(t.secretHeader)
	delete(t.Header, name)
	delete(t.secretHeader, name)
	if hidden || SecretName(name) {
		if t.secretHeader == nil {
			t.secretHeader = map[string]secret.Secret{}
		}
		t.secretHeader[name] = secret.NewSecret(value)
		return
	}
	if t.Header == nil {
		t.Header = map[string]string{}
	}
	t.Header[name] = value
}

// setQuery sets a query parameter, as setHeader does a header.
func (t *Target) setQuery(name string, values []string, hidden bool) {
	t.Query, t.secretQuery = maps.Clone(t.Query), maps.Clone(t.secretQuery)
	delete(t.Query, name)
	delete(t.secretQuery, name)
	if hidden || SecretName(name) {
		if t.secretQuery == nil {
			t.secretQuery = map[string][]secret.Secret{}
		}
		for _, val := range values {
			t.secretQuery[name] = append(t.secretQuery[name], secret.NewSecret(val))
		}
		return
	}
	if t.Query == nil {
		t.Query = url.Values{}
	}
	t.Query[name] = values
}

// Authorize sets the headers of t on a request, with the key, and adds its
// query. It replaces headers that the request already has.
func (t Target) Authorize(r *http.Request) {
	if !t.Key.Empty() {
		switch t.Auth {
		case AuthAPIKey:
			r.Header.Set("Api-Key", t.Key.Reveal())
		case AuthNone:
		default:
			r.Header.Set("Authorization", "Bearer "+t.Key.Reveal())
		}
	}
	for k, val := range t.Header {
		if k == "Host" {
			r.Host = val
			continue
		}
		r.Header.Set(k, val)
	}
	for k, val := range t.secretHeader {
		r.Header.Set(k, val.Reveal())
	}
	if len(t.Query)+len(t.secretQuery) == 0 {
		return
	}
	q := r.URL.Query()
	for k, vals := range t.Query {
		q[k] = vals
	}
	for k, vals := range t.secretQuery {
		delete(q, k)
		for _, val := range vals {
			q.Add(k, val.Reveal())
		}
	}
	r.URL.RawQuery = q.Encode()
}

// Secrets returns everything in t that must never be shown: the key, and
// values of headers and query parameters that may hold one. Pass them to a
// Scrubber.
func (t Target) Secrets() []secret.Secret {
	var out []secret.Secret
	add := func(s secret.Secret) {
		if !s.Empty() {
			out = append(out, s)
		}
	}
	add(t.Key)
	for _, k := range sortedKeys(t.secretHeader) {
		s := t.secretHeader[k]
		add(s)
		if _, rest, ok := strings.Cut(s.Reveal(), " "); ok {
			add(secret.NewSecret(strings.TrimSpace(rest))) // the scheme, then the key
		}
	}
	for _, k := range sortedKeys(t.secretQuery) {
		for _, s := range t.secretQuery[k] {
			add(s)
		}
	}
	return out
}

// SecretName reports whether a header, query parameter or setting of that
// name may hold a secret.
func SecretName(name string) bool {
	n := strings.ToLower(name)
	switch n {
	case "api-version", "content-type", "accept", "user-agent", "http-referer", "referer", "x-title", "anthropic-version":
		return false
	case "code", "sig", "pwd":
		return true
	}
	if strings.HasSuffix(n, "_tokens") {
		return false // max_tokens and similar names
	}
	return containsAny(n, "key", "auth", "token", "secret", "cookie", "passw", "credential", "signature", "session")
}

// containsAny reports whether one of words is part of s.
func containsAny(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}

// redacted is the printable part of a Target.
type redacted struct {
	Kind     metrics.EndpointKind `json:"kind"`
	Name     string               `json:"name"`
	URL      string               `json:"url"`
	Model    string               `json:"model,omitempty"`
	Server   string               `json:"server,omitempty"`
	Auth     string               `json:"auth,omitempty"`
	Key      secret.Secret        `json:"key,omitempty"`
	KeyFrom  string               `json:"key_from,omitempty"`
	Headers  []string             `json:"headers,omitempty"`
	Query    []string             `json:"query,omitempty"`
	Insecure bool                 `json:"insecure_http,omitempty"`
}

func (t Target) redacted() redacted {
	return redacted{t.Kind, t.Name, t.URL, t.Model, t.Server, t.Auth, t.Key, t.KeyFrom,
		append(sortedKeys(t.Header), sortedKeys(t.secretHeader)...),
		append(sortedKeys(t.Query), sortedKeys(t.secretQuery)...), t.InsecureHTTP}
}

// MarshalJSON omits every value that may be secret.
func (t Target) MarshalJSON() ([]byte, error) { return json.Marshal(t.redacted()) }

// String returns the name, the URL and the model.
func (t Target) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", t.Name, t.URL, t.Model))
}

// Format prints the printable parts, under every verb.
func (t Target) Format(f fmt.State, verb rune) {
	if verb == 's' || verb == 'v' && !f.Flag('+') && !f.Flag('#') {
		_, _ = fmt.Fprint(f, t.String())
		return
	}
	_, _ = fmt.Fprintf(f, "%+v", t.redacted())
}

// LogValue returns what MarshalJSON encodes.
func (t Target) LogValue() slog.Value { return slog.StringValue(fmt.Sprintf("%+v", t.redacted())) }

// sortedKeys returns the keys of m. It allocates nothing for an empty one.
func sortedKeys[V any](m map[string]V) []string {
	if len(m) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(m))
}
