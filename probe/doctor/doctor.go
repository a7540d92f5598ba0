// Package doctor checks what lies between this machine and a target, one step
// after the other: key, proxy, name, TCP, TLS, models, short streams over
// HTTP/1.1, HTTP/2 and without the proxy, a long stream, and tokscope itself.
//
// It uses the engine and the transport that every other command uses, so that
// what it finds holds for them. A step that cannot work because an earlier one
// failed is skipped, with that reason.
package doctor

import (
	"context"
	"crypto/tls"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/doctor"
	"tokscope/probe/client"
	"tokscope/probe/dialect"
	"tokscope/probe/endpoint"
	"tokscope/probe/transport"
)

// Options of a check-up.
type Options struct {
	Engine *client.Engine
	Target endpoint.Target
	doctor.Work
	Timeout time.Duration // of each step; 0: the engine's bounds alone
	// Usual asks the history what is usual for the long stream; nil: nothing is known.
	Usual func(*metrics.Stream) metrics.Usual
}

// checkup is a check-up under way.
type checkup struct {
	Options
	tr      *transport.Transport
	url     *url.URL
	proxy   *url.URL
	socket  string // the file of a unix socket, "" for none
	report  *doctor.Report
	failed  bool // a step failed without which the next ones cannot work
	keyless bool // the target wants a key, and none is there
	h2      bool // the server offers HTTP/2
}

// PlanOf returns what a check-up will send at most.
func PlanOf(o *Options) doctor.Plan {
	p := doctor.Plan{Requests: 2, Tokens: o.Short.MaxTokens + o.Long.MaxTokens}
	if strings.HasPrefix(o.Target.URL, "https://") {
		p.Requests, p.Tokens = p.Requests+1, p.Tokens+o.Short.MaxTokens
	}
	if tr, err := o.Engine.TransportOf(o.Target); err == nil {
		if proxy, err := tr.ProxyOf(o.Target.URL); err == nil && proxy != nil {
			p.Requests, p.Tokens = p.Requests+1, p.Tokens+o.Short.MaxTokens
		}
	}
	return p
}

// Run does the check-up. It ends early when ctx ends, and never returns nil.
func Run(ctx context.Context, o Options) *doctor.Report {
	c := &checkup{Options: o,
		report: &doctor.Report{Endpoint: o.Engine.Shown(o.Target), Started: time.Now(), Plan: PlanOf(&o)}}
	for _, step := range []struct {
		code  doctor.Code
		do    func(context.Context)
		needs []doctor.Code // what cannot be checked where an earlier step failed; nil: do sees to it
	}{
		{doctor.Key, c.key, nil}, {doctor.Proxy, c.ofProxy, nil},
		{doctor.Lookup, c.lookUp, []doctor.Code{doctor.Lookup, doctor.Connect}},
		{doctor.TLS, c.handshake, []doctor.Code{doctor.TLS}}, {doctor.Models, c.models, nil},
		{doctor.HTTP1, c.http1, []doctor.Code{doctor.HTTP1}}, {doctor.HTTP2, c.http2, nil}, {doctor.Direct, c.direct, nil},
		{doctor.Stream, c.stream, []doctor.Code{doctor.Stream, doctor.Buffers}}, {doctor.Client, c.client, nil},
	} {
		if ctx.Err() != nil {
			c.skip(step.code, doctor.WhyInterrupt)
			break
		}
		if c.Begin != nil {
			c.Begin(step.code)
		}
		if c.failed && step.needs != nil {
			for _, code := range step.needs {
				c.skip(code, doctor.WhyEarlier)
			}
			continue
		}
		stepCtx, cancel := ctx, func() {}
		if o.Timeout > 0 && step.code != doctor.Stream { // the engine bounds requests
			stepCtx, cancel = context.WithTimeout(ctx, o.Timeout)
		}
		step.do(stepCtx)
		cancel()
	}
	return c.report
}

// add keeps a result, without the keys in its strings, and says it.
func (c *checkup) add(k doctor.Check) {
	scrub := c.Engine.Scrubber()
	k.Fault = c.Engine.ScrubFault(k.Fault)
	k.Name, k.Address = scrub.String(k.Name), scrub.String(k.Address)
	if p := k.Peer; p != nil {
		q := *p
		q.Names, q.Issuer, q.Client = nil, scrub.String(p.Issuer), scrub.String(p.Client)
		for _, name := range p.Names {
			q.Names = append(q.Names, scrub.String(name))
		}
		k.Peer = &q
	}
	c.report.Checks = append(c.report.Checks, k)
	if c.Say != nil {
		c.Say(&c.report.Checks[len(c.report.Checks)-1])
	}
}

func (c *checkup) skip(code doctor.Code, why doctor.Why) {
	c.add(doctor.Check{Code: code, Grade: doctor.Skipped, Why: why})
}

// faultOf returns err as a fault.
func faultOf(err error) *metrics.Fault {
	if f, ok := errors.AsType[*metrics.Fault](err); ok {
		return f
	}
	return &metrics.Fault{Kind: metrics.FaultProtocol, Message: err.Error()}
}

// key says where the key came from. Whether it is valid shows later.
func (c *checkup) key(context.Context) {
	k := doctor.Check{Code: doctor.Key, Grade: doctor.OK, Name: c.Target.KeyFrom}
	if from := c.Target.AccountFrom(); from != "" && k.Name != "" {
		k.Name += ", and the account from env " + from
	}
	switch {
	case c.Target.KeyFrom != "":
	case c.Target.Ready:
		k.Grade, k.Why = doctor.Skipped, doctor.WhyNoKey
	default: // the provider is known to want one
		k.Grade, k.Why, k.Name = doctor.Bad, doctor.WhyKeyless, c.Target.Note
		c.keyless = true
	}
	c.add(k)
}

// ofProxy finds the proxy of the environment, and connects to it.
func (c *checkup) ofProxy(ctx context.Context) {
	k := doctor.Check{Code: doctor.Proxy, Grade: doctor.OK}
	var err error
	if c.tr, err = c.Engine.TransportOf(c.Target); err == nil {
		if c.url, err = url.Parse(c.Target.URL); err == nil {
			c.socket, _, _ = transport.Socket(c.url)
			c.proxy, err = c.tr.ProxyOf(c.Target.URL)
		}
	}
	switch {
	case err != nil:
		k.Grade, k.Fault, c.failed = doctor.Bad, faultOf(err), true
	case c.socket != "":
		k.Grade, k.Why = doctor.Skipped, doctor.WhySocket
	case c.proxy == nil:
		k.Grade, k.Why = doctor.Skipped, doctor.WhyNoProxy
	default:
		k.Name = transport.ProxyVariable(c.url.Scheme)
		k.Address = transport.HostPort(c.proxy)
		if c.reach(ctx, "tcp", &k); k.Fault != nil {
			k.Grade = doctor.Bad
		}
	}
	c.add(k)
}

// lookUp finds the addresses of the target and connects to one of each family.
func (c *checkup) lookUp(ctx context.Context) {
	if c.socket != "" {
		c.skip(doctor.Lookup, doctor.WhySocket)
		k := doctor.Check{Code: doctor.Connect, Grade: doctor.OK, Family: doctor.Unix, Address: c.socket}
		if c.reach(ctx, "unix", &k); k.Fault != nil {
			c.directFailed(&k)
		}
		c.add(k)
		return
	}
	host := c.url.Hostname()
	var addrs []netip.Addr
	if a, err := netip.ParseAddr(host); err == nil {
		addrs = []netip.Addr{a}
		c.add(doctor.Check{Code: doctor.Lookup, Grade: doctor.Skipped, Why: doctor.WhyAddress, Name: host})
	} else {
		k := doctor.Check{Code: doctor.Lookup, Grade: doctor.OK, Name: host}
		began := time.Now()
		if addrs, err = c.tr.LookUp(ctx, host); err != nil {
			k.Fault = faultOf(err)
			c.directFailed(&k)
		}
		k.Elapsed = time.Since(began)
		for _, a := range addrs {
			k.Addresses = append(k.Addresses, a.String())
		}
		c.add(k)
	}
	if len(addrs) == 0 {
		c.skip(doctor.Connect, doctor.WhyEarlier)
		return
	}
	c.connect(ctx, addrs)
}

// directFailed grades a failure on the direct way: with a proxy requests do
// not take it.
func (c *checkup) directFailed(k *doctor.Check) {
	if c.proxy != nil {
		k.Grade, k.Why = doctor.Noted, doctor.WhyThrough
		return
	}
	k.Grade, c.failed = doctor.Bad, true
}

// connect connects to the first address of each family.
func (c *checkup) connect(ctx context.Context, addrs []netip.Addr) {
	_, port, _ := net.SplitHostPort(transport.HostPort(c.url))
	var tried []doctor.Check
	reached := 0
	for _, v4 := range []bool{true, false} {
		for _, a := range addrs {
			if a.Is4() != v4 {
				continue
			}
			k := doctor.Check{Code: doctor.Connect, Grade: doctor.OK,
				Family: "IPv6", Address: net.JoinHostPort(a.String(), port)}
			if v4 {
				k.Family = "IPv4"
			}
			if c.reach(ctx, "tcp", &k); k.Fault == nil {
				reached++
			}
			tried = append(tried, k)
			break
		}
	}
	for _, k := range tried {
		switch {
		case k.Fault == nil:
		case reached > 0:
			k.Grade, k.Why = doctor.Noted, doctor.WhyFamily
		default:
			c.directFailed(&k)
		}
		c.add(k)
	}
}

// reach connects to the address of k.
func (c *checkup) reach(ctx context.Context, network string, k *doctor.Check) {
	began := time.Now()
	if err := c.tr.Reach(ctx, network, k.Address); err != nil {
		k.Fault = faultOf(err)
	}
	k.Elapsed = time.Since(began)
}

// handshake looks at the target's TLS and its certificate, and at the client's.
func (c *checkup) handshake(ctx context.Context) {
	if c.url.Scheme != "https" {
		c.skip(doctor.TLS, doctor.WhyPlain)
		return
	}
	k := doctor.Check{Code: doctor.TLS, Grade: doctor.OK, Now: time.Now()}
	peer, asks, err := c.tr.Inspect(ctx, transport.HostPort(c.url), c.url.Hostname(), []string{"h2", "http/1.1"})
	k.Elapsed = time.Since(k.Now)
	if peer != nil {
		c.h2 = peer.NegotiatedProtocol == "h2"
		k.Peer = &doctor.Peer{Version: tls.VersionName(peer.Version), Protocol: peer.NegotiatedProtocol,
			AsksCertificate: asks}
		if mine, _ := c.Target.Certificate(); mine != nil {
			k.Peer.Client, k.Peer.ClientEnds = mine.Leaf.Subject.String(), mine.Leaf.NotAfter
			if mine.Leaf.NotAfter.Sub(k.Now) < doctor.ExpiresSoon {
				k.Grade, k.Why = doctor.Noted, doctor.WhyExpires
			}
		} else if asks {
			k.Grade, k.Why = doctor.Noted, doctor.WhyAsksCert
		}
		if len(peer.PeerCertificates) > 0 {
			x := peer.PeerCertificates[0]
			k.Peer.Names, k.Peer.NotAfter, k.Peer.Issuer = x.DNSNames, x.NotAfter, x.Issuer.CommonName
			if len(x.Issuer.Organization) > 0 {
				k.Peer.Issuer = x.Issuer.Organization[0]
			}
			if x.NotAfter.Sub(k.Now) < doctor.ExpiresSoon {
				k.Grade, k.Why = doctor.Noted, doctor.WhyExpires
			}
		}
	}
	if err != nil {
		k.Fault = faultOf(err)
		c.directFailed(&k)
	}
	c.add(k)
}

// models asks for the list of models. Where the address has none, it tries the
// usual ones of the same host.
func (c *checkup) models(ctx context.Context) {
	if c.failed = c.failed || c.keyless; c.failed {
		c.skip(doctor.Models, doctor.WhyEarlier)
		return
	}
	k := doctor.Check{Code: doctor.Models, Grade: doctor.OK, Name: c.Target.Model}
	aside := c.tr.Aside()
	defer aside.Close()
	began := time.Now()
	found, list, err := endpoint.Locate(ctx, aside, c.Target, c.Engine.Scrubber())
	k.Elapsed = time.Since(began)
	k.N = len(list)
	listed := false
	for _, m := range list {
		listed = listed || m.ID == k.Name
	}
	switch {
	case err != nil:
		k.Grade, k.Why, k.Fault = doctor.Noted, doctor.WhyNoList, faultOf(err)
		if why, name := c.elsewhere(ctx, aside, k.Fault); why != "" {
			k.Grade, k.Why, k.Name = doctor.Bad, why, name
		}
		if c.Target.Model == "" { // nothing can be asked
			k.Grade, c.failed = doctor.Bad, true
		}
	case k.Name == "":
		c.Target.URL, c.Target.Bases = found.URL, nil
		if k.Name = endpoint.Pick(list); k.Name == "" {
			k.Grade, k.Fault = doctor.Bad, &metrics.Fault{Kind: metrics.FaultConfig,
				Message: "the server lists no models", Next: "name one with --model"}
		}
	case !listed:
		k.Grade, k.Why = doctor.Noted, doctor.WhyUnlisted
	}
	c.add(k)
}

// usualBases are where OpenAI-compatible servers have their API.
var usualBases = []string{"/v1", "/api/v1", "/openai/v1", "/api/openai/v1"}

// elsewhere returns a base URL of the same host that lists models, or another API in which
// it does, where f says that the target's list does not exist; else "".
func (c *checkup) elsewhere(ctx context.Context, do endpoint.Doer, f *metrics.Fault) (why doctor.Why, name string) {
	if f.Status != http.StatusNotFound && f.Status != http.StatusMethodNotAllowed &&
		f.Kind != metrics.FaultNotStream && f.Kind != metrics.FaultProtocol {
		return "", ""
	}
	lists := func(t endpoint.Target) (at string, ok bool) {
		found, list, err := endpoint.Locate(ctx, do, t, c.Engine.Scrubber())
		return found.URL, err == nil && len(list) > 0
	}
	t := c.Target
	t.Bases = nil
	root := endpoint.RootOf(c.Target.URL)
	for _, path := range usualBases {
		if root+path != c.Target.URL {
			t.Bases = append(t.Bases, root+path)
		}
	}
	t.URL = t.Bases[0]
	if at, ok := lists(t); ok {
		return doctor.WhyBase, at
	}
	for _, api := range dialect.Names() {
		t := c.Target
		t.Bases = []string{root}
		if dialect.Speaks(api).Models == nil || api == t.API || t.Set("api", api) != nil {
			continue
		}
		t.Bases = t.Bases[:1] // at another one the list may be of chat completions
		if _, ok := lists(t); ok {
			return doctor.WhyAPI, api
		}
	}
	return "", ""
}

// once sends one request and returns it after its end.
func (c *checkup) once(ctx context.Context, e *client.Engine, t endpoint.Target, w metrics.Workload) metrics.Run {
	w.Nonce = client.Nonce(rand.Uint32())
	s := e.Start(ctx, t, w)
	<-s.Done()
	return s.Run(metrics.Pace{})
}
