package themes

// ansi16 uses only the terminal's own 16 colors, so it follows the terminal's
// color scheme.
var ansi16 = Theme{
	Name:    "ansi",
	About:   "the terminal's own 16 colors",
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

// ansiLight is ansi16 for light terminals, where yellow, green and cyan are
// too pale to read.
var ansiLight = Theme{
	Name:    "ansi-light",
	About:   "the terminal's own 16 colors, on light",
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

// mono uses no color: important roles are bold, warnings underlined or
// reversed. Every theme becomes mono under NO_COLOR.
var mono = Theme{
	Name:  "mono",
	About: "no color, only weight",
	Dark:  true,
	Plain: true,
}
