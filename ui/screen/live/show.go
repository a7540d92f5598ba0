package live

import (
	"time"

	"tokscope/metrics"
)

// show is the first minute on the embedded endpoint: three runs, another
// user's long prompt in the first of them, and captions that say what one
// looks at.
type show struct {
	stage  showStage
	joined bool // the other user's prompt was sent
}

type showStage uint8

const (
	showOff showStage = iota
	showOn
	showOver // it ran to its end: the last caption stays until the person does something
)

const (
	// showRuns is how many runs a newcomer sees: the third has a trend behind it.
	showRuns = 3
	// joinAfter is when the other user comes: the eye has learned the even trace.
	joinAfter = metrics.Stamp(9 * time.Second)
	// joinTokens make the gaps longer for about half a second on the default
	// model.
	joinTokens = 12_000
)

// beginShow starts the first minute.
func (a *auto) beginShow() {
	o := a.own
	a.start(o.back.Now(), newAllowance(o.back.Endpoint()), 0)
	a.most = showRuns
	a.show = show{stage: showOn}
}

// joinIn sends the other user's prompt once its time has come.
func (a *auto) joinIn(st *metrics.Stream, now metrics.Stamp) {
	o := a.own
	x := &a.show
	if x.stage != showOn || x.joined || a.runs > 0 || st.State != metrics.Decoding || now-a.began < joinAfter {
		return
	}
	x.joined = o.back.OtherUser(joinTokens)
}

// caption is one caption of the first minute.
type caption struct {
	run   int           // from 1
	after time.Duration // since its request began
	joins bool          // it tells of the other user
	text  string
}

// bandInView is how long the first caption stays, which tells of the band. At 80x24 the
// wait has left it then, and only its names are in view.
const bandInView = 3 * time.Second

// captions are shown from their moment to the next one's. Each fits one row at
// 80x24 and at 120x40, and stays long enough to be read.
var captions = [...]caption{
	{run: 1, text: "Phases begin with the wait: the model reads the prompt."},
	{run: 1, after: bandInView, text: "Now it writes token by token: decode. The trace: the gaps."},
	{run: 1, after: 9 * time.Second, joins: true, text: "Another user's long prompt: its prefill stretches your gaps."},
	{run: 1, after: 15 * time.Second, text: "The sentence on top says what the figures show."},
	{run: 2, text: "Auto sends it again. The run before stays behind, dim."},
	{run: 2, after: 8 * time.Second, text: "A gap far outside has a mark at the edge, with its time."},
	{run: 3, text: "The same a third time. = pins a run for comparison."},
	{run: 3, after: 8 * time.Second, text: "Next: 2 many users, 4 why it is so, e an endpoint of yours."},
}

// lastCaption stays after the last run.
const lastCaption = "space again, 2 many users, 4 why it is so, e your endpoint."

// caption is the present caption, "" for none.
func (a *auto) caption() string {
	x := &a.show
	switch x.stage {
	case showOff:
		return ""
	case showOver:
		return lastCaption
	}
	text, run := "", a.runs
	if a.stage == triggerRunning {
		run++
	}
	for i := range captions {
		c := &captions[i]
		if c.run < run || c.run == run && a.own.back.Now()-a.began >= metrics.Stamp(c.after) && (!c.joins || x.joined) {
			text = c.text
		}
	}
	return text
}
