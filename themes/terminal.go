package themes

// ansi16 uses only the terminal's own 16 colours, so it follows whatever scheme
// the person chose for the terminal.
var ansi16 = Theme{
	Name:    "ansi",
	About:   "the terminal's own 16 colours",
	Dark:    true,
	Accent:  ANSI(6),
	Second:  ANSI(5),
	Good:    ANSI(2),
	Warn:    ANSI(3),
	Bad:     ANSI(1),
	Network: ANSI(4),
	Queue:   ANSI(5),
	Prefill: ANSI(6),
	Ramp:    []Color{ANSI(6), ANSI(2), ANSI(3), ANSI(1)},
}

// ansiLight is the same for light terminals, where yellow, green and cyan are
// too pale to read.
var ansiLight = Theme{
	Name:    "ansi-light",
	About:   "the terminal's own 16 colours, on light",
	Accent:  ANSI(4),
	Second:  ANSI(5),
	Good:    ANSI(4),
	Warn:    ANSI(5),
	Bad:     ANSI(1),
	Network: ANSI(6),
	Queue:   ANSI(5),
	Prefill: ANSI(4),
	Ramp:    []Color{ANSI(4), ANSI(6), ANSI(5), ANSI(1)},
}

// mono uses no colour: what matters is bold, what warns is underlined or
// reversed. It is what every theme becomes under NO_COLOR.
var mono = Theme{
	Name:  "mono",
	About: "no colour, only weight",
	Dark:  true,
	Plain: true,
}
