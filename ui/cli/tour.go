package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tokscope/metrics/pick"
	"tokscope/metrics/serving"
	"tokscope/ui/sanitize"
)

// Tour holds the flags of `tokscope tour`: those of the screen, and the first
// lesson.
type Tour struct {
	Live
	From string // a number or a key, "" for the lesson where one was
	List bool
}

// embedded is how the embedded endpoint is asked for, whatever the environment
// and the configuration say.
const embedded = "demo"

func newTour(a Actions) *cobra.Command {
	var o Tour
	cmd := &cobra.Command{
		Use:   "tour",
		Short: "A guided tour of prefill, decode, batching and the rest, on a running engine",
		Long: `Opens the Explain screen with the tour: short lessons, each a claim that is predicted and
then shown on the engine of the embedded endpoint while it runs. No key, no network.
It begins where you left it; enter continues.`,
		Example: `tokscope tour
tokscope tour --list           # the lessons
tokscope tour --lesson 4       # begin with the fourth
tokscope tour --plain          # the tour as lines, measured, without a screen`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.set, o.Target = cmd.Flags(), embedded
			if o.List {
				return PrintLessons(cmd.OutOrStdout(), a.Lessons)
			}
			n, err := LessonNumber(o.From, a.Lessons)
			if err != nil {
				return err
			}
			o.Live.Tour, o.Lesson = true, n
			return a.Live(cmd.Context(), &o.Live)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&o.From, "lesson", "", "number or key of the first lesson (default: where you left off)")
	fs.BoolVar(&o.List, "list", false, "print the lessons and exit")
	fs.StringVar(&o.ConfigPath, "config", "", "configuration file")
	fs.String("state-dir", "", "folder of the session files; your place in the tour is kept there too")
	recordFlag(fs, recordRaw, recordUsage)
	a.screenFlags(cmd)
	return cmd
}

// LessonNumber is the number of the lesson that a flag names, from 1; 0 for "".
func LessonNumber(flag string, lessons []serving.LessonHeading) (int, error) {
	if flag == "" {
		return 0, nil
	}
	if n, err := strconv.Atoi(flag); err == nil && n >= 1 && n <= len(lessons) {
		return n, nil
	}
	keys := pick.Each(lessons, func(l *serving.LessonHeading) string { return l.Key })
	if i := slices.IndexFunc(keys, func(key string) bool { return strings.EqualFold(flag, key) }); i >= 0 {
		return i + 1, nil
	}
	return 0, Usage("--lesson %q: give 1 to %d, or one of %s", flag, len(lessons), strings.Join(keys, ", "))
}

// PrintLessons prints the lessons with their numbers, keys and claims.
func PrintLessons(w io.Writer, lessons []serving.LessonHeading) error {
	var rows [][]string
	for i, l := range lessons {
		claim := sanitize.Line(strings.TrimSuffix(l.Title+": "+l.Claim, ": "), 200)
		rows = append(rows, []string{fmt.Sprintf("%2d", i+1), l.Key, claim})
	}
	return aligned(w, rows)
}
