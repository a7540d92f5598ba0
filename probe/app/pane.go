package app

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/turn"
	"tokscope/probe/session"
	"tokscope/probe/tap"
)

// RunningTap is a tap of this user that runs, as its socket says.
type RunningTap struct {
	PID      int    `json:"pid"`
	Client   string `json:"client,omitempty"` // the command; "" for one that a person started
	Upstream string `json:"upstream"`
	File     string `json:"file,omitempty"` // its session file; "" it writes none
	Version  string `json:"version"`

	socket string // its path
}

// Bounds of the answer of a socket.
const (
	mostAnswer   = 64 << 10
	answerWithin = time.Second
)

// RunningTaps returns the taps of this user that run and keep their state where o says, the
// oldest first. It removes the sockets of those that were killed.
func RunningTaps(o Tapping) ([]RunningTap, error) {
	_, settings, err := Configuration(o.ConfigPath, o.Changed, o.Env)
	if err != nil {
		return nil, err
	}
	dir, err := stateDir(settings, o.Env)
	if err != nil {
		return nil, err
	}
	return runningTaps(dir), nil
}

func runningTaps(dir string) (all []RunningTap) {
	paths, _ := filepath.Glob(filepath.Join(dir, "tap-*.sock"))
	for _, path := range paths {
		if t, err := askTap(path); err == nil {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b RunningTap) int { return cmp.Or(cmp.Compare(a.File, b.File), a.PID-b.PID) })
	return all
}

// askTap asks the tap that listens at path what it is. A socket on which nobody listens is
// removed.
func askTap(path string) (t RunningTap, err error) {
	conn, err := net.DialTimeout("unix", path, answerWithin)
	if err != nil {
		if e, ok := errors.AsType[net.Error](err); ok && !e.Timeout() && !errors.Is(err, os.ErrPermission) {
			_ = os.Remove(path)
		}
		return t, err
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(answerWithin))
	t.socket = path
	return t, json.NewDecoder(io.LimitReader(conn, mostAnswer)).Decode(&t)
}

// tell listens on a socket in dir, which only this user may open, and tells whoever asks what t
// is, until stop is called.
func (t *RunningTap) tell(dir string) (stop func(), err error) {
	path := filepath.Join(dir, fmt.Sprintf("tap-%d.sock", t.PID))
	_, _ = askTap(path) // one of an earlier process with this number is removed
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		_ = l.Close()
		return nil, err
	}
	answer, _ := json.Marshal(t)
	var done sync.WaitGroup
	done.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_ = conn.SetDeadline(time.Now().Add(answerWithin))
			_, _ = conn.Write(append(answer, '\n'))
			_ = conn.Close()
		}
	})
	return func() { _ = l.Close(); done.Wait() }, nil
}

// Pane shows the session of a tap, which runs or has ended, from its file. It is safe for
// concurrent use. The caller must Close it.
type Pane struct {
	*session.Follower
	socket string // of the tap that runs, "" for none
	mu     sync.Mutex
	asked  time.Time // when the socket was found
}

// OpenPane opens the session file of a tap. The error is for a person.
func OpenPane(path string) (*Pane, error) {
	f, err := session.Follow(path)
	if err != nil {
		return nil, err
	}
	p := &Pane{Follower: f}
	for _, t := range runningTaps(filepath.Dir(path)) {
		if a, err := os.Stat(t.File); err == nil {
			if b, err := os.Stat(path); err == nil && os.SameFile(a, b) {
				p.socket = t.socket
			}
		}
	}
	return p, nil
}

// About says what the tap stands between. Nothing says whether it keeps a history.
func (p *Pane) About() turn.Tapped {
	rec := p.Recording()
	head := rec.Tap
	about := turn.Tapped{Upstream: head.Upstream, Agent: turn.Agent{Command: head.Client}, File: p.Path(),
		Texts: rec.Texts == session.TextsKept}
	for i := range tap.Recipes {
		if r := &tap.Recipes[i]; r.Command == head.Client && head.Client != "" {
			about.Agent = r.Agent
		}
	}
	return about
}

// liveFor is how long the answer of a socket holds.
const liveFor = time.Second

// Live reports whether the tap runs. Of one that was killed it says so after at most a second.
func (p *Pane) Live() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.socket == "" || p.Ended() {
		return false
	}
	if time.Since(p.asked) > liveFor {
		if _, err := askTap(p.socket); err != nil {
			p.socket = ""
			return false
		}
		p.asked = time.Now()
	}
	return true
}

// Now returns the moment on the clock of the file, of a tap that does not run the last of it.
func (p *Pane) Now() metrics.Stamp { return p.Follower.Now(p.Live()) }

// View returns the turns that the last Look has read.
func (p *Pane) View() turn.View { return p.Follower.View(p.Live()) }
