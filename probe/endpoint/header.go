package endpoint

import (
	"cmp"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"tokscope/metrics"
	"tokscope/probe/secret"
)

// ownHeaders are those that nobody sets, with the reason.
var ownHeaders = map[string]string{
	"Content-Length": "its length follows from the body", "Transfer-Encoding": "the body has a length",
	"Connection": "connections are kept or closed by --warm and --cold", "Keep-Alive": "it is of one connection",
	"Proxy-Connection": "it is of one connection", "Te": "it is of one connection", "Trailer": "a request has none",
	"Upgrade": "a stream needs no other protocol", "Expect": "the body is sent at once",
	"Accept-Encoding": "compression would hide when chunks arrive",
}

// checkHeader says why a header cannot be sent, "" if it can.
func checkHeader(name, value string) string {
	canonical := http.CanonicalHeaderKey(name)
	switch why, own := ownHeaders[canonical]; {
	case !headerName.MatchString(name):
		return "a header's name is malformed"
	case own:
		return "the header " + canonical + " is set by tokscope itself: " + why
	case strings.ContainsAny(value, "\r\n\x00"):
		return "the value of header " + name + " holds a line end"
	}
	return ""
}

// shellReference matches $NAME, ${NAME} and $$ in a value of the command line.
var shellReference = regexp.MustCompile(`\$(?:\$|([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})`)

// WithRequest returns t with what requests to from say: its headers, fields of the body,
// and secrets in messages and tools.
func (t Target) WithRequest(from *Target) Target {
	t.Header, t.secretHeader, t.written = from.Header, from.secretHeader, from.written
	t.Extra, t.Settings = from.Extra, from.Settings
	t.spoken, t.hidden = from.spoken, from.hidden
	return t
}

// first reports whether t is on the host that the command line's secrets are for: the
// first one. A person may choose others later.
func (r *Resolver) first(t *Target) bool {
	u, err := url.Parse(t.URL)
	if err != nil || t.Kind == metrics.EndpointEmbedded {
		return err == nil
	}
	host := u.Scheme + "://" + u.Host
	r.mu.Lock()
	defer r.mu.Unlock()
	r.given = cmp.Or(r.given, host)
	return r.given == host
}

// flagHeader sets a header of the command line, 'Name: value'. It comes before one of
// the profile or the provider; Authorization takes the place of the key.
func (r *Resolver) flagHeader(t *Target, line string) error {
	name, written, ok := strings.Cut(line, ":")
	name, written = http.CanonicalHeaderKey(strings.TrimSpace(name)), strings.TrimSpace(written)
	if !ok {
		return Refuse("a header of the command line is malformed", "write -H 'Name: value'")
	}
	if what := checkHeader(name, written); what != "" {
		return Refuse(what, "write -H 'Name: value', or leave it out")
	}
	value, missing := r.fillIn(shellReference, written)
	hidden := strings.ReplaceAll(written, "$$", "$") != value
	switch {
	case missing != "":
		return Refuse("the header "+name+" needs the variable "+missing+", which is not set or holds a line end",
			"export "+missing+", or write $$ for a dollar sign")
	case strings.Contains(shellReference.ReplaceAllString(written, ""), "${"):
		return Refuse("the header "+name+" has a ${ that begins no ${NAME}", "write ${NAME}, or $${ for the text ${")
	case r.Flags.Several && (hidden || SecretName(name)):
		return Refuse("the header "+name+" would go to all targets, and may hold a key",
			"put it into the profile of its target: headers = { \""+name+"\" = \"${NAME}\" }")
	case (hidden || SecretName(name)) && !r.first(t):
		t.Warnings = append(t.Warnings, "the header -H "+name+" is not sent here: it was given for another host")
		return nil
	case name == "Content-Type" && strings.HasPrefix(value, "application/json"):
		return nil // it is sent anyway
	case SecretName(name) && !hidden:
		t.Warnings = append(t.Warnings, "the value of -H "+name+" stands in the process list and in the shell's history: "+
			"-H '"+name+": $NAME' keeps it out")
	}
	t.setHeader(name, value, hidden)
	if hidden {
		t.wrote(name, written)
	}
	if name == "Authorization" || name == "Api-Key" && t.Auth == AuthAPIKey {
		t.Key, t.KeyFrom = secret.Secret{}, ""
	}
	if SecretName(name) && t.Key.Empty() {
		t.KeyFrom = "the header -H " + name
	}
	return nil
}
