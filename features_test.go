package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"tokscope/themes"
	"tokscope/ui/cli"
)

// TestFeaturesExist holds docs/features.md to the program: what it names in
// backticks is a command with flags of its own, a flag, a key of docs/keys.md, or
// a name of a schema; and it names every command.
func TestFeaturesExist(t *testing.T) {
	page := readFile(t, "docs/features.md")
	keys := map[string]bool{}
	for line := range strings.Lines(readFile(t, "docs/keys.md")) {
		if first, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), " | "); ok && strings.HasPrefix(line, "| `") {
			for _, span := range code.FindAllString(first, -1) {
				keys[strings.Trim(span, "`")] = true
			}
		}
	}
	schemas := ""
	names, err := filepath.Glob("docs/schema/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		schemas += readFile(t, name)
	}
	root := cli.New(cli.Actions{Lessons: []cli.Lesson{{}}}, "test")
	named, seen := map[string]bool{}, map[string]int{}
	for i, line := range strings.Split(page, "\n") {
		for _, span := range code.FindAllString(line, -1) {
			text := strings.Trim(span, "`")
			name, problem := commandOf(root, text)
			switch {
			case keys[text]:
				seen["keys"]++
			case problem == "":
				seen["commands"]++
				named[name] = true
			case field.MatchString(text) && strings.Contains(schemas, `"`+text+`"`):
				seen["fields"]++
			default:
				t.Errorf("docs/features.md:%d: `%s`: %s", i+1, text, problem)
			}
		}
		if strings.HasPrefix(line, "|") && len(strings.Split(line, " | ")) != 2 && !strings.HasPrefix(line, "|---") {
			t.Errorf("docs/features.md:%d has not two cells: %s", i+1, line)
		}
	}
	for _, c := range root.Commands() {
		if !named[c.Name()] && !c.Hidden {
			t.Errorf("docs/features.md does not name tokscope %s", c.Name())
		}
	}
	if want := strconv.Itoa(len(themes.Names())) + " themes"; !strings.Contains(page, want) {
		t.Errorf("docs/features.md does not say %q", want)
	}
	if seen["keys"] < 40 || seen["fields"] < 30 || seen["commands"] < 80 {
		t.Errorf("looked at %v only", seen)
	}
}

// field is the form of a name in JSON.
var field = regexp.MustCompile(`^[a-z0-9_]+$`)

// shell are words in backticks that are not tokscope's.
var shell = map[string]bool{"go install .": true, "extra": true}

// commandOf returns the command that a text names, such as "probe --csv", or what
// is wrong with it. A text of a flag alone names the root.
func commandOf(root *cobra.Command, text string) (name, problem string) {
	if shell[text] {
		return "", ""
	}
	words := strings.Fields(strings.TrimPrefix(text, "tokscope"))
	c, rest, err := root.Find(words)
	if err != nil {
		return "", err.Error()
	}
	for _, word := range rest {
		flag, ok := strings.CutPrefix(word, "--")
		if !ok {
			return "", "no command and no flag: " + word
		}
		if c.Flags().Lookup(flag) == nil && c.InheritedFlags().Lookup(flag) == nil {
			return "", c.CommandPath() + " has no flag --" + flag
		}
	}
	for p := c; p.HasParent(); p = p.Parent() {
		name = p.Name()
	}
	return name, ""
}

// TestFeaturesAreChecked holds that a wrong name on the page would be found.
func TestFeaturesAreChecked(t *testing.T) {
	root := cli.New(cli.Actions{Lessons: []cli.Lesson{{}}}, "test")
	for text, right := range map[string]bool{
		"probe --csv": true, "tokscope": true, "history baseline": true, "--plain": true, "history --csv": true,
		"probe --cvs": false, "prob --csv": false, "probe csv": false, "--pain": false, "race --csv": false,
	} {
		if _, problem := commandOf(root, text); right != (problem == "") {
			t.Errorf("%s: %q", text, problem)
		}
	}
}

// readFile returns the text of a file of the module.
func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
