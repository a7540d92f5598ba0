package themes

import (
	"slices"
	"strings"
	"sync"
)

// Theme assigns colors to roles. Colors are sRGB values or the terminal's own
// 16.
type Theme struct {
	Name  string // one lower-case word, for --theme
	About string // one short phrase for the picker
	Dark  bool   // made for a dark terminal
	// Ground is the background that the theme was made for. It is assumed, not
	// painted. Filled labels use it as text color.
	Ground Color
	// Plain themes use no color, only weight, underline and reverse.
	Plain bool

	Text   Color // text; contrast with Ground at least 7
	Dim    Color // secondary text; at least 4.5
	Faint  Color // guides and empty tracks; at least 2
	Border Color // at least 2
	Raised Color // background of a selected row; contrast with Text at least 7

	Accent Color // the theme's main color; this and those below at least 4.5
	Second Color // its counterpart: the second series, the reader
	Good   Color
	Warn   Color
	Bad    Color
	Muse   Color // reasoning text

	Network Color // phases of a wait
	Queue   Color
	Prefill Color

	// Ramp holds the color stops from cool (a short gap) to hot (a long one).
	// Levels are points on the line through them, at equal perceived distances.
	Ramp []Color

	levels []Color // computed from Ramp by Compile
}

// level returns color l of the ramp's Levels.
func (t *Theme) level(l int) Color {
	if t.levels == nil {
		return ramp(t.Ramp, Levels)[l]
	}
	return t.levels[l]
}

// table returns the theme of each block. A program that draws nothing needs none.
var table = sync.OnceValue(func() (all []Theme) {
	for i := range blocks {
		all = append(all, blocks[i].theme())
	}
	return all
})

// All returns a copy of every theme, in the picker's order.
func All() []Theme { return slices.Clone(table()) }

// Names returns the names of All.
func Names() []string {
	names := make([]string, len(table()))
	for i, t := range table() {
		names[i] = t.Name
	}
	return names
}

// ByName returns the theme with this name, in any case.
func ByName(name string) (Theme, bool) {
	for _, t := range table() {
		if strings.EqualFold(t.Name, name) {
			return t, true
		}
	}
	return Theme{}, false
}

// builtIn returns the theme of the table with this name.
func builtIn(name string) Theme {
	t, _ := ByName(name)
	return t
}

// Default returns the default theme for a dark or a light terminal.
func Default(dark bool) Theme {
	if dark {
		return builtIn("scope")
	}
	return builtIn("paper")
}

// in16 returns t with the terminal's own 16 colors.
func (t *Theme) in16() Theme {
	if t.Dark {
		return builtIn("ansi")
	}
	return builtIn("ansi-light")
}
