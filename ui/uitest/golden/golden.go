// Package golden compares the output of a test with the file of that name in
// testdata. The files are plain text, so that a diff is readable. A Sheet holds
// many screens in one file, so that a reworded label changes few files. A package
// that imports it has these flags in its tests:
//
//	go test ./ui/screen/live -update                  writes the files anew
//	go test ./ui/screen/live -ansi /tmp -theme paper  also writes the screens in color, to be looked at with cat
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tokscope/themes"
	"tokscope/ui/draw"
)

var (
	update = flag.Bool("update", false, "write the golden files anew")
	colour = flag.String("ansi", "", "also write every golden screen in colour into this folder, to be looked at with cat")
	theme  = flag.String("theme", "scope", "the theme of -ansi")
)

// Text compares got with testdata/name.txt.
func Text(t *testing.T, name, got string) {
	t.Helper()
	File(t, filepath.Join("testdata", name+".txt"), got)
}

// File compares got with the file at path, for files outside testdata.
func File(t testing.TB, path, got string) {
	t.Helper()
	hold(t, path, got, func(want, got string) string {
		return cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n"))
	})
}

// hold compares got with the file at path by differs, which returns "" for equal texts,
// or writes it.
func hold(t testing.TB, path, got string, differs func(want, got string) string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := differs(string(want), got); diff != "" {
		t.Errorf("%s (go test -update writes it anew):\n%s", path, diff)
	}
}

// paint writes g in color into the folder of -ansi, if there is one.
func paint(t testing.TB, name string, g *draw.Grid) {
	t.Helper()
	if *colour == "" {
		return
	}
	th, ok := themes.ByName(*theme)
	if !ok {
		t.Fatalf("theme %q: none of that name", *theme)
	}
	text := new(draw.Patch).Append([]byte("\x1b[?25l"), g, themes.Compile(th, themes.TrueColor))
	if err := os.WriteFile(filepath.Join(*colour, name+".ans"), text, 0o644); err != nil {
		t.Fatal(err)
	}
}
