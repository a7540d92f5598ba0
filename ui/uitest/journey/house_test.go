package journey

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Who may know whom: themes <- ui -> metrics <- probe; main knows all.
func TestHouseRules(t *testing.T) {
	forbidden := map[string][]string{
		"metrics": {"tokscope/"},
		"themes":  {"tokscope/"},
		"probe":   {"tokscope/ui", "tokscope/themes"},
		"ui":      {"tokscope/probe"},
	}
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "tokscope/...")
	cmd.Dir = "../../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := 0
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath                         string
			Imports, TestImports, XTestImports []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		area, _, _ := strings.Cut(strings.TrimPrefix(p.ImportPath, "tokscope/"), "/")
		seen++
		imports := append(append(p.Imports, p.TestImports...), p.XTestImports...)
		for _, imp := range imports {
			if strings.HasPrefix(imp, "tokscope/"+area+"/") || imp == "tokscope/"+area {
				continue // an area may import itself
			}
			if p.ImportPath == "tokscope/ui/uitest/journey" {
				continue // tests of the whole program
			}
			for _, bad := range forbidden[area] {
				if strings.HasPrefix(imp, bad) {
					t.Errorf("%s imports %s: %s may not know %s", p.ImportPath, imp, area, bad)
				}
			}
		}
	}
	if seen < 10 {
		t.Errorf("looked at %d packages only: the rule was not tried", seen)
	}
}

// A file is one concept and can be read at once; the program itself is one
// file, which wires.
func TestFilesStaySmall(t *testing.T) {
	const most = 400 // lines
	root := "../../.."
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		seen++
		if n := bytes.Count(text, []byte("\n")); n > most {
			t.Errorf("%s has %d lines, more than %d", path, n, most)
		}
		if filepath.Dir(path) == root && d.Name() != "main.go" {
			t.Errorf("%s: the top level holds main.go alone", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 100 {
		t.Errorf("looked at %d files only: the rule was not tried", seen)
	}
}
