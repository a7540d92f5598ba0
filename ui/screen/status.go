package screen

import (
	"cmp"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// Part is a text in the header. Target says what a click on it does. A
// keys.Intent and a *keys.Binding are carried out as by a key, anything else goes to
// the screen; nil does nothing.
type Part struct {
	Text string
	// Short stands for Text where that does not fit; without it the text is cut.
	// A Short that does not fit either is left out.
	Short  string
	Role   themes.Role
	Target draw.Target
}

// Status is a screen's part of the header and the footer. The root clears it
// before each frame.
type Status struct {
	// Sign is the state, by shape and color. 0 is no state.
	Sign rune
	Role themes.Role
	// Parts follow the sign, cut where room is short. Work follows them: the
	// first text that fits.
	Parts []Part
	Work  [3]string
	// WorkTarget is the click target of Work.
	WorkTarget draw.Target
	// Marks are at the right, the first outermost. They are never cut.
	Marks []Part
	// Alone hides the marks of other screens, because this screen stopped them
	// or shows the same itself.
	Alone bool

	// Observer is the program's present lag. Run, where its N is not 0, is the
	// lag during the shown request, and replaces it.
	Observer, Run metrics.Observer
	// Untouched reports that the program took no stamp of the request itself.
	// Its lag then needs no color.
	Untouched bool
	// Guided reports that the footer's words guide a new user. Where room is
	// short, a small lag gives way to them.
	Guided bool
}

// Clear empties s and keeps its memory.
func (s *Status) Clear() { *s = Status{Parts: s.Parts[:0], Marks: s.Marks[:0]} }

// Runs sets the sign of what runs, or does not.
func (s *Status) Runs(gl *themes.Glyphs, is bool) {
	if s.Sign, s.Role = gl.Ring, themes.Dim; is {
		s.Sign, s.Role = gl.Dot, themes.Good
	}
}

// LateWarn is the lag from which it gets a color. At 1 ms a gap of a fast
// model is visibly wrong.
const LateWarn = time.Millisecond

// Widths of the footer. Below the first it shows no lag; below the second the
// words of a guide come first.
const (
	observedFrom = 60
	WideFrom     = 100
)

// Observed reports whether a footer of w columns shows the lag.
func (s *Status) Observed(w int) bool {
	o := &s.Observer
	return w >= observedFrom && o.N > 0 && (!s.Guided || w >= WideFrom || o.LateP99 >= LateWarn)
}

// The largest widths of outside strings in the header.
const (
	nameMost  = 32
	modelMost = 48
	apiMost   = 16
	badgeMost = 32
	// lengthsMost is the largest width of a list of lengths.
	lengthsMost = 24
	// FileMost is that of a recording's file.
	FileMost = 48
)

// Endpoint adds the endpoint, its API where that is not chat completions, and its
// model to the parts. The model is the requested one, or else served, the server's
// own name for it. Endpoint and model open a picker. Another model than the requested one
// is added, and Badge's mark.
func (s *Status) Endpoint(e metrics.Endpoint, served string) {
	name := Part{Text: format.Name(e.Name, nameMost), Role: themes.Strong, Target: keys.PickEndpoint}
	if e.API != "" { // never cut
		api := " " + sanitize.Line(e.API, apiMost)
		name.Text, name.Short = name.Text+api, format.Name(e.Name, apiMost)+api
	}
	s.Parts = append(s.Parts, name)
	s.Badge(e)
	model := cmp.Or(e.Model, served)
	if model = format.Name(model, modelMost); model != "" {
		short, _, _ := strings.Cut(model, "@") // the machine of the embedded engine
		s.Parts = append(s.Parts, Part{Text: model, Short: short, Role: themes.Text, Target: keys.PickModel})
	}
	if metrics.CompareModels(e.Model, served) == metrics.ModelOther {
		s.Parts = append(s.Parts,
			Part{Text: sanitize.Line(say.AnsweredBy(e.Model, served), modelMost), Short: "other model", Role: themes.Warn})
	}
}

// Badge adds the endpoint's warning to the marks, if it has one.
func (s *Status) Badge(e metrics.Endpoint) {
	if e.Badge != "" {
		s.Marks = append(s.Marks, Part{Text: " " + sanitize.Line(e.Badge, badgeMost) + " ", Role: themes.Alert})
	}
}

// Elsewhere reports whether run used another endpoint than e, the one chosen
// since. Its result then says nothing about e.
func Elsewhere(run *metrics.Stream, e metrics.Endpoint) bool {
	return run.State.Ended() && !run.Endpoint.Same(&e)
}

// Served returns the server's name of the model that answered run, "" if run
// uses another endpoint or model than e, the one chosen since, also while it runs.
func Served(run *metrics.Stream, e metrics.Endpoint) string {
	return format.If(run.Endpoint.Same(&e) && (e.Model == "" || run.Endpoint.Model == e.Model), run.Model)
}

// WorkWords describes a workload in a few words, and in fewer. It includes
// the lengths of prompts and answers where they vary.
func WorkWords(w *metrics.Workload, in, out metrics.Lengths, gl *themes.Glyphs) [3]string {
	name, length := format.Name(w.Name, nameMost), "open length"
	switch {
	case out.Varies():
		length = "up to " + lengths(out, gl) + " tokens"
	case w.MaxTokens > 0:
		length = "up to " + format.Count(w.MaxTokens) + " tokens"
	}
	dot := " " + string(gl.Bullet) + " "
	short := name
	if in.Varies() { // the lengths say more than the name
		length = lengths(in, gl) + " in" + dot + length
		short = length
	}
	all := name + dot + length
	if w.Connection != metrics.ReuseAuto {
		all += dot + w.Connection.String()
	}
	return [3]string{all, name + dot + length, short}
}

// lengths writes l with the available glyphs.
func lengths(l metrics.Lengths, gl *themes.Glyphs) string {
	s := sanitize.Line(l.String(), lengthsMost)
	if gl.ASCII {
		s = format.ASCII(s)
	}
	return s
}
