package dialog

import (
	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/keys"
)

// Dialog is a dialog as the root sees it.
type Dialog interface {
	// Bindings are its keys. The slice is the same each time.
	Bindings() []keys.Binding
	// Do carries out an intent of its keys.
	Do(keys.Intent) Act
	// Type takes printable text, typed or pasted.
	Type(text string, pasted bool) Act
	// Click handles a click on a cell of the grid. Wheel handles n rows of the
	// wheel, down positive.
	Click(x, y int) Act
	Wheel(n int) Act
	// Draw draws the dialog into area, which it may cover.
	Draw(g *draw.Grid, area draw.Rect, gl *themes.Glyphs)
	// Caret is the text position in the last frame; ok is false when nothing
	// can be typed. Input methods open their window there.
	Caret() (x, y int, ok bool)
	// Busy reports whether something in it moves (a spinner).
	Busy() bool
}

// Act is a dialog's request to its opener; nil requests nothing.
type Act any

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

// PreviewTheme shows this theme while the picker is open.
type PreviewTheme struct{ Name string }

// UseTheme keeps this theme and closes the picker.
type UseTheme struct{ Name string }
