package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

// seeding is the package that gives random tests their seed.
const seeding = "tokscope/metrics/testkit"

// TestSeedsAreFixed holds that no test fails by chance: what is random in tests
// follows from the seed of metrics/testkit.
//
//   - A package whose tests import rapid imports testkit in its tests.
//   - No test draws from the unseeded generator of math/rand, from hash/maphash
//     or from testing/quick, and none that draws numbers reads the clock as one.
func TestSeedsAreFixed(t *testing.T) {
	properties, seeded := map[string]string{}, map[string]bool{"metrics/testkit": true}
	goFiles(t, func(file string, f *ast.File) {
		if !strings.HasSuffix(file, "_test.go") {
			return
		}
		for _, i := range f.Imports {
			switch strings.Trim(i.Path.Value, `"`) {
			case "pgregory.net/rapid":
				properties[path.Dir(file)] = file
			case seeding:
				seeded[path.Dir(file)] = true
			}
		}
		for _, used := range unseeded(f) {
			t.Errorf("%s uses %s: take the numbers of metrics/testkit", file, used)
		}
	})
	testkit.Given(t, len(properties) >= 20, "found %d packages with properties: the rule was not tried", len(properties))
	for dir, file := range properties {
		testkit.That(t, seeded[dir], "%s imports rapid, and no test of %s imports %s: its seed is random", file, dir, seeding)
	}
}

// What draws numbers, what draws other ones in each run, and what reads the clock as a number.
var (
	drawn   = regexp.MustCompile(`^math/rand(/v2)?$|^` + seeding + `\.(Rand|Seed)$`)
	byGuess = regexp.MustCompile(`^math/rand(/v2)?\.([A-MO-Z]|N$|NormF)|^hash/maphash$|^testing/quick$`)
	clock   = regexp.MustCompile(`^\.Unix`)
)

// unseeded returns what a file imports and calls to draw numbers that differ from run to run:
// functions by the path of their package, methods by their name alone.
func unseeded(f *ast.File) []string {
	paths, all := map[string]string{}, []string(nil) // by the names of this file
	for _, i := range f.Imports {
		p := strings.Trim(i.Path.Value, `"`)
		name := path.Base(strings.TrimSuffix(p, "/v2"))
		if i.Name != nil {
			name = i.Name.Name
		}
		paths[name], all = p, append(all, p)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if s, ok := call.Fun.(*ast.SelectorExpr); ok {
				of := ""
				if x, ok := s.X.(*ast.Ident); ok {
					of = paths[x.Name]
				}
				all = append(all, of+"."+s.Sel.Name)
			}
		}
		return true
	})
	draws := slices.ContainsFunc(all, drawn.MatchString)
	return slices.DeleteFunc(all, func(used string) bool {
		return !byGuess.MatchString(used) && !(draws && clock.MatchString(used))
	})
}

// TestUnseededIsFound holds that each way to draw without the seed is found.
func TestUnseededIsFound(t *testing.T) {
	for _, c := range []struct{ imports, body, want string }{
		{`"math/rand/v2"`, "_ = rand.Uint64()", "math/rand/v2.Uint64"},
		{`r "math/rand"`, "r.Shuffle(1, nil)", "math/rand.Shuffle"},
		{`"math/rand/v2"`, "_, _ = rand.N(1), rand.NormFloat64()", "math/rand/v2.N, math/rand/v2.NormFloat64"},
		{`"math/rand/v2"`, "seed := uint64(time.Now().UnixNano()); _ = rand.NewPCG(seed, 1)", ".UnixNano"},
		{`"tokscope/metrics/testkit"`, "_ = testkit.Seed(t) + uint64(time.Now().UnixMilli())", ".UnixMilli"},
		{`"testing/quick"`, "quick.Check(nil, nil)", "testing/quick"},
		{`"hash/maphash"`, "_ = new(maphash.Hash).Sum64()", "hash/maphash"},
		{`"math/rand/v2"`, "_ = rand.New(rand.NewPCG(1, 2)).Uint64()", ""},
		{`"tokscope/metrics/testkit"`, "_ = testkit.Rand(t, 1).Uint64()", ""},
		{`"crypto/rand"`, "_ = rand.Text()", ""},
		{`"time"`, "_ = time.Now().UnixNano()", ""},
	} {
		text := "package p\nimport (" + c.imports + ")\nfunc f() { " + c.body + " }\n"
		f := testkit.Must(parser.ParseFile(token.NewFileSet(), "a_test.go", text, parser.SkipObjectResolution))(t)
		testkit.Is(t, strings.Join(unseeded(f), ", "), c.want, c.body)
	}
}
