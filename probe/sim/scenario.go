package sim

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Scenario bends what the endpoint does: faults and shapes of real servers and
// of what stands in front of them. It is written as directives, one a line (or
// divided by semicolons in a request header); a line that begins with # is a
// comment.
//
//	about TEXT                what it is, for a person
//	status N                  answer with this status instead of a completion
//	error TYPE CODE MESSAGE   … and this error; CODE may be -
//	body TEXT                 … or this body as it is
//	type TEXT                 Content-Type of such a body
//	header NAME: VALUE        a header of any answer; {key} is the client's key
//	loading D                 503 until the server has run for D
//	slow-headers D            the headers of a stream come D later
//	keep-alive D              a comment every D until the first token
//	early-role                the role chunk comes at once, not with the first token
//	chunk N                   N tokens a chunk
//	split                     every token a chunk of its own, also of one step
//	think-tags                reasoning as <think> text in the content
//	usage PLACE               first, every, finish, choice, x_groq or none
//	comment TEXT              a comment in front of every chunk
//	crlf                      lines end in CR LF
//	gzip                      the stream is compressed although nobody offered it
//	buffer N                  a proxy passes the stream on in pieces of N bytes
//	hostile                   escape sequences and worse in text and model name
//	no-finish                 no finish reason
//	no-done                   no [DONE]
//	after N WHAT              once N tokens are out:
//	  stall D                   nothing for D; what follows is later by D
//	  hold D                    nothing for D; what piled up comes at once
//	  error TYPE CODE MESSAGE   an error event, then the end
//	  truncate                  the body ends as if all was said
//	  cut                       the connection is closed in the middle
//	  reset                     the connection is reset
//	  flood N                   one line of N bytes without an end
type Scenario struct {
	Name  string
	About string

	status      int
	err         *apiError
	body        string
	contentType string
	header      [][2]string
	loading     time.Duration
	slowHeaders time.Duration
	keepAlive   time.Duration
	earlyRole   bool
	chunk       int
	split       bool
	thinkTags   bool
	usage       string
	comment     string
	crlf        bool
	gzip        bool
	buffer      int
	hostile     bool
	noFinish    bool
	noDone      bool
	actions     []action // by tokens
}

// turn is something that happens once so many tokens are out.
type action struct {
	after int
	what  string
	d     time.Duration
	n     int
	err   *apiError
}

// Bounds of what a scenario may ask for.
const (
	maxDelay = 10 * time.Minute
	maxFlood = 256 << 20
)

// ParseScenario reads directives. The error names the line.
func ParseScenario(name, src string) (*Scenario, error) {
	s := &Scenario{Name: name}
	line := 0
	for l := range strings.Lines(src) {
		line++
		if l = strings.TrimSpace(l); l == "" || l[0] == '#' {
			continue
		}
		word, rest, _ := strings.Cut(l, " ")
		if err := s.directive(word, strings.TrimSpace(rest)); err != nil {
			return nil, fmt.Errorf("scenario %s, line %d: %s: %w", name, line, clip(word), err)
		}
	}
	return s, nil
}

func (s *Scenario) directive(word, rest string) (err error) {
	flag := map[string]*bool{"early-role": &s.earlyRole, "split": &s.split, "think-tags": &s.thinkTags, "crlf": &s.crlf,
		"gzip": &s.gzip, "hostile": &s.hostile, "no-finish": &s.noFinish, "no-done": &s.noDone}
	wait := map[string]*time.Duration{"loading": &s.loading, "slow-headers": &s.slowHeaders, "keep-alive": &s.keepAlive}
	words := map[string]*string{"about": &s.About, "body": &s.body, "type": &s.contentType, "comment": &s.comment}
	switch {
	case flag[word] != nil:
		*flag[word] = true
	case wait[word] != nil:
		*wait[word], err = delay(rest)
	case words[word] != nil:
		*words[word] = rest
	case word == "status":
		s.status, err = number(rest, 200, 599)
	case word == "chunk":
		s.chunk, err = number(rest, 1, 10000)
	case word == "buffer":
		s.buffer, err = number(rest, 1, 1<<20)
	case word == "error":
		s.err, err = errorOf(rest)
	case word == "header":
		name, value, ok := strings.Cut(rest, ":")
		if !ok {
			return fmt.Errorf("expected NAME: VALUE")
		}
		s.header = append(s.header, [2]string{http.CanonicalHeaderKey(strings.TrimSpace(name)), strings.TrimSpace(value)})
	case word == "usage":
		switch rest {
		case "first", "every", "finish", "choice", "x_groq", "none":
			s.usage = rest
		default:
			return fmt.Errorf("no place %q", clip(rest))
		}
	case word == "after":
		return s.action(rest)
	default:
		return fmt.Errorf("no such directive")
	}
	return err
}

func (s *Scenario) action(rest string) (err error) {
	f := strings.SplitN(rest, " ", 3)
	if len(f) < 2 {
		return fmt.Errorf("expected N WHAT")
	}
	t := action{what: f[1]}
	if t.after, err = number(f[0], 0, 1<<30); err != nil {
		return err
	}
	arg := ""
	if len(f) == 3 {
		arg = f[2]
	}
	switch t.what {
	case "stall", "hold":
		t.d, err = delay(arg)
	case "flood":
		t.n, err = number(arg, 1, maxFlood)
	case "error":
		t.err, err = errorOf(arg)
	case "truncate", "cut", "reset":
	default:
		return fmt.Errorf("%q cannot happen", clip(t.what))
	}
	s.actions = append(s.actions, t)
	return err
}

func delay(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 || d > maxDelay {
		return 0, fmt.Errorf("a time between 0 and %v expected, not %q", maxDelay, clip(s))
	}
	return d, nil
}

func number(s string, low, high int) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("a number from %d to %d expected, not %q", low, high, clip(s))
	}
	return n, nil
}

func errorOf(s string) (*apiError, error) {
	f := strings.SplitN(s, " ", 3)
	if len(f) < 3 {
		return nil, fmt.Errorf("expected TYPE CODE MESSAGE")
	}
	code := f[1]
	if code == "-" {
		code = ""
	}
	return newError(http.StatusInternalServerError, f[0], code, "%s", f[2]), nil
}
