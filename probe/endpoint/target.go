package endpoint

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/probe/dialect"
	"tokscope/probe/secret"
)

// Values of Target.Auth: how a key is sent.
const (
	AuthBearer = "bearer"  // Authorization: Bearer KEY
	AuthAPIKey = "api-key" // api-key: KEY (Azure)
	AuthNone   = "none"    // no key is sent
	AuthX      = "x-api-key"
	AuthGoogle = "x-goog-api-key"
)

// auths are the values of Target.Auth.
var auths = []string{AuthBearer, AuthAPIKey, AuthX, AuthGoogle, AuthNone}

// keyHeader returns the header that carries the key of t, and what stands before the key.
func (t *Target) keyHeader() (name, scheme string) {
	kind, ok := strings.CutPrefix(t.Key.Reveal(), "sk-")
	token := t.Auth == AuthX && ok && strings.HasPrefix(kind, "ant-oat")                // of OAuth
	token = token || t.Auth == AuthGoogle && strings.HasPrefix(t.Key.Reveal(), "ya29.") // of Google Cloud
	if t.Auth == "" || t.Auth == AuthBearer || token {
		return "Authorization", "Bearer "
	}
	return http.CanonicalHeaderKey(t.Auth), ""
}

// Target is an endpoint with everything that a request to it needs. No way of
// printing it shows the key, or secret values of headers and query.
type Target struct {
	metrics.Endpoint
	// Key is the key to send; empty if unknown or not needed.
	Key secret.Secret
	// Auth is one of auths; "" is AuthBearer.
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
	// Cert and CertKey are the paths of PEM files with the client certificate and its
	// private key; CertKey is "" where Cert holds both. "" is none.
	Cert, CertKey string
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
	// "max_completion_tokens"), "" for that of the API.
	MaxField string
	// MaxTokens bounds the output if the user set no bound; 0 = not set.
	MaxTokens int
	// Bases are the base URLs to try in this order; the first is URL.
	Bases []string
	// Warnings are sentences for the user, such as about a key file that other
	// users can read.
	Warnings []string

	profile *Profile // that it was made from, for Price and Resolver.claim; nil without one

	// One value of each header, any number of a parameter.
	secretHeader map[string][]secret.Secret
	secretQuery  map[string][]secret.Secret
	hidden       []secret.Secret // what else may hold a key: texts of the body
	// spoken are messages and tools as they are sent, by what is shown and recorded of them.
	spoken map[metrics.Raw]secret.Secret
	// written are secret headers with the variables that they were written with.
	written map[string]string
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

// Address returns the URL to which t's requests go, without Query.
func (t *Target) Address() string { return dialect.Speaks(t.API).URL(t.URL, t.Model) }

// Typed is Address as a person writes it: it says the API, and so it is ws:// or wss:// for a
// WebSocket.
func (t *Target) Typed() string {
	address := t.Address()
	if rest, ok := strings.CutPrefix(address, "http"); ok && dialect.Speaks(t.API).Ends != nil {
		return "ws" + rest
	}
	return address
}

// speak makes t one of the API with that name, "" for the first, in place of the one that it
// was. The error is that there is none.
func (t *Target) speak(name string) error {
	a := dialect.Speaks(name)
	if a == nil {
		return Refuse(strconv.Quote(name)+" is no API", "give one of "+strings.Join(dialect.Names(), ", "))
	}
	if was := dialect.Speaks(t.API); was != nil && was != a && t.Auth == cmp.Or(was.Auth, AuthBearer) {
		t.Auth = ""
		for k := range was.Header {
			t.setHeader(k, "", false)
			delete(t.Header, k)
		}
	}
	t.API, t.Auth = a.Name, cmp.Or(t.Auth, a.Auth, AuthBearer)
	if a == dialect.Speaks("") {
		t.API = ""
		return nil
	}
	for k, val := range a.Header {
		if t.Header[k] == "" {
			t.setHeader(k, val, false)
		}
	}
	switch {
	case t.Kind == metrics.EndpointEmbedded:
	case len(t.Bases) > 0: // the shortest is as it was given
		t.Bases = a.Bases(slices.MinFunc(t.Bases, func(x, y string) int { return len(x) - len(y) }))
		t.URL = t.Bases[0]
	case a.Version == "":
		t.URL = a.Bases(t.URL)[0]
	}
	return nil
}

// Sampled returns t with the headers that a wants for a request with a temperature, where t
// has those of other requests. changed is what differs, "" for nothing.
func (t *Target) Sampled(a *dialect.API) (sampled *Target, changed string) {
	sampled = t
	for k, val := range a.Sampled {
		if t.Header[k] == a.Header[k] {
			other := *sampled
			other.setHeader(k, val, false)
			sampled, changed = &other, k+" "+val
		}
	}
	return sampled, changed
}

// Here reports whether t is on this machine, where tokens cost nothing: the embedded
// endpoint, and servers on loopback.
func (t *Target) Here() bool {
	return t.Kind == metrics.EndpointEmbedded || LoopbackURL(t.URL)
}

// setHeader adds a header. It is kept as secret if hidden is set or the name says so.
func (t *Target) setHeader(name, value string, hidden bool) {
	set(&t.Header, &t.secretHeader, http.CanonicalHeaderKey(name), value, v(value), hidden)
}

// wrote keeps how the value of a secret header was written.
func (t *Target) wrote(name, text string) {
	t.written = cloned(t.written)
	t.written[name] = text
}

// cloned returns a copy of m that can be written to, also of nil.
func cloned[M ~map[K]V, K comparable, V any](m M) M {
	out := make(M, len(m)+1)
	maps.Copy(out, m)
	return out
}

// setQuery sets a query parameter, as setHeader does a header.
func (t *Target) setQuery(name string, values []string, hidden bool) {
	set((*map[string][]string)(&t.Query), &t.secretQuery, name, values, values, hidden)
}

// set stores value in plain, or its parts in hidden. Maps are replaced, not changed:
// copies of a target share them.
func set[V any](plain *map[string]V, hidden *map[string][]secret.Secret,
	name string, value V, parts []string, hide bool) {
	*plain, *hidden = maps.Clone(*plain), maps.Clone(*hidden)
	delete(*plain, name)
	delete(*hidden, name)
	if hide || SecretName(name) {
		if *hidden == nil {
			*hidden = map[string][]secret.Secret{}
		}
		(*hidden)[name] = pick.Each(parts, func(s *string) secret.Secret { return secret.NewSecret(*s) })
		return
	}
	if *plain == nil {
		*plain = map[string]V{}
	}
	(*plain)[name] = value
}

// Authorize sets the headers of t on a request, with the key, and adds its
// query. It replaces headers that the request already has.
func (t Target) Authorize(r *http.Request) {
	if !t.Key.Empty() && t.Auth != AuthNone {
		name, scheme := t.keyHeader()
		r.Header.Set(name, scheme+t.Key.Reveal())
	}
	for k, val := range t.Header {
		if k == "Host" {
			r.Host = val
			continue
		}
		r.Header.Set(k, val)
	}
	for k, vals := range t.secretHeader {
		r.Header.Set(k, vals[0].Reveal())
	}
	if len(t.Query)+len(t.secretQuery) == 0 {
		return
	}
	q := r.URL.Query()
	maps.Copy(q, t.Query)
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
func (t Target) Secrets() (all []secret.Secret) {
	if !t.Key.Empty() {
		all = append(all, t.Key)
	}
	all = append(all, t.hidden...)
	for _, k := range sortedKeys(t.secretHeader) {
		for _, s := range t.secretHeader[k] {
			all = append(all, withoutScheme(s)...)
		}
	}
	for _, k := range sortedKeys(t.secretQuery) {
		all = append(all, t.secretQuery[k]...)
	}
	for _, k := range sortedKeys(t.Extra) {
		hideSecrets(k, t.Extra[k], func(s secret.Secret) { all = append(all, s) })
	}
	return slices.DeleteFunc(all, secret.Secret.Empty)
}

// withoutScheme returns s, and what of it follows a scheme such as Bearer.
func withoutScheme(s secret.Secret) []secret.Secret {
	_, rest, _ := strings.Cut(s.Reveal(), " ")
	return []secret.Secret{s, secret.NewSecret(strings.TrimSpace(rest))}
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

// String returns the name, the URL and the model.
func (t Target) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", t.Name, t.URL, t.Model))
}

// Format prints String under every verb.
func (t Target) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, t.String()) }

// MarshalText returns String, for JSON as well.
func (t Target) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// sortedKeys returns the keys of m. It allocates nothing for an empty one.
func sortedKeys[V any](m map[string]V) []string {
	if len(m) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(m))
}
