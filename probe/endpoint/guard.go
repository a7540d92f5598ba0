package endpoint

import (
	"cmp"
	"slices"
	"strings"

	"tokscope/metrics"
)

// finish applies the flags and refuses an unsafe target.
func (r *Resolver) finish(t Target, spec *Spec) (Target, error) {
	f := r.Flags
	if t.Kind != metrics.EndpointEmbedded {
		if err := r.flagKey(&t); err != nil {
			return Target{}, err
		}
		t.CACert = cmp.Or(f.CACert, t.CACert)
		if f.Cert != "" || f.CertKey != "" { // the key of --cert is in it, unless --key names that
			t.Cert, t.CertKey = cmp.Or(f.Cert, t.Cert), f.CertKey
		}
		if t.CertKey != "" && t.Cert == "" {
			return Target{}, Refuse("--key is given without a client certificate", "name that with --cert; "+
				"a key of the API is given with --api-key-file")
		}
		t.HTTP2 = t.HTTP2 || r.HTTP2
		t.InsecureHTTP = t.InsecureHTTP || f.InsecureHTTP
	}
	if err := t.speak(cmp.Or(f.API, t.API)); err != nil {
		return Target{}, err
	}
	if err := r.asked(&t); err != nil {
		return Target{}, err
	}
	if spec.Model == "" && f.Model != "" {
		t.Model = f.Model
	}
	if err := spec.apply(&t); err != nil {
		return Target{}, err
	}
	if r.MaxTokens > 0 {
		t.MaxTokens = r.MaxTokens
	}
	if err := r.claim(&t); err != nil {
		return Target{}, err
	}
	if err := guard(&t); err != nil {
		return Target{}, err
	}
	r.ready(&t)
	r.Remember(t)
	return t, nil
}

// guard refuses to send a secret unencrypted to another machine, unless the
// user allowed it. A target with that permission gets a Badge.
func guard(t *Target) error {
	if t.Here() || !strings.HasPrefix(t.URL, "http://") {
		return nil
	}
	if t.Key.Empty() && t.secrets() == 0 {
		return nil
	}
	if !t.InsecureHTTP {
		return Refuse("a key would go over http, readable by everyone on the way, to "+t.URL,
			"use https, or --insecure-http (insecure_http = true in the profile) if the network is yours")
	}
	t.Badge = "http with a key"
	return nil
}

// secrets counts the headers and parameters that may carry a key: those of an account say
// who pays, and open nothing.
func (t *Target) secrets() int {
	n := len(t.secretHeader) + len(t.secretQuery)
	for _, of := range accountHeaders {
		n -= len(t.secretHeader[of[0]])
	}
	return n
}

// NeedsKey refuses a target that is known to want a key and has none: every request
// would fail, and send the prompt along.
func (t *Target) NeedsKey() error {
	if t.Ready {
		return nil
	}
	_, variable, _ := strings.Cut(t.Note, "needs a key: ")
	return Refuse(t.Name+" needs a key", "set "+variable+", or name another variable with --api-key-env")
}

// keyFrom returns KeyFrom, or which further headers or parameters of the query carry a
// key where there is no other, or in its place.
func (t *Target) keyFrom() string {
	if t.Key.Empty() && t.KeyFrom != "" { // a header of the command line
		return t.KeyFrom
	}
	_, replaced := t.secretHeader["Authorization"]
	if !t.Key.Empty() && !replaced {
		return t.KeyFrom
	}
	secrets := func(names []string) string {
		return strings.Join(slices.DeleteFunc(names, func(n string) bool { return !SecretName(n) }), ", ")
	}
	if names := secrets(sortedKeys(t.secretHeader)); names != "" {
		return "the profile's headers: " + names
	}
	if names := secrets(sortedKeys(t.secretQuery)); names != "" {
		return "the query: " + names
	}
	return t.KeyFrom
}

// ready sets Ready, KeyFrom, and Note if something is missing.
func (r *Resolver) ready(t *Target) {
	t.Ready = true
	t.KeyFrom = t.keyFrom()
	if !t.Key.Empty() || t.Auth == AuthNone {
		return
	}
	if p, ok := ProviderByName(t.Server); ok && !p.Local &&
		len(p.KeyVars) > 0 && t.secrets() == 0 {
		t.Ready = false
		t.Note = "needs a key: " + p.KeyVars[0]
		return
	}
	if t.Kind == metrics.EndpointURL && !LoopbackURL(t.URL) && r.env("OPENAI_API_KEY") != "" {
		t.Note = "no key is sent: OPENAI_API_KEY may belong to another host; --api-key-env OPENAI_API_KEY sends it"
	}
}
