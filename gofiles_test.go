package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tokscope/metrics/testkit"
)

// goFile is one parsed file of the module. No test changes the tree.
type goFile struct {
	path string // with slashes
	tree *ast.File
}

// moduleFiles holds every Go file of the module, parsed once for all tests.
var moduleFiles = sync.OnceValues(parseModule)

func parseModule() ([]goFile, error) {
	var list []goFile
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || hasModule(path)):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		tree, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		list = append(list, goFile{filepath.ToSlash(path), tree})
		return nil
	})
	return list, err
}

// hasModule reports whether a folder is a module of its own, as docs/rigs is.
func hasModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// goFiles calls visit for every Go file of the module.
func goFiles(t *testing.T, visit func(path string, file *ast.File)) {
	t.Helper()
	list, err := moduleFiles()
	testkit.Given(t, err == nil, "%v", err)
	testkit.Given(t, len(list) >= 100, "looked at %d files only", len(list))
	for _, f := range list {
		visit(f.path, f.tree)
	}
}
