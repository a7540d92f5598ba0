package probetest

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/rpc"
	"os"
	"os/exec"
	"runtime/debug"
	"sync/atomic"
)

// childEnv makes a test binary run as a server.
const childEnv = "TOKSCOPE_SCRIPTED_ENDPOINT"

// Main runs a scripted endpoint if Spawn started this process, and then never
// returns. Call it first in TestMain.
func Main() {
	if os.Getenv(childEnv) == "" {
		return
	}
	debug.SetGCPercent(400) // the logs of a thousand streams; a GC pause would falsify the log
	child := rpc.NewServer()
	if err := child.RegisterName("Server", &remote{}); err != nil {
		panic(err)
	}
	child.ServeConn(duplex{parent{}, os.Stdout})
	os.Exit(1)
}

// hello is what a child answers first: its address, and the authorities that make its
// certificate valid.
type hello = struct {
	Addr string
	PEM  []byte
}

// remote is the server of a child, as its parent asks it over net/rpc.
type remote struct{ server atomic.Pointer[Server] }

// Listen makes the server, before all else.
func (r *remote) Listen(o Options, h *hello) error {
	s, err := Listen(o)
	if err != nil {
		return err
	}
	r.server.Store(s)
	if h.Addr = s.Addr(); o.TLS {
		h.PEM = pemOf(certificate())
	}
	return nil
}

// Logged returns the logs of Logs, or those of TakeLogs.
func (r *remote) Logged(take bool, logs *[]*Log) error {
	book := &r.server.Load().book
	if take {
		*logs = book.takeEnded()
	} else {
		*logs = book.all()
	}
	return nil
}

// Await returns when n requests have come.
func (r *remote) Await(n int, _ *int) error {
	r.server.Load().book.await(n)
	return nil
}

// parent reads what the parent asks. The process ends with it, whatever is under way.
type parent struct{}

func (parent) Read(b []byte) (int, error) {
	n, err := os.Stdin.Read(b)
	if err != nil {
		os.Exit(0)
	}
	return n, nil
}

// duplex is a connection of two pipes.
type duplex struct {
	io.Reader
	io.WriteCloser
}

// Process is a server in another process.
type Process struct {
	cmd    *exec.Cmd
	child  *rpc.Client
	hello  hello
	secure bool
}

// Spawn starts the running test binary again, as a server. Its TestMain must
// begin with Main.
func Spawn(o Options) (*Process, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	p := &Process{cmd: exec.Command(exe), secure: o.TLS}
	p.cmd.Env = append(os.Environ(), childEnv+"=1")
	p.cmd.Stderr = os.Stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the scripted endpoint: %w", err)
	}
	p.child = rpc.NewClient(duplex{out, in})
	if err := p.child.Call("Server.Listen", o, &p.hello); err != nil {
		p.Close()
		return nil, fmt.Errorf("hear from the scripted endpoint: %w", err)
	}
	return p, nil
}

// URL returns the base URL that selects this script.
func (p *Process) URL(text string) string { return baseURL(p.secure, p.hello.Addr, text) }

// Roots returns the authorities that make the server's certificate valid.
func (p *Process) Roots() *x509.CertPool { return rootsOf(p.hello.PEM) }

// Logs returns the logs of all requests so far. It waits until their responses are
// written.
func (p *Process) Logs() (logs []*Log, err error) {
	err = p.child.Call("Server.Logged", false, &logs)
	return logs, err
}

// TakeLogs returns the logs of the requests whose responses are written, and makes
// the server forget them.
func (p *Process) TakeLogs() (logs []*Log, err error) {
	err = p.child.Call("Server.Logged", true, &logs)
	return logs, err
}

// AwaitRequests returns when n requests have come since the beginning.
func (p *Process) AwaitRequests(ctx context.Context, n int) error {
	select {
	case c := <-p.child.Go("Server.Await", n, new(int), nil).Done:
		return c.Error
	case <-ctx.Done():
		return fmt.Errorf("wait for %d requests: %w", n, ctx.Err())
	}
}

// Close ends the process and waits for it.
func (p *Process) Close() {
	_ = p.child.Close() // its standard input
	var exit *exec.ExitError
	if err := p.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		_ = p.cmd.Process.Kill()
	}
}

// RequestID returns the number of a response's request in the logs, or 0.
func RequestID(h http.Header) int {
	var id int
	_, _ = fmt.Sscanf(h.Get(idHeader), "%d", &id)
	return id
}
