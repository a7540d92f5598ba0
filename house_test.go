package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"tokscope/metrics/testkit"
)

// The tops: which area may import which. main imports all of them.
var tops = map[string][]string{
	"metrics": {},
	"themes":  {},
	"probe":   {"metrics"},
	"ui":      {"metrics", "themes"},
	"docs":    {"metrics", "probe", "themes", "ui"}, // what writes its files
}

// The floors of an area, from bottom to top. A package imports packages
// of lower floors only; those of one line may not import each other. A package
// and those below its folder are one floor, unless they have lines of their own. The root of
// ui stands beside its screens: it knows their interface and none of them.
var floors = map[string][][]string{
	"probe": {
		{"probe/transport/stamp", "probe/filelock", "probe/program", "probe/ws"},
		{"probe/sse", "probe/files"},
		{"probe/transport"},
		{"probe/path"},
		{"probe/dialect", "probe/secret", "probe/access"},
		{"probe/endpoint", "probe/scrape", "probe/export"},
		{"probe/config"},
		{"probe/client"},
		{"probe/loadgen", "probe/doctor", "probe/race", "probe/watch", "probe/tap"},
		{"probe/result", "probe/sim"},
		{"probe/session"},
		{"probe/history"},
		{"probe/explain"},
		{"probe/app"},
		{"probe/probetest"},
	},
	"ui": {
		{"ui/sanitize"},
		{"ui/format"},
		{"ui/say"},
		{"ui/draw"},
		{"ui/keys", "ui/prompts", "ui/chart", "ui/svg"},
		{"ui/lens", "ui/report"},
		{"ui/html"},
		{"ui/dialog"},
		{"ui/screen"},
		{"ui/screen/listing"},
		{"ui/screen/live", "ui/screen/load", "ui/screen/race", "ui/screen/watch", "ui/screen/explain", "ui/screen/history",
			"ui"},
		{"ui/screen/registry", "ui/screen/tap"},
		{"ui/plain"},
		{"ui/cli"},
		{"ui/uitest"},
		{"ui/hostile"},
	},
	"metrics": {
		{"metrics/stats", "metrics/testkit", "metrics/pick"},
		{"metrics"},
		{"metrics/serving", "metrics/filter", "metrics/figure"},
		{"metrics/slo", "metrics/turn"},
		{"metrics/loadstat", "metrics/verdict", "metrics/doctor", "metrics/history", "metrics/definition", "metrics/request"},
		{"metrics/condition"},
		{"metrics/racestat"},
		{"metrics/comparison", "metrics/watchstat", "metrics/testkit/example"},
	},
}

// anywhere are the packages that may import any area: support of tests, and tests
// of the whole program.
var anywhere = []string{"ui/hostile", "ui/uitest", "ui/uitest/journey", "ui/uitest/figures", "ui/uitest/reports"}

// pkg is what go list tells of a package.
type pkg struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

// TestAreas holds who may know whom: themes <- ui -> metrics <- probe.
func TestAreas(t *testing.T) {
	for _, p := range packages(t) {
		name := inModule(p.ImportPath)
		area, _, _ := strings.Cut(name, "/")
		allowed, known := tops[area]
		if !known || slices.Contains(anywhere, name) {
			continue
		}
		for _, imp := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			other, _, _ := strings.Cut(inModule(imp), "/")
			if _, ours := tops[other]; ours && other != area && !slices.Contains(allowed, other) {
				t.Errorf("%s imports %s: %s may not know %s", name, inModule(imp), area, other)
			}
		}
	}
}

// TestFloors holds the order of the packages inside an area, and that the page of the
// architecture names them.
func TestFloors(t *testing.T) {
	page := string(testkit.Must(os.ReadFile("docs/architecture.md"))(t))
	for area, order := range floors {
		for _, name := range slices.Concat(order...) {
			if name = strings.TrimPrefix(name, area+"/"); name != area && !strings.Contains(page, "`"+name+"`") {
				t.Errorf("docs/architecture.md does not name %s of %s", name, area)
			}
		}
		floorOf := func(name string) (floor int, entry string) {
			floor = -1
			for i, line := range order {
				for _, e := range line {
					if (name == e || strings.HasPrefix(name, e+"/")) && len(e) > len(entry) {
						floor, entry = i, e
					}
				}
			}
			return floor, entry
		}
		for _, p := range packages(t) {
			name := inModule(p.ImportPath)
			if name != area && !strings.HasPrefix(name, area+"/") {
				continue
			}
			floor, entry := floorOf(name)
			if entry == "" || entry == area && name != area {
				t.Errorf("%s has no floor: give it a line in the table", name)
				continue
			}
			for _, imp := range p.Imports {
				other := inModule(imp)
				if other == imp || other != area && !strings.HasPrefix(other, area+"/") {
					continue
				}
				above, its := floorOf(other)
				testkit.That(t, its == entry || above < floor, "%s imports %s, which is not below it", name, other)
			}
		}
	}
}

// owned are what some packages alone do, and the others through them: calls, and texts of
// the source in quotes.
var owned = []struct {
	what *regexp.Regexp
	in   string   // where the rule holds
	own  []string // whose it is
	use  string
}{
	// probe/files replaces no device and follows no planted link. The programs of docs,
	// helpers of tests and locks are their own.
	{regexp.MustCompile(`^os\.(OpenFile|Create|CreateTemp|WriteFile|Rename|Truncate|Link|Symlink)$`), "",
		[]string{"probe/files/", "probe/filelock/", "probe/probetest/", "ui/uitest/", "docs/"},
		"use probe/files, or a method of the backend"},
	// Support of tests is no part of the program.
	{regexp.MustCompile(`^"(pgregory\.net/rapid|tokscope/metrics/testkit)"$`), "",
		[]string{"metrics/testkit/"}, "keep it to tests"},
	// ui/format writes each figure in one way. The others write for another program,
	// coordinates of a picture, or fewer decimals of a text of ui/format.
	{regexp.MustCompile(`^strconv\.(Append|Format)Float$|^".*%[-+# 0]*[0-9*]*(\.[0-9*]+)?[feg]`), "ui/",
		[]string{"ui/format/", "ui/uitest/", "ui/cli/handover/", "ui/report/csv.go", "ui/svg/", "ui/html/", "ui/screen/live/format.go"},
		"use ui/format"},
}

// TestOwned holds who alone does what.
func TestOwned(t *testing.T) {
	goFiles(t, func(path string, file *ast.File) {
		begins := func(prefix string) bool { return strings.HasPrefix(path, prefix) }
		for _, rule := range owned {
			if strings.HasSuffix(path, "_test.go") || !begins(rule.in) || slices.ContainsFunc(rule.own, begins) {
				continue
			}
			ast.Inspect(file, func(n ast.Node) bool {
				text := ""
				switch n := n.(type) {
				case *ast.BasicLit:
					text = n.Value
				case *ast.SelectorExpr:
					if x, ok := n.X.(*ast.Ident); ok {
						text = x.Name + "." + n.Sel.Name
					}
				}
				testkit.That(t, !rule.what.MatchString(text), "%s has %s: %s", path, text, rule.use)
				return true
			})
		}
	})
}

// listed are the packages of the module, listed once for all tests.
var listed = sync.OnceValues(func() ([]pkg, error) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var list []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
})

// packages returns every package of the module.
func packages(t *testing.T) []pkg {
	t.Helper()
	list, err := listed()
	testkit.Given(t, err == nil, "%v", err)
	testkit.Given(t, len(list) >= 30, "found %d packages: the rules were not tried", len(list))
	return list
}

// inModule returns the path of a package within the module; other paths stay.
func inModule(importPath string) string {
	return strings.TrimPrefix(importPath, "tokscope/")
}
