package main

import (
	"go/ast"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// replaced are phrases that the program no longer uses, and what it says instead.
var replaced = []struct {
	phrase *regexp.Regexp
	use    string
}{
	{regexp.MustCompile(`\bin all\b|\bin total\b|\btotal tok/s`), "aggregate"},
	{regexp.MustCompile(`tok/s each\b|\beach tok/s|[0-9] each\b|\bfor each(?:$|[,;:.)]| user| of )`), "per user"},
	{regexp.MustCompile(`\bwe limit\b|this program limits`), "client-bound"},
	{regexp.MustCompile(`this program (itself|wakes up)|wakes up [0-9]`), "tokscope lags 22 ms (p99)"},
	{regexp.MustCompile(`[0-9] read late\b`), "5 chunks read late"},
	{regexp.MustCompile(`one user alone had`), "1 user: 150 (settling)"},
	{regexp.MustCompile(`figures come as`), "waiting for the first request to finish"},
	{regexp.MustCompile(`which breaks first is known`), "needs steady points to tell what breaks first"},
	{regexp.MustCompile(`\ball met up to\b|nothing has broken yet`), "objectives met up to 8 users"},
	{regexp.MustCompile(`from half to half`), "TTFT still drifting: +88 ms between halves of the window"},
	{regexp.MustCompile(`the window is .* long, needs`), "measuring 2.1 of 3.0 s"},
	{regexp.MustCompile(`told of .* steady|steady steps or more`), "needs 4 steady steps, has 2"},
	{regexp.MustCompile(`(?:^|[│|])\s*mind\b`), "note"},
	{regexp.MustCompile(`says nothing about itself|no times told|tells no times`), "server reports no timings"},
	{regexp.MustCompile(`a reader needs`), "reading time 59 s (234 words)"},
	{regexp.MustCompile(`a person reads at`), "reading pace 197 ms"},
	{regexp.MustCompile(`reader\s+0 %`), "reader never waits"},
	{regexp.MustCompile(`no chunk came|none came`), "no tokens received"},
	{regexp.MustCompile(`gives up in|\(bound:`), "times out in 89 s (first byte)"},
	{regexp.MustCompile(`without a token\)|[Cc]ancell?ed \(after`), "stopped after 81 s, no token"},
	{regexp.MustCompile(`a connection that stands`), "next: warm (reuses the connection)"},
	{regexp.MustCompile(`sent to the clipboard`), "copied; saved to …"},
	{regexp.MustCompile(`bar median, line longest|column of [0-9…]+:`), "4 chunks a column"},
	{regexp.MustCompile(`continuous usage`), "counted by the server"},
	{regexp.MustCompile(`whichever its list begins with`), "default (first listed model)"},
	{regexp.MustCompile(`[0-9] m?s of [0-9.,]+ m?s\b`), "4.01 s, budget 450 ms"},
	{regexp.MustCompile(`breaks the thought`), "longer interrupts the reader"},
	{regexp.MustCompile(`thrown out|\bevict(ed|ion)s?\b`), "preempted"},
	{regexp.MustCompile(`since the last turn|of before the turn`), "since the last change; previous setting"},
	{regexp.MustCompile(`\b[Tt]urn it\b|Turn the prompt|turn the selected knob`), "change it; change the prompt length"},
	{regexp.MustCompile(`for nobody's good`), "and nobody benefits"},
	{regexp.MustCompile(`operations a parameter and token`), "two FLOPs per parameter per token"},
	{regexp.MustCompile(`s here are .* there`), "1 s of engine time takes 5 s"},
	{regexp.MustCompile(`this is no terminal`), "stdout is not a terminal"},
	{regexp.MustCompile(`leave everything as it was|\btake it\b`), "cancel; apply"},
	{regexp.MustCompile(`\bbefore that\b`), "confirm"},
	{regexp.MustCompile(`\bobserver\b`), "lag"},
	{regexp.MustCompile(`(?i)\b(?:colour|honour|neighbour|behaviour|favour|labell|cancell(?:ed|ing)|quantis|recognis|grey\b)`), "American spelling"},
	{regexp.MustCompile(`\bis told\b|\bare told\b|\bthere is none\b|what nobody`), "a short sentence with a named subject"},
}

// TestPhrases looks for replaced phrases in the golden screens, in the text
// outputs, in docs/sentences.txt, in the pages and in every text that the
// program can show.
func TestPhrases(t *testing.T) {
	seen := 0
	known := map[string]bool{} // many lines stand in several files
	for _, path := range append(files(t, "ui", isGolden), files(t, ".", isPage)...) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if seen++; known[line] {
				continue
			}
			known[line] = true
			for _, r := range replaced {
				if found := r.phrase.FindString(line); found != "" {
					t.Errorf("%s:%d says %q; say %q", path, i+1, found, r.use)
				}
			}
		}
	}
	if seen < 8000 {
		t.Errorf("looked at %d lines only", seen)
	}
	texts := 0
	goFiles(t, func(path string, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") || isUnread(path) {
			return
		}
		for _, text := range literals(file) {
			texts++
			for _, r := range replaced {
				if found := r.phrase.FindString(text); found != "" {
					t.Errorf("%s says %q in %q; say %q", path, found, text, r.use)
				}
			}
		}
	})
	if texts < 2000 {
		t.Errorf("looked at %d texts only", texts)
	}
}

// TestObjectives holds that screens say objective: SLO is the name of a flag.
func TestObjectives(t *testing.T) {
	slo := regexp.MustCompile(`\bSLOs?\b`)
	goFiles(t, func(path string, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") || !strings.HasPrefix(path, "ui/screen/") && !strings.HasPrefix(path, "ui/dialog/") {
			return
		}
		for _, text := range literals(file) {
			if slo.MatchString(text) {
				t.Errorf("%s says %q; say objective", path, text)
			}
		}
	})
}

// TestFormatsSayLag holds that no schema has a name that was replaced.
func TestFormatsSayLag(t *testing.T) {
	seen := 0
	for _, path := range files(t, "docs/schema", func(path string) bool { return filepath.Ext(path) == ".json" }) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		seen++
		for _, name := range []string{"observer", "evicted", "evictions", "in_all", "each"} {
			if strings.Contains(string(text), `"`+name+`"`) {
				t.Errorf("%s has the name %q", path, name)
			}
		}
	}
	if seen < 4 {
		t.Errorf("looked at %d schemas only", seen)
	}
}

func isGolden(path string) bool {
	return strings.Contains(path, "testdata/") && filepath.Ext(path) != ".json" && !strings.Contains(path, "testdata/fuzz")
}

func isPage(path string) bool {
	dir := filepath.ToSlash(filepath.Dir(path))
	return (dir == "." || dir == "docs") && (filepath.Ext(path) == ".md" || filepath.Ext(path) == ".txt")
}

// files returns the files below dir that want accepts.
func files(t *testing.T, dir string, want func(path string) bool) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case !d.IsDir() && want(filepath.ToSlash(path)):
			list = append(list, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
