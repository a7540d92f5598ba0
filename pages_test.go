package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	code = regexp.MustCompile("`[^`]+`")
	// aPath is a file or folder below an area of the module.
	aPath = regexp.MustCompile(`^(?:\./)?((?:metrics|probe|themes|ui|docs|\.ci)(?:/[\w./-]*\w)?|main\.go)(?:/\.\.\.)?$`)
	shown = regexp.MustCompile(`!\[[^\]]*\]\(([^)]+)\)`)
)

// TestPicturesAreShown checks that a page shows every generated picture, and
// that every picture that a page shows exists.
func TestPicturesAreShown(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	onPages := map[string]bool{}
	for _, page := range append(pages, "README.md", "CONTRIBUTING.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range shown.FindAllStringSubmatch(string(text), -1) {
			file := filepath.Join(filepath.Dir(page), m[1])
			onPages[file] = true
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s shows %s: %v", page, m[1], err)
			}
		}
	}
	files, err := filepath.Glob("docs/pictures/*.svg")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no pictures found")
	}
	for _, file := range files {
		if !onPages[file] {
			t.Errorf("no page shows %s", file)
		}
	}
}

// TestPagesNameWhatExists holds the pages to the tree: every path in backticks,
// also those within a command, names a file or a folder.
func TestPagesNameWhatExists(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	paths := 0
	for _, page := range append(pages, "README.md", "CONTRIBUTING.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			for _, span := range code.FindAllString(line, -1) {
				for _, word := range strings.Fields(strings.Trim(span, "`")) {
					m := aPath.FindStringSubmatch(word)
					if m == nil {
						continue
					}
					paths++
					if _, err := os.Stat(m[1]); err != nil {
						t.Errorf("%s:%d: no %s", page, i+1, m[1])
					}
				}
			}
		}
	}
	if paths < 100 {
		t.Errorf("looked at %d paths only", paths)
	}
}
