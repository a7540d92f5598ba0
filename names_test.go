package main

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// privateNames are names that only the builders understood, and what to say
// instead. They may not be an identifier, a file or a folder of the module.
var privateNames = map[string]string{
	"heart": "jitter monitor", "folder": "ingest", "fold": "ingest", "stay": "window", "tape": "timeline", "bucket": "timeline",
	"own": "client lag", "jot": "journal", "tell": "printer", "teller": "printer", "told": "what happened", "world": "deps",
	"ends": "hangup watcher", "way": "transport key", "settle": "resolve model", "tally": "counting sink", "glance": "peek",
	"rig": "engine config", "lab": "explain", "bench": "runner", "ink": "draw", "pen": "draw", "against": "comparison",
	"everyone": "aggregate", "crowd": "lane grid", "small": "compact", "took": "elapsed", "nap": "pause", "behind": "what it is",
	"quiet": "what it is", "gone": "what it is", "over": "what it is", "then": "what it is", "put": "what it is", "take": "what it is",
	"safe": "sanitize", "script": "probetest",
}

var lessonClaim = regexp.MustCompile(`(?i)^claim[0-9]+`)

// excepted are private names that are the field's term where they stand.
// At most ten.
var excepted = map[string]string{
	"metrics/words.go script": "Unicode's term for a writing system",
	"ui/cli/probe.go Quiet":   "the value of the flag --quiet",
	"ui/cli/sweep.go Quiet":   "the value of the flag --quiet",
	"ui/cli/race.go Quiet":    "the value of the flag --quiet",
	"ui/cli/watch.go Quiet":   "the value of the flag --quiet",
}

// TestNames looks for private names among the identifiers and file names.
func TestNames(t *testing.T) {
	if len(excepted) > 10 {
		t.Errorf("%d exceptions, more than 10", len(excepted))
	}
	used := map[string]bool{}
	check := func(path, name string) {
		use, bad := privateNames[strings.ToLower(name)]
		if lessonClaim.MatchString(name) {
			use, bad = "lesson01", true
		}
		if !bad {
			return
		}
		key := path + " " + name
		if _, ok := excepted[key]; ok {
			used[key] = true
			return
		}
		t.Errorf("%s: the name %q; say %q", path, name, use)
	}
	goFiles(t, func(path string, file *ast.File) {
		parts := strings.Split(strings.TrimSuffix(path, ".go"), "/")
		for _, part := range strings.Split(parts[len(parts)-1], "_") {
			check(path, part)
		}
		for _, dir := range parts[:len(parts)-1] {
			check(path, dir)
		}
		for _, name := range declared(file) {
			check(path, name)
		}
	})
	for key := range excepted {
		if !used[key] {
			t.Errorf("the exception %q is not needed", key)
		}
	}
}

// declared returns every name that a file declares, each once.
func declared(file *ast.File) []string {
	var names []string
	add := func(list ...ast.Expr) {
		for _, e := range list {
			if id, ok := e.(*ast.Ident); ok && !slices.Contains(names, id.Name) {
				names = append(names, id.Name)
			}
		}
	}
	addAll := func(list []*ast.Ident) {
		for _, id := range list {
			add(id)
		}
	}
	add(file.Name)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			add(n.Name)
		case *ast.TypeSpec:
			add(n.Name)
		case *ast.ValueSpec:
			addAll(n.Names)
		case *ast.Field:
			addAll(n.Names)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				add(n.Lhs...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				add(n.Key, n.Value)
			}
		}
		return true
	})
	return names
}
