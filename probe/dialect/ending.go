package dialect

import (
	"slices"

	"tokscope/metrics"
)

// ending says whether a choice has ended. A finish reason ends it. What comes after
// one shows that it did not; from then on only a finish reason without a further
// part counts, because some servers send one with every chunk.
type ending struct{ ended, doubted bool }

// takes adds an event of the choice: finish and part report that it had a finish
// reason, and an addition to the answer.
func (e *ending) takes(finish, part bool) {
	e.doubted = e.doubted || e.ended && part
	e.ended = (e.ended || finish) && !(part && e.doubted)
}

// Expect says how many choices the request asked for: an answer with fewer is not
// whole. 0 is as many as begin.
func (d *Decoder) Expect(choices int) { d.asked = choices }

// Whole returns since when the answer is whole: every choice that has begun has its
// finish reason, and nothing followed it. It is the arrival of the answer's last
// part: a finish reason, a chunk, or a new count of tokens. Comments, pings and events
// that add nothing leave it. It is NoStamp while a part is missing, and again when
// more of a choice comes.
func (d *Decoder) Whole() metrics.Stamp { return d.whole }

// settle updates Whole by an event that arrived at.
func (d *Decoder) settle(at metrics.Stamp, out *Out) {
	if d.finishReason == "" {
		return
	}
	unended := func(c choiceState) bool { return !c.end.ended }
	if len(d.choices) < d.asked || slices.ContainsFunc(d.choices, unended) {
		d.whole = metrics.NoStamp
		return
	}
	adds := len(out.Deltas) > 0
	if out.Usage != nil { // a repeated one is no news
		counts := [2]int{out.Usage.Prompt, out.Usage.Completion}
		adds, d.counts = adds || counts != d.counts, counts
	}
	if adds || !d.whole.Known() {
		d.whole = at
	}
}
