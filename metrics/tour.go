package metrics

// Lesson is one lesson of the tour, as it is shown. Every figure in its texts
// is computed for the setup that runs.
type Lesson struct {
	Number int    // from 1
	Key    string // stable word: "two-phases"
	Title  string // "Two phases"
	Claim  string // one sentence
	Text   []string
	Stages []LessonStage
	Focus  string // the panel that shows it: "timeline", "step", "roofline", "batch", "kv", "client", "whatif", "seesaw", "lens"
	Try    string // what the viewer may turn, as a sentence
	Knobs  []Knob // the knobs that the sentence speaks of
}

// LessonStage is a setting of the knobs that the lesson goes through: the
// first is set when the lesson begins, each further one by a key.
type LessonStage struct {
	Label string // "bf16", "4 bits", "64 users"
	Turn  string // what the key does: "quantise to 4 bits"; "" for the first
	Knobs Knobs
}

// LessonRow is one figure of a lesson over its stages.
type LessonRow struct {
	Label     string // "TPOT", "all users together"
	Unit      string // "ms", "tok/s", "%", "s", "GB", ""
	Predicted []Value
	Measured  []Value // unknown with a reason until the stage has been shown
}

// TourView is where the tour stands.
type TourView struct {
	On      bool
	Ready   bool // the lessons are computed; before that Lesson has only its title
	Lesson  Lesson
	Lessons int // in all
	Stage   int // index into Lesson.Stages
	Rows    []LessonRow
	// Verdict says what the figures show of the claim, with the figures; ""
	// until enough is measured. Holds is whether they bear it out.
	Verdict string
	Holds   bool
	// Progress is how much of what the present stage needs is measured, 0 to 1.
	Progress float64
	// Missed counts the stages before the present one that were left before
	// they were measured: without them there may never be a verdict.
	Missed int
	// Seen are the lessons that were shown to their verdict, by number.
	Seen []bool
	// Goodput is the curve of lesson "goodput": the share of requests that met
	// both objectives by users; nil elsewhere.
	Curve []CurvePoint
}

// CurvePoint is one point of a lesson's curve over users.
type CurvePoint struct {
	Users        int
	Speed, Total Value // tok/s
	Good         Value // share of requests that met both objectives, 0 to 1
	GoodRate     Value // goodput, requests per second
	Measured     bool  // by the running engine; else predicted in virtual time
}
