package themes

import "strings"

// Theme gives the roles their colours. Colours may be sRGB values or the
// terminal's own 16.
type Theme struct {
	Name  string // one lower-case word, as in --theme
	About string // one short phrase for the picker
	Dark  bool   // made for a dark terminal
	// Ground is the background it was made for. It is assumed, not painted;
	// filled labels use it as their text colour.
	Ground Color
	// Plain themes use no colour at all, only weight, underline and reverse.
	Plain bool

	Text   Color // text; contrast with Ground at least 7
	Dim    Color // secondary text; at least 4.5
	Faint  Color // guides and empty tracks; at least 2
	Border Color // at least 2
	Raised Color // background of a selected row; ink on it at least 7

	Accent Color // the theme's own; this and those below at least 4.5
	Second Color // its counterpart: the second series, the reader
	Good   Color
	Warn   Color
	Bad    Color
	Muse   Color // reasoning text

	Network Color // phases of a wait
	Queue   Color
	Prefill Color

	// Ramp are the stops from cool (a short gap) to hot (a long one); levels
	// lie on the line through them at equal perceived distances.
	Ramp []Color

	levels []Color // of Ramp, filled in by Compile to save work
}

// level is colour l of the ramp's Levels.
func (t *Theme) level(l int) Color {
	if t.levels == nil {
		return ramp(t.Ramp, Levels)[l]
	}
	return t.levels[l]
}

// table is every theme, the default dark one first; the order is that of the picker.
var table = []Theme{scope, midnight, ember, okabe, contrast, paper, dawn, ansi16, ansiLight, mono}

// All returns every theme in the picker's order.
func All() []Theme { return append([]Theme(nil), table...) }

// Names returns the names of All.
func Names() []string {
	names := make([]string, len(table))
	for i, t := range table {
		names[i] = t.Name
	}
	return names
}

// ByName finds a theme, whatever the case of the letters.
func ByName(name string) (Theme, bool) {
	for _, t := range table {
		if strings.EqualFold(t.Name, name) {
			return t, true
		}
	}
	return Theme{}, false
}

// Default is the theme for a dark or a light terminal when none was chosen.
func Default(dark bool) Theme {
	if dark {
		return scope
	}
	return paper
}

// in16 is what t becomes where only the terminal's own colours are to be had.
func (t *Theme) in16() Theme {
	if t.Dark {
		return ansi16
	}
	return ansiLight
}
