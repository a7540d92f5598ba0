// Package dialog holds what lies over the screen and has the keys for a
// while: the prompt editor, the pickers, the help. A dialog is a plain struct
// that gets intents and text and answers with an Act; it draws on the same
// grid as the screen and knows nothing of Bubble Tea.
//
// Where to add what: a dialog is one file with a type that implements Dialog;
// its keys are lines in ui/keys; what the root must do for it is a new Act.
package dialog

import (
	"tokscope/metrics"
	"tokscope/themes"
	cell "tokscope/ui/draw"
	"tokscope/ui/keys"
)

// Dialog is what the root needs of a dialog.
type Dialog interface {
	// Context names the keys that work in it.
	Context() keys.Context
	// State fills in what the words of its footer depend on.
	Bindings(*keys.State)
	// Do carries out an intent of its context.
	Do(keys.Intent) Act
	// Type takes printable text, typed or pasted.
	Type(text string, pasted bool) Act
	// Click takes a click on a cell of the grid; Wheel n rows of the wheel, down positive.
	Click(x, y int) Act
	Wheel(n int) Act
	// Draw draws it into the area that it may cover.
	Draw(g *cell.Grid, area cell.Rect, gl *themes.Glyphs)
	// Caret is where text goes, of the last frame; ok is false when nothing can
	// be typed. Input methods open their window there.
	Caret() (x, y int, ok bool)
	// Busy reports whether something in it moves (a spinner).
	Busy() bool
}

// Act is a dialog's request to its opener; nil requests nothing.
type Act interface{ act() }

// Closed reports that the dialog was left without a choice.
type Closed struct{}

// RunPrompt closes the dialog and sends a request with this workload.
type RunPrompt struct{ Work metrics.Workload }

// UseEndpoint reports the chosen endpoint; the choice of its model follows.
type UseEndpoint struct{ Endpoint metrics.Endpoint }

// UseModel reports the chosen model, "" for the server's first.
type UseModel struct {
	Endpoint metrics.Endpoint
	Model    string
}

// UseLength reports the chosen output limit, 0 for the server's.
type UseLength struct{ MaxTokens int }

// PreviewTheme shows this theme while the picker is open.
type PreviewTheme struct{ Name string }

// UseTheme keeps this theme and closes the picker.
type UseTheme struct{ Name string }

func (Closed) act()       {}
func (RunPrompt) act()    {}
func (UseEndpoint) act()  {}
func (UseModel) act()     {}
func (UseLength) act()    {}
func (PreviewTheme) act() {}
func (UseTheme) act()     {}
