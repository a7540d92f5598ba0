package screen

import (
	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/ui/draw"
	"tokscope/ui/keys"
	"tokscope/ui/report"
)

// Base has the defaults of a Screen: it sends nothing, so that nothing is cut or
// stopped, its picture changes by its keys alone, and it leaves no summary. A
// screen embeds it and has methods of its own for what differs; Draw is always one
// of them.
type Base struct {
	ID    Name           // of Name
	Place Tab            // of Tab; its zero value keeps the screen out of the header
	Table []keys.Binding // of Bindings
	Shown bool           // set by a screen that asks for it in its Enter; Leave clears it
}

func (b *Base) Name() Name               { return b.ID }
func (b *Base) Tab() Tab                 { return b.Place }
func (b *Base) Bindings() []keys.Binding { return b.Table }

// Enter implements Screen. It does nothing.
func (*Base) Enter(bool) (tea.Cmd, error) { return nil, nil }

// Leave implements Screen. It cuts nothing.
func (b *Base) Leave() (cut bool) {
	b.Shown = false
	return false
}

// Busy implements Screen. There is nothing to stop.
func (*Base) Busy() string { return "" }

// Stop implements Screen. It does nothing.
func (*Base) Stop() {}

// Update implements Screen. It ignores every message.
func (*Base) Update(tea.Msg) tea.Cmd { return nil }

// Sample implements Screen. The data never change by themselves.
func (*Base) Sample(metrics.Stamp, bool) (dirty bool) { return false }

// Click implements Screen. It ignores every target.
func (*Base) Click(draw.Target, tea.Mouse) (cmd tea.Cmd, held bool) { return nil, false }

// Status implements Screen. It adds nothing.
func (*Base) Status(*Status) {}

// Aside implements Screen. The header of other screens has nothing of it.
func (*Base) Aside() string { return "" }

// Summary implements Screen. Nothing stays in the scrollback.
func (*Base) Summary() *report.Doc { return nil }

// Animating implements Screen. Nothing moves by itself.
func (*Base) Animating() bool { return false }
