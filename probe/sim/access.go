package sim

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
)

// access decides which Host and Origin headers a server accepts. A web page
// that a browser shows can send requests to any address. Its Origin header
// tells. By DNS rebinding it can even read the answers, but then its own name
// is in the Host header.
type access struct {
	hosts   []string // names and addresses without port, or "*"
	origins []string // such as http://localhost:3000, or "*"
	remote  bool     // other machines may send requests
}

// anyValue accepts every host or every origin.
const anyValue = "*"

// newAccess checks the hosts and origins that an operator allows.
func newAccess(o *Options) (access, error) {
	a := access{remote: o.Remote}
	for _, h := range o.AllowHosts {
		if h == "" || h != anyValue && (strings.ContainsAny(h, "/*@ ") || hostOf(h) != plainHost(h)) {
			return a, fmt.Errorf("--allow-host %q: give a name or an address without scheme, port and path, or *", h)
		}
		a.hosts = append(a.hosts, plainHost(h))
	}
	for _, x := range o.AllowOrigins {
		u, err := url.Parse(x)
		if x != anyValue && (err != nil || u.Scheme == "" || u.Host == "" || u.Path != "" || u.RawQuery != "" || u.User != nil) {
			return a, fmt.Errorf("--allow-origin %q: give scheme, name and port as in http://localhost:3000, or *", x)
		}
		a.origins = append(a.origins, strings.ToLower(x))
	}
	if host, _, err := net.SplitHostPort(o.Addr); err == nil && host != "" {
		a.hosts = append(a.hosts, plainHost(host))
	}
	if name, err := os.Hostname(); err == nil && a.remote {
		a.hosts = append(a.hosts, plainHost(name))
	}
	return a, nil
}

// plainHost returns a host in lower case without brackets and final dot.
func plainHost(h string) string {
	return strings.TrimSuffix(strings.ToLower(strings.Trim(h, "[]")), ".")
}

// hostOf returns the host of host:port.
func hostOf(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return plainHost(host)
	}
	return plainHost(hostport)
}

// check returns why a request is refused, or nil.
func (a *access) check(r *http.Request) *apiError {
	if host := hostOf(r.Host); !a.hostAllowed(host, r) {
		return newError(http.StatusForbidden, "invalid_request_error", "host_not_allowed",
			"Host %q is not allowed. Use localhost or the address of this endpoint; tokscope serve --allow-host allows a name", clip(host))
	}
	for _, origin := range r.Header.Values("Origin") {
		if !a.originAllowed(origin, r) {
			return newError(http.StatusForbidden, "invalid_request_error", "origin_not_allowed",
				"a web page of origin %q may not use this endpoint; tokscope serve --allow-origin allows one", clip(origin))
		}
	}
	return nil
}

// hostAllowed accepts loopback, the address that the request came to, and
// what was allowed. DNS rebinding needs a name: a server for other machines
// accepts every address.
func (a *access) hostAllowed(host string, r *http.Request) bool {
	if host == "" || isLocal(host) || slices.Contains(a.hosts, host) || slices.Contains(a.hosts, anyValue) {
		return true // HTTP/1.0 has no Host, and browsers do not speak it
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && (a.remote || addr == localAddr(r))
}

// originAllowed accepts pages of this machine, of the server itself, and what
// was allowed.
func (a *access) originAllowed(origin string, r *http.Request) bool {
	if slices.Contains(a.origins, strings.ToLower(origin)) || slices.Contains(a.origins, anyValue) {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	return isLocal(plainHost(u.Hostname())) || strings.EqualFold(u.Host, r.Host)
}

// isLocal reports whether a host is localhost or a loopback address.
func isLocal(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// localAddr returns the address that a request came to, invalid if it is not
// known.
func localAddr(r *http.Request) netip.Addr {
	a, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return netip.Addr{}
	}
	p, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return netip.Addr{}
	}
	return p.Addr()
}

// share adds the headers of cross-origin requests. The origin was checked.
func share(w http.ResponseWriter, r *http.Request) {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "X-Request-Id, X-Sim-Setup, X-Sim-Behind-Ms, Retry-After")
}

// preflight adds what a browser asks before a cross-origin request.
func preflight(w http.ResponseWriter, r *http.Request, methods string) {
	if r.Header.Get("Origin") == "" || r.Header.Get("Access-Control-Request-Method") == "" {
		return
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", methods)
	h.Set("Access-Control-Max-Age", "600")
	if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
		h.Set("Access-Control-Allow-Headers", asked)
	}
	if r.Header.Get("Access-Control-Request-Private-Network") == "true" {
		h.Set("Access-Control-Allow-Private-Network", "true")
	}
}
