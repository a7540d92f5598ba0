package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/themes"
)

// execute runs the command line of args with these actions. What cobra prints goes
// nowhere.
func execute(t *testing.T, a Actions, args ...string) error {
	t.Helper()
	root := New(a, "v")
	root.SetArgs(args)
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	return root.ExecuteContext(t.Context())
}

// TestAMisspelledCommandIsNamed checks that a word that is no target suggests the
// command that is meant, and keeps the rest of the advice.
func TestAMisspelledCommandIsNamed(t *testing.T) {
	unknown := &metrics.Fault{Kind: metrics.FaultConfig, Code: metrics.CodeUnknownTarget, Message: "no target",
		Next: "name a profile"}
	other := &metrics.Fault{Kind: metrics.FaultConfig, Message: "no key", Next: "set it"}
	for _, c := range []struct {
		args string
		err  error
		want string
	}{
		{"prob", unknown, "no target: did you mean the command probe? Else name a profile"},
		{"swep", unknown, "did you mean the command sweep?"},
		{"xyzzyplugh", unknown, "no target: name a profile"},
		{"prob", other, "no key: set it"},
		{"prob groq", nil, `"prob" is no command; did you mean the command probe?`},
		{"xyzzyplugh groq", nil, "this does not fit"},
	} {
		live := func(context.Context, *Live) error { return c.err }
		if err := execute(t, Actions{Live: live}, strings.Fields(c.args)...); err == nil || !strings.Contains(err.Error(),
			c.want) {
			t.Errorf("%s: %v, want %q", c.args, err, c.want)
		}
	}
}

// TestConfigRefusesAnUnknownCommand checks that it is a usage error. Without a
// command the help is printed.
func TestConfigRefusesAnUnknownCommand(t *testing.T) {
	run := func(args ...string) error {
		return execute(t, Actions{Sample: "# a sample"}, append([]string{"config"}, args...)...)
	}
	for _, args := range [][]string{{}, {"sample"}} {
		if err := run(args...); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
	if err := run("nosuch"); CodeOf(err) != ExitUsage || !strings.Contains(err.Error(),
		`no command "nosuch": see tokscope config --help`) {
		t.Errorf("%v with exit code %d", err, CodeOf(err))
	}
}

// each calls f with every command below root.
func each(root *cobra.Command, f func(*cobra.Command)) {
	f(root)
	for _, c := range root.Commands() {
		each(c, f)
	}
}

// TestHelpKeepsItsFirstWords: the help writes the first word of a flag's text with
// one capital and small letters, so that word is no abbreviation and no value.
func TestHelpKeepsItsFirstWords(t *testing.T) {
	each(New(Actions{}, "v1"), func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			first, _, _ := strings.Cut(f.Usage, " ")
			if strings.HasSuffix(first, ":") || len(first) > 1 && strings.IndexFunc(first[1:], unicode.IsUpper) >= 0 {
				t.Errorf("%s --%s: the help changes %q", c.CommandPath(), f.Name, first)
			}
		})
	})
}

// TestWrongArgumentsInPlainWords: a wrong number of arguments is a usage error with
// the right usage.
func TestWrongArgumentsInPlainWords(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"history rm", "0 arguments: this does not fit `tokscope history rm FILTER…`"},
		{"history baseline set usual", "1 argument: this does not fit `tokscope history baseline set NAME FILTER…`"},
		{"history path now", "1 argument: this does not fit `tokscope history path`"},
		{"probe a b", "2 arguments: this does not fit `tokscope probe [TARGET]`"},
	} {
		err := execute(t, Actions{}, strings.Fields(c.args)...)
		testkit.That(t, err != nil && strings.Contains(err.Error(), c.want) && CodeOf(err) == ExitUsage,
			"%s: %v, want %q", c.args, err, c.want)
	}
}

// TestRefused plays testdata/refused.txt: command lines, each with what its refusal says.
// They are refused before anything runs, with the exit code of usage and the next step, and
// no error of Go's own parsers or of cobra reaches a person. In an argument "~" is a blank
// and "␛" the control character.
func TestRefused(t *testing.T) {
	runs := errors.New("it runs")
	var actions Actions
	for _, f := range reflect.ValueOf(&actions).Elem().Fields() {
		if kind := f.Type(); kind.Kind() == reflect.Func && kind.NumOut() == 1 && kind.Out(0) == reflect.TypeFor[error]() {
			failed := []reflect.Value{reflect.ValueOf(&runs).Elem()}
			f.Set(reflect.MakeFunc(kind, func([]reflect.Value) []reflect.Value { return failed }))
		}
	}
	for _, line := range testkit.Lines(t, "testdata/refused.txt") {
		typed, want, _ := strings.Cut(line.Text, " > ")
		err := execute(t, actions, words(strings.ReplaceAll(typed, "␛", "\x1b"))...)
		says := fmt.Sprint(err)
		if CodeOf(err) != ExitUsage || want == "" || !strings.Contains(says, want) || strings.Contains(says, "strconv") {
			t.Errorf("%s: %s: %v with exit code %d, want %q", line.At, typed, err, CodeOf(err), want)
		}
	}
}

// words are the words of a line, in which "~" is a blank.
func words(line string) []string {
	list := strings.Fields(line)
	for i := range list {
		list[i] = strings.ReplaceAll(list[i], "~", " ")
	}
	return list
}

func TestPromptsOfWindows(t *testing.T) {
	const text = "Erzähle von Flüssen 🌊\nauf Hindi: नमस्ते"
	for name, data := range testkit.Windows(text) {
		c := Common{Prompt: "-"}
		got, ok, err := c.ReadPrompt(t.Context(), strings.NewReader(data))
		testkit.That(t, strings.ReplaceAll(got, "\r", "") == text && ok && err == nil, "%s: %q, %v, %v", name, got, ok, err)
	}
	for data, want := range map[string]string{
		"caf\xe9":             "byte 4 is 0xE9",
		"x\x00y\x00":          "byte 2 is 0x00",
		"\xc0\xaf":            "byte 1 is 0xC0",
		"\ufeffa\xed\xa0\x80": "byte 2 is 0xED",
	} {
		c := Common{Prompt: "-"}
		_, _, err := c.ReadPrompt(t.Context(), strings.NewReader(data))
		testkit.That(t, err != nil && strings.Contains(err.Error(), want+"; save it as UTF-8") && CodeOf(err) == ExitUsage,
			"%q: %v", data, err)
	}
	// A mark does not open the way for more than the bound.
	c := Common{Prompt: "-"}
	large := testkit.Windows(strings.Repeat("漢", maxPrompt/3+1))["UTF-16LE, LF"]
	if _, _, err := c.ReadPrompt(t.Context(), strings.NewReader(large)); err == nil || !strings.Contains(err.Error(),
		"larger") {
		t.Error("a prompt beyond the bound is read")
	}
}

func TestLook(t *testing.T) {
	env := func(name string) string {
		return map[string]string{"TERM": "xterm-256color", "COLORTERM": "truecolor"}[name]
	}
	for _, c := range []struct {
		theme, color string
		want         themes.Profile
		code         int
	}{
		{"", "", themes.TrueColor, ExitOK},
		{themes.Names()[0], "never", themes.NoColor, ExitOK},
		{"no such theme", "", 0, ExitUsage},
		{"", "sometimes", 0, ExitUsage},
	} {
		got, err := Look(c.theme, c.color, env, true)
		testkit.That(t, got == c.want && CodeOf(err) == c.code,
			"theme %q, color %q: profile %v, code %d (%v); want %v, %d", c.theme, c.color, got, CodeOf(err), err, c.want, c.code)
	}
}
