package serving

import (
	"strconv"

	"tokscope/metrics"
)

// Units of the figures in a lesson's texts.
const (
	LessonMs     = "ms"
	LessonLimit  = "limit" // ms, a chosen limit
	LessonRate   = "tok/s"
	LessonBytes  = "B"
	LessonShare  = "share" // 0 to 1
	LessonTimes  = "times" // a factor
	LessonCount  = "count" // a whole number
	LessonNumber = "number"
)

// LessonFigure marks a figure within a text of a lesson: "{unit value}", or
// "{unit}" where it is unknown. The screen formats the figure; this package
// does not format figures.
func LessonFigure(unit string, v metrics.Value) string {
	if !v.OK {
		return "{" + unit + "}"
	}
	return "{" + unit + " " + strconv.FormatFloat(v.V, 'g', -1, 64) + "}"
}

// Lesson is one lesson of the tour, ready to show. Every figure in its texts
// is computed for the running setup. In Claim, Text and Try figures are
// marked by LessonFigure.
type Lesson struct {
	Number int    // from 1
	Title  string // "Two phases"
	Claim  string // one sentence
	Text   []string
	Stages []LessonStage
	// the panel that shows it: "timeline", "step", "roofline", "batch", "kv", "client", "whatif", "seesaw", "lens"
	Focus string
	Try   string // what the viewer may change, as a sentence
	Knobs []Knob // the knobs in that sentence
}

// LessonHeading is the list entry of a lesson. Claim is "" for one with figures.
type LessonHeading struct{ Key, Title, Claim string }

// LessonStage is one setting of the knobs in a lesson. The first is set when
// the lesson begins, each further one by a key.
type LessonStage struct {
	Label string // "bf16", "4 bits", "64 users"
	Turn  string // what the key does: "quantize to 4 bits"; "" for the first
	Knobs Knobs
}

// LessonRow is one figure of a lesson over its stages.
type LessonRow struct {
	Label     string // "TPOT", "all users together"
	Unit      string // "ms", "tok/s", "%", "s", "GB", ""
	Predicted []metrics.Value
	Measured  []metrics.Value // unknown with a reason until the stage has been shown
}

// TourView is the current position in the tour.
type TourView struct {
	On      bool
	Ready   bool // the lessons are computed; until then Lesson has only its title
	Lesson  Lesson
	Lessons int // number of lessons
	Stage   int // index into Lesson.Stages
	Rows    []LessonRow
	// Verdict says what the figures show about the claim, with the figures
	// marked by LessonFigure; "" until enough is measured. Holds reports
	// whether the figures confirm the claim.
	Verdict string
	Holds   bool
	// Progress is the measured share of the current stage's needs, 0 to 1.
	Progress float64
	// Missed counts the previous stages that were left before they were
	// measured. Without them there may never be a verdict.
	Missed int
	// Seen reports, by lesson number, whether the lesson was shown up to its
	// verdict.
	Seen []bool
	// Curve is that of lesson "goodput": the share of requests that met
	// both objectives, over users; nil elsewhere.
	Curve []CurvePoint
}

// CurvePoint is one point of a lesson's curve over users.
type CurvePoint struct {
	Users        int
	Speed, Total metrics.Value // tok/s
	Good         metrics.Value // share of requests that met both objectives, 0 to 1
	GoodRate     metrics.Value // goodput, requests per second
	Measured     bool          // by the running engine; else predicted in virtual time
}
