package dialog

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/dialog/edit"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/prompts"
)

// lengthField is the field for the lengths of prompts or of answers.
type lengthField struct {
	name, short string // its label, and a short one for narrow boxes
	none        string // meaning of an empty field
	buf         *edit.Buffer
	box         draw.Rect // where it was drawn
}

// lengthFields are the fields of a load's lengths. The zero value has none.
type lengthFields struct {
	on     bool
	at     int // field that has the keys, from 1; 0: the text has them
	all    [2]lengthField
	custom [2]string // of the person's own text
}

func newLengthFields() lengthFields {
	return lengthFields{all: [2]lengthField{
		{name: "tokens of a prompt ", short: "prompt ", none: "the text alone", buf: edit.New("")},
		{name: "tokens of an answer at most ", short: "answer ", none: "the server decides", buf: edit.New("")},
	}}
}

func (f *lengthFields) set(text [2]string) {
	for i := range f.all {
		f.all[i].buf.Set(text[i])
	}
}

func (f *lengthFields) text() (out [2]string) {
	for i := range f.all {
		out[i] = f.all[i].buf.String()
	}
	return out
}

// lengthsOf writes the lengths of w as they are typed.
func lengthsOf(w metrics.Workload) [2]string {
	tokens := func(n int) string { return format.If(n > 0, strconv.Itoa(n)) }
	return [2]string{tokens(w.InputTokens), tokens(w.MaxTokens)}
}

// LoadLengths is Load for the requests of a load's users. The lengths of
// prompts and answers become editable, also as distributions that each
// request draws from. in and out apply where they vary; else the length of w
// does.
func (d *Editor) LoadLengths(w metrics.Workload, in, out metrics.Lengths) {
	text := lengthsOf(w)
	if in.Varies() {
		text[0] = in.String()
	}
	if out.Varies() {
		text[1] = out.String()
	}
	d.open(w, in.Varies() || out.Varies() || w.Name == prompts.Custom)
	d.lengths.on = true
	if d.at == len(d.presets) {
		d.lengths.custom = text
	}
	d.lengths.set(text)
}

// Lengths returns the lengths in the fields. The error names the field and
// its fault. ok is false where the editor has no such fields.
func (d *Editor) Lengths() (in, out metrics.Lengths, ok bool, err error) {
	f := &d.lengths
	if !f.on {
		return in, out, false, nil
	}
	if in, err = metrics.ParseLengths(f.all[0].buf.String()); err != nil {
		return in, out, true, fmt.Errorf("prompts: %w", err)
	}
	if !in.IsZero() && d.sendsMessages() {
		return in, out, true, errors.New("prompts: messages are sent as they are; leave this empty")
	}
	if out, err = metrics.ParseLengths(f.all[1].buf.String()); err != nil {
		return in, out, true, fmt.Errorf("answers: %w", err)
	}
	return in, out, true, nil
}

// lengthen puts the lengths of the fields into w, if they are readable.
// InputTokens becomes 0 when prompt lengths vary. MaxTokens becomes the upper
// limit of the answers.
func (d *Editor) lengthen(w metrics.Workload) metrics.Workload {
	in, out, ok, err := d.Lengths()
	if !ok || err != nil {
		return w
	}
	if _, w.InputTokens = in.Bounds(); in.Varies() {
		w.InputTokens = 0
	}
	_, w.MaxTokens = out.Bounds()
	return w
}

// prose writes how many tokens precede the text, "" for none.
func (d *Editor) prose(gl *themes.Glyphs) string {
	in, _, ok, err := d.Lengths()
	n := d.Workload().InputTokens
	switch {
	case ok && err == nil && in.Varies():
		return asciiOr(gl, in.String())
	case n > 0:
		return format.Count(n)
	}
	return ""
}

// field is the field that gets the keys, nil when the text gets them.
func (d *Editor) field() *edit.Buffer {
	if f := &d.lengths; f.on && f.at > 0 {
		return f.all[f.at-1].buf
	}
	return nil
}

// wrong is the number of the first unreadable field, 0 when all are readable.
func (d *Editor) wrong() int {
	return 1 + slices.IndexFunc(d.lengths.all[:], func(f lengthField) bool {
		_, err := metrics.ParseLengths(f.buf.String())
		return err != nil
	})
}

// fieldTurns are the intents that lead from a field to the one before or after.
var fieldTurns = map[keys.Intent]int{
	keys.Up: -1, keys.PageUp: -1, keys.Down: 1, keys.PageDown: 1, keys.NewLine: 1,
}

// turn gives the keys to the field by further on, in the circle of text and fields.
func (f *lengthFields) turn(by int) {
	if n := len(f.all) + 1; f.on {
		f.at = (f.at + by + n) % n
	}
}

const lengthsRows = 2

// fieldWidth fits "100,1000,10000" and the caret, between brackets.
const fieldWidth = 20

// drawLengths draws the fields side by side. Below them it writes their
// meaning, or the fault of one.
func (d *Editor) drawLengths(g *draw.Grid, r draw.Rect, gl *themes.Glyphs) {
	f := &d.lengths
	long := draw.Width(f.all[0].name)+draw.Width(f.all[1].name)+2*fieldWidth+3 <= r.W
	x := r.X
	for i := range f.all {
		e := &f.all[i]
		name, w := e.name, fieldWidth
		if !long {
			name = e.short
			w = max((r.W-draw.Width(f.all[0].short)-draw.Width(f.all[1].short)-2)/2, 5)
		}
		x += g.Text(x, r.Y, name, themes.Dim, r.Right()-x)
		e.box = draw.Rect{X: x + 1, Y: r.Y, W: min(w-2, r.Right()-x-2), H: 1}
		d.drawField(g, e, gl, i+1 == f.at)
		x += w + 2
	}
	text, role := d.lengthsText(gl), themes.Dim
	if d.wrong() > 0 {
		_, _, _, err := d.Lengths()
		text, role = asciiOr(gl, err.Error()), themes.Warn
		if f.at == 0 && draw.Width(text) > r.W { // the fault without the accepted forms
			text, _, _ = strings.Cut(text, ": give ")
		}
	}
	if f.at > 0 && draw.Width(text) > r.W { // the field's color shows the fault; the accepted forms help more
		text = asciiOr(gl, metrics.LengthForms)
	}
	g.Cut(r.X, r.Y+1, text, gl, role, r.W)
}

// drawField draws one field. Of a text that is too long it draws the end near
// the caret.
func (d *Editor) drawField(g *draw.Grid, e *lengthField, gl *themes.Glyphs, on bool) {
	text, r := e.buf.String(), e.box
	if r.W < 1 {
		return
	}
	role := themes.Strong
	if _, err := metrics.ParseLengths(text); err != nil {
		role = themes.Warn
	}
	border := format.Either(on, themes.BorderFocus, themes.Border)
	g.Set(r.X-1, r.Y, '[', border)
	g.Set(r.Right(), r.Y, ']', border)
	if text == "" && !on {
		g.Cut(r.X, r.Y, e.none, gl, themes.Dim, r.W)
		return
	}
	e.buf.Wrap(1 << 20)
	caret := e.buf.CaretX()
	from := max(caret-r.W+1, 0)
	x := -from
	for _, c := range e.buf.Clusters(e.buf.Rows()[0]) {
		s, w := edit.Show(c)
		if x >= 0 && x+w <= r.W {
			g.Text(r.X+x, r.Y, s, role, w)
		}
		x += w
	}
	if on {
		d.mark(g, r.X+caret-from, r.Y)
	}
}

// lengthsText describes what each request draws, or in a field what can be
// typed.
func (d *Editor) lengthsText(gl *themes.Glyphs) string {
	if d.lengths.at > 0 {
		return asciiOr(gl, "one length, or drawn per request: "+metrics.LengthForms)
	}
	in, out, _, _ := d.Lengths()
	if d.at < len(d.presets) && !in.Varies() && !out.Varies() {
		return d.presets[d.at].About
	}
	dot := " " + string(gl.Bullet) + " "
	return "prompts " + lengthWords(in, d.lengths.all[0].none) + dot + "answers " + lengthWords(out, d.lengths.all[1].none)
}

// lengthWords describes l in a few words.
func lengthWords(l metrics.Lengths, none string) string {
	low, high := l.Bounds()
	switch {
	case l.IsZero():
		return none
	case !l.Varies():
		return "all " + format.Count(high)
	case len(l.Choices) > 0:
		return fmt.Sprintf("one of %d lengths", len(l.Choices))
	case l.SD > 0:
		return fmt.Sprintf("around %s, cut at %s and %s", format.Count(int(l.Mean)), format.Count(low), format.Count(high))
	}
	return format.Count(low) + " to " + format.Count(high) + ", evenly spread"
}

// asciiOr writes a text about lengths with the available glyphs.
func asciiOr(gl *themes.Glyphs, s string) string { return format.Either(gl.ASCII, format.ASCII(s), s) }
