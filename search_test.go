package main

import (
	"bytes"
	"go/ast"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// draws reports whether d calls rapid or testseed for its numbers.
func draws(d *ast.FuncDecl) (found bool) {
	ast.Inspect(d, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, _ := s.X.(*ast.Ident)
		found = found || x != nil && (x.Name == "rapid" && slices.Contains([]string{"Check", "MakeCheck"}, s.Sel.Name) ||
			x.Name == "testseed" && slices.Contains([]string{"Of", "Rand"}, s.Sel.Name))
		return true
	})
	return found
}

// TestSearchRunsEveryRandomTest holds that .ci/search finds all of them: what
// draws is a test, and is listed.
func TestSearchRunsEveryRandomTest(t *testing.T) {
	needBash(t)
	out, err := exec.Command(".ci/search", "-list").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	listed := strings.Fields(string(bytes.ReplaceAll(out, []byte(" "), []byte("."))))
	if len(listed) < 80 {
		t.Fatalf("%d tests are listed:\n%s", len(listed), out)
	}
	goFiles(t, func(file string, f *ast.File) {
		dir := path.Dir(file)
		if !strings.HasSuffix(file, "_test.go") || dir == "." {
			return
		}
		for _, d := range f.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || !draws(d) {
				continue
			}
			switch name := d.Name.Name; {
			case strings.HasPrefix(name, "Benchmark"):
			case !strings.HasPrefix(name, "Test"):
				t.Errorf("%s: %s is a helper and draws: hand it the numbers, so that .ci/search finds its tests", file, name)
			case !strings.HasSuffix(file, "_linux_test.go") && !slices.Contains(listed, "tokscope/"+dir+"."+name):
				t.Errorf("%s: .ci/search does not run %s", file, name)
			}
		}
	})
}

func needBash(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash here")
	}
}

// TestSearchFindsAndGoesOn runs .ci/search in a module of its own. What it finds
// by chance is printed, is named again and fails nothing; tests that do not build
// fail it, and so does a module in which it finds no tests.
func TestSearchFindsAndGoesOn(t *testing.T) {
	needBash(t)
	t.Parallel() // it waits for builds
	const head = "package a\n\nimport (\n\t\"testing\"\n\n\t\"pgregory.net/rapid\"\n\n\t\"tokscope/metrics/testseed\"\n)\n\n"
	const holds = "func TestHolds(t *testing.T) {\n\trapid.Check(t, func(t *rapid.T) { rapid.Int().Draw(t, \"n\") })\n}\n\n"
	const draws = "func TestDraws(t *testing.T) { _ = testseed.Of(t) }\n\n"
	for _, c := range []struct {
		name, text string
		passes     bool
		found      []string // in the file of what is found
	}{
		{"nothing is found", head + holds + "func TestSeed(t *testing.T) {\n\tif testseed.Of(t) == 16 {\n\t\tt.Error(\"the fixed seed\")\n\t}\n}\n", true, nil},
		{"a property fails", head + draws + "func TestSmall(t *testing.T) {\n\trapid.Check(t, func(t *rapid.T) {\n\t\tif rapid.IntRange(0, 10).Draw(t, \"n\") > 3 {\n\t\t\tt.Fatal(\"large\")\n\t\t}\n\t})\n}\n",
			true, []string{"--- FAIL: TestSmall", "tokscope/a"}},
		{"a test panics", head + holds + "func TestDraws(t *testing.T) {\n\t_ = testseed.Of(t)\n\tpanic(\"chance\")\n}\n", true, []string{"chance", "tokscope/a"}},
		{"the tests do not build", head + holds + draws + "var x int = \"text\"\n", false, nil},
		{"no random tests", "package a\n\nimport \"testing\"\n\nfunc TestPlain(t *testing.T) {}\n", false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, from := range map[string]string{"go.mod": "go.mod", "go.sum": "go.sum", ".ci/search": ".ci/search", "metrics/testseed/testseed.go": "metrics/testseed/testseed.go"} {
				text, err := os.ReadFile(from)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, name), text, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Mkdir(filepath.Join(dir, "a"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "a", "a_test.go"), []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			found := filepath.Join(dir, "found")
			// By bash: a file that was just written cannot be executed while another
			// process that began meanwhile still has it open.
			out, err := exec.Command("bash", filepath.Join(dir, ".ci/search"), found).CombinedOutput()
			if (err == nil) != c.passes {
				t.Fatalf("%v, want it to pass: %v\n%s", err, c.passes, out)
			}
			named, _ := os.ReadFile(found)
			if len(c.found) == 0 && len(named) > 0 {
				t.Errorf("found %s\n%s", named, out)
			}
			for _, want := range c.found {
				if !strings.Contains(string(named), want) || !strings.Contains(string(out), want) {
					t.Errorf("%q is not named in %q and printed in\n%s", want, named, out)
				}
			}
			if rest, _ := filepath.Glob(filepath.Join(dir, "a", "testdata", "*")); len(rest) > 0 {
				t.Errorf("left behind: %v", rest)
			}
		})
	}
}
