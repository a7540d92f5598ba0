package main

import (
	"encoding/json"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"tokscope/metrics"
)

// metricsWords are the texts of two words or more that metrics may hold beside
// the values that the schemas list, and why. Words for a person belong into
// ui/format, beside a code in metrics.
var metricsWords = map[string]string{
	"1000, 200..4000, 1000±200 or 100,1000": "part of an error",
}

// TestMetricsHoldNoSentences checks that the packages of metrics hold codes and
// numbers: no text of two words, apart from errors, panics and metricsWords. A
// value that a schema lists is a code, however many words it has.
func TestMetricsHoldNoSentences(t *testing.T) {
	values := schemaValues(t)
	if !values["server usage"] || len(values) < 20 {
		t.Errorf("the schemas list %d values: the search does not work", len(values))
	}
	used, files := map[string]bool{}, 0
	goFiles(t, func(path string, file *ast.File) {
		if !strings.HasPrefix(path, "metrics/") || strings.HasSuffix(path, "_test.go") {
			return
		}
		files++
		for _, text := range phrases(file) {
			switch {
			case values[text]:
			case metricsWords[text] != "":
				used[text] = true
			default:
				t.Errorf("%s says %q: give a code with its numbers, and the words to ui/format", path, text)
			}
		}
	})
	if files < 40 {
		t.Errorf("read %d files: the search does not work", files)
	}
	for text := range metricsWords {
		if !used[text] {
			t.Errorf("no file of metrics says %q any more: take it off the list", text)
		}
	}
}

// schemaValues returns the values that an "enum" of a published schema lists.
func schemaValues(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("docs/schema/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d schemas, %v", len(files), err)
	}
	values := map[string]bool{}
	var collect func(any)
	collect = func(node any) {
		switch node := node.(type) {
		case map[string]any:
			list, _ := node["enum"].([]any)
			for _, v := range list {
				if s, ok := v.(string); ok {
					values[s] = true
				}
			}
			for _, v := range node {
				collect(v)
			}
		case []any:
			for _, v := range node {
				collect(v)
			}
		}
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var schema any
		if err := json.Unmarshal(data, &schema); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		collect(schema)
	}
	return values
}

// reasonsFile has the codes of the reasons of unknown figures.
const reasonsFile = "metrics/why.go"

// TestReasonsAreGiven checks that some figure can have each reason: its code
// is used outside of the files of its name and its words.
func TestReasonsAreGiven(t *testing.T) {
	given, codes := map[string]bool{}, map[string]bool{}
	goFiles(t, func(path string, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") || path == "ui/format/reason.go" {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				if path == reasonsFile {
					for _, name := range n.Names {
						if strings.HasPrefix(name.Name, "Why") {
							codes[name.Name] = true
						}
					}
					return false
				}
			case *ast.Ident:
				given[n.Name] = true
			}
			return true
		})
	})
	if len(codes) < 90 {
		t.Errorf("found %d reasons: the search does not work", len(codes))
	}
	for code := range codes {
		if !given[code] {
			t.Errorf("no figure has the reason %s", code)
		}
	}
}

// TestFormatsHaveWords checks that the program gives the formats all the words
// that they have places for.
func TestFormatsHaveWords(t *testing.T) {
	v := reflect.ValueOf(sentences)
	for i := range v.NumField() {
		if v.Field(i).IsNil() {
			t.Errorf("sentences has no %s", v.Type().Field(i).Name)
		}
	}
	for _, w := range []metrics.Why{metrics.WhyReused, metrics.Needs(7)} {
		if got := sentences.ParseWhy(sentences.Why(w)); got != w {
			t.Errorf("%v is written %q and read as %v", w, sentences.Why(w), got)
		}
	}
}

// phrases returns the string literals of a file with two words or more, apart
// from imports, struct tags, errors and panics.
func phrases(file *ast.File) (texts []string) {
	var visit func(ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			ast.Inspect(n.Type, visit)
			return false
		case *ast.CallExpr:
			return !makesError(n.Fun)
		case *ast.BasicLit:
			if s, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil && len(strings.Fields(s)) > 1 {
				texts = append(texts, s)
			}
		}
		return true
	}
	ast.Inspect(file, visit)
	return texts
}

// makesError reports whether f is panic, errors.New or fmt.Errorf.
func makesError(f ast.Expr) bool {
	if id, ok := f.(*ast.Ident); ok {
		return id.Name == "panic"
	}
	s, ok := f.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	from, ok := s.X.(*ast.Ident)
	return ok && (from.Name == "fmt" && s.Sel.Name == "Errorf" || from.Name == "errors" && s.Sel.Name == "New")
}
