package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tokscope/metrics"
	"tokscope/metrics/racestat"
	"tokscope/metrics/serving"
	"tokscope/metrics/turn"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// Live holds the flags of the terminal interface beyond Common.
type Live struct {
	Common
	// Tour opens the Explain screen with the tour, at lesson Lesson; 0 resumes
	// the person's last one.
	Tour   bool
	Lesson int
	// Race, when set, opens the Race screen and begins this race.
	Race *racestat.Plan
	// Replay, when set, opens these recordings and shows them.
	Replay *metrics.ReplayPlan
	// Tap, when set, is shown on the Tap screen.
	Tap TapPane
	// ReplayLines prints them instead where no screen can be shown.
	ReplayLines func() error
}

// Actions are the functions of the commands; main sets them.
type Actions struct {
	Live        func(ctx context.Context, o *Live) error
	Probe       func(ctx context.Context, o *Probe) error
	Serve       func(ctx context.Context, o *Serve) error
	Sweep       func(ctx context.Context, o *Sweep) error
	Doctor      func(ctx context.Context, o *Doctor) error
	Race        func(ctx context.Context, o *Race) error
	Models      func(ctx context.Context, o *Models) error
	Definitions func(ctx context.Context, o *Definitions) error
	ShowConfig  func(ctx context.Context, o *Common, origin bool) error
	History     func(ctx context.Context, o *History) error
	Replay      func(ctx context.Context, o *Replay) error
	Compare     func(ctx context.Context, o *Compare) error
	Merge       func(ctx context.Context, o *Merge) error
	Watch       func(ctx context.Context, o *Watch) error
	Tap         func(ctx context.Context, o *Tap) error
	Agents      []turn.Agent // that a tap knows
	// Themes are the names for --theme. Targets completes the argument from what
	// was typed.
	Themes []string
	// Fields are the fields of a request that a flag can set, each with what follows, as it
	// is completed: "tier=", "extra.".
	Fields  []string
	Targets func(typed string, env func(string) string) []string
	// Named returns the names of the machines and models.
	Named   func(env func(string) string) (machines, models []string)
	Sample  string                  // what config sample prints
	Lessons []serving.LessonHeading // of the tour, in order
	// Presets and Scenarios of the embedded endpoint, name and explanation each.
	Presets, Scenarios [][2]string
}

// New returns the command tree.
func New(a Actions, version string) *cobra.Command {
	var live Live
	root := &cobra.Command{
		Use:   "tokscope [TARGET]",
		Short: "An oscilloscope for LLM token streams",
		Long: `An oscilloscope for LLM token streams: the text arriving, the wait for the first
token and what it consists of, the gap before every chunk, and the speed against a reader.

TARGET is a profile of the configuration, a provider's name (groq), a URL,
or MODEL@MACHINE of the embedded endpoint (llama-3.3-70b-fp8@2xh100).
#MODEL after it names the model; +cold, +warm, +http1, +http2 and +direct choose the connection.
Without one: OPENAI_BASE_URL if set, else the embedded endpoint, which needs no key and no network.`,
		Example: `tokscope                                  # the embedded endpoint: no key, no network
tokscope http://127.0.0.1:8080/v1         # any OpenAI-compatible server
tokscope groq --model llama-3.3-70b-versatile
tokscope probe groq -n 5 --slo ttft=500ms # headless, exit code 3 when missed`,
		Version:           version,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeTargets(a),
		SilenceUsage:      true,
		SilenceErrors:     true,
		PersistentPreRunE: plainGroups,
	}
	root.RunE = run(&live, func(ctx context.Context, o *Live) error {
		return meantCommand(root, o.Target, a.Live(ctx, o))
	})
	live.flags(root)
	live.claimFlags(root, a)
	live.curlFlags(root)
	a.screenFlags(root)
	root.AddCommand(newProbe(a), newSweep(a), newRace(a), newDoctor(a), newServe(a), newModels(a),
		newDefinitions(a), newHistory(a), newReplay(a), newCompare(a), newMerge(a), newWatch(a), newTap(a),
		newConfig(a), newTour(a))
	plainArguments(root)
	root.SetFlagErrorFunc(plainFlag)
	return root
}

// nearCommand returns the command of root that arg misspells by one or two letters,
// or "".
func nearCommand(root *cobra.Command, arg string) string {
	root.SuggestionsMinimumDistance = 2
	if near := root.SuggestionsFor(arg); len(near) > 0 && len(arg) > 2 {
		return near[0]
	}
	return ""
}

// meantCommand adds to err, of an unknown target, the command that it misspells.
func meantCommand(root *cobra.Command, target string, err error) error {
	f, ok := errors.AsType[*metrics.Fault](err)
	if !ok || f.Code != metrics.CodeUnknownTarget {
		return err
	}
	near := nearCommand(root, target)
	if near == "" {
		return err
	}
	meant := *f
	meant.Next = "did you mean the command " + near + "? Else " + f.Next
	return &meant
}

// plainArguments lets cmd and the commands below it say in the program's own words
// that a number of arguments is wrong.
func plainArguments(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if check(cmd, args) == nil {
				return nil
			}
			use := cmd.Use
			if p := cmd.Parent(); p != nil {
				use = p.CommandPath() + " " + use
			} else if near := nearCommand(cmd, args[0]); near != "" {
				return Usage("%q is no command; did you mean the command %s?", args[0], near)
			}
			return Usage("%s: this does not fit `%s`", format.Plural(len(args), "argument", "arguments"), use)
		}
	}
	for _, c := range cmd.Commands() {
		plainArguments(c)
	}
}

// screenFlags adds the flags of the screen.
func (a *Actions) screenFlags(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.String("theme", "", "theme of the screen (t changes it while it runs)")
	fs.String("color", "auto", "auto, always or never; NO_COLOR is honored")
	fs.Bool("ascii", false, "draw with ASCII alone")
	fs.Bool("plain", false, "lines instead of a screen, only ever appended: for logs and screen readers")
	fs.Bool("reduced-motion", false, "no fading, no blinking, four frames a second")
	fs.Bool("mouse", true, "use the mouse; --mouse=false leaves it to the terminal")
	fs.Int("fps", 0, "frames a second while something moves (default 30; 15 over SSH)")
	complete(cmd, "theme", func() []string { return a.Themes })
	complete(cmd, "color", colors)
}

// colors are the values of --color.
func colors() []string { return []string{"auto", "always", "never"} }

// complete lets a shell complete flag of cmd with names, which are asked for then. more
// says what it does after a name.
func complete(cmd *cobra.Command, flag string, names func() []string, more ...cobra.ShellCompDirective) {
	next := cobra.ShellCompDirectiveNoFileComp
	for _, m := range more {
		next |= m
	}
	_ = cmd.RegisterFlagCompletionFunc(flag,
		func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return names(), next
		})
}

// completeTargets completes arguments with profiles, providers and MODEL@MACHINE, as many
// as the command takes.
func completeTargets(a Actions) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if cmd.Args(cmd, append(slices.Clone(args), typed)) != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		names, next := a.Targets(typed, os.Getenv), cobra.ShellCompDirectiveNoFileComp
		if len(names) > 0 && !slices.ContainsFunc(names,
			func(n string) bool { return strings.HasPrefix(n, typed) && !strings.HasSuffix(n, "@") }) {
			next |= cobra.ShellCompDirectiveNoSpace // a machine follows
		}
		return names, next
	}
}

// newConfig returns `tokscope config show` and `tokscope config sample`.
func newConfig(a Actions) *cobra.Command {
	var (
		o      Common
		origin bool
	)
	cmd := &cobra.Command{
		Use: "config", Short: "The configuration in force",
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return Usage("config has no command %q: see %s --help", args[0], cmd.CommandPath())
		},
	}
	show := &cobra.Command{
		Use: "show", Short: "Print every setting in force", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.set = cmd.Flags()
			return a.ShowConfig(cmd.Context(), &o, origin)
		},
	}
	show.Flags().BoolVar(&origin, "origin", false, "also print where each value comes from")
	show.Flags().StringVar(&o.ConfigPath, "config", "", "configuration file")
	cmd.AddCommand(show, &cobra.Command{
		Use: "sample", Short: "Print a sample configuration file", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), a.Sample)
			return err
		},
	})
	return cmd
}

// PrintSettings prints rows of name, value and origin, aligned. It omits the
// origin unless requested. file is the configuration file's path, present or
// not.
func PrintSettings(w io.Writer, file string, rows [][3]string, origin bool) error {
	if file != "" {
		if _, err := fmt.Fprintf(w, "# %s\n", sanitize.Line(file, 300)); err != nil {
			return err
		}
	}
	var cells [][]string
	for _, r := range rows {
		row := []string{sanitize.Line(r[0], 200), cmp.Or(sanitize.Line(r[1], 200), "–"), sanitize.Line(r[2], 200)}
		if !origin {
			row = row[:2]
		}
		cells = append(cells, row)
	}
	return aligned(w, cells)
}
