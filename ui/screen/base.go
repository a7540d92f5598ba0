package screen

import (
	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/ui/draw"
	"tokscope/ui/keys"
	"tokscope/ui/report"
)

// Base has the defaults of a Screen: it sends nothing, so that nothing is
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

func (*Base) Enter() (tea.Cmd, error) { return nil, nil }

func (b *Base) Leave() { b.Shown = false }

func (*Base) Busy() string                                          { return "" }
func (*Base) Stop()                                                 {}
func (*Base) Hold() (said string, sends bool)                       { return "", false }
func (*Base) Update(tea.Msg) tea.Cmd                                { return nil }
func (*Base) Sample(metrics.Stamp, bool) (dirty bool)               { return false }
func (*Base) Click(draw.Target, tea.Mouse) (cmd tea.Cmd, held bool) { return nil, false }
func (*Base) Status(*Status)                                        {}
func (*Base) Aside() string                                         { return "" }
func (*Base) Summary() *report.Doc                                  { return nil }
func (*Base) Animating() bool                                       { return false }
func (*Base) Slow() bool                                            { return false }
func (*Base) Commands() []keys.Binding                              { return nil }
func (*Base) Choose(metrics.Endpoint) (cmd tea.Cmd, taken bool)     { return nil, false }
func (*Base) View(Source) bool                                      { return false }
