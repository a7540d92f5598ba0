package result

import (
	"io"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/watchstat"
)

// WatchSchema names the format of the lines of `tokscope watch --ndjson`, of the
// document of --json, which is the last of them, and of what --exec gets.
const WatchSchema = "tokscope/watch/v1"

// WatchBegin is the first line.
type WatchBegin struct {
	Type    string  `json:"type"`
	Schema  string  `json:"schema"`
	Started string  `json:"started"`
	Every   float64 `json:"every_s"`
	Program string  `json:"program,omitempty"` // "aa": the workloads and the median of Artificial Analysis
	watchstat.Bounds
	Targets []watchstat.Target `json:"targets"`
}

// WatchProbe is a line for each probe, when it has ended. --exec gets that of the
// probe that changed something.
type WatchProbe struct {
	Type     string            `json:"type"`
	Schema   string            `json:"schema"`
	Target   string            `json:"target"` // its label
	Probe    int               `json:"probe"`  // its number, from 1
	At       string            `json:"at"`
	Fault    *metrics.Fault    `json:"fault,omitempty"`
	Request  string            `json:"request_id,omitempty"`         // the server's id of the probe
	Suspect  bool              `json:"suspect,omitempty"`            // by tokscope's own lateness: it counts for nothing
	Unended  string            `json:"end_marker_missing,omitempty"` // "left_open", "cut_off"
	Figures  WatchFigures      `json:"figures"`
	State    string            `json:"state"`
	Event    string            `json:"event,omitempty"` // what this probe changed
	Text     string            `json:"text"`
	Baseline *watchstat.View   `json:"baseline,omitempty"` // absent while it is learned
	Change   *watchstat.Change `json:"change,omitempty"`   // the present or the last one
	// Suspicion is what the state "suspected" is about.
	Suspicion *watchstat.Change `json:"suspicion,omitempty"`
}

// watchTimes are by watchstat.Figure.
type watchTimes = [watchstat.Timed]metrics.Value

// WatchFigures are the times of a probe. Unknown ones are null: that of connecting
// over a reused connection, those of queue and prefill without a report of the
// server.
type WatchFigures struct {
	Times watchTimes `form:"bare" json:"connect_ms|queue_ms|prefill_ms|ttft_ms|tpot_ms|longest_gap_ms|total_ms"`
}

// WatchPause is a line when a pause of a target begins, and when probes go on.
type WatchPause struct {
	Type   string `json:"type"`
	Schema string `json:"schema"`
	Target string `json:"target"`
	*watchstat.Skip
	Text string `json:"text"`
}

// WatchEnd is the last line, and the document of --json.
type WatchEnd struct {
	Type    string        `json:"type"`
	Schema  string        `json:"schema"`
	Ended   string        `json:"ended"`
	Why     string        `json:"why"`
	Text    string        `json:"text"`
	Targets []WatchResult `json:"targets"`
	// DayTokens and DayMoney are what the targets elsewhere than on this machine used
	// on the last day (UTC), which the bounds count; money is null where a price is
	// unknown.
	DayTokens float64  `json:"day_tokens"`
	DayMoney  *float64 `json:"day_money"`
	Currency  string   `json:"currency,omitempty"` // of day_money
}

// WatchResult is a target at the end.
type WatchResult struct {
	Target     string               `json:"target"`
	State      string               `json:"state"`
	Text       string               `json:"text"`
	Probes     int                  `json:"probes"`
	Failed     int                  `json:"failed"`
	Suspect    int                  `json:"suspect"`
	Skipped    int                  `json:"slots_skipped"`
	Tokens     float64              `json:"tokens"`
	Baseline   *watchstat.View      `json:"baseline,omitempty"`
	Change     *watchstat.Change    `json:"change,omitempty"`
	Suspicion  *watchstat.Change    `json:"suspicion,omitempty"`
	Conditions []watchstat.Judgment `json:"conditions"`            // of --fail-if
	Medians    *WatchMedians        `json:"medians_72h,omitempty"` // absent without a program
}

// WatchMedians are those of the last 72 h.
type WatchMedians struct {
	Times  [3]metrics.Value `json:"ttft_ms|tpot_ms|total_ms" form:"bare"`
	Probes int              `json:"probes"`
}

// WriteWatchBegin writes the first line.
func WriteWatchBegin(w io.Writer, b *watchstat.Board) error {
	line := WatchBegin{
		Type: "begin", Schema: WatchSchema, Started: historyTime(b.Began), Every: b.Every.Seconds(), Program: b.Program,
		Bounds: b.Bounds, Targets: b.Targets,
	}
	return Sentences(nil).WriteLine(w, line)
}

// WriteWatchUpdate writes the line of a probe, or of a pause.
func WriteWatchUpdate(w io.Writer, u *watchstat.Update, say Sentences) error {
	t := &u.Board.Targets[u.Target]
	if !u.Probe {
		return say.WriteLine(w,
			WatchPause{"pause", WatchSchema, t.Label, &t.Skip, say.One(u)})
	}
	return say.WriteLine(w, WatchProbeOf(u, say))
}

// WatchProbeOf returns the line of a probe.
func WatchProbeOf(u *watchstat.Update, say Sentences) WatchProbe {
	t := &u.Board.Targets[u.Target]
	v := &t.View
	return WatchProbe{
		Type: "probe", Schema: WatchSchema, Target: t.Label, Probe: v.Probes,
		At: historyTime(v.Last.At), Text: say.One(u), Fault: t.Fault, Request: t.Request, Suspect: v.Last.Suspect,
		Unended: string(v.Last.Unended), Figures: WatchFigures{watchstat.ValuesOf(&v.Last)}, State: v.State.String(),
		Event: string(u.Event), Baseline: watchBaseOf(v), Change: v.Change,
		Suspicion: v.Suspicion,
	}
}

// WriteWatchEnd writes the last line; indented it is the document of --json.
func WriteWatchEnd(w io.Writer, b *watchstat.Board, now time.Time, indented bool, say Sentences) error {
	texts := say.all(b, now, 2)
	e := WatchEnd{Type: "end", Schema: WatchSchema, Ended: string(b.Ended), Why: texts[0], Text: texts[1],
		DayTokens: b.Tokens, Currency: b.Currency}
	if b.Priced {
		e.DayMoney = finite(b.Money)
	}
	for i := range b.Targets {
		t := &b.Targets[i]
		v := &t.View
		r := WatchResult{
			Target: t.Label, State: v.State.String(), Text: say.all(t, now, 1)[0], Probes: v.Probes,
			Failed: v.Failed, Suspect: v.Suspect, Skipped: t.Skipped, Tokens: t.Spent,
			Baseline: watchBaseOf(v), Change: v.Change, Suspicion: v.Suspicion, Conditions: t.Judgments,
		}
		if b.Program != "" {
			m := &t.Typical
			r.Medians = &WatchMedians{[...]metrics.Value{m[watchstat.TTFT], m[watchstat.TPOT], m[watchstat.Total]},
				m[watchstat.TTFT].N}
		}
		e.Targets = append(e.Targets, r)
	}
	if !indented {
		return say.WriteLine(w, e)
	}
	return say.WriteDocument(w, e)
}

// watchBaseOf returns the baseline of v, nil while it is learned.
func watchBaseOf(v *watchstat.View) *watchstat.View {
	if v.State == watchstat.Learning {
		return nil
	}
	return v
}
