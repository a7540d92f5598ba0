package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/sentences.txt")

// maxWords is the longest sentence that the program may show.
const maxWords = 25

// sentencesFile lists every sentence that screens, help and output can show.
const sentencesFile = "docs/sentences.txt"

// unread are packages whose strings no person reads as words of the program.
var unread = map[string]string{
	"docs":             "makes the pictures",
	"probe/sim/text":   "the corpus of generated answers",
	"probe/probetest":  "scripted servers of the tests",
	"ui/uitest":        "support of the tests",
	"metrics/ratio":    "support of the benchmarks",
	"metrics/testseed": "support of the tests",
	"ui/prompts":       "the text of prompts",
}

// TestSentences holds docs/sentences.txt: each sentence once, with its number
// of words, none over 25. A "…" stands for what is filled in while it runs.
func TestSentences(t *testing.T) {
	found := shownSentences(t)
	if len(found) < 500 {
		t.Fatalf("found %d sentences: the search does not work", len(found))
	}
	var list bytes.Buffer
	for _, s := range found {
		n := countWords(s)
		fmt.Fprintf(&list, "%2d  %s\n", n, s)
		if n > maxWords {
			t.Errorf("%d words, more than %d: %s", n, maxWords, s)
		}
	}
	if *update {
		if err := os.WriteFile(sentencesFile, list.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(sentencesFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, list.Bytes()) {
		t.Errorf("%s is not up to date: run go test . -run TestSentences -update", sentencesFile)
	}
}

// unheld are sections of pages whose sentences may be longer, with the reason.
var unheld = map[string]string{
	"How accurate is it?": "its figures are measured, and its words follow them",
}

var (
	codeBlock = regexp.MustCompile("(?s)```.*?```")
	codeSpan  = regexp.MustCompile("`[^`]*`")
	linkGoal  = regexp.MustCompile(`\]\([^)]*\)`)
	aSection  = regexp.MustCompile(`^#+ (.*)`)
	pageEnd   = regexp.MustCompile(`[.!?]["*)]*\s+`)
	listItem  = regexp.MustCompile(`^\s*(?:[-*]|\d+\.) `)
)

// TestPageSentences holds that no sentence of a page has more than 25 words.
// Code counts as one word, a cell of a table and an item of a list as a text.
func TestPageSentences(t *testing.T) {
	sentences := 0
	for _, path := range files(t, ".", func(path string) bool { return isPage(path) && strings.HasSuffix(path, ".md") }) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range pageTexts(string(text)) {
			for _, s := range pageEnd.Split(part, -1) {
				if n := countWords(s); n > maxWords {
					t.Errorf("%s: %d words, more than %d: %s", path, n, maxWords, s)
				} else if n > 2 {
					sentences++
				}
			}
		}
	}
	if sentences < 500 {
		t.Errorf("found %d sentences only", sentences)
	}
}

// pageTexts returns the paragraphs, list items and table cells of a page.
func pageTexts(page string) []string {
	page = codeSpan.ReplaceAllString(codeBlock.ReplaceAllString(page, "\n"), "code")
	page = linkGoal.ReplaceAllString(page, "]")
	var texts []string
	open, held := "", true
	closeText := func() {
		texts = append(texts, open)
		open = ""
	}
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		if m := aSection.FindStringSubmatch(line); m != nil {
			closeText()
			_, long := unheld[m[1]]
			held = !long
			continue
		}
		switch {
		case !held:
		case strings.HasPrefix(line, "|"):
			texts = append(texts, strings.Split(line, "|")...)
		case line == "":
			closeText()
		default:
			if listItem.MatchString(line) {
				closeText()
			}
			open += line + " "
		}
	}
	closeText()
	return texts
}

// shownSentences returns what the program's string literals can show, sorted.
func shownSentences(t *testing.T) []string {
	t.Helper()
	seen := map[string]bool{}
	goFiles(t, func(path string, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") || isUnread(path) {
			return
		}
		for _, text := range literals(file) {
			for _, s := range splitSentences(text) {
				seen[s] = true
			}
		}
	})
	list := make([]string, 0, len(seen))
	for s := range seen {
		list = append(list, s)
	}
	slices.Sort(list)
	return list
}

func isUnread(path string) bool {
	for prefix := range unread {
		if path == prefix || strings.HasPrefix(path, prefix+"/") {
			return true
		}
	}
	return false
}

// literals returns the texts of a file: string literals, with those that + joins
// as one. Struct tags and import paths are left out.
func literals(file *ast.File) []string {
	var texts []string
	var visit func(ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			if n.Type != nil {
				ast.Inspect(n.Type, visit)
			}
			return false
		case *ast.BinaryExpr:
			text, ok := joined(n, visit)
			if ok {
				texts = append(texts, text)
			}
			return !ok
		case *ast.BasicLit:
			if s, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil {
				texts = append(texts, s)
			}
		}
		return true
	}
	ast.Inspect(file, visit)
	return texts
}

// joined returns the text of a sum of strings, "…" for each operand that is not
// a literal. Such operands are visited on their own. ok is false for other sums.
func joined(e ast.Expr, visit func(ast.Node) bool) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, e.Kind == token.STRING && err == nil
	case *ast.ParenExpr:
		return joined(e.X, visit)
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return "", false
		}
		left, okLeft := joined(e.X, visit)
		right, okRight := joined(e.Y, visit)
		if !okLeft && !okRight {
			return "", false
		}
		if !okLeft {
			ast.Inspect(e.X, visit)
			left = "…"
		}
		if !okRight {
			ast.Inspect(e.Y, visit)
			right = "…"
		}
		return left + right, true
	}
	return "", false
}

var (
	verb      = regexp.MustCompile(`%[-+#0-9.*\[\]]*[a-zA-Z]`)
	sentence  = regexp.MustCompile(`[.!?]\s+|\n\s*\n|\n|\t`)
	blanks    = regexp.MustCompile(`\s+`)
	realWord  = regexp.MustCompile(`\p{L}{2,}`)
	anyWord   = regexp.MustCompile(`[\p{L}\p{N}…]`)
	codeLike  = regexp.MustCompile(`\p{C}|[{}<>\\]|=~|\(\?|^https?://\S+$`)
	ellipsis  = regexp.MustCompile(`…+`)
	finishing = regexp.MustCompile(`[.!?]$`)
)

// splitSentences cuts a text into sentences of three words or more.
func splitSentences(text string) []string {
	text = strings.ReplaceAll(verb.ReplaceAllString(strings.ReplaceAll(text, "%%", "%"), "…"), "`", "")
	var list []string
	for _, s := range sentence.Split(text, -1) {
		s = ellipsis.ReplaceAllString(strings.TrimSpace(blanks.ReplaceAllString(s, " ")), "…")
		s = finishing.ReplaceAllString(s, "")
		if countWords(s) < 3 || len(realWord.FindAllString(s, -1)) < 3 || codeLike.MatchString(s) {
			continue
		}
		list = append(list, s)
	}
	return list
}

// countWords counts what a reader reads as a word.
func countWords(s string) int {
	n := 0
	for _, f := range strings.Fields(s) {
		if anyWord.MatchString(f) {
			n++
		}
	}
	return n
}
