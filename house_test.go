package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The tops: which area may import which. main imports all of them.
var tops = map[string][]string{
	"metrics": {},
	"themes":  {},
	"probe":   {"metrics"},
	"ui":      {"metrics", "themes"},
	"docs":    {"metrics", "probe", "themes", "ui"}, // what writes its files
}

// The floors of probe and of ui, from bottom to top. A package imports packages
// of lower floors only; those of one line may not import each other. A package
// and those below its folder are one floor, unless they have lines of their own.
var floors = map[string][][]string{
	"probe": {
		{"probe/transport/stamp", "probe/filelock"},
		{"probe/sse"},
		{"probe/transport"},
		{"probe/path"},
		{"probe/dialect", "probe/secret", "probe/access"},
		{"probe/endpoint", "probe/scrape", "probe/export"},
		{"probe/config"},
		{"probe/client"},
		{"probe/loadgen", "probe/doctor", "probe/race", "probe/watch"},
		{"probe/record", "probe/sim"},
		{"probe/replay"},
		{"probe/history"},
		{"probe/explain"},
		{"probe/app"},
		{"probe/probetest"},
		{"probe"},
	},
	"ui": {
		{"ui/sanitize"},
		{"ui/format"},
		{"ui/draw"},
		{"ui/keys", "ui/prompts", "ui/chart", "ui/svg"},
		{"ui/lens", "ui/report"},
		{"ui/dialog"},
		{"ui/screen"},
		{"ui/screen/listing"},
		{"ui/screen/live", "ui/screen/load", "ui/screen/race", "ui/screen/watch", "ui/screen/explain", "ui/screen/history"},
		{"ui/screen/registry"},
		{"ui"},
		{"ui/plain"},
		{"ui/cli"},
		{"ui/uitest"},
		{"ui/hostile"},
	},
	"metrics": {
		{"metrics"},
		{"metrics/serving", "metrics/ratio", "metrics/stats", "metrics/testseed", "metrics/filter"},
		{"metrics/slo"},
		{"metrics/loadstat", "metrics/verdict", "metrics/doctor", "metrics/history", "metrics/definition", "metrics/request"},
		{"metrics/condition"},
		{"metrics/racestat"},
		{"metrics/comparison", "metrics/watchstat"},
	},
}

// endToEnd are the packages whose tests run the whole program.
var endToEnd = []string{"ui/hostile", "ui/uitest/journey", "ui/uitest/figures"}

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
		if !known || slices.Contains(endToEnd, name) {
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

// TestFloors holds the order of the packages inside probe and ui.
func TestFloors(t *testing.T) {
	for area, order := range floors {
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
				if above, its := floorOf(other); its != entry && above >= floor {
					t.Errorf("%s imports %s, which is not below it", name, other)
				}
			}
		}
	}
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
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 30 {
		t.Fatalf("found %d packages: the rules were not tried", len(list))
	}
	return list
}

// inModule returns the path of a package within the module; other paths stay.
func inModule(importPath string) string {
	return strings.TrimPrefix(importPath, "tokscope/")
}

// Bounds of a type. A plain record, a struct whose fields are all exported, may
// have as many of them as it describes.
const (
	mostMethods = 40
	mostFields  = 30
)

// typeSize is how large a type is.
type typeSize struct {
	name            string // with its package's folder
	methods, fields int
	record          bool // every field is exported
}

// TestTypes holds that no type grows into one that does everything. With -v it
// prints the largest.
func TestTypes(t *testing.T) {
	list := typeSizes(t)
	for _, s := range list {
		if s.methods > mostMethods {
			t.Errorf("%s has %d methods, more than %d", s.name, s.methods, mostMethods)
		}
		if !s.record && s.fields > mostFields {
			t.Errorf("%s has methods and %d fields, more than %d", s.name, s.fields, mostFields)
		}
	}
	slices.SortFunc(list, func(a, b typeSize) int { return cmp.Compare(b.methods, a.methods) })
	for _, s := range list[:15] {
		t.Logf("%3d methods %3d fields  %s", s.methods, s.fields, s.name)
	}
	slices.SortFunc(list, func(a, b typeSize) int { return cmp.Compare(b.fields, a.fields) })
	for _, s := range list[:15] {
		t.Logf("%3d fields %3d methods  %s (record: %v)", s.fields, s.methods, s.name, s.record)
	}
}

// typeSizes measures every type of the module, build-tagged files included:
// methods that stand in several of them count once.
func typeSizes(t *testing.T) []typeSize {
	t.Helper()
	sizes := map[string]*typeSize{}
	methods := map[string]bool{}
	of := func(name string) *typeSize {
		if sizes[name] == nil {
			sizes[name] = &typeSize{name: name}
		}
		return sizes[name]
	}
	goFiles(t, func(file string, f *ast.File) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					continue
				}
				typ := receiver(d.Recv.List[0].Type)
				name := path.Join(path.Dir(file), typ)
				if full := name + "." + d.Name.Name; !methods[full] {
					methods[full] = true
					of(name).methods++
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if ts, ok := s.(*ast.TypeSpec); ok {
						if st, ok := ts.Type.(*ast.StructType); ok {
							size := of(path.Join(path.Dir(file), ts.Name.Name))
							size.fields, size.record = st.Fields.NumFields(), allExported(st)
						}
					}
				}
			}
		}
	})
	list := make([]typeSize, 0, len(sizes))
	for _, s := range sizes {
		list = append(list, *s)
	}
	return list
}

// allExported reports whether every field has an exported name or is embedded.
func allExported(st *ast.StructType) bool {
	for _, f := range st.Fields.List {
		for _, n := range f.Names {
			if !n.IsExported() {
				return false
			}
		}
	}
	return true
}

// receiver returns the name of the type that a method belongs to.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// TestMainIsWiring holds that the program's file only wires.
func TestMainIsWiring(t *testing.T) {
	const most = 240 // some seven lines a command
	text, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte("\n")); n > most {
		t.Errorf("main.go has %d lines, more than %d", n, most)
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".go") && e.Name() != "main.go" && !strings.HasSuffix(e.Name(), "_test.go") {
			t.Errorf("%s: the top level holds main.go alone", e.Name())
		}
	}
}
