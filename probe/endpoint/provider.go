package endpoint

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"tokscope/metrics/pick"
	"tokscope/probe/dialect"
	"tokscope/probe/secret"
)

// ProviderByName returns the provider with this name or alias, in any case.
func ProviderByName(name string) (Provider, bool) {
	named := func(s string) bool { return strings.EqualFold(s, name) }
	return pick.Value(providers, func(p *Provider) bool { return named(p.Name) || slices.ContainsFunc(p.Aliases, named) })
}

// template matches {A|B=default} in a URL.
var template = regexp.MustCompile(`\{([A-Z0-9_|]+)(?:=([^}]*))?\}`)

// Base returns the provider's base URL with its variables filled in. The
// error is a *metrics.Fault that names the missing or wrong variable.
func (p Provider) Base(env func(string) string) (Base, error) {
	if p.BaseVar != "" {
		if s := strings.TrimSpace(env(p.BaseVar)); s != "" {
			if p.BaseVar == "OLLAMA_HOST" && !strings.Contains(s, "://") {
				s = ollamaURL(s)
			}
			b, err := ParseURL(s)
			if err != nil {
				return Base{}, inVariable(p.BaseVar, err)
			}
			return b, nil
		}
	}
	missing := ""
	s := template.ReplaceAllStringFunc(p.URL, func(m string) string {
		parts := template.FindStringSubmatch(m)
		names := strings.Split(parts[1], "|")
		for _, n := range names {
			if val := strings.TrimSpace(env(n)); val != "" {
				if !plainName.MatchString(val) {
					missing = n + " must be a plain name (letters, digits, - and _)"
				}
				return val
			}
		}
		if parts[2] == "" && missing == "" {
			missing = strings.Join(names, " or ") + " is not set"
		}
		return parts[2]
	})
	if missing != "" {
		return Base{}, Refuse(p.Title+" cannot be addressed: "+missing, "set it, or give the base URL")
	}
	b, err := ParseURL(s)
	if err != nil {
		return Base{}, err
	}
	b.URL = strings.TrimRight(s, "/") // keep the table's path unchanged
	b.Candidates, b.Bare = v(b.URL), false
	return b, nil
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// inVariable returns the variable of an unusable URL.
func inVariable(name string, err error) error {
	return within("the URL in "+name+" cannot be used", err)
}

// ollamaURL completes OLLAMA_HOST. Its default port is 11434, not the
// scheme's.
func ollamaURL(s string) string {
	if strings.HasPrefix(s, ":") {
		s = "127.0.0.1" + s
	}
	b, err := ParseURL(s)
	if err != nil {
		return s
	}
	b.Port = cmp.Or(b.Port, "11434")
	return "http://" + b.hostPort()
}

// Key returns the first of the provider's key variables that is set.
func (p Provider) Key(env func(string) string) (key secret.Secret, from string) {
	for _, n := range p.KeyVars {
		if k, err := cleanKey(env(n)); err == nil && k != "" {
			return secret.NewSecret(k), n
		}
	}
	return secret.Secret{}, ""
}

// match reports whether b belongs to this provider. The host must be equal,
// and for a local server the port. A host with a template matches by its
// fixed parts.
func (p Provider) match(b Base, env func(string) string) bool {
	if p.Local {
		builtin, err := p.Base(func(n string) string {
			if n == p.BaseVar {
				return ""
			}
			return env(n)
		})
		return err == nil && b.Loopback() && b.port() == builtin.port()
	}
	if b.Plain() || b.Port != "" {
		return false
	}
	if p.Name == "azure" {
		return azureHost.MatchString(b.Host)
	}
	fixed := strings.TrimPrefix(p.URL, "https://")
	host, _, _ := strings.Cut(fixed, "/")
	if i := strings.IndexByte(host, '{'); i >= 0 {
		j := strings.LastIndexByte(host, '}')
		return strings.HasPrefix(b.Host, host[:i]) &&
			strings.HasSuffix(b.Host, host[j+1:]) && len(b.Host) > len(host[:i])+len(host[j+1:])
	}
	return b.Host == host
}

// pathFor returns b, a host alone, with the path of the provider's API.
func (p Provider) pathFor(b Base) Base {
	_, rest, _ := strings.Cut(p.URL, "://")
	_, path, _ := strings.Cut(rest, "/")
	if strings.Contains(path, "{") {
		return b // the host does not determine the path
	}
	b.URL = strings.TrimRight(RootOf(b.URL)+"/"+path, "/")
	b.Candidates = v(b.URL)
	return b
}

// providerOf returns the provider that b belongs to, nil for none: of several at one place
// the one with b's API.
func providerOf(b Base, env func(string) string) *Provider {
	speaks := dialect.Speaks(b.API)
	return cmp.Or(
		pick.First(providers, func(p *Provider) bool { return dialect.Speaks(p.API) == speaks && p.match(b, env) }),
		pick.First(providers, func(p *Provider) bool { return p.match(b, env) }))
}
