package main

import (
	"go/ast"
	"slices"
	"strings"
	"testing"

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
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "probe/secret/") || isUnread(path) {
			return
		}
		for _, text := range literals(file) {
			seen++
			if slices.Contains(unshown, strings.TrimSuffix(text, "…")) {
				continue
			}
			if got := s.String(text); got != text {
				t.Errorf("%s: %q becomes %q", path, text, got)
			}
		}
	})
	if seen < 5000 {
		t.Errorf("looked at %d texts: the search does not work", seen)
	}
}
