package dialog

import (
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/sanitize"
)

// Confirm is a yes-or-no question. To leave it, also by a click beside it, says no. A
// click on it does nothing, since a yes must be deliberate.
type Confirm struct {
	reader
	title, text string
	passes      bool // tab goes past what the question is about
}

// Confirmed is the answer yes.
type Confirmed struct{}

// Passed is the answer no of a person on the way to the screen after this one.
type Passed struct{}

// questionMost limits the text of a question, in columns.
const questionMost = 900

// NewConfirm returns the question; its text may come from outside.
func NewConfirm(title, text string) *Confirm {
	return &Confirm{reader: reader{keys: askKeys()}, title: title, text: sanitize.Line(text, questionMost)}
}

// NewScreenConfirm returns the question of a screen before it is shown. tab goes
// past that screen.
func NewScreenConfirm(title, text string) *Confirm {
	d := NewConfirm(title, text)
	d.passes = true
	d.keys = append(d.keys, keys.Binding{Do: keys.NextScreen, Keys: []string{"tab", "shift+tab"}, Show: "tab", Rank: 12,
		Word: keys.Always("skip"), Help: "no, on to the screen after it"})
	return d
}

func (d *Confirm) Do(in keys.Intent) Act {
	switch in {
	case keys.Accept:
		return Confirmed{}
	case keys.NextScreen:
		return Passed{}
	}
	return d.reader.Do(in)
}

func (d *Confirm) Draw(g *draw.Grid, area draw.Rect, gl *themes.Glyphs) {
	const width = 66
	lines := format.Wrap(d.text, max(min(width, area.W)-4, 1))
	box, in := frame(g, area, gl, width, len(lines)+4, d.title, "")
	d.box = box
	for i, s := range lines {
		if i < in.H {
			g.Cut(in.X, in.Y+i, s, gl, themes.Text, in.W)
		}
	}
	if y := len(lines) + 1; y < in.H {
		x := in.X
		type span struct {
			st themes.Role
			s  string
		}
		answers := []span{{themes.Key, "enter"}, {themes.KeyText, " yes    "}, {themes.Key, "esc"}, {themes.KeyText, " no"}}
		if d.passes {
			answers = append(answers, span{themes.Key, "    tab"}, span{themes.KeyText, " skip"})
		}
		for _, part := range answers {
			x += g.Text(x, in.Y+y, part.s, part.st, in.Right()-x)
		}
	}
}
