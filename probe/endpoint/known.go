package endpoint

import (
	"cmp"
	"strings"

	"tokscope/metrics"
	"tokscope/probe/secret"
)

// Known lists the endpoints that need no search, except the embedded one.
// They are OPENAI_BASE_URL, the profiles by name, and the providers whose key
// is in the environment. It reads only the environment and the configuration.
// It runs no command, reads no file and sends nothing. An incomplete entry is
// not Ready, and its Note says what is missing.
func (r *Resolver) Known() []metrics.Endpoint {
	var out []metrics.Endpoint
	if base, name := r.openaiBase(); base != "" {
		if t, err := r.fromURL(base); err == nil {
			t.InsecureHTTP = t.InsecureHTTP || r.Flags.InsecureHTTP
			e := r.listed(t)
			e.Note = strings.TrimPrefix(e.Note+", from "+name, ", ")
			out = append(out, e)
		}
	}
	for _, name := range sortedKeys(r.Profiles) {
		out = append(out, r.knownProfile(name, r.Profiles[name]))
	}
	for _, p := range providers {
		if p.Local {
			continue
		}
		if key, from := p.Key(r.env); !key.Empty() {
			t, err := r.fromProvider(p)
			if err != nil {
				out = append(out,
					metrics.Endpoint{Kind: metrics.EndpointProvider, Name: p.Name, Note: message(err), Model: p.Model})
				continue
			}
			e := r.listed(t)
			e.Note = strings.TrimPrefix(e.Note+", key from "+from, ", ")
			out = append(out, e)
		}
	}
	return out
}

// listed returns the list entry of t.
func (r *Resolver) listed(t Target) metrics.Endpoint {
	if err := guard(&t); err != nil {
		t.Note = "refused: http with a key"
		return t.Endpoint
	}
	r.ready(&t)
	return t.Endpoint
}

// knownProfile describes a profile without reading its key.
func (r *Resolver) knownProfile(name string, p Profile) metrics.Endpoint {
	t, err := r.placed(name, p, asWritten)
	if err != nil {
		return metrics.Endpoint{Kind: metrics.EndpointProfile, Name: name, Note: message(err), Model: p.Model}
	}
	if t.Auth != AuthNone && (p.APIKeyEnv != "" || p.APIKeyFile != "" || !p.APIKeyCmd.Empty()) {
		t.Key = secret.NewSecret(name) // stands for the one that is not read
	}
	t.InsecureHTTP = t.InsecureHTTP || r.Flags.InsecureHTTP
	e := r.listed(t)
	if e.Ready && t.Auth != AuthNone && p.APIKeyEnv != "" && strings.TrimSpace(r.env(p.APIKeyEnv)) == "" {
		e.Ready, e.Note = false, "needs a key: "+p.APIKeyEnv
	}
	return e
}

// Remember makes ForEndpoint return t for its URL. It is for a target that
// changed after Resolve, for example by Locate.
func (r *Resolver) Remember(t Target) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = cloned(r.seen)
	r.seen[t.API+" "+t.URL] = t
}

// ForEndpoint resolves an entry of Known, Discover or Resolve into its target
// again. It finds profiles and providers by name, all others by URL. The
// model of e, unless "", replaces the target's.
func (r *Resolver) ForEndpoint(e metrics.Endpoint) (Target, error) {
	var t Target
	var err error
	switch e.Kind {
	case metrics.EndpointEmbedded:
		t = embedded()
		t.URL, t.Name, t.Note = e.URL, e.Name, e.Note
		err = r.asked(&t)
	case metrics.EndpointProfile, metrics.EndpointProvider:
		t, err = r.Resolve(e.Name)
	default:
		r.mu.Lock()
		seen, ok := r.seen[e.API+" "+e.URL]
		r.mu.Unlock()
		if ok && seen.Kind == e.Kind {
			t = seen
			break
		}
		t, err = r.Resolve(e.URL)
		if err == nil && e.Kind == metrics.EndpointLoopback {
			t.Kind, t.Name, t.Note = e.Kind, e.Name, e.Note
			t.Bases = v(e.URL)
			t.URL = e.URL
			t.Ready = e.Ready || !t.Key.Empty()
		}
	}
	if err == nil && t.API != e.API {
		err = t.speak(e.API)
		t.Settings = t.settings()
	}
	if err != nil {
		return Target{}, err
	}
	if model := cmp.Or(e.Model, t.Model); model != t.Model {
		if t.Model != "" {
			t.Claim = nil // it was about that model
		}
		t.Model = model
	}
	return t, nil
}
