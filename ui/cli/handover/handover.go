package handover

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
	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// Load is the load to hand over. Its Input is unknown where it is zero, and then
// estimated from the words of the prompt; a zero Output is Work.MaxTokens.
type Load struct {
	loadstat.SweepPlan
	Endpoint metrics.Endpoint
	// File holds Prompts, which are sent in rotation, each unchanged unless
	// Input sets its length.
	File string
}

// Handovers returns the load for vLLM's benchmark, GuideLLM and AIPerf. The
// notes hold what a tool cannot express.
func Handovers(l Load) []loadstat.Handover {
	l.fill()
	return []loadstat.Handover{vllmBench(&l), guidellm(&l), aiperf(&l)}
}

// Estimates of what the workload leaves open: the prompt's tokens from its
// words (0.75 words a token), and an output for tools that require one.
const (
	wordsPerToken   = 0.75
	unboundedOutput = 512
)

func (l *Load) fill() {
	if l.File != "" && !l.Input.IsZero() {
		l.File = "" // prose of that length is most of the prompt
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

// requests is the number of requests for a step of n users, for tools that
// need one: the requested number, else eight per user and at least 40.
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

// commonNotes are the notes for every tool. same reports that the tool draws
// prompt lengths as tokscope does.
func (l *Load) commonNotes(same bool) []string {
	var notes []string
	switch {
	case l.File != "":
		notes = append(notes, fmt.Sprintf("sends %s as they are, written to another file first",
			format.Plural(len(l.Prompts), "prompt", "prompts")))
		if !l.SharedPrefix {
			notes = append(notes,
				"adds no unique line before each prompt: a repeated prompt may be cached, which lowers its TTFT")
		}
		if l.Work.System != "" {
			notes = append(notes, notSame+"leaves out the system message")
		}
	case same:
		notes = append(notes,
			fmt.Sprintf("sends random text of %s tokens in place of this prompt, "+
				"and counts tokens with a tokenizer that it must be able to load", l.Input))
	default:
		notes = append(notes,
			"sends random text in place of this prompt, and counts tokens with a tokenizer that it must be able to load")
	}
	if l.Think > 0 {
		notes = append(notes, "has no pause between a user's requests: its load is higher")
	}
	if l.Requests > 0 && len(l.Users) > 0 {
		notes = append(notes,
			"sends just these requests; tokscope sends up to two more "+
				"a user, at the start and at the end, and does not count them")
	}
	if l.Endpoint.Kind == metrics.EndpointEmbedded {
		notes = append(notes, "the embedded endpoint ends with this program: start `tokscope serve` and put its address here")
	}
	return notes
}

// notSameFirst moves the notes that begin with notSame to the front.
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

// sloLimits translates the objectives that a tool knows and lists the others.
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

// trim writes a number without trailing zeros.
func trim(v float64) string { return digits(v, 3) }

// digits writes a number with at most n digits after the point, without
// trailing zeros.
func digits(v float64, n int) string {
	tens := math.Pow10(n)
	return strconv.FormatFloat(math.Round(v*tens)/tens, 'f', -1, 64)
}

// seconds writes a duration for a tool that takes seconds.
func seconds(d time.Duration) string { return trim(d.Seconds()) }

// list joins numbers for a tool that takes a list.
func list[T int | float64](v []T, sep string) string {
	parts := make([]string, len(v))
	for i, x := range v {
		parts[i] = trim(float64(x))
	}
	return strings.Join(parts, sep)
}

// command builds a command line with one flag on each line.
type command struct {
	b      strings.Builder
	indent string
}

func (c *command) start(s string) { c.b.WriteString(c.indent + s) }

// flag adds a flag with values. It quotes each value that the shell would
// change.
func (c *command) flag(name string, values ...string) {
	c.b.WriteString(" \\\n" + c.indent + "  " + name)
	for _, v := range values {
		c.b.WriteString(" " + quote(v))
	}
}

// raw adds a flag whose value the shell expands.
func (c *command) raw(name, value string) {
	c.b.WriteString(" \\\n" + c.indent + "  " + name + " " + value)
}

// quote quotes s for a POSIX shell. It sanitizes s first, since a model's
// name may come from a server.
func quote(s string) string {
	s = sanitize.Line(s, 500)
	plain := s != ""
	for _, r := range s {
		plain = plain &&
			(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,@%+", r))
	}
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// PrintHandover prints the command lines alone.
func PrintHandover(w io.Writer, hs []loadstat.Handover) error {
	var b strings.Builder
	writeHandover(&b, hs)
	_, err := io.WriteString(w, b.String())
	return err
}

func writeHandover(w io.Writer, hs []loadstat.Handover) {
	fmt.Fprintln(w, "# The same load with other tools, for more machines than this one. Keys stay in the environment.")
	for _, h := range hs {
		fmt.Fprintf(w, "\n# %s (flags checked against %s)\n", h.Tool, h.Checked)
		for _, n := range h.Notes {
			fmt.Fprintf(w, "#   %s\n", n)
		}
		fmt.Fprintln(w, h.Command)
	}
}
