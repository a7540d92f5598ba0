package race

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/metrics/racestat"
	"tokscope/probe/files"
	"tokscope/probe/program"
	"tokscope/probe/transport"
)

const (
	// asksEvery is the time between two looks at the server, before and after it has gone.
	asksEvery = 250 * time.Millisecond
	// glance is long enough to read what has come already.
	glance = 10 * time.Millisecond
	// shortAnswer is the length of the answer that shows that the model is there, tokens.
	shortAnswer = 4
)

// leaves is how long a server has to end before it is killed. A test has less time.
var leaves = 10 * time.Second

// server is a person's server, restarted by the command of a Swap. What the command does
// says what it is: it ends with 0 when it has restarted the server, which goes on; or it
// still runs when the endpoint answers, and is the server. Then it is ended, with its
// group of processes, before the next block and at the end of the race. On Windows it ends
// without being asked, and what it has started and left alone goes on.
type server struct {
	Config
	cmd   *exec.Cmd     // nil without one
	ended chan struct{} // closed at its end, when err is there
	err   error
	said  *os.File // its stderr: what it leaves behind may write on when tokscope has ended
}

// restart implements restarter.
func (s *server) restart(ctx context.Context, lane int, gone func()) *metrics.Fault {
	s.end()
	within := cmp.Or(s.Swap.Within, racestat.RestartWithin)
	timed, done := context.WithTimeout(ctx, within)
	defer done()
	ctx, fail := context.WithCancelCause(timed)
	t := s.Lanes[lane].Target
	s.Engine.Forget(t) // also connections that would keep the server before from ending
	left := departure(ctx, t.URL)
	defer func() { fail(nil); <-left }()
	if err := s.start(s.Lanes[lane].Label, fail); err != nil {
		return s.fault("could not be started: " + err.Error())
	}
	why := "the server before it has not ended: let the command end it, and name no proxy as TARGET"
	work := s.Work
	work.MaxTokens = shortAnswer
	wait := left
	for before := true; ; before = false {
		select {
		case <-ctx.Done():
		case <-wait: // left is closed at the end of ctx too
		}
		switch {
		case timed.Err() != nil:
			return s.fault(fmt.Sprintf("has run, and after %v %s", within, why))
		case ctx.Err() != nil:
			return s.fault("ended with " + context.Cause(ctx).Error())
		case before:
			gone()
		}
		short := s.Engine.StartQuiet(ctx, t, work)
		<-short.Done()
		switch v := short.Snapshot(); {
		case ctx.Err() != nil:
		case v.State == metrics.Done:
			return nil
		case permanent(v.Fault):
			return v.Fault
		default:
			why = v.Fault.Error()
		}
		wait = time.After(asksEvery)
	}
}

// start starts the command for a lane, without keys in its environment. fail is called
// where it does not end with 0.
func (s *server) start(label string, fail context.CancelCauseFunc) (err error) {
	words := pick.Each(s.Swap.Command, func(w *string) string {
		return strings.ReplaceAll(*w, racestat.LaneWord, label)
	})
	s.said, err = files.Open(filepath.Join(os.TempDir(), "tokscope-"+rand.Text()), os.O_CREATE|os.O_RDWR)
	if err != nil {
		return err
	}
	_ = os.Remove(s.said.Name()) // Windows does that in end alone
	cmd := exec.CommandContext(context.Background(), words[0], words[1:]...)
	cmd.Stderr, cmd.Env = s.said, environ(os.Environ(), s.Engine.Scrubber())
	program.Group(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	s.cmd, s.ended = cmd, make(chan struct{})
	go func() { // ends with the command, and end waits for that
		if s.err = cmd.Wait(); s.err != nil {
			fail(s.err)
		}
		close(s.ended)
	}()
	return nil
}

// end ends the command and its group, unless it has ended well: then what it left behind
// is the server.
func (s *server) end() {
	if s.said == nil {
		return
	}
	well := s.cmd == nil // it was not started
	select {
	case <-s.ended:
		well = well || s.err == nil
	default:
	}
	if !well {
		program.End(s.cmd, leaves)
		<-s.ended
	}
	_ = s.said.Close()
	_ = os.Remove(s.said.Name())
	s.cmd, s.said = nil, nil
}

// fault is that of a restart, with the last line that the command said.
func (s *server) fault(what string) *metrics.Fault {
	var end program.Tail
	if s.said != nil {
		_, _ = io.Copy(&end, io.NewSectionReader(s.said, 0, math.MaxInt64))
	}
	scrub := s.Engine.Scrubber()
	said := end.Text(scrub.String)
	if said = said[strings.LastIndexByte(said, '\n')+1:]; said != "" {
		what += ": " + said
	}
	return &metrics.Fault{Kind: metrics.FaultConfig, Message: scrub.String(s.Swap.Command[0] + " " + what),
		Next: "try the command by hand"}
}

// departure returns a channel that is closed once the server that listens at an address now
// has ended, or ctx has: at once where none listens. A connection without a request tells
// it, another one after each asksEvery, so that none is closed because it is idle, and a
// server that ends in order need not wait for one. It is looked at again once the next one
// is there: that one is of another server if it has been closed, however late this program is.
func departure(ctx context.Context, address string) <-chan time.Time {
	left := make(chan time.Time)
	conn, err := knock(ctx, address)
	go func() { // ends with ctx
		defer close(left)
		for err == nil && stays(ctx, conn, asksEvery) {
			before := conn
			conn, err = knock(ctx, address)
			for os.IsTimeout(err) && ctx.Err() == nil { // it is busy, not gone
				conn, err = knock(ctx, address)
			}
			there := stays(ctx, before, glance)
			_ = before.Close()
			if !there {
				break
			}
		}
		if conn != nil {
			_ = conn.Close()
		}
	}()
	return left
}

// knock opens a connection to the server of a base URL.
func knock(ctx context.Context, address string) (net.Conn, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	network, place := "tcp", transport.HostPort(u)
	if file, _, ok := transport.Socket(u); ok {
		network, place = "unix", file
	}
	dialer := net.Dialer{Timeout: time.Second}
	return dialer.DialContext(ctx, network, place)
}

// stays reports whether conn is still open after d. A read whose deadline has passed does not
// look at the connection: where this program stood still, the second one does.
func stays(ctx context.Context, conn net.Conn, d time.Duration) bool {
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	for _, wait := range []time.Duration{d, glance} {
		_ = conn.SetReadDeadline(time.Now().Add(wait))
		if _, err := conn.Read(make([]byte, 1)); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return false
		}
	}
	return true
}
