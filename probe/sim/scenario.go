package sim

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Scenario changes the endpoint's behavior: faults and shapes of real servers
// and of proxies in front of them. It is written as directives, one per line.
// In a request header, semicolons separate them. A line that begins with # is
// a comment.
//
//	about TEXT                description, for a person
//	status N                  answer with this status instead of a completion
//	error TYPE CODE MESSAGE   … and this error; CODE may be -
//	body TEXT                 … or this body, unchanged
//	type TEXT                 Content-Type of such a body
//	header NAME: VALUE        a header of every answer; {key} is the client's key
//	loading D                 503 until the server has run for D
//	slow-headers D            delay the headers of a stream by D
//	keep-alive D              a comment every D until the first token
//	early-role                send the role chunk at once, not with the first token
//	chunk N                   N tokens per chunk
//	split                     one chunk per token, also for tokens of one step
//	think-tags                reasoning as <think> text in the content
//	usage PLACE               first, every, finish, choice, x_groq or none
//	comment TEXT              a comment before every chunk
//	crlf                      lines end in CR LF
//	gzip                      compress the stream although the client did not offer it
//	buffer N                  pass the stream on in pieces of N bytes, as a proxy does
//	strict                    400 to what the newest version of an API refuses:
//	                          a temperature of Messages, a missing version
//	hostile                   escape sequences and worse in text and model name
//	tool NAME ARGUMENTS       call this tool of the request with this JSON object,
//	                          once; without it a model that may choose calls none
//	no-finish                 no finish reason
//	no-done                   no [DONE]
//	after N WHAT              once N tokens were sent:
//	  stall D                   send nothing for D, and delay the rest by D
//	  hold D                    send nothing for D, then the backlog at once
//	  error TYPE CODE MESSAGE   an error event, then the end
//	  truncate                  end the body as if it were complete
//	  cut                       close the connection in the middle
//	  reset                     reset the connection
//	  flood N                   one line of N bytes without an end
//	from D [until D] slower Nx WHAT
//	                          from the server's age D on, make WHAT of every
//	                          step N times as long: prefill, decode or all;
//	                          of the whole server only, not of one request
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
	strict      bool
	hostile     bool
	noFinish    bool
	noDone      bool
	tool        string
	arguments   string   // of tool: a JSON object
	actions     []action // by number of tokens
	slower      []slowdown
}

// action happens once a number of tokens has been sent.
type action struct {
	after int
	what  string
	d     time.Duration
	n     int
	err   *apiError
}

// Bounds of the directives.
const (
	maxDelay = 10 * time.Minute
	maxFlood = 256 << 20
)

// ParseScenario parses directives. The error names the line.
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
		"gzip": &s.gzip, "strict": &s.strict, "hostile": &s.hostile, "no-finish": &s.noFinish, "no-done": &s.noDone}
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
	case word == "tool":
		var object map[string]json.RawMessage
		s.tool, s.arguments, _ = strings.Cut(rest, " ")
		s.arguments = strings.TrimSpace(s.arguments)
		if s.tool == "" || json.Unmarshal([]byte(s.arguments), &object) != nil || object == nil {
			return fmt.Errorf("expected NAME and a JSON object")
		}
	case word == "after":
		return s.action(rest)
	case word == "from":
		return s.slow(rest)
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
	e := newError(http.StatusInternalServerError, code, "%s", f[2])
	e.Type = f[0]
	return e, nil
}

//go:embed scenarios
var scenarioFiles embed.FS

// scenarios returns every file of the folder, by name.
var scenarios = sync.OnceValues(func() (map[string]*Scenario, error) {
	list, err := scenarioFiles.ReadDir("scenarios")
	if err != nil {
		return nil, err
	}
	all := map[string]*Scenario{}
	for _, f := range list {
		src, err := scenarioFiles.ReadFile(path.Join("scenarios", f.Name()))
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(f.Name(), ".txt")
		if all[name], err = ParseScenario(name, string(src)); err != nil {
			return nil, err
		}
	}
	return all, nil
})

// Scenarios returns the ready-made scenarios, sorted by name.
func Scenarios() []*Scenario {
	all, err := scenarios()
	if err != nil {
		return nil // a test checks that every file parses
	}
	return slices.SortedFunc(maps.Values(all), func(a, b *Scenario) int { return strings.Compare(a.Name, b.Name) })
}

// ScenarioOf returns the ready-made scenario of that name, or parses
// directives separated by semicolons. "" returns nil.
func ScenarioOf(spec string) (*Scenario, error) {
	spec = strings.TrimSpace(spec)
	if spec == "" {
		return nil, nil
	}
	all, err := scenarios()
	if err != nil {
		return nil, err
	}
	if s := all[spec]; s != nil {
		return s, nil
	}
	s, err := ParseScenario("given", strings.ReplaceAll(spec, ";", "\n"))
	if err != nil && !strings.ContainsAny(spec, " ;") {
		return nil, fmt.Errorf("no scenario %q: there are %s", clip(spec),
			keys(Scenarios(), func(s *Scenario) string { return s.Name }))
	}
	return s, err
}
