package transport

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"

	"golang.org/x/net/http/httpproxy"
	"golang.org/x/net/proxy"

	"tokscope/metrics"
)

// ProxyVariable returns the variable of the environment that names the proxy of addresses
// of scheme: the first that is set of HTTPS_PROXY, https_proxy, ALL_PROXY and all_proxy for
// https; the first of all where none is.
func ProxyVariable(scheme string) string {
	own := strings.ToUpper(scheme) + "_PROXY"
	for _, name := range []string{own, strings.ToLower(own), "ALL_PROXY", "all_proxy"} {
		if os.Getenv(name) != "" {
			return name
		}
	}
	return own
}

// unreadable is the scheme of a proxy in place of a variable that holds no address.
const unreadable = "unreadable"

// environment returns the proxies of the environment, as net/http reads it, with ALL_PROXY
// where the variable of the scheme is not set.
func environment() func(*http.Request) (*url.URL, error) {
	value := func(scheme string) string {
		value := os.Getenv(ProxyVariable(scheme))
		whole := value
		if !strings.Contains(whole, "://") {
			whole = "http://" + whole
		}
		if u, err := url.Parse(whole); value != "" && (err != nil || u.Hostname() == "") { // httpproxy would leave it out
			return unreadable + "://" + scheme
		}
		return value
	}
	c := httpproxy.FromEnvironment()
	c.HTTPProxy, c.HTTPSProxy = value("http"), value("https")
	find := c.ProxyFunc()
	return func(req *http.Request) (*url.URL, error) { return find(req.URL) }
}

// spoken returns find with an error for a proxy that this package does not speak to.
func spoken(find func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	return func(req *http.Request) (*url.URL, error) {
		if req.URL.Scheme == "unix" {
			return nil, nil
		}
		proxy, err := find(req)
		if err != nil || proxy == nil {
			return proxy, err
		}
		switch proxy.Scheme {
		case "http", "https", "socks5", "socks5h":
			return proxy, nil
		case unreadable:
			return nil, errors.New(ProxyVariable(req.URL.Scheme) + " holds no address of a proxy")
		}
		return nil, errors.New(ProxyVariable(req.URL.Scheme) + " names a proxy of " + proxy.Scheme +
			"://, which is not supported")
	}
}

// isSOCKS reports whether u is a SOCKS proxy. nil is none.
func isSOCKS(u *url.URL) bool { return u != nil && strings.HasPrefix(u.Scheme, "socks5") }

// given is a connection that a SOCKS client is to use.
type given struct{ net.Conn }

func (g given) Dial(string, string) (net.Conn, error) { return g.Conn, nil }

// openSOCKS asks the SOCKS proxy of r on conn for a connection to addr. It closes conn on
// an error. socks5 looks names up here, socks5h lets the proxy do it.
func (t *Transport) openSOCKS(ctx context.Context, conn net.Conn, addr string, r route, d *dialMarks) error {
	if r.proxy.Scheme == "socks5" {
		var err error
		if addr, err = t.resolved(ctx, addr, r, d); err != nil {
			_ = conn.Close()
			return err
		}
	}
	var auth *proxy.Auth
	if u := r.proxy.User; u != nil {
		password, _ := u.Password()
		auth = &proxy.Auth{User: u.Username(), Password: password}
	}
	socks, err := proxy.SOCKS5("tcp", r.proxy.Host, auth, given{conn})
	if err == nil {
		_, err = socks.(proxy.ContextDialer).DialContext(ctx, "tcp", addr)
	}
	late := errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded)
	if err == nil || ctx.Err() != nil && !late {
		return boundError(ctx, err)
	}
	why := strings.TrimPrefix(reason(err), "unknown error ")
	if late || closes(err) || strings.Contains(why, "protocol version") {
		why = "no answer of SOCKS5"
	}
	return tunnelFault(r, "made no connection to "+addr+": "+why, strings.Contains(why, "authentication"))
}

// tunnelFault returns the fault of a proxy that opened no tunnel. password: it wants another one.
func tunnelFault(r route, did string, password bool) *metrics.Fault {
	f := &metrics.Fault{Kind: metrics.FaultConnect, Message: "the proxy " + r.proxy.Host + " " + did,
		Next: "check " + ProxyVariable(r.scheme) + " and NO_PROXY"}
	if password {
		f.Next = "set the proxy's user and password in " + ProxyVariable(r.scheme)
	}
	return f
}

// resolved returns addr with the first address of its name.
func (t *Transport) resolved(ctx context.Context, addr string, r route, d *dialMarks) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if _, noAddress := netip.ParseAddr(host); err != nil || noAddress == nil {
		return addr, err
	}
	d.set(&d.marks.DNSStart, t.clock.Now(), true)
	found, err := t.LookUp(ctx, host)
	d.set(&d.marks.DNSDone, t.clock.Now(), true)
	if f, ok := errors.AsType[*metrics.Fault](err); ok && f.Kind == metrics.FaultDNS {
		f.Message = "the name " + host + " was not found on this machine"
		f.Next = "let the proxy look it up: socks5h:// in " + ProxyVariable(r.scheme)
	}
	if err != nil {
		return "", err
	}
	return net.JoinHostPort(found[0].String(), port), nil
}
