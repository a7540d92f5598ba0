package cli

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/ui/sanitize"
)

// Handover is the same load as a command line of another tool, for those who
// must go on to many machines, traces or a cluster.
type Handover struct {
	Tool    string
	Checked string   // the version against whose documentation the flags were checked
	Command string   // for a POSIX shell; never holds a key
	Notes   []string // where that tool measures or sends something else
}

// Load is what a handover says with other words.
type Load struct {
	Endpoint metrics.Endpoint
	Work     metrics.Workload
	Input    metrics.Lengths // of prompts; zero: not known, then it is guessed from their words
	Output   metrics.Lengths // bounds of answers; zero: Work.MaxTokens
	// File is where Prompts come from, which are sent in rotation, each as it
	// stands there unless Input says how long it becomes.
	File     string
	Prompts  []string
	Users    []int
	Rates    []float64
	Poisson  bool
	Duration time.Duration // of a step; 0 with Requests
	Requests int           // of a step; 0 with Duration
	Think    time.Duration
	Shared   bool
	SLOs     []metrics.Objective
}

// LoadOf is the load that a sweep's flags describe.
func LoadOf(o *Sweep, e metrics.Endpoint, w metrics.Workload, slos []metrics.Objective) Load {
	in := o.Input
	if in.IsZero() {
		in = metrics.FixedLength(w.InputTokens)
	}
	return Load{
		Endpoint: e, Work: w, Input: in, Output: o.Output, File: o.PromptsFile, Prompts: o.Prompts, Users: o.Users, Rates: o.Rates, Poisson: o.Poisson,
		Duration: o.Duration, Requests: o.Requests, Think: o.Think, Shared: o.Shared, SLOs: slos,
	}
}

// Handovers returns the load for vLLM's benchmark, GuideLLM and AIPerf. What a
// tool cannot say stands in its notes.
func Handovers(l Load) []Handover {
	l.fill()
	return []Handover{vllmBench(&l), guidellm(&l), aiperf(&l)}
}

// guesses of what the workload leaves open: the prompt's tokens by its words
// (0.75 of them a token), and an output for tools that insist on one.
const (
	wordsPerToken   = 0.75
	unboundedOutput = 512
)

func (l *Load) fill() {
	if l.File != "" && !l.Input.IsZero() {
		l.File = "" // prose of that length is most of what is sent
	}
	if l.Input.IsZero() {
		words := len(strings.Fields(l.Work.Prompt)) + len(strings.Fields(l.Work.System))
		l.Input = metrics.FixedLength(max(int(float64(words)/wordsPerToken), 1))
	}
	if l.Output.IsZero() {
		n := l.Work.MaxTokens
		if n <= 0 {
			n = unboundedOutput
		}
		l.Output = metrics.FixedLength(n)
	}
}

// requests is how many requests a step of n users should send when a tool
// wants a number: as asked, else eight for each user and at least 40.
func (l *Load) requests(n int) int {
	if l.Requests > 0 {
		return l.Requests
	}
	return max(8*n, 40)
}

// place splits the base URL into server and path: "https://host", "/v1".
func (l *Load) place() (server, path string) {
	u, err := url.Parse(l.Endpoint.URL)
	if err != nil || u.Host == "" {
		return l.Endpoint.URL, ""
	}
	server = (&url.URL{Scheme: u.Scheme, Host: u.Host}).String()
	return server, strings.TrimRight(u.Path, "/")
}

// commonNotes are those that hold for every one of the tools. same says that
// the tool draws the lengths of prompts as they are drawn here.
func (l *Load) commonNotes(same bool) []string {
	var notes []string
	switch {
	case l.File != "":
		notes = append(notes, fmt.Sprintf("sends %s as they are, written to another file first", plural(len(l.Prompts), "prompt")))
		if !l.Shared {
			notes = append(notes, "puts no line of its own before each prompt: one that comes again may be in a prefix cache, and its TTFT flatters")
		}
		if l.Work.System != "" {
			notes = append(notes, notSame+"it leaves out the system message")
		}
	case same:
		notes = append(notes, fmt.Sprintf("sends random text of %s tokens in place of this prompt, and counts tokens with a tokenizer that it must be able to load", l.Input))
	default:
		notes = append(notes, "sends random text in place of this prompt, and counts tokens with a tokenizer that it must be able to load")
	}
	if l.Think > 0 {
		notes = append(notes, "has no pause between a user's requests: its load is higher")
	}
	if l.Endpoint.Kind == metrics.EndpointEmbedded {
		notes = append(notes, "the embedded endpoint ends with this program: start `tokscope serve` and put its address here")
	}
	return notes
}

// notSameFirst puts the notes that begin with notSame before the others.
func notSameFirst(notes []string) []string {
	slices.SortStableFunc(notes, func(a, b string) int {
		return cmp.Compare(rankOf(a), rankOf(b))
	})
	return notes
}

func rankOf(note string) int {
	if strings.HasPrefix(note, notSame) {
		return 0
	}
	return 1
}

// sloLimits translates the objectives that a tool knows and names the others.
func (l *Load) sloLimits(known map[string]string) (pairs, left []string) {
	for _, o := range l.SLOs {
		name, ok := known[o.Name]
		v := o.Limit
		if o.Name == "speed" && !ok {
			name, ok = known["tpot"] // speed is 1000/TPOT by definition
			v = 1000 / o.Limit
		}
		if !ok {
			left = append(left, o.String())
			continue
		}
		pairs = append(pairs, name+":"+trim(v))
	}
	return pairs, left
}

// trim writes a number without needless digits.
func trim(v float64) string { return digits(v, 3) }

// digits writes a number with n digits behind the point, less those that are 0.
func digits(v float64, n int) string {
	tens := math.Pow10(n)
	return strconv.FormatFloat(math.Round(v*tens)/tens, 'f', -1, 64)
}

// seconds writes a duration for a tool that counts seconds.
func seconds(d time.Duration) string { return trim(d.Seconds()) }

// list joins numbers for a tool that takes a list.
func list[T int | float64](v []T, sep string) string {
	parts := make([]string, len(v))
	for i, x := range v {
		parts[i] = trim(float64(x))
	}
	return strings.Join(parts, sep)
}

// command builds a command line, a flag a line.
type command struct {
	b      strings.Builder
	indent string
}

func (c *command) start(s string) { c.b.WriteString(c.indent + s) }

// flag adds a flag with values, each quoted where the shell would read it
// otherwise.
func (c *command) flag(name string, values ...string) {
	c.b.WriteString(" \\\n" + c.indent + "  " + name)
	for _, v := range values {
		c.b.WriteString(" " + quote(v))
	}
}

// raw adds a flag whose value the shell is to read.
func (c *command) raw(name, value string) {
	c.b.WriteString(" \\\n" + c.indent + "  " + name + " " + value)
}

// quote protects s from a POSIX shell. What could act on a terminal is made
// safe first: a model's name may come from a server.
func quote(s string) string {
	s = sanitize.Line(s, 500)
	plain := s != ""
	for _, r := range s {
		plain = plain && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,@%+", r))
	}
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// PrintHandover prints the command lines alone.
func PrintHandover(w io.Writer, hs []Handover) error {
	var b strings.Builder
	writeHandover(&b, hs)
	_, err := io.WriteString(w, b.String())
	return err
}

func writeHandover(w io.Writer, hs []Handover) {
	fmt.Fprintln(w, "# The same load with other tools, for more machines than this one. Keys stay in the environment.")
	for _, h := range hs {
		fmt.Fprintf(w, "\n# %s (flags checked against %s)\n", h.Tool, h.Checked)
		for _, n := range h.Notes {
			fmt.Fprintf(w, "#   %s\n", n)
		}
		fmt.Fprintln(w, h.Command)
	}
}
