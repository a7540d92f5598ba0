package endpoint

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"tokscope/metrics"
	"tokscope/probe/secret"
)

// embeddedName is the word for the embedded endpoint.
const embeddedName = "demo"

// Flags are the options of the command line.
type Flags = metrics.Flags

// Resolver turns user input into a Target. Set its fields before the first
// call. After that it is safe for concurrent use.
type Resolver struct {
	Profiles map[string]Profile  // of the configuration, by name; nil = none
	Env      func(string) string // nil reads the process's environment
	Stdin    io.Reader           // for APIKeyFile "-"; nil reads the process's
	Flags    Flags               // of this run of the program
	Body     *Body               // under its Headers and Extra; nil for none
	Ctx      context.Context     // bounds api_key_cmd; nil = Background
	Target   string              // the setting defaults.target, for Resolve(""); "" as Resolve says
	// HTTP2 and MaxTokens come before those of a profile, unless they are zero.
	HTTP2     bool
	MaxTokens int

	// Embedded reports whether an argument means a model of the embedded
	// endpoint, such as MODEL@MACHINE. The error says why it cannot be served.
	// nil: nothing does.
	Embedded func(id string) (bool, error)
	// Claim reads what an endpoint is said to be; its error is for a person. nil: no claim is read.
	Claim func(machine, size string) (*metrics.Claim, error)

	asking sync.Mutex               // held while a key is read or a command runs
	stdin  *secret.Secret           // the key of the standard input, read once
	cmds   map[string]secret.Secret // keys of commands, by profile, run once

	mu   sync.Mutex
	seen map[string]Target // resolved targets by URL, for ForEndpoint
	// given is the host that secret headers of the command line go to, "" before it is known.
	given string
}

func (r *Resolver) env(name string) string {
	if r.Env != nil {
		return r.Env(name)
	}
	return os.Getenv(name)
}

// Resolve returns the target of arg: a profile, a provider's name, a URL in
// any usual form, "demo" for the embedded endpoint, or MODEL@MACHINE for a
// model of it, each with the endings of a Spec. "" means the
// resolver's Target, else OPENAI_BASE_URL, else the embedded endpoint.
// The embedded endpoint has an empty URL; the caller that
// starts it sets the URL. A model of the Spec comes before that of the flags.
//
// A key over http to another machine is refused, unless the profile or the
// flags allow it. Errors are *metrics.Fault of kind config, with the next
// step. None contains a key.
func (r *Resolver) Resolve(arg string) (Target, error) {
	spec, err := ParseSpec(cmp.Or(strings.TrimSpace(arg), strings.TrimSpace(r.Target)))
	if err != nil {
		return Target{}, err
	}
	t, err := r.resolve(spec.Target)
	if err != nil {
		return Target{}, err
	}
	return r.finish(t, &spec)
}

func (r *Resolver) resolve(arg string) (Target, error) {
	if arg == "" {
		if s, name := r.openaiBase(); s != "" {
			t, err := r.fromURL(s)
			if err != nil {
				return Target{}, inVariable(name, err)
			}
			return t, nil
		}
		// A key alone selects nothing: the program must not spend money because
		// of a variable.
		return embedded(), nil
	}
	if strings.EqualFold(arg, embeddedName) || strings.EqualFold(arg, "embedded") {
		return embedded(), nil
	}
	if p, ok := r.Profiles[arg]; ok {
		return r.fromProfile(arg, p)
	}
	if p, ok := ProviderByName(arg); ok {
		return r.fromProvider(p)
	}
	if r.Embedded != nil && strings.Contains(arg, "@") && !strings.ContainsAny(arg, "/?#") {
		if ok, err := r.Embedded(arg); err != nil {
			return Target{}, Refuse(err.Error(), "tokscope models lists machines and models, and what fits")
		} else if ok {
			t := embedded()
			t.Model = strings.ToLower(arg)
			return t, nil
		}
	}
	if looksLikeURL(arg) {
		return r.fromURL(arg)
	}
	return Target{}, r.unknown(arg)
}

// openaiBase returns the base URL that OpenAI's own libraries would use, and
// the name of its variable.
func (r *Resolver) openaiBase() (s, name string) {
	for _, n := range []string{"OPENAI_BASE_URL", "OPENAI_API_BASE"} {
		if s := strings.TrimSpace(r.env(n)); s != "" {
			return s, n
		}
	}
	return "", ""
}

func embedded() Target {
	return Target{Endpoint: metrics.Endpoint{Kind: metrics.EndpointEmbedded, Name: embeddedName, Ready: true},
		Auth: AuthNone}
}

// looksLikeURL distinguishes a URL or host from a misspelled name.
func looksLikeURL(s string) bool {
	return strings.ContainsAny(s, ":/.@?[]\"<") || strings.EqualFold(s, "localhost")
}

// unknown returns the error for a name without a match.
func (r *Resolver) unknown(arg string) error {
	names := append(sortedKeys(r.Profiles), embeddedName)
	for _, p := range providers {
		names = append(append(names, p.Name), p.Aliases...)
	}
	next := "name a profile, a provider (groq, openai, ollama, …), MODEL@MACHINE, or a URL such as http://HOST:PORT/v1"
	if near := Closest(arg, names); near != "" {
		next = "did you mean " + near + "? A host is written with its port or scheme: http://HOST:PORT"
	}
	if len(arg) > 24 || secret.RemovePatterns(arg) != arg {
		arg = secret.Redacted // long and unknown: it may be a key
	}
	f := Refuse(fmt.Sprintf("%q is no profile, provider, MODEL@MACHINE or URL", arg), next)
	f.Code = metrics.CodeUnknownTarget
	return f
}

// fromURL makes a target of a typed URL. The key is that of the host's
// provider. If OPENAI_BASE_URL points to the same place, it may be
// OPENAI_API_KEY. A key never goes to a host that it was not made for.
func (r *Resolver) fromURL(s string) (Target, error) {
	b, err := ParseURL(s)
	if err != nil {
		return Target{}, err
	}
	p := providerOf(b, r.env)
	if b.Bare && p != nil {
		b = p.pathFor(b)
	}
	t := fromBase(b)
	t.Kind, t.Name = metrics.EndpointURL, b.name()
	r.describe(&t, b, p)
	return t, nil
}

func fromBase(b Base) Target {
	t := Target{Bases: b.Candidates}
	for k, vals := range b.Query {
		t.setQuery(k, vals, false)
	}
	t.URL = b.URL
	t.Model, t.API = cmp.Or(b.Deployment, b.Model), b.API
	return t
}

// describe fills in the provider table's data for the host of b, and the
// host's key. p is the provider, nil if the host has none.
func (r *Resolver) describe(t *Target, b Base, p *Provider) {
	if p != nil {
		t.Auth = cmp.Or(p.Auth, t.Auth)
		t.MaxField, t.API = p.MaxField, cmp.Or(t.API, p.API)
		if !p.Local {
			t.Server = p.Name
		}
		t.Model = cmp.Or(t.Model, p.Model)
	}
	if b.Deployment != "" {
		r.azureVersion(t)
	}
	if p != nil && p.Name == "openai" {
		r.account(t)
	}
	if base, name := r.openaiBase(); base != "" {
		if envBase, err := ParseURL(base); err == nil && envBase.Host == b.Host &&
			envBase.Port == b.Port && envBase.Plain() == b.Plain() && envBase.Socket == b.Socket {
			r.account(t)
			if key, ok := r.envKey("OPENAI_API_KEY", t); ok {
				t.Key, t.KeyFrom = key, "env OPENAI_API_KEY (with "+name+")"
				return
			}
		}
	}
	if p != nil {
		for _, n := range p.KeyVars {
			if key, ok := r.envKey(n, t); ok {
				t.Key, t.KeyFrom = key, "env "+n
				return
			}
		}
	}
}

// accountHeaders are the headers of OpenAI's libraries for the account that pays, with
// their variables.
var accountHeaders = [][2]string{
	{"Openai-Organization", "OPENAI_ORG_ID"}, {"Openai-Project", "OPENAI_PROJECT_ID"},
}

// account adds the account's headers as OpenAI's own libraries do.
func (r *Resolver) account(t *Target) {
	for _, of := range Account(r.env) {
		name, variable := of[0], of[1]
		val := strings.TrimSpace(r.env(variable))
		if strings.ContainsAny(val, "\r\n\x00") {
			t.Warnings = append(t.Warnings, variable+" is not used: it holds a line end")
			continue
		}
		t.setHeader(name, val, true)
		t.wrote(name, "$"+variable)
	}
}

// Account lists the account's headers that the environment sets, each with its variable.
func Account(env func(string) string) [][2]string {
	return slices.DeleteFunc(slices.Clone(accountHeaders), func(of [2]string) bool {
		return strings.TrimSpace(env(of[1])) == ""
	})
}

// AccountFrom names the variables whose values t sends as the account's headers, "" for
// none.
func (t *Target) AccountFrom() string {
	var from []string
	for _, of := range accountHeaders {
		if t.written[of[0]] == "$"+of[1] {
			from = append(from, of[1])
		}
	}
	return strings.Join(from, " and ")
}

// azureVersion adds the api-version that Azure's deployment paths require.
func (r *Resolver) azureVersion(t *Target) {
	if t.Query.Get("api-version") != "" {
		return
	}
	val := cmp.Or(strings.TrimSpace(r.env("OPENAI_API_VERSION")), azureAPIVersion)
	t.setQuery("api-version", v(val), false)
}

// azureAPIVersion is the last dated version that is generally available.
const azureAPIVersion = "2024-10-21"

func (r *Resolver) fromProvider(p Provider) (Target, error) {
	b, err := p.Base(r.env)
	if err != nil {
		return Target{}, err
	}
	b.API = p.API // whatever the address says
	t := fromBase(b)
	t.Kind, t.Name = metrics.EndpointProvider, p.Name
	r.describe(&t, b, &p)
	return t, nil
}

// reference matches ${NAME} in a value of the configuration.
var reference = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

func (r *Resolver) fromProfile(name string, p Profile) (Target, error) {
	t, err := r.placed(name, p, r.expand)
	if err != nil {
		return Target{}, within("profile "+name, err)
	}
	return t, r.profileKey(&t, name, p)
}

// placed returns the target of a profile without its own key, with the headers and the
// query that expand makes of what it says.
func (r *Resolver) placed(name string, p Profile, expand func(what, value string) (string, error)) (Target, error) {
	where := cmp.Or(p.URL, name)
	var t Target
	var err error
	if prov, ok := ProviderByName(where); ok {
		t, err = r.fromProvider(prov)
	} else {
		t, err = r.fromURL(where)
	}
	if err != nil {
		return Target{}, err
	}
	t.Kind, t.Name = metrics.EndpointProfile, name
	t.Model = cmp.Or(p.Model, t.Model)
	t.Auth = cmp.Or(p.Auth, t.Auth)
	t.Server = cmp.Or(p.Server, t.Server)
	t.API = cmp.Or(p.API, t.API)
	t.MaxField = cmp.Or(p.MaxField, t.MaxField)
	t.Extra, t.MaxTokens, t.CACert = p.Extra, p.MaxTokens, p.CACert
	t.Cert, t.CertKey = Home(p.Cert, r.env), Home(p.CertKey, r.env)
	t.HTTP2, t.InsecureHTTP = p.HTTP2, p.InsecureHTTP
	t.profile = &p
	if t.Auth == AuthNone {
		t.Key, t.KeyFrom = secret.Secret{}, ""
	}
	for _, k := range sortedKeys(p.Headers) {
		val, err := expand("header "+k, p.Headers[k])
		if err != nil {
			return Target{}, err
		}
		t.setHeader(k, val, reference.MatchString(p.Headers[k]))
	}
	for _, k := range sortedKeys(p.Query) {
		val, err := expand("query "+k, p.Query[k])
		if err != nil {
			return Target{}, err
		}
		t.setQuery(k, v(val), reference.MatchString(p.Query[k]))
	}
	return t, nil
}

// asWritten leaves ${NAME} in a value.
func asWritten(_, value string) (string, error) { return value, nil }

// expand replaces ${NAME} by the variable. An unset variable is an error.
func (r *Resolver) expand(what, s string) (string, error) {
	out, missing := r.fillIn(reference, s)
	if missing != "" {
		return "", Refuse(what+" needs the variable "+missing+", which is not set or holds a line end", "set it")
	}
	return out, nil
}

// fillIn replaces references to variables in s, and $$ by a dollar sign. missing is one
// that is not set or holds a line end, "" for none.
func (r *Resolver) fillIn(references *regexp.Regexp, s string) (out, missing string) {
	out = references.ReplaceAllStringFunc(s, func(m string) string {
		name := strings.Trim(m, "${}")
		if name == "" {
			return "$"
		}
		val := strings.TrimSpace(r.env(name))
		if val == "" || strings.ContainsAny(val, "\r\n\x00") {
			missing = name
		}
		return val
	})
	return out, missing
}
