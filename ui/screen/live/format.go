package live

import (
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// split is a known time and its unit apart, or "–" and "ms".
func (p *canvas) split(v metrics.Value) (num, unit string) {
	if !v.OK {
		return draw.Unknown, "ms"
	}
	b, unit := format.AppendDuration(p.Scratch(), v.V)
	return p.Keep(b), unit
}

// bare is a known time without the unit where that is ms, or "–".
func (p *canvas) bare(v metrics.Value) string {
	num, unit := p.split(v)
	if unit == "ms" {
		return num
	}
	return p.Join(num, " ", unit)
}

// times is a known factor, "28x", or "–".
func (p *canvas) times(v metrics.Value) string { return p.Known(v, format.AppendFactor) }

// silence is how long in ms nothing has come in the middle of a response, or came before
// it was stopped or failed; ok from where on the screen says so.
func (p *canvas) silence() (ms float64, ok bool) {
	st, now := &p.v.Stream, p.v.Now
	if st.State.Ended() && st.State != metrics.Done {
		now = st.Marks.End
	} else if st.State != metrics.Decoding {
		return 0, false
	}
	if !now.Known() || !st.LastData.Known() ||
		len(st.Chunks) == 0 || st.Ending() || st.Working() != nil || now-st.LastData <= metrics.Stamp(silentAfter) {
		return 0, false
	}
	return float64(now-st.LastData) / 1e6, true
}

// stalling reports whether the silence is a stall already, by the rule of
// Figures.Stalls.
func (p *canvas) stalling() bool {
	_, ok := p.silence()
	return ok && p.open() > 0 && p.v.Figures.Gaps.N >= metrics.MinStallGaps
}

// stallCount is the number of stalls, that under way included: the scope names as many.
func (p *canvas) stallCount() int {
	n := len(p.v.Figures.Stalls)
	if p.open() > 0 {
		n++
	}
	return n
}

// shorter rounds a number until it is at most w columns wide as a big one; it
// gives up decimals only.
func (p *canvas) shorter(num string, w int) string {
	for draw.BigWidth(num, p.Glyphs) > w {
		_, decimals, ok := strings.Cut(num, ".")
		v, err := strconv.ParseFloat(num, 64)
		if !ok || err != nil {
			break
		}
		num = p.Keep(strconv.AppendFloat(p.Scratch(), v, 'f', len(decimals)-1, 64))
	}
	return num
}

// safeName is a short, sanitized name from outside.
func safeName(s string) string { return sanitize.Line(s, 24) }

// wide pads s on the left to w columns.
func (p *canvas) wide(s string, w int) string {
	n := draw.Width(s)
	if n >= w {
		return s
	}
	const blanks = "                        "
	return p.Join(blanks[:min(w-n, len(blanks))], s)
}

// Limits of the picture, with their reasons.
const (
	// fadeStep is how long arrived text keeps each of its tints: 200 ms to the
	// second, 1 s to plain ink. The sequence must be long enough to show a gap,
	// and short enough to leave readable text.
	fadeStep = 200e6 // ns

	// silentAfter is how long nothing must come while decoding until the text panel
	// says so; a reader starts to wonder after a second.
	silentAfter = 1000e6 // ns

	// The time left is shown after the share countdown of a limit has passed,
	// and not before countdownMin, in ns.
	countdown    = 0.2
	countdownMin = 3e9
)
