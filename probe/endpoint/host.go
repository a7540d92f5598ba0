package endpoint

import (
	"net/netip"
	"net/url"
	"strings"
)

// IsLoopback reports whether host (no port; brackets allowed) can only mean
// this machine: a loopback address or localhost. Names under .localhost do
// not count, because some resolvers send them to the network.
func IsLoopback(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
	if host == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}

// isPrivate reports whether host is an address literal of a private or
// link-local network.
func isPrivate(host string) bool {
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	if err != nil {
		return false
	}
	a = a.Unmap()
	return a.IsPrivate() || a.IsLinkLocalUnicast()
}

// LoopbackURL reports whether the URL s points to this machine.
func LoopbackURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "unix" || IsLoopback(u.Hostname()))
}
