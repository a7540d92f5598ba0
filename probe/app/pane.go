package app

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/turn"
	"tokscope/probe/endpoint"
	"tokscope/probe/result"
	"tokscope/probe/session"
)

// socketWithin bounds the answer of a tap's socket.
const socketWithin = time.Second

// socketOf returns the path of the socket beside the session file of a tap, which answers while
// that runs.
func socketOf(file string) string { return strings.TrimSuffix(file, ".ndjson") + ".sock" }

// RunningTaps returns the taps of this user that run and keep their state where o says, the
// oldest first. It removes the sockets of those that were killed.
func RunningTaps(o Tapping) ([]turn.Tapped, error) {
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

func runningTaps(dir string) (all []turn.Tapped) {
	sockets, _ := filepath.Glob(filepath.Join(dir, "session-*.sock"))
	for _, socket := range sockets {
		if about, err := askTap(socket); err == nil {
			about.File = strings.TrimSuffix(socket, ".sock") + ".ndjson"
			all = append(all, about)
		}
	}
	return all
}

// askTap asks the tap that listens on a socket what it stands between. A socket on which nobody
// listens is removed.
func askTap(socket string) (about turn.Tapped, err error) {
	conn, err := net.DialTimeout("unix", socket, socketWithin)
	if err != nil {
		if e, ok := errors.AsType[net.Error](err); ok && !e.Timeout() && !errors.Is(err, os.ErrPermission) {
			_ = os.Remove(socket)
		}
		return about, err
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(socketWithin))
	answer, err := io.ReadAll(io.LimitReader(conn, 64<<10))
	if err == nil {
		err = result.Unmarshal(answer, &about)
	}
	return about, err
}

// tell listens on the socket of a session file, which only this user may open, and tells whoever
// asks what the tap stands between, until stop is called.
func tell(file string, about turn.Tapped) (stop func(), err error) {
	l, err := net.Listen("unix", socketOf(file))
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(socketOf(file), 0o600); err != nil {
		_ = l.Close()
		return nil, err
	}
	answer, _ := result.Sentences(nil).Append(nil, &about)
	var done sync.WaitGroup
	done.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_ = conn.SetDeadline(time.Now().Add(socketWithin))
			_, _ = conn.Write(answer)
			_ = conn.Close()
		}
	})
	return func() { _ = l.Close(); done.Wait() }, nil
}

// Pane shows the session of a tap, which runs or has ended, from its file. It is safe for
// concurrent use. The caller must Close it.
type Pane struct {
	*session.Follower
	Version   string // of this program
	Sentences result.Sentences

	mu    sync.Mutex
	asked time.Time // when its socket answered last
	ended bool      // it answers no more
}

// OpenPane opens the session file of a tap. The error is for a person.
func OpenPane(path string) (*Pane, error) {
	f, err := session.Follow(path)
	if err != nil {
		return nil, err
	}
	return &Pane{Follower: f}, nil
}

// About says what the tap stands between. Nothing says whether it keeps a history.
func (p *Pane) About() turn.Tapped {
	rec := p.Recording()
	about := *rec.Tap
	about.File, about.Texts = p.Path(), rec.Texts == session.TextsKept
	return about
}

// Live reports whether the tap runs. Of one that was killed it says so after at most a second.
func (p *Pane) Live() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended = p.ended || p.Ended(); p.ended || time.Since(p.asked) < socketWithin {
		return !p.ended
	}
	_, err := askTap(socketOf(p.Path()))
	p.asked, p.ended = time.Now(), err != nil
	return !p.ended
}

// Now returns the moment on the clock of the file, of a tap that does not run the last of it.
func (p *Pane) Now() metrics.Stamp { return p.Follower.Now(p.Live()) }

// View returns the turns that the last Look has read.
func (p *Pane) View() turn.View { return p.Follower.View(p.Live()) }

// Save writes the document of the session beside its file and returns the path: that of
// `tokscope tap --json`.
func (p *Pane) Save(context.Context) (string, error) {
	var doc bytes.Buffer
	v := p.View()
	if err := p.Sentences.WriteDocument(&doc, result.TapOf(p.Version, p.About(), &v)); err != nil {
		return "", err
	}
	path := strings.TrimSuffix(strings.TrimSuffix(p.Path(), ".gz"), ".ndjson") + "-turns.json"
	return path, replace(path, doc.Bytes())
}

// ReadScript reads what is played of the session file of a tap, "-" being stdin.
func ReadScript(file string, stdin io.Reader) (*turn.Script, error) {
	rec, err := session.Open(file, stdin)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(file)
	if rec.Tap == nil {
		return nil, endpoint.Refuse(name+" holds no session of a tap", "record one with `tokscope tap -- claude`")
	}
	v := rec.View()
	if s := v.Script(); s.Turns > 0 {
		return s, nil
	}
	return nil, endpoint.Refuse(name+" holds no turn that ended well: there is nothing to play",
		"look at it with `tokscope replay`")
}
