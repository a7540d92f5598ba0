package probetest

import (
	"bufio"
	"context"
	"crypto/x509"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
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

// hello is the child's first message to its parent, one line of JSON.
type hello struct {
	Addr string
	PEM  []byte
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
	h := hello{Addr: s.Addr()}
	if o.TLS {
		c, err := certificate()
		if err != nil {
			return err
		}
		h.PEM = pemOf(c)
	}
	if err := json.NewEncoder(os.Stdout).Encode(h); err != nil {
		return fmt.Errorf("say hello: %w", err)
	}
	_, _ = io.Copy(io.Discard, os.Stdin) // until the parent ends
	return nil
}

// Process is a server in another process.
type Process struct {
	cmd    *exec.Cmd
	stdin  io.Closer
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
	p.stdin = in
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the scripted endpoint: %w", err)
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &p.hello)
	}
	if err != nil {
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

// Doer sends a request.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// Logs fetches the logs of all requests so far. It waits until their responses are
// written.
func (p *Process) Logs(do Doer) ([]*Log, error) { return p.fetch(do, "/-/logs") }

// TakeLogs fetches the logs of the requests whose responses are written, and makes
// the server forget them.
func (p *Process) TakeLogs(do Doer) ([]*Log, error) { return p.fetch(do, "/-/logs?ended") }

func (p *Process) fetch(do Doer, path string) ([]*Log, error) {
	req, err := http.NewRequest(http.MethodGet, p.URL("-")+path, nil)
	if err != nil {
		return nil, fmt.Errorf("ask for the logs: %w", err)
	}
	resp, err := do.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask for the logs: %w", err)
	}
	defer resp.Body.Close()
	var logs []*Log
	if err := gob.NewDecoder(resp.Body).Decode(&logs); err != nil {
		return nil, fmt.Errorf("read the logs: %w", err)
	}
	return logs, nil
}

// AwaitRequests returns when n requests have come since the beginning.
func (p *Process) AwaitRequests(ctx context.Context, do Doer, n int) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s/-/requests?n=%d", p.URL("-"), n), nil)
	if err != nil {
		return fmt.Errorf("wait for %d requests: %w", n, err)
	}
	resp, err := do.Do(req)
	if err != nil {
		return fmt.Errorf("wait for %d requests: %w", n, err)
	}
	return resp.Body.Close()
}

// LogsBy is Logs by what of a request's body matches by: its prompt, or the line
// that a prompt begins with. Requests without a match are left out, and of two
// with the same one the later counts.
func (p *Process) LogsBy(do Doer, by *regexp.Regexp) (map[string]*Log, error) {
	list, err := p.Logs(do)
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
	_ = p.stdin.Close()
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
