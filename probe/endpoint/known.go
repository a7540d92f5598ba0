package endpoint

import (
	"cmp"
	"slices"
	"strings"

	"tokscope/metrics"
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
	profiles := r.Profiles
	for _, name := range sortedKeys(profiles) {
		out = append(out, r.knownProfile(name, profiles[name]))
	}
	for _, p := range providers {
		if p.Local {
			continue
		}
		if key, from := p.Key(r.env); !key.Empty() {
			b, err := p.Base(r.env)
			if err != nil {
				out = append(out,
					metrics.Endpoint{Kind: metrics.EndpointProvider, Name: p.Name, Note: message(err), Model: p.Model})
				continue
			}
			t := fromBase(b)
			t.Kind, t.Name, t.Key = metrics.EndpointProvider, p.Name, key
			t.Model = cmp.Or(t.Model, p.Model)
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
	e := metrics.Endpoint{Kind: metrics.EndpointProfile, Name: name, Model: p.Model}
	where := cmp.Or(p.URL, name)
	var b Base
	var err error
	prov, named := ProviderByName(where)
	if named {
		b, err = prov.Base(r.env)
	} else {
		b, err = ParseURL(where)
	}
	if err != nil {
		e.Note = message(err)
		return e
	}
	e.URL = b.URL
	e.Model = cmp.Or(e.Model, b.Deployment)
	keyed := p.APIKeyEnv != "" || p.APIKeyFile != "" || !p.APIKeyCmd.Empty()
	if of := providerOf(b, r.env); !named && of != nil {
		prov, named = *of, true
	}
	e.Ready = true
	switch {
	case p.Auth == AuthNone:
	case p.APIKeyEnv != "" && strings.TrimSpace(r.env(p.APIKeyEnv)) == "":
		e.Ready, e.Note = false, "needs a key: "+p.APIKeyEnv
	case !keyed && named && !prov.Local && len(prov.KeyVars) > 0 &&
		!slices.ContainsFunc(sortedKeys(p.Headers), SecretName):
		if k, _ := prov.Key(r.env); k.Empty() {
			e.Ready, e.Note = false, "needs a key: "+prov.KeyVars[0]
		}
	}
	if keyed && b.Plain() && !b.Loopback() && p.Auth != AuthNone {
		if p.InsecureHTTP || r.Flags.InsecureHTTP {
			e.Badge = "http with a key"
		} else {
			e.Ready, e.Note = false, "refused: http with a key"
		}
	}
	return e
}

// Remember makes ForEndpoint return t for its URL. It is for a target that
// changed after Resolve, for example by Locate.
func (r *Resolver) Remember(t Target) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen == nil {
		r.seen = map[string]Target{}
	}
	r.seen[t.URL] = t
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
		seen, ok := r.seen[e.URL]
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
