package race

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/racestat"
	"tokscope/probe/endpoint"
	"tokscope/probe/files"
	"tokscope/probe/secret"
	"tokscope/program"
)

// Bounds of a restart.
const (
	// settles is how long a command may still run when its server answers. One that then
	// runs is the server.
	settles = 2 * time.Second
	// lingers is how long the server before may still be there when the command has ended.
	lingers = time.Minute
	// asksEvery is the time between two questions whether the server answers.
	asksEvery = 250 * time.Millisecond
	// leaves is how long a server has to end before it is killed.
	leaves = 10 * time.Second
	// shortAnswer is the length of the answer that shows that the model is there, tokens.
	shortAnswer = 4
)

// server is a person's server, restarted by the command of a Swap. What the command does
// says what it is: it ends with 0 when it has restarted the server, which goes on; or it
// still runs when the endpoint answers, and is the server. Then it is ended, with its
// group of processes, before the next block and at the end of the race.
type server struct {
	Config
	swap   racestat.Swap
	runs   *process        // nil without one
	target endpoint.Target // of the requests, with the model that the server has
}

func serverOf(c *Config) *server {
	s := &server{Config: *c, swap: *c.Swap}
	s.swap.Within = cmp.Or(s.swap.Within, racestat.RestartWithin)
	return s
}

// shown returns the Swap without keys.
func (s *server) shown() *racestat.Swap {
	out := s.swap
	out.Command = nil
	for _, w := range s.swap.Command {
		out.Command = append(out.Command, s.Engine.Scrubber().String(w))
	}
	return &out
}

// send begins a request to the server as it is now.
func (s *server) send(ctx context.Context, _ int, w metrics.Workload) stream {
	return s.Engine.Start(ctx, s.target, w)
}

// restart implements restarter.
func (s *server) restart(ctx context.Context, lane int, gone func()) *metrics.Fault {
	s.end()
	ctx, cancel := context.WithTimeout(ctx, s.swap.Within)
	defer cancel()
	s.target = s.Lanes[lane].Target
	left := departure(ctx, s.target.URL)
	defer func() { cancel(); <-left }()
	p, err := start(s.swap.Command, s.Lanes[lane].Label, s.Engine.Scrubber())
	if err != nil {
		return s.failed("could not be started: "+err.Error(), "check the command of --swap")
	}
	s.runs = p
	if fault := s.wait(ctx, p, left); fault != nil {
		return fault
	}
	gone()
	s.Engine.CloseIdle() // none of them leads to the new one
	return s.ready(ctx, p)
}

// end implements restarter.
func (s *server) end() {
	if s.runs != nil {
		s.runs.end()
		s.runs = nil
	}
}

// failed is the fault of a restart.
func (s *server) failed(what, next string) *metrics.Fault {
	scrub := s.Engine.Scrubber()
	return &metrics.Fault{Kind: metrics.FaultConfig,
		Message: scrub.String(s.swap.Command[0] + " " + what), Next: next}
}

// wait returns once the server before is gone.
func (s *server) wait(ctx context.Context, p *process, left <-chan struct{}) *metrics.Fault {
	ended := p.ended
	var late <-chan time.Time
	for {
		select {
		case <-left: // at the end of ctx too
			if ctx.Err() == nil {
				return nil
			}
			return s.late(p, "the server before it had not ended", nil)
		case <-late:
			return s.failed(fmt.Sprintf("ended, and %v later the server before it still held a connection open", lingers),
				"let the command end that server, and name the server itself as TARGET, not a proxy in front of it")
		case <-ended:
			if fault := s.broken(p); fault != nil {
				return fault
			}
			ended, late = nil, time.After(lingers)
		}
	}
}

// broken returns the fault of a command that has ended otherwise than with 0, nil while it
// runs and where it ended well.
func (s *server) broken(p *process) *metrics.Fault {
	select {
	case <-p.ended:
	default:
		return nil
	}
	if p.err == nil {
		return nil
	}
	said := p.lastLine(s.Engine.Scrubber())
	if said != "" {
		said = ": " + said
	}
	return s.failed("ended with "+p.err.Error()+said, "")
}

// late is the fault of a restart that took too long. why may be nil.
func (s *server) late(p *process, what string, why *metrics.Fault) *metrics.Fault {
	next := ""
	if why != nil {
		next = why.Error()
	} else if said := p.lastLine(s.Engine.Scrubber()); said != "" {
		next = "it said last: " + said
	}
	return s.failed(fmt.Sprintf("ran, and after %v %s", s.swap.Within, what), next)
}

// ready returns once the server answers with its model, and the command has had time to
// end.
func (s *server) ready(ctx context.Context, p *process) *metrics.Fault {
	for {
		why := s.answers(ctx)
		if fault := s.broken(p); fault != nil {
			return fault
		}
		switch {
		case ctx.Err() != nil:
			return s.late(p, "the endpoint does not answer", why)
		case why == nil:
			select {
			case <-p.ended:
			case <-time.After(settles):
			case <-ctx.Done():
			}
			return s.broken(p)
		case permanent(why):
			return why
		}
		select {
		case <-time.After(asksEvery):
		case <-ctx.Done():
		}
	}
}

// unlisted are the statuses of servers that answer, and do not list their models.
var unlisted = []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}

// answers asks for the models, over a connection of its own, and for a short answer. It
// returns why there is none.
func (s *server) answers(ctx context.Context) *metrics.Fault {
	ask, err := s.Engine.AskOf(s.target)
	if err != nil {
		return faultOf(err)
	}
	at, models, err := endpoint.Locate(ctx, ask, s.target, s.Engine.Scrubber())
	if fault := faultOf(err); fault != nil && (s.target.Model == "" || !slices.Contains(unlisted, fault.Status)) {
		return fault
	}
	if at.Model == "" {
		at.Model = endpoint.Pick(models)
	}
	if at.Model == "" {
		return &metrics.Fault{Kind: metrics.FaultProtocol, Message: "the server lists no models"}
	}
	w := s.Work
	w.MaxTokens = shortAnswer
	short := s.Engine.StartQuiet(ctx, at, w)
	<-short.Done()
	if v := short.Snapshot(); v.State != metrics.Done {
		return cmp.Or(v.Fault, &metrics.Fault{Kind: metrics.FaultInternal, Message: "the request did not end"})
	}
	s.target = at
	return nil
}

// faultOf returns err as a fault, nil for nil.
func faultOf(err error) *metrics.Fault {
	if f := (*metrics.Fault)(nil); err == nil || errors.As(err, &f) {
		return f
	}
	return &metrics.Fault{Kind: metrics.FaultConnect, Message: err.Error()}
}

// departure returns a channel that is closed once the server that listens at an URL now has
// ended, or ctx has: at once where none listens. A connection without a request tells it,
// another one each second, so that no server closes one because it is idle.
func departure(ctx context.Context, address string) <-chan struct{} {
	left := make(chan struct{})
	conn := knock(ctx, address)
	go func() { // ends with ctx
		defer close(left)
		for conn != nil && stays(ctx, conn, time.Second) {
			next := knock(ctx, address)
			if next == nil {
				continue // it listens no more, and is still there
			}
			here := stays(ctx, conn, time.Millisecond)
			_ = conn.Close()
			if conn = next; !here {
				break
			}
		}
		if conn != nil {
			_ = conn.Close()
		}
	}()
	return left
}

// knock opens a connection, nil where nobody answers.
func knock(ctx context.Context, address string) net.Conn {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	conn, err := (&net.Dialer{Timeout: 2 * time.Second}).DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return nil
	}
	return conn
}

// stays reports whether conn is still open after a time.
func stays(ctx context.Context, conn net.Conn, after time.Duration) bool {
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	_ = conn.SetReadDeadline(time.Now().Add(after))
	_, err := conn.Read(make([]byte, 1))
	return err == nil || errors.Is(err, os.ErrDeadlineExceeded)
}

// process is a command that was started.
type process struct {
	cmd   *exec.Cmd
	said  *os.File // its stderr: a server that it leaves behind may write on when tokscope has ended
	close func()   // closes said
	stop  context.CancelFunc
	ended chan struct{} // closed at its end, when err is there
	err   error
}

// start starts the command for the lane of that label, without keys in its environment.
func start(words []string, label string, scrub *secret.Scrubber) (*process, error) {
	for i, w := range words {
		words = slices.Clone(words)
		words[i] = strings.ReplaceAll(w, racestat.LaneWord, label)
	}
	said, done, err := files.Scratch()
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	p := &process{cmd: exec.CommandContext(ctx, words[0], words[1:]...), said: said, close: done, stop: stop,
		ended: make(chan struct{})}
	p.cmd.Stderr, p.cmd.Env = said, environ(os.Environ(), scrub)
	program.Group(p.cmd)
	if err := p.cmd.Start(); err != nil {
		stop()
		done()
		return nil, err
	}
	go func() { // ends with the process
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

// end ends the process and its group, unless it has ended well: what a command that has
// restarted the server left behind is the server.
func (p *process) end() {
	well := false
	select {
	case <-p.ended:
		well = p.err == nil
	default:
	}
	if !well {
		program.End(p.cmd, leaves)
		<-p.ended
	}
	p.stop()
	p.close()
}

// lookedThrough is how much of what a process said is looked through for keys, bytes.
const lookedThrough = 128 << 10

// lastLine returns the last line of what the process said, without keys.
func (p *process) lastLine(scrub *secret.Scrubber) string {
	var end program.Tail
	if info, err := p.said.Stat(); err == nil {
		from := max(info.Size()-lookedThrough, 0)
		_, _ = io.Copy(&end, io.NewSectionReader(p.said, from, lookedThrough))
	}
	text := end.Text(scrub.String)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// keyName matches the names of variables that hold keys.
var keyName = regexp.MustCompile(`(?i)(key|token|secret|passw(or)?d|credentials?|cookie)s?$`)

// environ returns an environment without the variables that hold a key.
func environ(all []string, scrub *secret.Scrubber) []string {
	return slices.DeleteFunc(all, func(v string) bool {
		name, value, _ := strings.Cut(v, "=")
		return keyName.MatchString(name) || scrub.Hit([]byte(value))
	})
}
