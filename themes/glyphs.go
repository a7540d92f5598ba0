package themes

// Glyphs are the shapes that screens draw with: ASCII, box drawing, block
// elements. Each is one cell wide in every terminal.
type Glyphs struct {
	ASCII bool
	// Bars are eight heights of a cell filled from below. The last one is full.
	Bars []rune
	// Parts are eight widths of a cell filled from the left. The last one is
	// full.
	Parts []rune

	H, V, TL, TR, BL, BR rune // box
	TeeL, TeeR           rune // a line that meets a border: ├ ┤
	TeeT, TeeB           rune // ┬ ┴
	AxisV, AxisTick      rune // │ ┤
	LineDash             rune // ┄ a guide line
	Heavy                rune // ━ a strong line
	Diamond              rune // ◆ the handle of the slider
	Dot, Ring            rune // ● steady, ○ not yet
	Back, BackRing       rune // ◀ ◁ the same, of a load that falls
	Bullet               rune // · separator in a line of text
	Cursor               rune // ▌ end of the arriving text
	Ghost                rune // ▸ the reader
	Left, Right          rune // ← →
	Up, Down             rune // ↑ ↓
	Block, Shade         rune // █ ▓
	MidShade, LightShade rune // ▒ ░
	Stall, Burst         rune // a long gap and a burst, in text and scope
	Change               rune // ▼ where a figure changed
	Ellipsis             rune // … cut here
	Unknown              rune // – no value
	Times                rune // × factor
	Check, Fail          rune
	// Spinner holds the frames of a small clock, in order.
	Spinner []rune
}

var unicodeGlyphs = Glyphs{
	Bars: []rune("▁▂▃▄▅▆▇█"), Parts: []rune("▏▎▍▌▋▊▉█"),
	H: '─', V: '│', TL: '╭', TR: '╮', BL: '╰', BR: '╯',
	TeeL: '├', TeeR: '┤', TeeT: '┬', TeeB: '┴', AxisV: '│', AxisTick: '┤',
	LineDash: '┄', Heavy: '━', Diamond: '◆', Dot: '●', Ring: '○', Back: '◀', BackRing: '◁', Bullet: '·',
	Cursor: '▌', Ghost: '▸', Left: '←', Right: '→', Up: '↑', Down: '↓',
	Block: '█', Shade: '▓', MidShade: '▒', LightShade: '░',
	Stall: '▲', Change: '▼', Burst: '╎', Ellipsis: '…', Unknown: '–', Times: '×', Check: '✓', Fail: '✗',
	Spinner: []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"),
}

var asciiGlyphs = Glyphs{
	ASCII: true,
	Bars:  []rune("_.,-=+*#"), Parts: []rune("::---==#"),
	H: '-', V: '|', TL: '+', TR: '+', BL: '+', BR: '+',
	TeeL: '+', TeeR: '+', TeeT: '+', TeeB: '+', AxisV: '|', AxisTick: '+',
	LineDash: '.', Heavy: '=', Diamond: 'O', Dot: '*', Ring: 'o', Back: '<', BackRing: '(', Bullet: '.',
	Cursor: '_', Ghost: '>', Left: '<', Right: '>', Up: '^', Down: 'v',
	Block: '#', Shade: '%', MidShade: ':', LightShade: '.',
	Stall: '!', Change: 'v', Burst: ':', Ellipsis: '~', Unknown: '-', Times: 'x', Check: '+', Fail: 'x',
	Spinner: []rune(`|/-\`),
}

// UnicodeGlyphs returns the default set. It is shared and read only.
func UnicodeGlyphs() *Glyphs { return &unicodeGlyphs }

// ASCIIGlyphs returns the set for --ascii and for terminals without box
// drawing. It is shared and read only.
func ASCIIGlyphs() *Glyphs { return &asciiGlyphs }
