package themes

// look defines how one role is drawn: its colors and its attributes, and
// additional attributes for terminals without color.
type look struct {
	fg   func(*Theme) Color
	bg   func(*Theme) Color
	attr Attr // always
	mono Attr // replaces attr without color
	ansi Attr // added with 16 colours
}

func text(t *Theme) Color   { return t.Text }
func dim(t *Theme) Color    { return t.Dim }
func faint(t *Theme) Color  { return t.Faint }
func border(t *Theme) Color { return t.Border }
func accent(t *Theme) Color { return t.Accent }
func second(t *Theme) Color { return t.Second }
func good(t *Theme) Color   { return t.Good }
func warn(t *Theme) Color   { return t.Warn }
func bad(t *Theme) Color    { return t.Bad }
func ground(t *Theme) Color { return t.Ground }

var looks = [named]look{
	Text:        {fg: text},
	Strong:      {fg: text, attr: Bold, mono: Bold},
	Dim:         {fg: dim, mono: Thin, ansi: Thin},
	Faint:       {fg: faint, mono: Thin, ansi: Thin},
	Accent:      {fg: accent, mono: Bold},
	Title:       {fg: text, attr: Bold, mono: Bold},
	Border:      {fg: border, mono: Thin, ansi: Thin},
	BorderFocus: {fg: accent},
	Good:        {fg: good},
	Warn:        {fg: warn, mono: Underline},
	Headline:    {fg: warn, attr: Bold, mono: Bold | Underline},
	Bad:         {fg: bad, attr: Bold, mono: Bold | Reverse},
	Key:         {fg: accent, attr: Bold, mono: Bold},
	KeyText:     {fg: dim},
	Badge:       {fg: ground, bg: accent, attr: Bold, mono: Bold | Reverse},
	Alert:       {fg: ground, bg: bad, attr: Bold, mono: Bold | Reverse},
	Selected:    {fg: text, bg: func(t *Theme) Color { return t.Raised }, attr: Bold, mono: Reverse},
	Cursor:      {fg: accent, attr: Bold, mono: Bold},
	Reasoning:   {fg: func(t *Theme) Color { return t.Muse }, attr: Italic, mono: Thin, ansi: Thin},
	Substitute:  {fg: dim, mono: Thin, ansi: Thin},
	Ghost:       {fg: second, attr: Bold, mono: Underline},
	Stall:       {fg: warn, attr: Bold, mono: Bold | Underline}, // bad is for failures alone
	Burst:       {fg: second, mono: Underline},
	Reading:     {fg: second, mono: Thin},
	Figure:      {fg: accent, attr: Bold, mono: Bold},
	Unit:        {fg: dim, mono: Thin, ansi: Thin},
	Axis:        {fg: dim, mono: Thin, ansi: Thin},
	Network:     {fg: func(t *Theme) Color { return t.Network }},
	Queue:       {fg: func(t *Theme) Color { return t.Queue }},
	Prefill:     {fg: func(t *Theme) Color { return t.Prefill }, attr: Bold, mono: Bold},
	Decode:      {fg: good},
	PerUser:     {fg: accent, attr: Bold, mono: Bold},
	// plain next to the bold of PerUser; an underline would strike through curves and large figures
	Aggregate: {fg: second},
}

// Style returns the look of r in t on a terminal with profile p. Unknown
// roles look like Text.
func (t Theme) Style(r Role, p Profile) Style {
	if level, fade, ok := r.tint(); ok {
		s := t.tint(level, fade, p)
		if r < tintBase {
			s.Attr &^= Underline // a bar shows by its height what text shows by a line
		}
		return s
	}
	if r >= named {
		r = Text
	}
	l := looks[r]
	switch {
	case t.Plain || p == NoColor:
		return Style{Attr: l.mono}
	case p == ANSI16 && t.Ground != 0:
		return t.in16().Style(r, p)
	}
	s := Style{Attr: l.attr}
	if l.fg != nil {
		s.Fg = l.fg(&t)
	}
	if l.bg != nil {
		s.Bg = l.bg(&t)
	}
	if t.Ground != 0 {
		return s
	}
	// The background of the terminal's own colors is unknown. A filled label is
	// therefore its color reversed, and dim is the terminal's faint attribute.
	s.Attr |= l.ansi
	if l.bg != nil {
		s = Style{Fg: s.Bg, Attr: s.Attr | Reverse}
	}
	return s
}

// tint returns the style of arriving text. Without colors, slow levels are
// bold for half of the fade, and the slowest are underlined too.
func (t Theme) tint(level, fade int, p Profile) Style {
	early := fade < Fades/2
	switch {
	case t.Plain || p == NoColor:
		switch {
		case early && level >= Levels-2:
			return Style{Attr: Bold | Underline}
		case early && level >= Levels/2:
			return Style{Attr: Bold}
		}
		return Style{}
	case p == ANSI16 && t.Ground != 0:
		return t.in16().tint(level, fade, p)
	case t.Ground == 0:
		if !early {
			return Style{}
		}
		s := Style{Fg: t.level(level)}
		if level >= Levels-2 {
			s.Attr = Bold
		}
		return s
	}
	return Style{Fg: Mix(t.level(level), t.Text, float64(fade)/(Fades-1))}
}
