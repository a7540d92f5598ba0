package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// scratch is a git repository with .ci/commits as its first commit.
type scratch struct {
	t     *testing.T
	dir   string
	stdin io.Reader // of the next commands; nil: empty
}

func newScratch(t *testing.T) *scratch {
	t.Helper()
	for _, tool := range []string{"bash", "git"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("no " + tool + " here")
		}
	}
	helper, err := os.ReadFile(".ci/commits")
	if err != nil {
		t.Fatal(err)
	}
	s := &scratch{t: t, dir: t.TempDir()}
	s.git("init", "-q")
	s.write(".ci/commits", string(helper))
	s.write("docs/schema/probe.json", "{}")
	s.write("ui/testdata/a.golden", "alpha")
	s.write("ui/testdata/b.golden", "beta")
	s.write("ui/view.go", "package ui")
	s.commit("A subject of the time before the rule, so long that the rule would not let it pass at all")
	return s
}

// run runs a command in the repository and returns what it printed.
func (s *scratch) run(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdin = s.dir, s.stdin
	// Without git's own variables: in a hook they name the repository of the hook.
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	cmd.Env = append(env, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "HOME="+s.dir,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (s *scratch) git(args ...string) string {
	s.t.Helper()
	out, err := s.run("git", args...)
	if err != nil {
		s.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(out)
}

func (s *scratch) write(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scratch) commit(message string) {
	s.t.Helper()
	s.git("add", "-A")
	s.git("commit", "-q", "--allow-empty", "-m", message)
}

// check runs the helper.
func (s *scratch) check(args ...string) (out string, passed bool) {
	out, err := s.run("bash", append([]string{".ci/commits"}, args...)...)
	return out, err == nil
}

// write, rename and remove are changes of a commit, as git fast-import reads them.
func write(path, text string) string {
	return fmt.Sprintf("M 100644 inline %s\ndata %d\n%s\n", path, len(text), text)
}
func rename(from, to string) string { return "R " + from + " " + to + "\n" }
func remove(path string) string     { return "D " + path + "\n" }

// promise is one commit, and why .ci/commits rejects it; "": it does not.
type promise struct {
	name, message, change, says string
}

// replay makes a branch of commits at once. After each one, another commit takes
// its change back, so that a wrong commit is not the last one either.
func (s *scratch) replay(branch, first string, list []promise) {
	s.t.Helper()
	tree := s.git("rev-parse", first+"^{tree}")
	var in bytes.Buffer
	commit := func(message, from, change string) {
		fmt.Fprintf(&in, "commit refs/heads/%s\ncommitter a <a@b> 1 +0000\ndata %d\n%s\n%s%s", branch, len(message), message, from, change)
	}
	from := "from " + first + "\n"
	for _, p := range list {
		commit(p.message, from, p.change)
		commit("ui: Fix something else", "", "M 040000 "+tree+" \"\"\n")
		from = ""
	}
	s.stdin = &in
	s.git("fast-import", "--quiet")
	s.stdin = nil
	s.git("checkout", "-q", branch)
}

// TestCommitsKeepTheirPromise: .ci/commits accepts a commit that does what its
// verb promises and rejects one that does more.
func TestCommitsKeepTheirPromise(t *testing.T) {
	t.Parallel() // it waits for git
	s := newScratch(t)
	first := s.git("rev-parse", "HEAD")
	kept := []promise{
		{name: "a move of code", message: "ui: Move the view", change: rename("ui/view.go", "ui/draw.go")},
		{name: "golden files renamed", message: "ui, probe: Rename the view", change: rename("ui/testdata/a.golden", "ui/testdata/z.golden")},
		{name: "golden files under another path", message: "ui: Split live",
			change: write("ui/live/doc.go", "package live") + rename("ui/testdata", "ui/live/testdata")},
		{name: "a golden file formatted", message: "ui: Format durations", change: write("ui/testdata/a.golden", "1.00 ms")},
		{name: "words", message: "ui: Reword the help", change: write("ui/testdata/a.golden", "plain")},
		{name: "a schema changed by words that say so", message: "probe: Reword the lag\n\nSchema: observer is called lag now.",
			change: write("docs/schema/probe.json", "{4}")},
		{name: "behavior", message: "ui: Fix the view", change: write("ui/testdata/a.golden", "fixed") + write("docs/schema/probe.json", "{5}")},
		{name: "72 characters", message: "ui: Fix " + strings.Repeat("é", 64)},
	}
	s.replay("kept", first, kept)
	if out, passed := s.check(); !passed || out != fmt.Sprintf("%d commits after %.12s checked\n", 2*len(kept), first) {
		t.Errorf("passed: %v, want it to accept all of them:\n%s", passed, out)
	}

	broken := []promise{
		{"a golden file changed", "ui: Move the view", write("ui/testdata/a.golden", "other"), "changed: ui/testdata/a.golden"},
		{"a golden file added", "ui: Extract the view", write("ui/testdata/c.golden", "new"), "new: ui/testdata/c.golden"},
		{"a golden file removed", "ui: Merge two views", remove("ui/testdata/b.golden"), "gone: ui/testdata/b.golden"},
		{"two golden files swapped", "ui: Split the view",
			write("ui/testdata/a.golden", "beta") + write("ui/testdata/b.golden", "alpha"), "changed: ui/testdata/a.golden"},
		{"a schema changed by a move", "probe: Rename a field", write("docs/schema/probe.json", "{1}"), "changed: docs/schema/probe.json"},
		{"a schema changed by a format", "ui: Format durations", write("docs/schema/probe.json", "{2}"), "Format changes nothing in docs/schema"},
		{"a schema changed by words", "probe: Reword the lag", write("docs/schema/probe.json", "{3}"), "Reword changes docs/schema only"},
		{"73 characters", "ui: Fix " + strings.Repeat("é", 65), "", "73 characters, at most 72"},
	}
	s.replay("broken", first, broken)
	out, passed := s.check()
	if passed || !strings.HasSuffix(out, fmt.Sprintf("%d commits after %.12s checked\n", 2*len(broken), first)) {
		t.Errorf("passed: %v, want it to reject some:\n%s", passed, out)
	}
	// Each rejected commit begins with its hash; its reasons are indented.
	rejected := aRejected.FindAllString(out, -1)
	if len(rejected) != len(broken) {
		t.Fatalf("%d commits are rejected, want %d:\n%s", len(rejected), len(broken), out)
	}
	for i, p := range broken {
		t.Run(p.name, func(t *testing.T) {
			if got := rejected[i]; !strings.Contains(got, " "+p.message+"\n") || !strings.Contains(got, p.says) {
				t.Errorf("want to read %q in:\n%s", p.says, got)
			}
		})
	}
}

// aRejected is what .ci/commits prints of a commit that it rejects.
var aRejected = regexp.MustCompile(`(?m)^[0-9a-f]{12} .*\n(?: .*\n)+`)

// TestCommitsBeforeTheRule: the base can be named, a merge promises nothing, and
// a shallow clone passes and says why.
func TestCommitsBeforeTheRule(t *testing.T) {
	t.Parallel() // it waits for git
	s := newScratch(t)
	if out, passed := s.check(); !passed || !strings.HasPrefix(out, "0 commits after") {
		t.Errorf("passed: %v\n%s", passed, out)
	}
	s.git("checkout", "-q", "-b", "side")
	s.write("ui/testdata/a.golden", "side")
	s.commit("ui: Fix the side")
	s.git("checkout", "-q", "-")
	s.commit("ui: Fix the trunk")
	s.git("merge", "-q", "--no-ff", "-m", "Merge side", "side")
	if out, passed := s.check(); !passed || !strings.HasPrefix(out, "2 commits after") {
		t.Errorf("passed: %v\n%s", passed, out)
	}
	s.write("ui/testdata/b.golden", "moved")
	s.commit("ui: Move what must stay")
	if out, passed := s.check(); passed {
		t.Errorf("a wrong commit passed:\n%s", out)
	}
	if out, passed := s.check("HEAD"); !passed || !strings.HasPrefix(out, "0 commits after") {
		t.Errorf("passed: %v\n%s", passed, out)
	}
	shallow := filepath.Join(t.TempDir(), "shallow")
	if out, err := s.run("git", "clone", "-q", "--depth", "1", "file://"+s.dir, shallow); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s.dir = shallow
	if out, passed := s.check(); !passed || !strings.Contains(out, "the history is shallow") {
		t.Errorf("passed: %v\n%s", passed, out)
	}
}
