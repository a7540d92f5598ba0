package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// scratch is a git repository with .ci/commits as its first commit.
type scratch struct {
	t   *testing.T
	dir string
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
	s := &scratch{t, t.TempDir()}
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
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "HOME="+s.dir,
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

// TestCommitsKeepTheirPromise: .ci/commits accepts a commit that does what its
// verb promises and rejects one that does more.
func TestCommitsKeepTheirPromise(t *testing.T) {
	t.Parallel() // it waits for git
	s := newScratch(t)
	first := s.git("rev-parse", "HEAD")
	for _, c := range []struct {
		name, message string
		change        func()
		says          string // "": it passes
	}{
		{"a move of code", "ui: Move the view", func() { s.git("mv", "ui/view.go", "ui/draw.go") }, ""},
		{"golden files renamed", "ui, probe: Rename the view", func() { s.git("mv", "ui/testdata/a.golden", "ui/testdata/z.golden") }, ""},
		{"golden files under another path", "ui: Split live", func() {
			s.write("ui/live/doc.go", "package live")
			s.git("mv", "ui/testdata", "ui/live/testdata")
		}, ""},
		{"a golden file changed", "ui: Move the view", func() { s.write("ui/testdata/a.golden", "other") }, "changed: ui/testdata/a.golden"},
		{"a golden file added", "ui: Extract the view", func() { s.write("ui/testdata/c.golden", "new") }, "new: ui/testdata/c.golden"},
		{"a golden file removed", "ui: Merge two views", func() { s.git("rm", "-q", "ui/testdata/b.golden") }, "gone: ui/testdata/b.golden"},
		{"two golden files swapped", "ui: Split the view", func() {
			s.write("ui/testdata/a.golden", "beta")
			s.write("ui/testdata/b.golden", "alpha")
		}, "changed: ui/testdata/a.golden"},
		{"a schema changed by a move", "probe: Rename a field", func() { s.write("docs/schema/probe.json", "{1}") }, "changed: docs/schema/probe.json"},
		{"a golden file formatted", "ui: Format durations", func() { s.write("ui/testdata/a.golden", "1.00 ms") }, ""},
		{"a schema changed by a format", "ui: Format durations", func() { s.write("docs/schema/probe.json", "{2}") }, "Format changes nothing in docs/schema"},
		{"words", "ui: Reword the help", func() { s.write("ui/testdata/a.golden", "plain") }, ""},
		{"a schema changed by words", "probe: Reword the lag", func() { s.write("docs/schema/probe.json", "{3}") }, "Reword changes docs/schema only"},
		{"a schema changed by words that say so", "probe: Reword the lag\n\nSchema: observer is called lag now.", func() { s.write("docs/schema/probe.json", "{4}") }, ""},
		{"behavior", "ui: Fix the view", func() { s.write("ui/testdata/a.golden", "fixed"); s.write("docs/schema/probe.json", "{5}") }, ""},
		{"72 characters", "ui: Fix " + strings.Repeat("é", 64), func() {}, ""},
		{"73 characters", "ui: Fix " + strings.Repeat("é", 65), func() {}, "73 characters, at most 72"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.t = t
			s.git("reset", "-q", "--hard", first)
			c.change()
			s.commit(c.message)
			s.commit("ui: Fix something else") // the wrong commit need not be the last one
			out, passed := s.check()
			if passed != (c.says == "") || !strings.Contains(out, c.says) || !strings.Contains(out, "2 commits after") {
				t.Errorf("passed: %v, want to read %q in:\n%s", passed, c.says, out)
			}
		})
	}
}

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
	whole := s.dir
	s.dir = filepath.Join(t.TempDir(), "shallow")
	if out, err := exec.Command("git", "clone", "-q", "--depth", "1", "file://"+whole, s.dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, passed := s.check(); !passed || !strings.Contains(out, "the history is shallow") {
		t.Errorf("passed: %v\n%s", passed, out)
	}
}
