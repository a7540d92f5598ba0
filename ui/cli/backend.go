package cli

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/charmbracelet/x/term"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/turn"
	"tokscope/ui/say"
)

// Settings are the settings in force: flags merged with environment and file.
// A name is that of the configuration, such as "defaults.slo".
type Settings interface {
	String(name string) string
	Bool(name string) bool
	Int(name string) int
	// IsDefault reports whether the setting has its default value, set by
	// nobody.
	IsDefault(name string) bool
}

// Console holds the input and output of a command.
type Console struct {
	In  io.Reader
	Out io.Writer // data
	Err io.Writer // progress and questions
	// InTerminal, OutTerminal and ErrTerminal say that a person is at the other end.
	InTerminal, OutTerminal, ErrTerminal bool
	Env                                  func(string) string
	// Page gives write what of v a page for others may show, of the type of v, and replaces the
	// file at path with what it writes. With texts all is shown but keys.
	Page func(path string, texts bool, v any, write func(w io.Writer, shown any) error) error
}

// Process returns the console of this process.
func Process() Console {
	return Console{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Getenv, InTerminal: term.IsTerminal(os.Stdin.Fd()),
		OutTerminal: term.IsTerminal(os.Stdout.Fd()), ErrTerminal: term.IsTerminal(os.Stderr.Fd()),
	}
}

// Job is one run of a command that measures: its input, output and settings.
type Job struct {
	Console
	Settings  Settings
	Endpoint  metrics.Endpoint              // of the target
	MaxTokens int                           // output limit of the target's profile; 0: none
	Pasted    *metrics.Workload             // of --curl or --messages, in place of a preset; nil without them
	Check     func(*metrics.Workload) error // refuses what must not be sent: a key of the target; nil: nothing
	Recording string                        // path of the session file, "" without one
	// Script reads what is played of the file of a tap.
	Script  func(file string) (*turn.Script, error)
	Metrics string // address that Prometheus can read, "" without one
	Room    metrics.Room
}

// room says on stderr what this machine has for users at the same time, if it is to. The
// error says what they lack.
func (j *Job) room(users int, says bool) error {
	text, refused := say.Room(&j.Room, users)
	if refused {
		return &Exit{ExitConfig, errors.New(text)}
	}
	if says {
		Warn(j.Err, text)
	}
	return nil
}

// pace is the reader that figures compare with.
func (j *Job) pace() metrics.Pace {
	p, _ := metrics.PaceByName(j.Settings.String("defaults.pace"))
	return p
}

// Prober is the measuring side as `tokscope probe` uses it.
type Prober interface {
	// Probe sends the requests of p and returns those that started, also when
	// ctx ends.
	Probe(ctx context.Context, p loadstat.ProbePlan) []metrics.Run
	// Lines writes every later event as a JSON line. The result stops the
	// writing and returns its first error.
	Lines(out io.Writer) (end func(context.Context) error)
	// WriteRuns writes the JSON document.
	WriteRuns(out io.Writer, runs []metrics.Run, f loadstat.ProbeForm) error
	// BenchmarkReport makes a new folder, into which the result writes llm-d's Benchmark Report.
	BenchmarkReport(dir string) (write func([]metrics.Run) error, err error)
}

// Sweeper is the measuring side as `tokscope sweep` uses it, for one plan.
type Sweeper interface {
	// Question returns the question for consent to the load. needed reports
	// whether it must be asked.
	Question() (question loadstat.Question, needed bool)
	// Warning returns a sentence to print before the load, "" without one.
	Warning() string
	// Await prepares one of several shards to begin with the others, see SweepPlan.Shard. It
	// returns sentences to print. The error says that nothing is left to measure.
	Await(ctx context.Context) (warnings []string, err error)
	// Run measures the steps. The error says that a file could not be written.
	Run(ctx context.Context) (loadstat.SweepOutcome, error)
	// Write writes the JSON document of Run's results.
	Write(out io.Writer, v loadstat.SweepVerdicts, warnings []string, handovers []loadstat.Handover) error
	// Close closes the files.
	Close() error
}
