// Package access decides which requests a server on this machine accepts, so
// that no web page can use it, and writes pages of metrics for those that scrape.
package access

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

// Rules decide which Host and Origin headers a server accepts. A web page
// that a browser shows can send requests to any address. Its Origin header
// tells. By DNS rebinding it can even read the answers, but then its own name
// is in the Host header. They are safe for concurrent use.
type Rules struct {
	hosts   []string // names and addresses without port, or "*"
	origins []string // such as http://localhost:3000, or "*"
	remote  bool     // other machines may send requests
}

// anyValue accepts every host or every origin.
const anyValue = "*"

// New returns the rules of a server that listens on addr. remote says that other
// machines may send requests. hosts and origins are what an operator allows
// beside loopback: a name or address without port, or "*"; and a scheme with name
// and port, or "*". The errors name the flags.
func New(addr string, remote bool, hosts, origins []string) (Rules, error) {
	a := Rules{remote: remote}
	for _, h := range hosts {
		if h == "" || h != anyValue && (strings.ContainsAny(h, "/*@ ") || Host(h) != plainHost(h)) {
			return a, fmt.Errorf("--allow-host %q: give a name or an address without scheme, port and path, or *", h)
		}
		a.hosts = append(a.hosts, plainHost(h))
	}
	for _, x := range origins {
		u, err := url.Parse(x)
		if x != anyValue &&
			(err != nil || u.Scheme == "" || u.Host == "" || u.Path != "" || u.RawQuery != "" || u.User != nil) {
			return a, fmt.Errorf("--allow-origin %q: give scheme, name and port as in http://localhost:3000, or *", x)
		}
		a.origins = append(a.origins, strings.ToLower(x))
	}
	if host, _, err := net.SplitHostPort(addr); err == nil && host != "" {
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

// Host returns the host of host:port, in lower case without brackets and final
// dot.
func Host(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return plainHost(host)
	}
	return plainHost(hostport)
}

// AllowsHost reports whether the host of r is accepted: loopback, the address
// that the request came to, and what was allowed. DNS rebinding needs a name: a
// server for other machines accepts every address.
func (a *Rules) AllowsHost(r *http.Request) bool {
	host := Host(r.Host)
	if host == "" || IsLocal(host) || slices.Contains(a.hosts, host) || slices.Contains(a.hosts, anyValue) {
		return true // HTTP/1.0 has no Host, and browsers do not speak it
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && (a.remote || addr == localAddr(r))
}

// AllowsOrigin reports whether a page of origin may send r: pages of this
// machine, of the server itself, and what was allowed.
func (a *Rules) AllowsOrigin(origin string, r *http.Request) bool {
	if slices.Contains(a.origins, strings.ToLower(origin)) || slices.Contains(a.origins, anyValue) {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	return IsLocal(plainHost(u.Hostname())) || strings.EqualFold(u.Host, r.Host)
}

// IsLocal reports whether a host is localhost or a loopback address.
func IsLocal(host string) bool {
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
