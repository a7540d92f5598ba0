package themes

// Role is the meaning of a cell and its style index. 0 is Text, so a zero cell
// is plain text.
type Role uint16

const (
	Text   Role = iota // running text and ordinary values
	Strong             // a value that matters: ink, bold
	Dim                // labels, units, explanations; still comfortable to read
	Faint              // guides, ticks, empty tracks; easy to overlook

	Accent      // the theme's main color: brand, current position
	Title       // the title of a box
	Border      // the line of a box
	BorderFocus // the line of the focused box

	Good // as it should be
	Warn // a warning; underlined without color
	Bad  // an error; bold everywhere, reversed without color

	Headline // a warning that is seen first; bold, underlined too without color

	Key      // a key in the footer or the help
	KeyText  // what the key does
	Badge    // a small filled label: the current tab, a state
	Alert    // a filled label that warns: insecure http, high lag
	Selected // the selected row of a list, with a background
	Cursor   // the block at the end of the arriving text, the cursor of an editor

	Reasoning  // the model's thinking, set apart from the answer
	Substitute // the dot for a character that is not printed
	Ghost      // the simulated reader in the text
	Stall      // a gap far above the median, in text and scope
	Burst      // chunks that arrived in one read
	Reading    // the line at a reader's pace

	Figure // large numbers
	Unit   // the unit after a number
	Axis   // axis lines and their numbers

	Network // phase: dns, tcp, tls, sending
	Queue   // phase: waiting in the server's queue
	Prefill // phase: the server reads the prompt
	Decode  // phase: tokens arrive

	PerUser   // the "per user" series
	Aggregate // the aggregate series

	named // number of named roles
)

// The backgrounds of a theme, beside the colors of its roles; no cell has them as its role.
const (
	// Ground is what the theme was made for. It is assumed, not painted. Filled labels use it as
	// text color.
	Ground = named
	Raised = named + 1 // of a selected row
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

// Tint returns the role of arriving text. level is the length of the gap
// before it, from 0 (fast, cool) to Levels-1 (slow, hot). fade is its age,
// from 0 (just arrived) to Fades-1, which is Text. Other values are limited to
// the nearest end.
func Tint(level, fade int) Role {
	if fade >= Fades-1 {
		return Text
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
