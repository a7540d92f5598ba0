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
	// aFinding is a row of docs/hostile.md: its number, what holds, its tests.
	aFinding = regexp.MustCompile(`^\| ([REC])([0-9]+) \| (.+) \| (.+) \|$`)
	aTest    = regexp.MustCompile(`^(?:Test|Fuzz|Benchmark)\w+(?:/\S+)?$`)
)

// findings is how many findings of each kind there are: those of the attack (R),
// of real engines (E) and of other clients (C), each numbered from 1.
var findings = map[string]int{"R": 18, "E": 11, "C": 13}

// TestFindingsAreHeld holds docs/hostile.md to the tests: each finding has one
// row, which names tests. Each of them is a function in the package that is named
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
	page, err := os.ReadFile("docs/hostile.md")
	if err != nil {
		t.Fatal(err)
	}
	missing, seen := map[string]bool{}, map[string]bool{}
	for kind, n := range findings {
		for i := range n {
			missing[kind+strconv.Itoa(i+1)] = true
		}
	}
	for i, line := range strings.Split(string(page), "\n") {
		m := aFinding.FindStringSubmatch(line)
		if m == nil {
			if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| finding |") {
				t.Errorf("docs/hostile.md:%d is no finding: %s", i+1, line)
			}
			continue
		}
		name := m[1] + m[2]
		if seen[name] {
			t.Errorf("docs/hostile.md:%d: %s stands twice", i+1, name)
		} else if !missing[name] {
			t.Errorf("docs/hostile.md:%d: there is no finding %s", i+1, name)
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
				t.Errorf("docs/hostile.md:%d: %s has no %s", i+1, dir, function)
			}
			if group != "" && !strings.Contains(sources[dir], `"`+group+`"`) {
				t.Errorf("docs/hostile.md:%d: %s has no %q", i+1, dir, group)
			}
		}
		if n == 0 {
			t.Errorf("docs/hostile.md:%d: %s names no test", i+1, name)
		}
	}
	for name := range missing {
		t.Errorf("docs/hostile.md has no row for %s", name)
	}
}
