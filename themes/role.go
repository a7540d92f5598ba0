package themes

// Role is the meaning of a cell and its style index. 0 is Text, so a zero cell
// is plain text.
type Role uint16

const (
	Ink    Role = iota // running text and ordinary values
	Strong             // a value that matters: ink, bold
	Dim                // labels, units, explanations: still comfortable to read
	Faint              // guides, ticks, empty tracks: may be overlooked

	Accent      // the theme's own colour: brand, current position
	Title       // the title of a box
	Border      // the line of a box
	BorderFocus // the line of the box that has the keys

	Good // as it should be
	Warn // worth a look; underlined without colour
	Bad  // wrong: bold everywhere, reversed without colour

	Key      // a key in the footer or the help
	KeyText  // what the key does
	Badge    // a small filled label: the current tab, a state
	Alert    // a filled label that warns: insecure http, late observer
	Selected // the chosen row of a list: it has a background
	Cursor   // the block at the end of the arriving text, the caret of an editor

	Reasoning  // the model's thinking, set apart from the answer
	Substitute // the dot that stands for a character we refuse to print
	Ghost      // the reader who runs along the text
	Stall      // a gap far above the median, in text and strip
	Burst      // chunks that came in one read
	Reading    // the line at a reader's pace

	Figure // the big numbers
	Unit   // the unit behind a number
	Axis   // axis lines and their numbers

	Network     // phase: dns, tcp, tls, sending
	Queue       // phase: waiting in the server's queue
	Prefill     // phase: the server reads the prompt
	Decode      // phase: tokens arrive
	Unexplained // the part of a wait that neither side explains

	PerUser // the series "per user"
	InTotal // the series "in total"

	named // how many roles have names
)

const (
	// Levels is the number of steps from fast (0) to slow (Levels-1).
	Levels = 12
	// Fades is the number of steps from just arrived (0) to ink (Fades-1).
	Fades = 6
)

const (
	heatBase Role = 48
	tintBase Role = heatBase + Levels
	// Roles is the size of a table indexed by Role.
	Roles = int(tintBase) + Levels*(Fades-1)
)

// Tint is the colour of arriving text: level says how long the gap before it
// was, from 0 (fast, cool) to Levels-1 (slow, hot); fade says how long ago it
// arrived, from 0 (just now) to Fades-1, which is Ink itself. Values outside
// are moved to the nearest end.
func Tint(level, fade int) Role {
	if fade >= Fades-1 {
		return Ink
	}
	return tintBase + Role(clamp(level, Levels)*(Fades-1)+clamp(fade, Fades))
}

// Heat returns the role of a gap bar of that level: the scale of Tint,
// without fading. Other values are limited to the nearest end.
func Heat(level int) Role { return heatBase + Role(clamp(level, Levels)) }

// tint is the reverse of Tint and Heat. ok is false for named roles.
func (r Role) tint() (level, fade int, ok bool) {
	switch {
	case int(r) >= Roles || r < heatBase:
		return 0, 0, false
	case r < tintBase:
		return int(r - heatBase), 0, true
	}
	n := int(r - tintBase)
	return n / (Fades - 1), n % (Fades - 1), true
}

func clamp(i, n int) int { return min(max(i, 0), n-1) }
