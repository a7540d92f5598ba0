package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// seeding is the package that gives random tests their seed.
const seeding = "tokscope/metrics/testkit"

// TestSeedsAreFixed holds that no test fails by chance: what is random in tests
// follows from the seed of metrics/testkit.
//
//   - A package whose tests import rapid imports testkit in its tests.
//   - No test draws from the unseeded generator of math/rand, from hash/maphash
//     or from testing/quick, and none that draws numbers reads the clock as one.
//   - The program itself knows neither rapid nor testkit.
func TestSeedsAreFixed(t *testing.T) {
	properties, seeded := map[string]string{}, map[string]bool{}
	goFiles(t, func(file string, f *ast.File) {
		dir := path.Dir(file)
		imports := importsOf(f)
		_, usesRapid := imports["pgregory.net/rapid"]
		_, usesSeed := imports[seeding]
		if !strings.HasSuffix(file, "_test.go") {
			if (usesRapid || usesSeed) && "tokscope/"+dir != seeding {
				t.Errorf("%s imports support of tests", file)
			}
			return
		}
		if usesRapid {
			properties[dir] = file
		}
		if usesSeed || "tokscope/"+dir == seeding {
			seeded[dir] = true
		}
		for _, why := range unseeded(f) {
			t.Errorf("%s %s: take the numbers of metrics/testkit", file, why)
		}
	})
	if len(properties) < 20 {
		t.Fatalf("found %d packages with properties: the rule was not tried", len(properties))
	}
	for dir, file := range properties {
		if !seeded[dir] {
			t.Errorf("%s imports rapid, and no test of %s imports %s: its seed is random", file, dir, seeding)
		}
	}
}

// importsOf returns the imported paths of f with their local names.
func importsOf(f *ast.File) map[string]string {
	names := map[string]string{}
	for _, i := range f.Imports {
		p := strings.Trim(i.Path.Value, `"`)
		name := path.Base(p)
		if name == "v2" {
			name = path.Base(path.Dir(p))
		}
		if i.Name != nil {
			name = i.Name.Name
		}
		names[p] = name
	}
	return names
}

// unseeded returns how the tests of f draw numbers that differ from run to run.
func unseeded(f *ast.File) (why []string) {
	imports := importsOf(f)
	for _, p := range []string{"hash/maphash", "testing/quick"} {
		if _, ok := imports[p]; ok {
			why = append(why, "imports "+p)
		}
	}
	var generators []string
	for _, p := range []string{"math/rand", "math/rand/v2"} {
		if name, ok := imports[p]; ok {
			generators = append(generators, name)
		}
	}
	draws, clock := len(generators) > 0, []string(nil)
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		s, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := s.X.(*ast.Ident)
		switch {
		case ok && slices.Contains(generators, x.Name) && !strings.HasPrefix(s.Sel.Name, "New"):
			why = append(why, "calls "+x.Name+"."+s.Sel.Name)
		case ok && x.Name == imports[seeding] && (s.Sel.Name == "Rand" || s.Sel.Name == "Seed"):
			draws = true
		case strings.HasPrefix(s.Sel.Name, "Unix") && len(call.Args) == 0:
			clock = append(clock, "reads the clock with "+s.Sel.Name)
		}
		return true
	})
	if draws {
		why = append(why, clock...)
	}
	return why
}

// TestUnseededIsFound holds that each way to draw without the seed is found.
func TestUnseededIsFound(t *testing.T) {
	for _, c := range []struct{ name, imports, body, want string }{
		{"the generator of the process", `"math/rand/v2"`, "_ = rand.Uint64()", "calls rand.Uint64"},
		{"under another name", `r "math/rand"`, "r.Shuffle(1, nil)", "calls r.Shuffle"},
		{"the clock", `"math/rand/v2"`, "seed := uint64(time.Now().UnixNano()); _ = rand.NewPCG(seed, 1)", "reads the clock with UnixNano"},
		{"the clock beside the seed", `"tokscope/metrics/testkit"`, "_ = testkit.Seed(t) + uint64(time.Now().UnixMilli())", "reads the clock with UnixMilli"},
		{"testing/quick", `"testing/quick"`, "quick.Check(nil, nil)", "imports testing/quick"},
		{"maphash", `"hash/maphash"`, "_ = new(maphash.Hash).Sum64()", "imports hash/maphash"},
		{"a seed", `"math/rand/v2"`, "_ = rand.New(rand.NewPCG(1, 2)).Uint64()", ""},
		{"the seed", `"tokscope/metrics/testkit"`, "_ = testkit.Rand(t, 1).Uint64()", ""},
		{"keys", `"crypto/rand"`, "_ = rand.Text()", ""},
		{"the clock of no random test", `"time"`, "_ = time.Now().UnixNano()", ""},
	} {
		f := parsed(t, "package p\nimport ("+c.imports+")\nfunc f() { "+c.body+" }\n")
		if got := strings.Join(unseeded(f), ", "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func parsed(t *testing.T, text string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "a_test.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
