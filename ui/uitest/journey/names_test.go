//go:build !windows

package journey

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tokscope/metrics/testkit"
	"tokscope/ui/cli"
)

// hostileName is a name of a file or of anything else that would command a terminal
// and turn its text around.
const hostileName = "\x1b]0;PWNED\a\x1b[2J\r\b\u009b\u202e\u2066PWNED.ndjson"

// refusing is a target where nothing listens: a command that measures ends at once.
const refusing = "http://127.0.0.1:1/v1"

// bases are the arguments with which a command needs no terminal and ends.
var bases = map[string][]string{
	"tokscope":             {"--plain", refusing},
	"tokscope probe":       {"-n", "1", refusing},
	"tokscope sweep":       {"--users", "1", "-n", "1", refusing},
	"tokscope race":        {refusing, "http://127.0.0.1:2/v1"},
	"tokscope watch":       {"-n", "1", refusing},
	"tokscope doctor":      {refusing},
	"tokscope definitions": {refusing},
	"tokscope serve":       {"--addr", "127.0.0.1:0"},
	"tokscope tour":        {"--plain"},
}

// TestHostileNames gives every command, as arguments and in every flag that takes a
// file, a name that would command a terminal. The long form also gives names of files
// that are not there, and every flag that takes a text. Neither stdout nor stderr may
// hold a control or direction character.
func TestHostileNames(t *testing.T) {
	built(t) // left out without it
	dir := t.TempDir()
	recording, err := os.ReadFile("testdata/definitions/content.ndjson")
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, hostileName), recording, 0o600))
	names := []string{filepath.Join(dir, hostileName)}
	if testkit.Long() {
		names = append(names, filepath.Join(dir, "missing", hostileName), hostileName)
	}
	var lines [][]string
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		words, base := strings.Fields(c.CommandPath())[1:], bases[c.CommandPath()]
		if c.HasSubCommands() && len(words) > 0 && c.Name() == "completion" {
			return
		}
		for _, name := range names {
			lines = append(lines, slices.Concat(words, []string{name}), slices.Concat(words, []string{name, name}))
			c.Flags().VisitAll(func(f *pflag.Flag) {
				file := strings.Contains(f.Usage, "file") || strings.Contains(f.Usage, "folder")
				if strings.HasPrefix(f.Value.Type(), "string") && (file || testkit.Long()) {
					lines = append(lines, slices.Concat(words, []string{"--" + f.Name, name}, base))
				}
			})
		}
	}
	walk(cli.New(cli.Actions{}, "v"))
	t.Logf("%d command lines", len(lines))
	var printed atomic.Int64
	t.Run("lines", func(t *testing.T) {
		for _, args := range lines {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				text := printedBy(t, args)
				if strings.Contains(text, "PWNED") {
					printed.Add(1)
				}
				for _, r := range text {
					if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf) {
						t.Errorf("%q prints %U:\n%q", args, r, text)
						break
					}
				}
			})
		}
	})
	n := printed.Load()
	testkit.That(t, n >= 40, "only %d of %d command lines print the name: they were not tried", n, len(lines))
}

// printedBy returns what the program prints within 3 s.
func printedBy(t *testing.T, args []string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, built(t), args...)
	cmd.Env = environment(t.TempDir(), "TOKSCOPE_DISCOVER=false")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // an error is what most end with
	return out.String()
}
