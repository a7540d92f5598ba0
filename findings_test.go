package main

import (
	"go/ast"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	// aFinding is a row of a page of findings: its number, what holds, its tests.
	aFinding = regexp.MustCompile(`^\| ([A-Z])([0-9]+) \| (.+) \| (.+) \|$`)
	aTest    = regexp.MustCompile(`^(?:Test|Fuzz|Benchmark)\w+(?:/\S+)?$`)
)

// findings are the pages and how many findings of each kind they have, numbered
// from 1. Those of docs/hostile.md are of the attack (R), of real engines (E) and
// of other clients (C). Those of docs/screens.md are what is untrue (A), color (B),
// layout (C), behavior (D), and more on Load and Explain (S). Those of
// docs/physics.md are general causes (P), and features of models and engines (F).
var findings = map[string]map[string]int{
	"docs/hostile.md": {"R": 18, "E": 11, "C": 13},
	"docs/physics.md": {"P": 8, "F": 9},
	"docs/screens.md": {"A": 10, "B": 5, "C": 17, "D": 13, "S": 15},
}

// notHeld begins the row of a finding that is still open. It names no test.
const notHeld = "Not held: "

// TestFindingsAreHeld holds the pages of findings to the tests: each finding has
// one row, which names tests or says that it is open. Each of them is a function in the package that is named
// before it. What stands behind a slash is the name of a group, and is a string
// in that package.
func TestFindingsAreHeld(t *testing.T) {
	tests, sources := map[string]bool{}, map[string]string{}
	goFiles(t, func(file string, parsed *ast.File) {
		if !strings.HasSuffix(file, "_test.go") {
			return
		}
		dir := path.Dir(file)
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				tests[dir+" "+f.Name.Name] = true
			}
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources[dir] += string(text)
	})
	for page, kinds := range findings {
		holdPage(t, page, kinds, tests, sources)
	}
}

// holdPage checks one page. tests are all test functions with their folder,
// sources the text of all tests of a folder.
func holdPage(t *testing.T, path string, kinds map[string]int, tests map[string]bool, sources map[string]string) {
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	missing, seen := map[string]bool{}, map[string]bool{}
	for kind, n := range kinds {
		for i := range n {
			missing[kind+strconv.Itoa(i+1)] = true
		}
	}
	for i, line := range strings.Split(string(page), "\n") {
		m := aFinding.FindStringSubmatch(line)
		if m == nil {
			if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| finding |") {
				t.Errorf("%s:%d is no finding: %s", path, i+1, line)
			}
			continue
		}
		name := m[1] + m[2]
		if seen[name] {
			t.Errorf("%s:%d: %s stands twice", path, i+1, name)
		} else if !missing[name] {
			t.Errorf("%s:%d: there is no finding %s", path, i+1, name)
		}
		seen[name] = true
		delete(missing, name)
		dir, n := "", 0
		for _, span := range code.FindAllString(m[4], -1) {
			word := strings.Trim(span, "`")
			if !aTest.MatchString(word) {
				dir = word
				continue
			}
			n++
			function, group, _ := strings.Cut(word, "/")
			if !tests[dir+" "+function] {
				t.Errorf("%s:%d: %s has no %s", path, i+1, dir, function)
			}
			if group != "" && !strings.Contains(sources[dir], `"`+group+`"`) {
				t.Errorf("%s:%d: %s has no %q", path, i+1, dir, group)
			}
		}
		if open := strings.HasPrefix(m[3], notHeld); open == (n > 0) {
			t.Errorf("%s:%d: %s names no test, or is open and names one", path, i+1, name)
		}
	}
	for name := range missing {
		t.Errorf("%s has no row for %s", path, name)
	}
}
