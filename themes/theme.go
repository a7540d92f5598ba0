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
	// Plain themes use no color, only weight, underline and reverse.
	Plain bool

	colors [named + 2]Color // of inks; other roles take theirs, see looks
	levels []Color          // from cool (a short gap) to hot (a long one)
}

// Color returns the color of Ground, of Raised, or of a named role that has one of its own; else the
// terminal's default.
func (t *Theme) Color(r Role) Color { return t.colors[r] }

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
