package themes

import (
	"strings"
	"testing"
)

func TestCompileOnGroundPaintsTheGroundUnderEveryRole(t *testing.T) {
	light := builtIn("paper")
	pal := CompileOnGround(light, TrueColor)
	for r := range Roles {
		if !strings.Contains(pal.SGR(Role(r)), ";48;2;") || !pal.ShowsOnBlank(Role(r)) {
			t.Errorf("role %d: %q", r, pal.SGR(Role(r)))
		}
	}
	if got, want := pal.SGR(Badge), Compile(light, TrueColor).SGR(Badge); got != want {
		t.Errorf("a filled label lost its own background: %q, want %q", got, want)
	}
}

func TestCompileOnGroundWithoutAGroundIsCompile(t *testing.T) {
	paper := builtIn("paper")
	for _, c := range []struct {
		t Theme
		p Profile
	}{{builtIn("ansi"), TrueColor}, {builtIn("mono"), TrueColor}, {paper, NoColor}, {paper, ANSI16}} {
		if got, want := CompileOnGround(c.t, c.p), Compile(c.t, c.p); got.sgr != want.sgr || got.blank != want.blank {
			t.Errorf("%s with profile %d differs", c.t.Name, c.p)
		}
	}
}
