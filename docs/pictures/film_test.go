//go:build !windows

package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"tokscope/metrics/testkit"
	"tokscope/ui/svg"
)

// elements parses a picture and returns how often each element is in it. It fails for
// what is not well-formed, could run, or asks for another file.
func elements(t *testing.T, picture []byte) map[string]int {
	t.Helper()
	found := map[string]int{}
	for d := xml.NewDecoder(bytes.NewReader(picture)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return found
		}
		testkit.OK(t, err)
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		found[e.Name.Local]++
		for _, a := range e.Attr {
			name, value := strings.ToLower(a.Name.Local), strings.ToLower(a.Value)
			if strings.HasPrefix(name, "on") || name == "href" && !strings.HasPrefix(value, "#") ||
				strings.Contains(value, "script:") {
				t.Errorf("<%s %s=%q>", e.Name.Local, a.Name.Local, a.Value)
			}
		}
	}
}

// TestTheFilmOfTheReadme holds what a page may ask of the committed film.
func TestTheFilmOfTheReadme(t *testing.T) {
	film, err := os.ReadFile("film.svg")
	testkit.Given(t, err == nil && len(film) <= filmMost, "%d bytes of at most %d, %v", len(film), filmMost, err)
	found := elements(t, film)
	if found["script"]+found["foreignObject"]+found["image"] > 0 || found["style"] != 1 || found["use"] < 100 {
		t.Errorf("elements %v", found)
	}
	if moves := "@media (prefers-reduced-motion:no-preference){.m{animation:"; bytes.Count(film, []byte(moves)) != 1 ||
		bytes.Count(film, []byte("animation:")) != 1 || bytes.Contains(film, []byte("@import")) ||
		bytes.Contains(film, []byte("url(")) {
		t.Errorf("it moves, or loads, without %q", moves)
	}
	page, err := os.ReadFile("../../README.md")
	testkit.That(t, err == nil && bytes.Contains(page[:min(len(page), 1000)], []byte("(docs/pictures/film.svg)")),
		"README does not begin with it: %v", err)
}

// shown is a film of one row: a text a frame, a second apart.
func shown(texts ...string) *film {
	f := &film{lasts: 10 * time.Second}
	for i, text := range texts {
		var row []svg.Cell
		for _, c := range text {
			row = append(row, svg.Cell{Text: string(c), Width: 1, Style: svg.Style{Fg: "#010203"}})
		}
		f.frames, f.at = append(f.frames, [][]svg.Cell{row}), append(f.at, time.Duration(i)*time.Second)
	}
	return f
}

// TestAFilmRepeatsNothing holds that what does not change is drawn once and does not move,
// what comes again is not drawn again, and that the end is seen where nothing moves.
func TestAFilmRepeatsNothing(t *testing.T) {
	f := shown("unchanged first....", "unchanged second...", "unchanged first....", "unchanged last.....")
	out := string(f.draw())
	elements(t, []byte(out))
	for text, times := range map[string]int{"unchanged": 1, "first": 1, "second": 1, "last": 1, "@keyframes": 1,
		"<use ": 3} {
		testkit.Is(t, strings.Count(out, text), times, text, "is there … times")
	}
	testkit.Has(t, out, `<use href="#a0" y="0"/>`,
		"0%{translate:0 -36px}10%{translate:0 -72px}20%{translate:0 -36px}30%{translate:0 0px}")
	if last := strings.Index(out, `<g id="a0">`); !strings.HasPrefix(out[last:], `<g id="a0">`) ||
		!strings.Contains(out[last:last+200], "last") {
		t.Error("without motion it does not show its end")
	}
	if f.halve(); len(f.frames) != 2 || f.at[1] != 3*time.Second {
		t.Errorf("halved, %d frames at %v", len(f.frames), f.at)
	}
}
