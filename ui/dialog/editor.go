package dialog

import (
	"strings"

	"tokscope/metrics"
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

	caretX, caretY int
	caretOK        bool

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

func (d *Editor) Bindings() []keys.Binding   { return d.keys }
func (d *Editor) Busy() bool                 { return false }
func (d *Editor) Caret() (x, y int, ok bool) { return d.caretX, d.caretY, d.caretOK }

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
