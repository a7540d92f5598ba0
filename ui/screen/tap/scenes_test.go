package tap

import (
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/screen"
	"tokscope/ui/uitest"
)

// scene returns what the screen shows of a session with a name.
func scene(name string) *View {
	b := uitest.NewTap(name)
	v := &View{About: b.About(), Session: b.View(), Live: b.Live(), Follow: true,
		Look: &screen.Look{Glyphs: themes.UnicodeGlyphs()}}
	v.take()
	return v
}

var states = uitest.TapStates

// frame draws v as the root would on a terminal of w by h, without its rows.
func frame(v *View, w, h int) *draw.Grid {
	g := draw.New(max(w-1, 0), max(h-2, 0))
	p := newPicture()
	p.Draw(g, g.Bounds(), v)
	return g
}

var made = map[string]*View{}

// shown draws one of the states.
func shown(name string, w, h int) *draw.Grid {
	if made[name] == nil {
		made[name] = scene(name)
	}
	return frame(made[name], w, h)
}
