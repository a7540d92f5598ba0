package endpoint

import (
	"regexp"
	"strings"
)

// ProviderByName finds a provider by its name or an alias, in any case.
func ProviderByName(name string) (Provider, bool) {
	for _, p := range providers {
		if strings.EqualFold(p.Name, name) {
			return p, true
		}
		for _, a := range p.Aliases {
			if strings.EqualFold(a, name) {
				return p, true
			}
		}
	}
	return Provider{}, false
}

// template finds {A|B=default} in a URL.
var template = regexp.MustCompile(`\{([A-Z0-9_|]+)(?:=([^}]*))?\}`)

// Base returns the provider's base URL with its variables filled in. The error
// is a *metrics.Fault that names the variable that is missing, or says what is
// wrong with one.
func (p Provider) Base(env func(string) string) (Base, error) {
	if p.BaseVar != "" {
		if s := strings.TrimSpace(env(p.BaseVar)); s != "" {
			if p.Name == "ollama" && !strings.Contains(s, "://") {
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
	b.URL = strings.TrimRight(s, "/") // the table is right as it stands
	b.Candidates, b.Bare = v(b.URL), false
	return b, nil
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// inVariable says which variable an unusable URL came from.
func inVariable(name string, err error) error {
	return Refuse("the URL in "+name+" cannot be used: "+message(err), next(err))
}

// ollamaURL completes OLLAMA_HOST, whose port defaults to 11434, not to the
// scheme's.
func ollamaURL(s string) string {
	if strings.HasPrefix(s, ":") {
		s = "127.0.0.1" + s
	}
	b, err := ParseURL(s)
	if err != nil {
		return s
	}
	if b.Port == "" {
		b.Port = "11434"
	}
	return "http://" + b.hostPort()
}

// Key returns the first of the provider's key variables that is set.
func (p Provider) Key(env func(string) string) (key Secret, from string) {
	for _, n := range p.KeyVars {
		if k, err := cleanKey(env(n)); err == nil && k != "" {
			return NewSecret(k), n
		}
	}
	return Secret{}, ""
}

// match reports whether b is this provider's: same host, and for a local
// server the same port; hosts with a template match by what is fixed of them.
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
		return strings.HasPrefix(b.Host, host[:i]) && strings.HasSuffix(b.Host, host[j+1:]) && len(b.Host) > len(host[:i])+len(host[j+1:])
	}
	return b.Host == host
}

// pathFor is b, a host alone, with the path that the provider's API has.
func (p Provider) pathFor(b Base) Base {
	_, rest, _ := strings.Cut(p.URL, "://")
	_, path, _ := strings.Cut(rest, "/")
	if strings.Contains(path, "{") {
		return b // cannot be told from the host alone
	}
	b.URL = strings.TrimRight(rootOf(b.URL)+"/"+path, "/")
	b.Candidates = v(b.URL)
	return b
}

// providerOf finds the provider that b belongs to.
func providerOf(b Base, env func(string) string) (Provider, bool) {
	for _, p := range providers {
		if p.match(b, env) {
			return p, true
		}
	}
	return Provider{}, false
}
