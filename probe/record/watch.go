package record

import (
	"io"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/condition"
	"tokscope/metrics/watchstat"
)

// WatchSchema names the format of the lines of `tokscope watch --ndjson`, of the
// document of --json, which is the last of them, and of what --exec gets.
const WatchSchema = "tokscope/watch/v1"

// WatchBegin is the first line.
type WatchBegin struct {
	Type    string        `json:"type"`
	Schema  string        `json:"schema"`
	Started string        `json:"started"`
	Every   float64       `json:"every_s"`
	Program string        `json:"program,omitempty"` // "aa": the workloads and the median of Artificial Analysis
	Tokens  *float64      `json:"tokens_a_day"`      // the bound elsewhere than on this machine; null: none
	Money   *float64      `json:"money_a_day"`
	Targets []WatchTarget `json:"targets"`
}

// WatchTarget is a row of a watch.
type WatchTarget struct {
	Label    string           `json:"label"` // as typed
	Endpoint metrics.Endpoint `json:"endpoint"`
	Workload metrics.Workload `json:"workload"`
	Here     bool             `json:"on_this_machine"`
}

// WatchProbe is a line for each probe, when it has ended. --exec gets that of the
// probe that changed something.
type WatchProbe struct {
	Type     string         `json:"type"`
	Schema   string         `json:"schema"`
	Target   string         `json:"target"` // its label
	Probe    int            `json:"probe"`  // its number, from 1
	At       string         `json:"at"`
	Fault    *metrics.Fault `json:"fault,omitempty"`
	Suspect  bool           `json:"suspect,omitempty"` // tokscope's own lateness shows: it counts for nothing
	Figures  WatchFigures   `json:"figures"`
	State    string         `json:"state"`
	Event    string         `json:"event,omitempty"` // what this probe changed
	Text     string         `json:"text"`
	Baseline *WatchBase     `json:"baseline,omitempty"` // absent while it is learned
	Change   *WatchChange   `json:"change,omitempty"`   // the present or the last one
}

// WatchFigures are the times of a probe. Unknown ones are null.
type WatchFigures struct {
	Connect metrics.Value `json:"connect_ms" form:"bare"` // name lookup, TCP and TLS; null over a reused connection
	Queue   metrics.Value `json:"queue_ms" form:"bare"`   // by the server
	Prefill metrics.Value `json:"prefill_ms" form:"bare"` // by the server
	TTFT    metrics.Value `json:"ttft_ms" form:"bare"`
	TPOT    metrics.Value `json:"tpot_ms" form:"bare"`
	Longest metrics.Value `json:"longest_gap_ms" form:"bare"`
	Total   metrics.Value `json:"total_ms" form:"bare"`
}

// WatchBase is a baseline.
type WatchBase struct {
	Name   string `json:"name,omitempty"` // "" when the watch learned it
	Probes int    `json:"probes"`
	From   string `json:"from"`
	To     string `json:"to"`
	// FalseAlarm is the interval between false alarms of all targets together, in
	// nine baselines of ten, over so many figures.
	FalseAlarm float64 `json:"false_alarm_interval_s"`
	Series     int     `json:"figures_watched"`
}

// WatchChange is a change against the baseline.
type WatchChange struct {
	*watchstat.Change
	Figures []WatchFigure `json:"figures"`
}

// WatchFigure compares a figure since the change with the baseline. Times are ms,
// failures a share.
type WatchFigure struct {
	*watchstat.Row
	// Low and High are the interval of the ratio, at 99 % over all times. Null: there
	// are too few probes after the one that found the change, and ratio is about.
	Low   *float64 `json:"ratio_low"`
	High  *float64 `json:"ratio_high"`
	Limit *float64 `json:"limit"` // a probe above it counts for a change; null where the figure is not watched
}

// WatchPause is a line when a pause of a target begins, and when probes go on.
type WatchPause struct {
	Type   string `json:"type"`
	Schema string `json:"schema"`
	Target string `json:"target"`
	Reason string `json:"reason"` // "" when probes go on
	Slots  int    `json:"slots_skipped"`
	Until  string `json:"until"` // of the next probe
	Text   string `json:"text"`
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
	Target     string           `json:"target"`
	State      string           `json:"state"`
	Text       string           `json:"text"`
	Probes     int              `json:"probes"`
	Failed     int              `json:"failed"`
	Suspect    int              `json:"suspect"`
	Skipped    int              `json:"slots_skipped"`
	Tokens     float64          `json:"tokens"`
	Baseline   *WatchBase       `json:"baseline,omitempty"`
	Change     *WatchChange     `json:"change,omitempty"`
	Conditions []WatchCondition `json:"conditions"`
	Medians    *WatchMedians    `json:"medians_72h,omitempty"` // absent without a program
}

// WatchCondition is what a condition of --fail-if came to.
type WatchCondition struct {
	Condition string   `json:"condition"`
	Outcome   string   `json:"outcome"`
	Value     *float64 `json:"value"`
	Low       *float64 `json:"low"` // of an interval that holds at every look, at 95 % over all conditions and targets
	High      *float64 `json:"high"`
	Probes    int      `json:"probes"`
}

// WatchMedians are those of the last 72 h.
type WatchMedians struct {
	TTFT   metrics.Value `json:"ttft_ms" form:"bare"`
	TPOT   metrics.Value `json:"tpot_ms" form:"bare"`
	Total  metrics.Value `json:"total_ms" form:"bare"`
	Probes int           `json:"probes"`
}

// WriteWatchBegin writes the first line.
func WriteWatchBegin(w io.Writer, b *watchstat.Board) error {
	line := WatchBegin{
		Type: "begin", Schema: WatchSchema, Started: historyTime(b.Began), Every: b.Every.Seconds(), Program: b.Program,
		Tokens: aboveZero(b.Bounds.Tokens), Money: aboveZero(b.Bounds.Money), Targets: []WatchTarget{},
	}
	for i := range b.Targets {
		t := &b.Targets[i]
		line.Targets = append(line.Targets, WatchTarget{t.Label, t.Endpoint, t.Work, t.Here})
	}
	return (*Sentences)(nil).WriteLine(w, line)
}

// WriteWatchUpdate writes the line of a probe, or of a pause.
func WriteWatchUpdate(w io.Writer, u *watchstat.Update, say Sentences) error {
	t := &u.Board.Targets[u.Target]
	if !u.Probe {
		text := ""
		if say.WatchPause != nil {
			text = say.WatchPause(t, &u.Board)
		}
		return say.WriteLine(w,
			WatchPause{"pause", WatchSchema, t.Label, string(t.Skip.Code), t.Skip.Slots, historyTime(t.Skip.Until), text})
	}
	return say.WriteLine(w, WatchProbeOf(u, say))
}

// WatchProbeOf returns the line of a probe.
func WatchProbeOf(u *watchstat.Update, say Sentences) WatchProbe {
	t := &u.Board.Targets[u.Target]
	v := &t.View
	p := WatchProbe{
		Type: "probe", Schema: WatchSchema, Target: t.Label, Probe: v.Probes,
		At: historyTime(v.Last.At), Fault: t.Fault, Suspect: v.Last.Suspect,
		State: v.State.String(), Event: u.Event.String(), Baseline: watchBaseOf(v), Change: watchChangeOf(v.Change),
	}
	f := watchstat.ValuesOf(&v.Last)
	p.Figures = WatchFigures{
		f[watchstat.Connect], f[watchstat.Queue], f[watchstat.Prefill],
		f[watchstat.TTFT], f[watchstat.TPOT], f[watchstat.Stall], f[watchstat.Total],
	}
	if say.WatchEvent != nil {
		p.Text = say.WatchEvent(u.Event, t, v.Last.At)
	}
	if p.Text == "" && say.Watch != nil {
		p.Text = say.Watch(t, v.Last.At)
	}
	return p
}

// WriteWatchEnd writes the last line; indented it is the document of --json.
func WriteWatchEnd(w io.Writer, b *watchstat.Board, now time.Time, indented bool, say Sentences) error {
	e := WatchEnd{Type: "end", Schema: WatchSchema, Ended: string(b.Ended),
		Targets: []WatchResult{}, DayTokens: b.Tokens, Currency: b.Currency}
	if b.Priced {
		e.DayMoney = finite(b.Money)
	}
	if say.WatchEnd != nil {
		e.Why, e.Text = say.WatchEnd(b), say.WatchSummary(b, now)
	}
	for i := range b.Targets {
		t := &b.Targets[i]
		v := &t.View
		r := WatchResult{
			Target: t.Label, State: v.State.String(), Probes: v.Probes,
			Failed: v.Failed, Suspect: v.Suspect, Skipped: t.Skipped, Tokens: t.Spent,
			Baseline: watchBaseOf(v), Change: watchChangeOf(v.Change), Conditions: []WatchCondition{},
		}
		if say.Watch != nil {
			r.Text = say.Watch(t, now)
		}
		for j := range t.Judgments {
			g := &t.Judgments[j]
			c := WatchCondition{Condition: g.Condition.String(), Outcome: g.Outcome.String(), Probes: g.N}
			if g.Outcome != condition.Unknown {
				c.Value, c.Low, c.High = finite(g.Value), finite(g.Low), finite(g.High)
			}
			r.Conditions = append(r.Conditions, c)
		}
		if b.Program != "" {
			r.Medians = &WatchMedians{t.TTFT.Value, t.TPOT.Value, t.Total.Value, t.TTFT.Value.N}
		}
		e.Targets = append(e.Targets, r)
	}
	if !indented {
		return say.WriteLine(w, e)
	}
	return say.document(w, e)
}

func watchBaseOf(v *watchstat.View) *WatchBase {
	if v.State == watchstat.Learning {
		return nil
	}
	return &WatchBase{v.Baseline, v.N, historyTime(v.From), historyTime(v.To), v.Between.Seconds(), v.Series}
}

func watchChangeOf(c *watchstat.Change) *WatchChange {
	if c == nil {
		return nil
	}
	out := WatchChange{Change: c}
	for f := range c.Rows {
		r := &c.Rows[f]
		one := WatchFigure{Row: r}
		if r.Watched {
			one.Limit = finite(r.Limit)
		}
		if r.High > 0 {
			one.Low, one.High = finite(r.Low), finite(r.High)
		}
		out.Figures = append(out.Figures, one)
	}
	return &out
}
