package dialog

import (
	"fmt"
	"strings"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/dialog/edit"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/prompts"
	"tokscope/ui/say"
)

// Editor is the prompt editor: a text, and tabs with the presets. It lives as
// long as the program, so that a text is never lost. Editing a preset turns
// it into the person's own text, which has its own tab.
type Editor struct {
	presets   []prompts.Preset
	now       metrics.Workload // as it was when the editor opened
	at        int              // tab; len(presets) is the person's own
	custom    metrics.Workload
	hasCustom bool
	counted   string // stands for the messages of custom, "" without them
	buf       *edit.Buffer

	lengths lengthFields // of the requests of a load

	first int // first row shown
	text  draw.Rect
	box   draw.Rect
	tabs  []span

	caret

	keys []keys.Binding
}

// span is the place of a drawn tab.
type span struct {
	draw.Rect
	tab int
}

// NewEditor returns the editor with w in it: on a preset's tab when w is that
// preset, else as the person's own text.
func NewEditor(w metrics.Workload) *Editor {
	d := &Editor{presets: prompts.All(), buf: edit.New(""), lengths: newLengthFields()}
	d.keys = editorKeys(d)
	d.Load(w)
	return d
}

// Keep copies the text in d to now, so that the next run sends it. It also
// returns the lengths of prompts and answers where d has fields for them
// (lengths). The length and connection of now stay unless a preset brings its
// own length. The error says which lengths are unreadable; those of now stay.
func (d *Editor) Keep(now *metrics.Workload) (in, out metrics.Lengths, lengths bool, err error) {
	w := d.Workload()
	in, out, lengths, err = d.Lengths()
	same := w.Prompt == now.Prompt && w.Messages == now.Messages
	if w.Blank() || !lengths && same && w.InputTokens == now.InputTokens {
		return in, out, false, nil
	}
	w.System, w.Connection = now.System, now.Connection
	w.Temperature, w.Seed = now.Temperature, now.Seed
	switch {
	case err != nil:
		w.InputTokens, w.MaxTokens = now.InputTokens, now.MaxTokens
	case !lengths && (w.Name == prompts.Custom || w.MaxTokens == 0):
		w.MaxTokens = now.MaxTokens
	}
	*now = w
	return in, out, lengths && err == nil, err
}

// Load shows the present workload, so that the editor opens with it.
func (d *Editor) Load(w metrics.Workload) { d.open(w, false) }

// open shows w. mine shows it as the person's own text, even where a preset
// has the same text.
func (d *Editor) open(w metrics.Workload, mine bool) {
	d.now = w
	d.lengths.on, d.lengths.at = false, 0
	for i, p := range d.presets {
		if !mine && p.Work.Prompt == w.Prompt && p.Work.InputTokens == w.InputTokens {
			if d.at != i || d.buf.String() != w.Prompt {
				d.show(i)
			}
			return
		}
	}
	if d.hasCustom && d.custom.Prompt == w.Prompt && d.custom.Messages == w.Messages && d.at == len(d.presets) {
		return
	}
	d.keep(w)
	d.show(len(d.presets))
}

// keep makes w the person's own text.
func (d *Editor) keep(w metrics.Workload) {
	d.custom, d.hasCustom, d.counted = w, true, ""
	if w.Messages != "" {
		d.counted = say.Prompt(&w)
	}
	if d.lengths.custom = lengthsOf(w); d.lengths.on {
		d.lengths.custom = d.lengths.text()
	}
}

// show switches to tab i.
func (d *Editor) show(i int) {
	n := len(d.presets) + format.Either(d.hasCustom, 1, 0)
	d.at, d.first = (i+n)%n, 0
	d.buf.Set(d.work().Prompt)
	if d.work().Messages != "" {
		d.buf.Set(d.counted)
	}
	d.lengths.set(format.Either(d.at == len(d.presets), d.lengths.custom, lengthsOf(d.work())))
}

// work is the workload of the tab, without unsaved edits of the text.
func (d *Editor) work() metrics.Workload {
	if d.at < len(d.presets) {
		return d.presets[d.at].Work
	}
	return d.custom
}

// Workload is the workload to run: the tab's workload with the text as
// edited. Messages stay until what stands for them is edited: then the text is sent.
func (d *Editor) Workload() metrics.Workload {
	w := d.work()
	if !d.sendsMessages() {
		w.Prompt, w.Messages, w.Tools = d.buf.String(), "", ""
	}
	return d.lengthen(w)
}

// sendsMessages reports whether messages are sent, because nobody has edited the text
// that stands for them.
func (d *Editor) sendsMessages() bool { return d.work().Messages != "" && d.buf.String() == d.counted }

// edited makes the text the person's own after an edit.
func (d *Editor) edited() {
	w := d.Workload()
	if d.at < len(d.presets) {
		preset := d.presets[d.at].Work
		if w.Prompt == preset.Prompt && (!d.lengths.on || d.lengths.text() == lengthsOf(preset)) {
			return
		}
		d.at = len(d.presets)
	}
	w.Name = prompts.Custom
	d.keep(w)
}

func (d *Editor) Bindings() []keys.Binding { return d.keys }
func (d *Editor) Busy() bool               { return false }

func (d *Editor) Do(in keys.Intent) Act {
	switch in {
	case keys.Close:
		return Closed{}
	case keys.Accept:
		if d.buf.Len() == 0 {
			return nil
		}
		if n := d.wrong(); d.lengths.on && n > 0 {
			d.lengths.at = n // the row below the field says why
			return nil
		}
		return RunPrompt{d.Workload()}
	case keys.NextPreset:
		d.show(d.at + 1)
		return nil
	case keys.PrevPreset:
		d.show(d.at - 1)
		return nil
	case keys.NextLength:
		d.lengths.turn(1)
		return nil
	}
	b := d.field()
	if b == nil {
		b = d.buf
	} else if by := fieldTurns[in]; by != 0 {
		d.lengths.turn(by)
		return nil
	}
	if b.Do(in, max(d.text.H-1, 1)) {
		d.edited()
	}
	return nil
}

func (d *Editor) Type(s string, pasted bool) Act {
	b := d.buf
	if f := d.field(); f != nil {
		b, s = f, strings.Join(strings.Fields(s), "") // one line
	}
	if pasted {
		b.Paste(s)
	} else {
		b.Type(s)
	}
	d.edited()
	return nil
}

// Click implements Dialog. A click in the text moves the caret, on a tab it
// shows that preset, beside the box it closes the dialog.
func (d *Editor) Click(x, y int) Act {
	for _, t := range d.tabs {
		if t.Contains(x, y) {
			d.show(t.tab)
			return nil
		}
	}
	for i := range d.lengths.all {
		if d.lengths.on && d.lengths.all[i].box.Contains(x, y) {
			d.lengths.at = i + 1
			return nil
		}
	}
	switch {
	case d.text.Contains(x, y):
		d.lengths.at = 0
		d.buf.Place(x-d.text.X, d.first+y-d.text.Y)
	case !d.box.Contains(x, y):
		return Closed{}
	}
	return nil
}

func (d *Editor) Wheel(n int) Act {
	d.buf.Vertical(n)
	return nil
}

// Sizes of the editor, in cells: lines longer than about 90 characters are
// hard to read.
const (
	editorWidth = 100
	editorLeast = 14
	editorMost  = 30
)

func (d *Editor) Draw(g *draw.Grid, area draw.Rect, gl *themes.Glyphs) {
	text := d.buf.String()
	about := "about " + format.Count(AboutTokens(text))
	if prose := d.prose(gl); prose != "" {
		about += " + " + prose
	}
	count := fmt.Sprintf("%s characters ─ %s tokens", format.Count(d.buf.Len()), about)
	if area.W < 60 {
		count = about + " tokens"
	}
	if d.sendsMessages() {
		count = "an edit replaces them"
	}
	h := min(max(area.H*6/10, editorLeast), editorMost)
	box, in := frame(g, area, gl, area.Center(editorWidth, h), "prompt", count)
	in = air(in)
	d.box, d.text, d.tabs, d.caret = box, draw.Rect{}, d.tabs[:0], caret{}
	if in.Empty() {
		return
	}
	if in.H >= 3 {
		var top draw.Rect
		top, in = in.SplitV(1)
		d.drawTabs(g, top, gl)
		if in.H >= 5 {
			_, in = in.SplitV(1)
		}
	}
	rows := format.Either(d.lengths.on, lengthsRows, 1)
	if in.H >= 2+rows {
		var foot draw.Rect
		in, foot = in.SplitV(-rows)
		d.drawFoot(g, foot, gl)
		if in.H >= 5 {
			in, _ = in.SplitV(-1)
		}
	}
	d.text = in
	d.drawText(g, in, gl)
}

// drawTabs draws the presets and the person's own text, the shown one filled.
// Where they do not fit, the row begins one tab before the shown one.
func (d *Editor) drawTabs(g *draw.Grid, r draw.Rect, gl *themes.Glyphs) {
	names := make([]string, 0, len(d.presets)+1)
	for _, p := range d.presets {
		names = append(names, p.Name)
	}
	if d.hasCustom {
		names = append(names, "yours")
	}
	from := 0
	for from < d.at && draw.Width(strings.Join(names[from:d.at+1], "   "))+2 > r.W {
		from++
	}
	x := r.X
	for i := from; i < len(names); i++ {
		w := draw.Width(names[i]) + 2
		if x+w > r.Right() {
			g.Set(r.Right()-1, r.Y, gl.Ellipsis, themes.Dim)
			return
		}
		g.Text(x, r.Y, " "+names[i]+" ", format.Either(i == d.at, themes.Badge, themes.KeyText), w)
		d.tabs = append(d.tabs, span{draw.Rect{X: x, Y: r.Y, W: w, H: 1}, i})
		x += w + 1
	}
}

// drawFoot describes the request around the text.
func (d *Editor) drawFoot(g *draw.Grid, r draw.Rect, gl *themes.Glyphs) {
	if d.lengths.on && d.buf.Len() > 0 {
		d.drawLengths(g, r, gl)
		return
	}
	w := d.now
	_, _, _, _ = d.Keep(&w) // an unchanged text keeps the length of now
	out := "the server decides how long the answer is"
	if w.MaxTokens > 0 {
		out = "up to " + format.Count(w.MaxTokens) + " tokens out"
	}
	if w.InputTokens > 0 {
		out = "about " + format.Count(w.InputTokens) + " tokens of prose are added before it " + string(gl.Bullet) + " " + out
	}
	if d.at < len(d.presets) && draw.Width(out)+draw.Width(d.presets[d.at].About)+3 <= r.W {
		out += " " + string(gl.Bullet) + " " + d.presets[d.at].About
	}
	role := themes.Dim
	if d.buf.Len() == 0 {
		out, role = "an empty prompt cannot be sent", themes.Warn
	}
	g.Cut(r.X, r.Y, out, gl, role, r.W)
}

// drawText draws the rows around the caret, and the caret.
func (d *Editor) drawText(g *draw.Grid, r draw.Rect, gl *themes.Glyphs) {
	bar := r.W > 10
	width := r.W - 1 // the caret needs a cell behind a full row
	if bar {
		width -= 2
	}
	d.buf.Wrap(width)
	rows, at := d.buf.Rows(), d.buf.CaretRow()
	d.first = draw.Scroll(d.first, at, r.H, len(rows))
	for y := 0; y < r.H && d.first+y < len(rows); y++ {
		x := r.X
		for _, c := range d.buf.Clusters(rows[d.first+y]) {
			s, w := edit.Show(c)
			if x+w > r.X+width {
				break
			}
			g.Text(x, r.Y+y, s, format.Either(s != c && c != "\t", themes.Substitute, themes.Text), w)
			x += w
		}
	}
	if bar && len(rows) > r.H {
		d.drawBar(g, draw.Rect{X: r.Right() - 1, Y: r.Y, W: 1, H: r.H}, gl, len(rows))
	}
	if d.field() != nil {
		return // the caret is at this place
	}
	d.mark(g, r.X+min(d.buf.CaretX(), width), r.Y+at-d.first)
}

// drawBar draws a scroll bar: the position of the shown rows in the text.
func (d *Editor) drawBar(g *draw.Grid, r draw.Rect, gl *themes.Glyphs, n int) {
	size := max(r.H*r.H/n, 1)
	top := d.first * (r.H - size) / max(n-r.H, 1)
	for i := range r.H {
		c, role := gl.V, themes.Faint
		if i >= top && i < top+size {
			c, role = gl.Block, themes.Border
		}
		g.Set(r.X, r.Y+i, c, role)
	}
}

// AboutTokens estimates the tokens of a text: four characters of Latin script
// a token, one for every other character. It is accurate to about a third and
// always shown as "about".
func AboutTokens(s string) int {
	latin, other := 0, 0
	for _, r := range s {
		if r < 0x250 {
			latin++
		} else {
			other++
		}
	}
	return (latin+3)/4 + other
}
