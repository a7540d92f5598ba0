package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"tokscope/metrics/testkit"
)

var (
	code = regexp.MustCompile("`[^`]+`")
	// aPath is a file or folder below an area of the module.
	aPath = regexp.MustCompile(`^(?:\./)?((?:metrics|probe|themes|ui|docs|\.ci)(?:/[\w./-]*\w)?|main\.go)(?:/\.\.\.)?$`)
	// aLink is a link or a picture to a file of the tree or to a heading.
	aLink = regexp.MustCompile(`\]\(([\w./-]*)(?:#([^)]*))?\)`)
	shown = regexp.MustCompile(`!\[[^\]]*\]\(([^)]+)\)`)
)

// TestPicturesAreShown checks that a page shows every generated picture, and
// that every picture that a page shows exists.
func TestPicturesAreShown(t *testing.T) {
	onPages := map[string]bool{}
	for _, page := range pages(t) {
		text := testkit.Must(os.ReadFile(page))(t)
		for _, m := range shown.FindAllStringSubmatch(string(text), -1) {
			file := filepath.Join(filepath.Dir(page), m[1])
			onPages[file] = true
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s shows %s: %v", page, m[1], err)
			}
		}
	}
	files := testkit.Must(filepath.Glob("docs/pictures/*.svg"))(t)
	testkit.Given(t, len(files) != 0, "no pictures found")
	for _, file := range files {
		testkit.That(t, onPages[file], "no page shows %s", file)
	}
}

// TestPagesNameWhatExists holds the pages to the tree: every path in backticks,
// also within a command, and every relative link names a file or a folder. A link's
// fragment names a heading of the page that it leads to.
func TestPagesNameWhatExists(t *testing.T) {
	paths, links := 0, 0
	for _, page := range pages(t) {
		text := testkit.Must(os.ReadFile(page))(t)
		for i, line := range strings.Split(string(text), "\n") {
			for _, span := range code.FindAllString(line, -1) {
				for _, word := range strings.Fields(strings.Trim(span, "`")) {
					if m := aPath.FindStringSubmatch(word); m != nil {
						paths++
						if _, err := os.Stat(m[1]); err != nil {
							t.Errorf("%s:%d: no %s", page, i+1, m[1])
						}
					}
				}
			}
			for _, m := range aLink.FindAllStringSubmatch(line, -1) {
				links++
				testkit.Is(t, broken(page, m[1], m[2]), "", page, i+1)
			}
		}
	}
	testkit.That(t, paths >= 100 && links >= 50, "looked at %d paths and %d links only", paths, links)
}

// pages returns the files of the manual, from the top of the module.
func pages(t *testing.T) []string {
	t.Helper()
	tops := testkit.Must(filepath.Glob("*.md"))(t)
	manual := testkit.Must(filepath.Glob("docs/*.md"))(t)
	return slices.Concat(tops, manual, []string{"docs/rigs/README.md"})
}

// broken says why a relative link of a page leads nowhere, "" if it does not.
func broken(page, file, fragment string) string {
	target := page
	if file != "" {
		target = filepath.Join(filepath.Dir(page), file)
	}
	text, err := os.ReadFile(target)
	if info, isDir := os.Stat(target); isDir == nil && info.IsDir() {
		err = nil
	}
	if err != nil {
		return "no " + target
	}
	if fragment == "" {
		return ""
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && line[0] == '#' &&
			anchor(heading) == fragment {
			return ""
		}
	}
	return "no heading #" + fragment + " in " + target
}

// anchor returns the fragment by which GitHub names a heading.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// TestBrokenLinksAreFound holds that a file or a heading that is not there is seen.
func TestBrokenLinksAreFound(t *testing.T) {
	for _, c := range []struct {
		file, fragment string
		whole          bool
	}{
		{"docs/path.md", "", true},
		{"docs", "", true},
		{"", "license", true},
		{"docs/architecture.md", "the-way-of-a-chunk", true},
		{"docs/absent.md", "", false},
		{"", "absent", false},
		{"docs/architecture.md", "absent", false},
	} {
		why := broken("README.md", c.file, c.fragment)
		testkit.That(t, (why == "") == c.whole, "%s#%s: %q", c.file, c.fragment, why)
	}
}
