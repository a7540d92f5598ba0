package reports

import (
	"encoding/hex"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

// An input is a file of probe/dialect/testdata/reports, whose README has the format.
type input struct {
	args      []string          // of the probe
	headers   map[string]string // of the profile
	tier      string            // asked, "" for none
	model     string            // asked
	exchanges []*exchange
	prompt    []byte // of the prompt's file, nil for none
	wants     []want
	open      string // why the program does not do what is wanted, "" where it does
	doctor    bool   // the doctor is asked too
	plain     bool   // a request is shown as lines too
	elsewhere string // the file and the test that do what it says; "" where it is played here
}

// An exchange is what the server answers to the requests first to last.
type exchange struct {
	first, last int
	status      int
	headers     [][2]string
	writes      []write
	open        bool // after the last one the connection stays open for a minute
}

// A write is what the server sends at once.
type write struct {
	at   time.Duration // since the request was read
	data []byte
}

// A want is what must be so: a figure, or an expression that what the program says must
// match, or never may.
type want struct {
	what, value string
	places      []string // for an expression: each of them must match; nil: one of all must
}

var (
	timed      = regexp.MustCompile(`^@(\S+)(?: \+(\S+) (x\d+|each))? (data:|raw|hex|open)(.*)$`)
	expression = regexp.MustCompile(`^(phrase|never)(?:\((\w+(?:,\w+)*)\))? (.+)$`)
	modelIn    = regexp.MustCompile(`"model":"([^"]+)"`)
)

// read reads the file.
func read(t *testing.T, path string) *input {
	t.Helper()
	data, err := os.ReadFile(path)
	testkit.Given(t, err == nil, "%v", err)
	in := &input{headers: map[string]string{}, model: "m"}
	if m := modelIn.FindSubmatch(data); m != nil {
		in.model = string(m[1])
	}
	now := &exchange{first: 1, last: math.MaxInt}
	in.exchanges = []*exchange{now}
	var pieces []string
	for n, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		word, rest, _ := strings.Cut(line, " ")
		good := true
		switch {
		case strings.HasPrefix(line, "@"):
			good = now.add(line, pieces)
		case word == "ask":
			in.ask(rest)
		case word == "request":
			if now.status == 0 {
				in.exchanges = nil
			}
			now = &exchange{}
			in.exchanges = append(in.exchanges, now)
			first, last, several := strings.Cut(rest, "..")
			now.first, _ = strconv.Atoi(first)
			if now.last = now.first; several {
				now.last, _ = strconv.Atoi(last)
			}
		case word == "status":
			now.status, _ = strconv.Atoi(rest)
		case word == "header":
			name, value, _ := strings.Cut(rest, ": ")
			now.headers = append(now.headers, [2]string{name, value})
		case word == "pieces":
			pieces = strings.Split(rest, " ")
		case word == "pieces|":
			pieces = strings.Split(rest, "|")
		case line == "file prompt":
			in.prompt = []byte{}
		case word == "open":
			in.open = rest
		case word == "want":
			what, value, _ := strings.Cut(rest, " ")
			in.wants = append(in.wants, want{what: what, value: value})
		case word == "elsewhere":
			in.elsewhere = rest
		case word == "try":
			in.doctor = in.doctor || strings.HasPrefix(rest, "doctor")
			in.plain = in.plain || rest == "plain"
		case expression.MatchString(line):
			m := expression.FindStringSubmatch(line)
			w := want{what: m[1], value: m[3]}
			if m[2] != "" {
				w.places = strings.Split(m[2], ",")
			}
			in.wants = append(in.wants, w)
		case in.prompt != nil:
			b, err := hex.DecodeString(strings.ReplaceAll(line, " ", ""))
			in.prompt, good = append(in.prompt, b...), err == nil
		}
		testkit.Given(t, good, "line %d: %.80s", n+1, line)
	}
	return in
}

// ask takes what is asked: words, and headers to the end of the line.
func (in *input) ask(line string) {
	words, headers, _ := strings.Cut(line, " header=")
	for _, h := range strings.Split(headers, " header=") {
		if name, value, ok := strings.Cut(h, ": "); ok {
			in.headers[name] = value
		}
	}
	in.args = []string{"-n", "1"}
	for _, w := range strings.Fields(words) {
		switch name, value, _ := strings.Cut(w, "="); name {
		case "n":
			in.args[1] = value
		case "max_tokens":
			in.args = append(in.args, "--max-tokens", value)
		case "lens":
			in.args = append(in.args, "--lens", value)
		case "tier":
			in.tier = value
		case "model":
			in.model = value
		}
	}
}

// add adds the writes of a line that begins with their time. It reports whether it can
// read it.
func (x *exchange) add(line string, pieces []string) bool {
	m := timed.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	if x.open = m[4] == "open"; x.open {
		return true
	}
	seconds := func(s string) time.Duration {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			f = 0
		}
		return time.Duration(math.Round(f * 1e9))
	}
	at, n := seconds(m[1]), 1
	if m[3] == "each" {
		n = len(pieces)
	} else if m[3] != "" {
		n, _ = strconv.Atoi(m[3][1:])
	}
	for i := range n {
		w := write{at: at + time.Duration(i)*seconds(m[2])}
		rest := strings.TrimPrefix(m[5], " ")
		switch m[4] {
		case "data:":
			text := strings.ReplaceAll(m[5], "{i}", strconv.Itoa(i+1))
			if m[3] == "each" {
				text = strings.ReplaceAll(text, "{piece}", pieces[i])
			}
			w.data = []byte("data:" + text + "\n\n")
		case "raw":
			w.data = []byte(rest + "\n")
		case "hex":
			w.data, _ = hex.DecodeString(strings.ReplaceAll(rest, " ", ""))
		}
		x.writes = append(x.writes, w)
	}
	return true
}
