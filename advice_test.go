package main

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/secret"
)

// unshown are texts that look like a key and that nobody sees: values of
// headers, and words that are cut out of the parser's errors.
var unshown = []string{"Bearer ", "Basic ", "basic string"}

// TestAdviceIsNotRedacted holds that no text of the program's own looks like a
// key to its scrubber, which every fault and note passes.
func TestAdviceIsNotRedacted(t *testing.T) {
	s := secret.NewScrubber(secret.NewSecret("h5Kq9-zWm2_Tx7Lp4Rv8"))
	seen := 0
	goFiles(t, func(path string, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "probe/secret/") ||
			strings.HasPrefix(path, "docs/") {
			return
		}
		for _, text := range literals(file) {
			seen++
			if slices.Contains(unshown, text) {
				continue
			}
			got := s.String(text)
			testkit.That(t, got == text, "%s: %q becomes %q", path, text, got)
		}
	})
	testkit.That(t, seen >= 5000, "looked at %d texts: the search does not work", seen)
}

// literals returns the string literals of a file but import paths and struct tags.
func literals(file *ast.File) (texts []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.Field:
			return false
		case *ast.BasicLit:
			if s, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil {
				texts = append(texts, s)
			}
		}
		return true
	})
	return texts
}
