package endpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"tokscope/metrics"
	"tokscope/metrics/pick"
)

// Bounds of the search on this machine.
const (
	discoverTime = 1800 * time.Millisecond // for the whole search: the picker waits for it
	dialTime     = 150 * time.Millisecond  // loopback answers or refuses within microseconds
	askTime      = time.Second
	discoverMax  = 16 // concurrent connections; a scan must not disturb a measurement
)

// Discoverer looks for servers on loopback addresses. The zero value with Do
// set checks the ports of the table.
type Discoverer struct {
	Do  Doer
	Env func(string) string // for OLLAMA_HOST; nil reads the process's environment
	// Ports are the ports to check; nil means those of the table.
	Ports []int
	// Dial opens a TCP connection; nil means net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Run finds the OpenAI-compatible servers of this machine. It connects
// to the table's ports on 127.0.0.1 and ::1 and asks open ones for their
// models, without a key. It never connects to another machine. The result has
// the order of the table. A server that requires a key is listed and not
// Ready. It returns what it found, within 2 s or when ctx ends.
func (d Discoverer) Run(ctx context.Context) []metrics.Endpoint {
	ctx, cancel := context.WithTimeout(ctx, discoverTime)
	defer cancel()
	type job struct {
		host string
		port port
	}
	var jobs []job
	for _, p := range d.table() {
		for _, h := range []string{"127.0.0.1", "::1"} {
			jobs = append(jobs, job{h, p})
		}
	}
	found := make([]*metrics.Endpoint, len(jobs))
	var group errgroup.Group
	group.SetLimit(discoverMax)
	for i, j := range jobs {
		group.Go(func() error {
			found[i] = d.ask(ctx, j.host, j.port) // nil once ctx has ended
			return nil
		})
	}
	_ = group.Wait()
	var out []metrics.Endpoint
	taken := map[string]bool{}
	for i, e := range found {
		at := itoa(jobs[i].port.port)
		if e == nil || taken[at] {
			continue // the same server on 127.0.0.1 and ::1
		}
		taken[at] = true
		out = append(out, *e)
	}
	return distinct(out)
}

// distinct adds the port to servers that share a name.
func distinct(list []metrics.Endpoint) []metrics.Endpoint {
	count := map[string]int{}
	for _, e := range list {
		count[e.Name]++
	}
	for i, e := range list {
		if count[e.Name] > 1 {
			if b, err := ParseURL(e.URL); err == nil {
				list[i].Name += ":" + b.Port
			}
		}
	}
	return list
}

// table returns the table of ports. It adds the port of OLLAMA_HOST if that
// is on loopback.
func (d Discoverer) table() []port {
	var out []port
	if d.Ports == nil {
		out = append(out, ports...)
	}
	for _, n := range d.Ports {
		p, _ := pick.Value(ports, func(p *port) bool { return p.port == n })
		p.port = n
		out = append(out, p)
	}
	env := d.Env
	if env == nil {
		env = os.Getenv
	}
	if s := strings.TrimSpace(env("OLLAMA_HOST")); s != "" {
		if !strings.Contains(s, "://") {
			s = ollamaURL(s)
		}
		b, err := ParseURL(s)
		if n, e := strconv.Atoi(b.Port); err == nil && e == nil && b.Loopback() {
			if !slices.ContainsFunc(out, func(p port) bool { return p.port == n }) {
				out = append(out, port{n, v("ollama"), nil})
			}
		}
	}
	return out
}

// ask checks one port of one address. It returns nil if no OpenAI-compatible
// server answers.
func (d Discoverer) ask(ctx context.Context, host string, p port) *metrics.Endpoint {
	at := net.JoinHostPort(host, itoa(p.port))
	if !d.open(ctx, at) {
		return nil
	}
	bases := p.bases
	if bases == nil {
		bases = v("/v1")
	}
	for _, base := range bases {
		t := Target{Auth: AuthNone}
		t.URL = "http://" + at + base
		one, cancel := context.WithTimeout(ctx, askTime)
		list, err := listModels(one, d.Do, t)
		cancel()
		var f *metrics.Fault
		switch {
		case err == nil:
			return d.describe(ctx, t, p, list, false)
		case errors.As(err, &f) && f.Kind == metrics.FaultAuth:
			return d.describe(ctx, t, p, nil, true)
		case ctx.Err() != nil:
			return nil
		}
	}
	return nil
}

// open reports whether address accepts connections.
func (d Discoverer) open(ctx context.Context, address string) bool {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	dial := d.Dial
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	c, err := dial(ctx, "tcp", address)
	if err != nil {
		return false
	}
	_ = c.Close()
	return true
}

// describe returns the entry of a server that answered.
func (d Discoverer) describe(ctx context.Context, t Target, p port, list []Model, locked bool) *metrics.Endpoint {
	server, version := owner(list), ""
	if s, ver := recognize(ctx, d.Do, t, marksFor(itoa(p.port))); s != "" {
		server, version = s, ver
	}
	server = cmp.Or(server, portNames[p.port])
	e := &metrics.Endpoint{Kind: metrics.EndpointLoopback, Name: server, URL: t.URL, Ready: !locked}
	var note []string
	if server == "" {
		e.Name = strings.TrimPrefix(RootOf(t.URL), "http://")
	} else {
		note = append(note, strings.TrimSpace(title(server)+" "+version))
	}
	switch {
	case locked:
		note = append(note, "needs a key")
	case len(list) == 1:
		note = append(note, "1 model")
		e.Model = list[0].ID
	default:
		note = append(note, fmt.Sprintf("%d models", len(list)))
	}
	e.Note = strings.Join(note, ", ")
	return e
}

func itoa(n int) string { return strconv.Itoa(n) }
