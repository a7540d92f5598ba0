package ui

import (
	"encoding/xml"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/themes"
)

// The picture is the screen as it is without a toast, also on light themes,
// without color and in ASCII. Nothing of it is an escape sequence.
func TestSavesTheScreen(t *testing.T) {
	light := Options{Profile: themes.TrueColor, Theme: "gruvbox-light"}
	for name, o := range map[string]Options{"color": colours, "light": light, "no color": {}, "ascii": {ASCII: true}} {
		t.Run(name, func(t *testing.T) {
			play(t, "live", 80, 24, o, func(r *harness) {
				r.b.Path = "/state/session.json"
				r.do("space stream:30")
				before := r.screen()
				r.do("s > saved /state/session.json")
				r.press("S")
				saved := r.b.Saved
				testkit.That(t, saved.Text == before+"\n", "saved:\n%s\nshown:\n%s", saved.Text, before)
				r.sees("saved " + filepath.FromSlash("/state/screen-live.svg") + " and .txt")
				if strings.ContainsAny(saved.Picture+saved.Text, "\x1b\r\a") || strings.Contains(saved.Picture, "session.json") {
					t.Error("an escape sequence or the toast was saved")
				}
				testkit.That(t, !o.ASCII || strings.IndexFunc(saved.Text, func(r rune) bool { return r > '~' }) < 0,
					"the text is not ASCII")
				if theme, ok := themes.ByName(o.Theme); ok &&
					!strings.Contains(saved.Picture, theme.Color(themes.Ground).String()) {
					t.Error("the picture lacks the theme's ground")
				}
				for d := xml.NewDecoder(strings.NewReader(saved.Picture)); ; {
					if _, err := d.Token(); errors.Is(err, io.EOF) {
						break
					} else if err != nil {
						t.Fatal(err)
					}
				}
			})
		})
	}
}

// In the smallest terminal the whole path is on the screen.
func TestALongPathIsWhole(t *testing.T) {
	play(t, "live", 40, 12, Options{}, func(r *harness) {
		path := "/home/somebody/.local/state/tokscope/session-20261123-033340.108-4711.json"
		r.b.Path = path
		r.do("space stream:3 s")
		var shown strings.Builder
		for _, row := range strings.Split(r.screen(), "\n")[8:11] {
			shown.WriteString(strings.TrimSpace(row))
		}
		if got := strings.ReplaceAll(shown.String(), " ", ""); got != "saved"+path {
			t.Errorf("%q\n%s", got, r.screen())
		}
	})
}

func TestShortPath(t *testing.T) {
	home := filepath.FromSlash("/home/me")
	for path, want := range map[string]string{
		"/home/me/a/b.svg": "~/a/b.svg", "/home/men/b.svg": "/home/men/b.svg", "/b.svg": "/b.svg",
	} {
		testkit.Is(t, shortPath(filepath.FromSlash(path), home), filepath.FromSlash(want), path, "becomes")
	}
	testkit.Is(t, shortPath("/b.svg", ""), "/b.svg", "without a home directory")
}
