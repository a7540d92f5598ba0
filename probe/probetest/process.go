package probetest

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/rpc"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
)

// childEnv makes a test binary run as a server.
const childEnv = "TOKSCOPE_SCRIPTED_ENDPOINT"

// Main runs a scripted endpoint if Spawn started this process, and then never
// returns. Call it first in TestMain.
func Main() {
	raw, ok := os.LookupEnv(childEnv)
	if !ok {
		return
	}
	if err := serveChild(raw); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// hello is what a parent asks its child first: its address, and the authorities that
// make its certificate valid.
type hello = struct {
	Addr string
	PEM  []byte
}

// remote is a server as its parent asks it, over net/rpc.
type remote struct{ *Server }

// Hello says where the server is.
func (r remote) Hello(_ int, h *hello) error {
	h.Addr = r.Addr()
	if r.cert != nil {
		h.PEM = pemOf(r.cert.Certificates[0])
	}
	return nil
}

// Logged returns the logs of Logs, or those of TakeLogs.
func (r remote) Logged(take bool, logs *[]*Log) error {
	if take {
		*logs = r.book.takeEnded()
	} else {
		*logs = r.book.all()
	}
	return nil
}

// Await returns when n requests have come.
func (r remote) Await(n int, _ *int) error {
	r.book.await(n)
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

func serveChild(raw string) error {
	debug.SetGCPercent(400) // the logs of a thousand streams; a GC pause would falsify the log
	var o Options
	if err := json.Unmarshal([]byte(raw), &o); err != nil {
		return fmt.Errorf("read options: %w", err)
	}
	s, err := Listen(o)
	if err != nil {
		return err
	}
	answers := rpc.NewServer()
	if err := answers.RegisterName("Server", remote{s}); err != nil {
		return fmt.Errorf("answer the parent: %w", err)
	}
	answers.ServeConn(duplex{parent{}, os.Stdout})
	return nil
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
	raw, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("write options: %w", err)
	}
	p := &Process{cmd: exec.Command(exe), secure: o.TLS}
	p.cmd.Env = append(os.Environ(), childEnv+"="+string(raw))
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
	if err := p.child.Call("Server.Hello", 0, &p.hello); err != nil {
		p.Close()
		return nil, fmt.Errorf("hear from the scripted endpoint: %w", err)
	}
	return p, nil
}

// URL returns the base URL that selects this script.
func (p *Process) URL(text string) string { return baseURL(p.secure, p.hello.Addr, text) }

// Roots returns the authorities that make the server's certificate valid.
func (p *Process) Roots() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(p.hello.PEM)
	return pool
}

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

// LogsBy is Logs by what of a request's body matches by: its prompt, or the line
// that a prompt begins with. Requests without a match are left out, and of two
// with the same one the later counts.
func (p *Process) LogsBy(by *regexp.Regexp) (map[string]*Log, error) {
	list, err := p.Logs()
	if err != nil {
		return nil, err
	}
	logs := make(map[string]*Log, len(list))
	for _, l := range list {
		if m := by.Find(l.Body); m != nil {
			logs[string(m)] = l
		}
	}
	return logs, nil
}

// Nonce matches the line that makes each prompt of a load unique.
var Nonce = regexp.MustCompile(`\[request [0-9a-f]+-\d+\]`)

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
