package handover

import (
	"fmt"
	"io"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

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

// tool is another tool: its command line and the notes on it. In a command each row
// that begins with -- is a flag of the one before. Empty rows are left out.
type tool struct {
	name    string
	checked string            // the version, by running the line against tokscope serve
	slos    map[string]string // its names of objectives
	indent  string            // of a flag
	exact   func(l *line) bool
	command func(l *line) string
	notes   func(l *line) string // behind commonNotes
}

// Handovers returns the load for vLLM's benchmark, GuideLLM and AIPerf. The
// notes hold what a tool cannot express.
func Handovers(l Load) []loadstat.Handover {
	l.fill()
	var all []loadstat.Handover
	for _, t := range []*tool{&vllm, &guidellm, &aiperf} {
		of := &line{Load: &l, tool: t}
		all = append(all, loadstat.Handover{Tool: t.name, Checked: t.checked + ", by running the line against tokscope serve",
			Command: of.command(), Notes: of.notes()})
	}
	return all
}

// unboundedOutput is the output where the workload leaves it open, for tools that
// require one.
const unboundedOutput = 512

func (l *Load) fill() {
	if l.File != "" && !l.Input.IsZero() {
		l.File = "" // prose of that length is most of the prompt
	}
	if l.Input.IsZero() {
		words := len(strings.Fields(l.Work.Text()))
		l.Input = metrics.FixedLength(max(int(float64(words)/metrics.WordsPerToken), 1))
	}
	if l.Output.IsZero() {
		l.Output = metrics.FixedLength(format.Either(l.Work.MaxTokens > 0, l.Work.MaxTokens, unboundedOutput))
	}
}

// notSame begins a note on a command line that measures another workload than
// tokscope. Such a note comes first.
const notSame = "NOT THE SAME WORKLOAD: "

// commonNotes are the notes on every tool.
func commonNotes(l *line) string {
	return rows(
		when(l.File != "",
			"sends "+format.Plural(len(l.Prompts), "prompt", "prompts")+" as they are, written to another file first",
			when(!l.SharedPrefix, "adds no unique line before each prompt: "+
				"a repeated prompt may be cached, which lowers its TTFT"),
			when(l.Work.System != "", notSame+"leaves out the system message")),
		when(l.Work.Messages != "", notSame+"sends a single prompt in place of the messages"),
		when(l.File == "", "sends random text"+when(l.tool.exact(l), " of "+l.Input.String()+" tokens")+
			" in place of this prompt, and counts tokens with a tokenizer that it must be able to load"),
		when(l.Think > 0, "has no pause between a user's requests: its load is higher"),
		when(l.Requests > 0 && len(l.Users) > 0, "sends just these requests; tokscope sends up to two more "+
			"a user, at the start and at the end, and does not count them"),
		when(strings.HasPrefix(l.Endpoint.URL, "unix:"), "knows no unix socket: put the address of a relay here, such as "+
			"`socat TCP-LISTEN:8000,bind=127.0.0.1,fork UNIX:FILE`"),
		when(l.embedded(), "the embedded endpoint ends with this program: "+
			"start `tokscope serve` and put its address here"))
}

// startSpread is the note on a tool that was given a time to start its users in.
func (l *line) startSpread() string {
	return when(l.mostUsers() > 1, "starts the users of a step over "+trim(l.answer())+" s, about one answer, "+
		"as tokscope does; without that setting all start at once")
}

// sharedNote says what other tools' shared beginning omits.
func (l *line) sharedNote() string {
	return when(l.prefix() > 0 && l.Input.Varies(), fmt.Sprintf(
		"lets prompts share their first %d tokens alone; here longer ones share more", l.prefix()))
}

// meanAnswers is the note on a tool that bounds all answers alike.
func (l *line) meanAnswers() string {
	return when(l.Output.Varies(), notSame+"all answers are bounded by the mean of "+l.Output.String())
}

// cannot names the objectives that the tool does not have.
func (l *line) cannot() string {
	_, unknown := l.limits("%s%s", "")
	return when(len(unknown) > 0, "cannot express "+strings.Join(unknown, ", "))
}

// tokenizerNote says where the tokenizer of a command line comes from.
const tokenizerNote = "TOKENIZER is a name of Hugging Face or a folder; go -C docs/rigs " +
	"run ./handover -tokenizer DIR in tokscope's source makes one that counts like tokscope serve"

// rows joins rows, of which each may be several, without empty ones.
func rows(all ...string) string { return format.Join("\n", all...) }

// when returns the rows if ok is true, else none.
func when(ok bool, all ...string) string { return format.If(ok, rows(all...)) }

// line is a load for one tool.
type line struct {
	*Load
	tool *tool
}

// notes returns the notes, those of another workload first.
func (l *line) notes() []string {
	out := strings.Split(rows(commonNotes(l), l.tool.notes(l)), "\n")
	rank := func(note string) int { return format.Either(strings.HasPrefix(note, notSame), 0, 1) }
	slices.SortStableFunc(out, func(a, b string) int { return rank(a) - rank(b) })
	return out
}

// tokenizerFolder is the default tokenizer of a model whose name is not that
// of a repository.
const tokenizerFolder = "tokenizer"

// command returns the command line. It sets TOKENIZER first, unless the environment
// does: to the model's name where that is one of Hugging Face, else to a folder.
func (l *line) command() string {
	name := tokenizerFolder
	if strings.Contains(l.Endpoint.Model, "/") && !l.embedded() {
		name = l.Endpoint.Model
	}
	s := "TOKENIZER=${TOKENIZER:-" + quote(name) + "}"
	for _, row := range strings.Split(l.tool.command(l), "\n") {
		s += format.Either(strings.HasPrefix(row, "--"), " \\\n"+l.tool.indent, "\n") + row
	}
	return s
}

// embedded reports whether the endpoint is this program's.
func (l *line) embedded() bool { return l.Endpoint.Kind == metrics.EndpointEmbedded }

// open reports whether the steps are rates.
func (l *line) open() bool { return len(l.Rates) > 0 }

// Expansions of the shell in a command line.
const (
	// newSeed differs in every run and in every step. Random text of one seed
	// is the same text, and a prefix cache of the server would have it.
	newSeed = "$(date +%s)"
	// unknownModel stops the shell with words unless MODEL is set.
	unknownModel = `"${MODEL:?set it to the name of the model}"`
)

// model is the model for the shell, which asks for it where it is not known.
func (l *line) model() string {
	return format.Either(l.Endpoint.Model != "", quote(l.Endpoint.Model), unknownModel)
}

// place splits the base URL into server and path: "https://host", "/v1".
func (l *line) place() (server, path string) {
	u, err := url.Parse(l.Endpoint.URL)
	if err != nil || u.Host == "" {
		return l.Endpoint.URL, ""
	}
	server = (&url.URL{Scheme: u.Scheme, Host: u.Host}).String()
	return server, strings.TrimRight(u.Path, "/")
}

// steps lists the users or the rates of all steps.
func (l *line) steps(sep string) string {
	var parts []string
	for _, n := range l.Users {
		parts = append(parts, strconv.Itoa(n))
	}
	for _, r := range l.Rates {
		parts = append(parts, trim(r))
	}
	return strings.Join(parts, sep)
}

// seconds is the duration of a step for a tool that takes seconds.
func (l *line) seconds() string { return trim(l.Duration.Seconds()) }

// temperature is that of the workload behind name, "" without one.
func (l *line) temperature(name string) string {
	if l.Work.Temperature == nil {
		return ""
	}
	return name + trim(*l.Work.Temperature)
}

// toJSONL is a shell line that writes each prompt of the file as an object
// with the text in that field. It skips blank lines and trims the others, as
// tokscope does.
func (l *line) toJSONL(field, to string) string {
	return fmt.Sprintf(`jq -cR 'gsub("^\\s+|\\s+$"; "") | select(. != "") | {%s: .}' < %s > %s`, field, quote(l.File), to)
}

// limits writes the objectives that the tool knows, each by form, a format of its
// name and its limit, and lists the others.
func (l *line) limits(form, sep string) (known string, unknown []string) {
	var pairs []string
	for _, o := range l.SLOs {
		name, ok := l.tool.slos[o.Name]
		v := o.Limit
		if o.Name == "speed" {
			name, ok = l.tool.slos["tpot"] // speed is 1000/TPOT by definition
			v = 1000 / o.Limit
		}
		if !ok {
			unknown = append(unknown, o.String())
			continue
		}
		pairs = append(pairs, fmt.Sprintf(form, name, trim(v)))
	}
	return strings.Join(pairs, sep), unknown
}

// A fast endpoint, for what depends on the time of an answer: in s, and in
// tokens per second and user.
const (
	fastTTFT  = 0.3
	fastSpeed = 100
	// fastest is the speed up to which a dataset of a step that is bounded by
	// time holds a prompt for every request.
	fastest = 400
)

// answer is the time of one answer of a fast endpoint, in s: the time over
// which tokscope spreads the users of its first step.
func (l *line) answer() float64 { return fastTTFT + l.Output.Expected()/fastSpeed }

// mostUsers is the largest number of users of a step; 0 in an open loop.
func (l *line) mostUsers() int {
	if len(l.Users) == 0 {
		return 0
	}
	return slices.Max(l.Users)
}

// most is the number of requests that a step can send: the requested
// one, else what the duration allows an endpoint of the fastest speed. A
// schedule of random arrivals has four deviations of room.
func (l *line) most() int {
	n := float64(l.Requests)
	switch {
	case l.Requests > 0:
	case len(l.Rates) > 0:
		n = slices.Max(l.Rates) * l.Duration.Seconds()
		if l.Poisson {
			n += 4 * math.Sqrt(n)
		}
	default:
		n = float64(l.mostUsers()) * l.Duration.Seconds() * fastest / max(l.Output.Expected(), 1)
	}
	return max(int(math.Ceil(n)), l.mostUsers(), 1)
}

// trim writes a number without trailing zeros.
func trim(v float64) string { return digits(v, 3) }

// digits writes a number with at most n digits after the point, without
// trailing zeros.
func digits(v float64, n int) string {
	tens := math.Pow10(n)
	return strconv.FormatFloat(math.Round(v*tens)/tens, 'f', -1, 64)
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
	b.WriteString("# The same load with other tools, for more machines than this one. Keys stay in the environment.\n")
	for _, h := range hs {
		fmt.Fprintf(&b, "\n# %s (flags checked against %s)\n", h.Tool, h.Checked)
		for _, n := range h.Notes {
			fmt.Fprintf(&b, "#   %s\n", n)
		}
		fmt.Fprintln(&b, h.Command)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
