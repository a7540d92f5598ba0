package themes

// look defines how one role is drawn: the roles whose colors its text and its background have,
// its attributes, and additional attributes for terminals without color.
type look struct {
	fg   Role
	bg   Role // Text: no background
	attr Attr // always
	mono Attr // replaces attr without color
	ansi Attr // added with 16 colours
}

var looks = [named]look{
	Text:        {fg: Text},
	Strong:      {fg: Text, attr: Bold, mono: Bold},
	Dim:         {fg: Dim, mono: Thin, ansi: Thin},
	Faint:       {fg: Faint, mono: Thin, ansi: Thin},
	Accent:      {fg: Accent, mono: Bold},
	Title:       {fg: Text, attr: Bold, mono: Bold},
	Border:      {fg: Border, mono: Thin, ansi: Thin},
	BorderFocus: {fg: Accent},
	Good:        {fg: Good},
	Warn:        {fg: Warn, mono: Underline},
	Headline:    {fg: Warn, attr: Bold, mono: Bold | Underline},
	Bad:         {fg: Bad, attr: Bold, mono: Bold | Reverse},
	Key:         {fg: Accent, attr: Bold, mono: Bold},
	KeyText:     {fg: Dim},
	Badge:       {fg: Ground, bg: Accent, attr: Bold, mono: Bold | Reverse},
	Alert:       {fg: Ground, bg: Bad, attr: Bold, mono: Bold | Reverse},
	Selected:    {fg: Text, bg: Raised, attr: Bold, mono: Reverse},
	Cursor:      {fg: Accent, attr: Bold, mono: Bold},
	Reasoning:   {fg: Reasoning, attr: Italic, mono: Thin, ansi: Thin},
	Substitute:  {fg: Dim, mono: Thin, ansi: Thin},
	Ghost:       {fg: Aggregate, attr: Bold, mono: Underline},
	Stall:       {fg: Warn, attr: Bold, mono: Bold | Underline}, // bad is for failures alone
	Burst:       {fg: Aggregate, mono: Underline},
	Reading:     {fg: Aggregate, mono: Thin},
	Figure:      {fg: Accent, attr: Bold, mono: Bold},
	Unit:        {fg: Dim, mono: Thin, ansi: Thin},
	Axis:        {fg: Dim, mono: Thin, ansi: Thin},
	Network:     {fg: Network},
	Queue:       {fg: Queue},
	Prefill:     {fg: Prefill, attr: Bold, mono: Bold},
	Decode:      {fg: Good},
	PerUser:     {fg: Accent, attr: Bold, mono: Bold},
	// plain next to the bold of PerUser; an underline would strike through curves and large figures
	Aggregate: {fg: Aggregate},
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
	case p == ANSI16 && t.colors[Ground] != 0:
		return t.in16().Style(r, p)
	}
	s := Style{Fg: t.colors[l.fg], Attr: l.attr}
	if l.bg != Text {
		s.Bg = t.colors[l.bg]
	}
	if t.colors[Ground] != 0 {
		return s
	}
	// The background of the terminal's own colors is unknown. A filled label is
	// therefore its color reversed, and dim is the terminal's faint attribute.
	s.Attr |= l.ansi
	if l.bg != Text {
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
	case p == ANSI16 && t.colors[Ground] != 0:
		return t.in16().tint(level, fade, p)
	case t.colors[Ground] == 0:
		if !early {
			return Style{}
		}
		s := Style{Fg: t.levels[level]}
		if level >= Levels-2 {
			s.Attr = Bold
		}
		return s
	}
	return Style{Fg: Mix(t.levels[level], t.colors[Text], float64(fade)/(Fades-1))}
}
