package endpoint

import (
	"cmp"
	"net"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"tokscope/probe/dialect"
)

// Base is a base URL in its normal form.
type Base struct {
	// URL is scheme, host and path, without query, fragment, userinfo and final
	// slash.
	URL string
	// Candidates are the base URLs to try in this order, URL first. They are
	// the given path, then the same with /v1. For a host alone, /v1 comes
	// first.
	Candidates []string
	// Query holds the given parameters (api-version, signatures).
	Query url.Values
	// Host is the host without port and brackets, in lower case. Port is "" for
	// the scheme's default.
	Host, Port string
	// Socket is the file of a unix socket, and Host is localhost then; "" for any other.
	Socket string
	// Deployment is Azure's deployment name, if the path has one.
	Deployment string
	// Bare reports a host without a path.
	Bare bool
	// API and Model are the names of the API and of the model that the address says; "" for none.
	API, Model string
}

// Loopback reports whether b can only mean this machine.
func (b Base) Loopback() bool { return IsLoopback(b.Host) }

// Plain reports whether b is without TLS: http or a unix socket.
func (b Base) Plain() bool { return !strings.HasPrefix(b.URL, "https://") }

var (
	versionPath = regexp.MustCompile(`/[vV][0-9]+[a-z0-9]*$`)
	schemePart  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:/`)
	zonePart    = regexp.MustCompile(`^[A-Za-z0-9._~-]+$`) // what RFC 6874 lets stand unescaped
	azureHost   = regexp.MustCompile(`(?i)\.(openai|cognitiveservices|services\.ai)\.azure\.(com|us|cn)$`)
	// hostPart is compiled when the first host is read: its classes are large.
	hostPart   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\p{L}\p{N}\p{M}_.-]+$`) })
	deployment = regexp.MustCompile(`(?i)/openai/deployments/([^/]+)$`)
)

// ParseURL normalizes a base URL. It accepts host and host:port with or
// without a scheme, the path of an operation at its end, and a query. It also
// accepts IPv6 with or without brackets, surrounding spaces and quotes, and
// unix:///PATH[:/v1], where the operation may stand as well.
// Without a scheme it uses http for loopback and private addresses, else
// https. Errors are *metrics.Fault and never contain userinfo.
func ParseURL(s string) (Base, error) {
	s = strings.Trim(strings.TrimSpace(s), "\"'`<>")
	s = strings.TrimSpace(s)
	if s == "" {
		return Base{}, Refuse("the URL is empty", "give a base URL such as http://127.0.0.1:8080/v1")
	}
	if len(s) > longestURL {
		return Base{}, tooLong()
	}
	if i := strings.IndexFunc(s,
		func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune("\\\"'`<>\ufffd", r) }); i >= 0 {
		return Base{}, Refuse("the URL holds a space, a quote, a backslash or a control character",
			"give the base URL alone, in one word")
	}
	scheme, rest, socket := "", s, false
	if schemePart.MatchString(s) {
		i := strings.Index(s, ":")
		scheme, rest = strings.ToLower(s[:i]), s[i+1:]
		if scheme == "unix" {
			return socketBase(s)
		}
		socket = scheme == "ws" || scheme == "wss"
		if socket {
			scheme = "http" + strings.TrimPrefix(scheme, "ws")
		}
		if scheme != "http" && scheme != "https" {
			return Base{}, Refuse("the scheme "+strconv.Quote(scheme)+
				" is not one that OpenAI-compatible servers speak", "use http://, https://, wss:// or unix://")
		}
		if !strings.HasPrefix(rest, "//") {
			return Base{}, Refuse("the URL has one slash after its scheme", "write "+scheme+"://HOST")
		}
	}
	rest = strings.TrimPrefix(rest, "//")
	authority, tail := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority, tail = rest[:i], rest[i:]
	}
	if strings.Contains(authority, "@") {
		return Base{}, Refuse("the URL carries a user name or key before the @",
			"remove it, and give the key by --api-key-file, --api-key-env or api_key_env in a profile")
	}
	host, port, err := splitHost(authority)
	if err != nil {
		return Base{}, err
	}
	if scheme == "" {
		scheme = "https"
		if IsLoopback(host) || isPrivate(host) || strings.HasSuffix(host, ".localhost") {
			scheme = "http"
		}
	}
	if scheme == "https" && port == "443" || scheme == "http" && port == "80" {
		port = ""
	}
	u, perr := url.Parse("http://h" + tail)
	if perr != nil {
		return Base{}, Refuse("the path or query of the URL is malformed",
			"look for a % that is not followed by two hex digits")
	}
	query, perr := url.ParseQuery(u.RawQuery)
	if perr != nil {
		return Base{}, Refuse("the query of the URL is malformed",
			"look for a % that is not followed by two hex digits, or a semicolon")
	}
	b := Base{Host: host, Port: port}
	if len(query) > 0 {
		b.Query = query
	}
	b.fill(b.root(scheme), b.strip(u.EscapedPath()))
	if socket {
		b.API = "responses-ws"
	}
	if len(b.URL) > longestURL { // escaping makes it longer
		return Base{}, tooLong()
	}
	return b, nil
}

// longestURL is the length of the longest base URL, in bytes.
const longestURL = 4096

func tooLong() error {
	return Refuse("the URL is longer than 4096 bytes", "give the base URL alone")
}

// root returns scheme, host and port as a URL.
func (b *Base) root(scheme string) string {
	h := b.Host
	if strings.Contains(h, ":") {
		h = "[" + strings.ReplaceAll(h, "%", "%25") + "]"
	}
	if b.Port != "" {
		h += ":" + b.Port
	}
	return scheme + "://" + h
}

// fill sets URL, Candidates and Deployment from the root and the stripped path.
func (b *Base) fill(root, p string) {
	b.Bare = p == ""
	azure := azureHost.MatchString(b.Host)
	if m := deployment.FindStringSubmatch(p); m != nil {
		b.Deployment = m[1]
		if d, err := url.PathUnescape(m[1]); err == nil {
			b.Deployment = d
		}
	}
	switch {
	case p == "" && azure:
		b.Candidates = []string{root + "/openai/v1"}
	case p == "":
		b.Candidates = []string{root + "/v1", root}
	case versionPath.MatchString(p) || b.Deployment != "":
		b.Candidates = []string{root + p}
	default:
		b.Candidates = []string{root + p, root + p + "/v1"}
	}
	b.URL = b.Candidates[0]
}

// strip removes operations, double slashes and final slashes from an escaped path, and
// notes of which API they are.
func (b *Base) strip(p string) string {
	p = path.Clean("/" + p)
	for before := ""; before != p; {
		before = p
		var api, model string
		api, model, p = dialect.Pasted(b.Host, b.Port, p)
		b.API, b.Model = cmp.Or(b.API, api), cmp.Or(b.Model, model)
	}
	return strings.TrimRight(p, "/")
}

// splitHost splits host, host:port, [v6], [v6]:port and bare v6. Addresses
// that mean "any" become loopback, because not every client can connect to
// them.
func splitHost(a string) (host, port string, err error) {
	bad := func(what string) (string, string, error) {
		return "", "", Refuse("the URL's "+what, "write it as http://HOST:PORT/v1")
	}
	host = a
	if strings.Count(a, ":") > 1 && !strings.HasPrefix(a, "[") {
		if _, e := netip.ParseAddr(strings.ReplaceAll(a, "%25", "%")); e != nil {
			return bad("host has several colons but is not an IPv6 address")
		}
		host = strings.ReplaceAll(a, "%25", "%")
	} else if strings.HasPrefix(a, "[") {
		end := strings.IndexByte(a, ']')
		if end < 0 {
			return bad("IPv6 address has no closing bracket")
		}
		host = strings.ReplaceAll(a[1:end], "%25", "%")
		ip, e := netip.ParseAddr(host)
		if e != nil || !ip.Is6() {
			return bad("address in brackets is not an IPv6 address")
		}
		if after := a[end+1:]; after != "" {
			if after[0] != ':' {
				return bad("address is followed by something other than a port")
			}
			port = after[1:]
		}
	} else if i := strings.IndexByte(a, ':'); i >= 0 {
		host, port = a[:i], a[i+1:]
	}
	if port != "" {
		n, e := strconv.ParseUint(port, 10, 16)
		if e != nil || n == 0 {
			return bad("port is not a number from 1 to 65535")
		}
		port = strconv.FormatUint(n, 10)
	}
	host = strings.ToLower(host)
	if ip, e := netip.ParseAddr(host); e == nil {
		if zone := ip.Zone(); zone != "" && !zonePart.MatchString(zone) {
			return bad("address zone is malformed")
		}
		switch {
		case !ip.IsUnspecified():
		case ip.Is4():
			host = "127.0.0.1"
		default:
			host = "::1"
		}
		return host, port, nil
	}
	if !hostPart().MatchString(host) || len(host) > 253 || strings.Trim(host, ".") == "" ||
		strings.HasPrefix(host, ".") || strings.Contains(host, "..") {
		return bad("host is missing or malformed")
	}
	return host, port, nil
}

// port returns the port to connect to, by default the scheme's; "" for a unix socket.
func (b Base) port() string {
	switch {
	case b.Port != "" || b.Socket != "":
		return b.Port
	case b.Plain():
		return "80"
	}
	return "443"
}

// hostPort returns host:port of a normal base.
func (b Base) hostPort() string { return net.JoinHostPort(b.Host, b.port()) }
