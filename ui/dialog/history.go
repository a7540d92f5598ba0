package dialog

import (
	"strings"
	"time"

	"tokscope/metrics/history"
	"tokscope/ui/sanitize"
)

// HistoryFilter is the picker for the filter of the history. It lists filters that
// match something and accepts typed ones.
type HistoryFilter struct{ picker }

// UseHistoryFilter reports the chosen filter, "" for none. PreviewHistoryFilter
// shows what matches while it is typed.
type (
	UseHistoryFilter     struct{ Text string }
	PreviewHistoryFilter struct{ Text string }
)

func (UseHistoryFilter) act()     {}
func (PreviewHistoryFilter) act() {}

// NewHistoryFilter returns the picker with the present filter typed.
func NewHistoryFilter(now string, suggested []string) *HistoryFilter {
	d := &HistoryFilter{}
	d.list = list{title: "filter", hint: "type words, or terms: ttft>500 model:llama status:429 since:7d sort:-ttft", width: 84, aside: true}
	d.leave = Closed{}
	text := func(it item) (string, bool) { t, ok := it.value.(string); return t, ok }
	d.accept = func(it item) Act {
		if t, ok := text(it); ok {
			return UseHistoryFilter{t}
		}
		return nil // the row says what is wrong
	}
	d.moved = func(it item) Act {
		if t, ok := text(it); ok && it.mark == isOffer {
			return PreviewHistoryFilter{t}
		}
		return nil
	}
	d.extra = func(s string) (item, bool) {
		if _, err := history.ParseFilter(s, time.Now()); err != nil {
			return item{name: strings.TrimPrefix(sanitize.Line(err.Error(), 200), "filter "), dim: true, mark: notReady}, true
		}
		return item{name: s, value: s, mark: isOffer}, true
	}
	if now != "" {
		d.items = append(d.items, item{name: "all runs", value: ""})
	}
	for _, s := range suggested {
		if s != now {
			d.items = append(d.items, item{name: s, value: s})
		}
	}
	d.filter = now
	d.refresh()
	d.seek(func(it item) bool { return it.mark == isOffer })
	return d
}

// Type implements Dialog. What is typed takes precedence.
func (d *HistoryFilter) Type(s string, pasted bool) Act {
	d.typed(s)
	d.seek(func(it item) bool { return it.mark == isOffer })
	return d.now()
}

// Baseline is the picker for the name of a baseline.
type Baseline struct{ picker }

// UseBaseline reports the chosen name.
type UseBaseline struct{ Name string }

func (UseBaseline) act() {}

// NewBaseline returns the picker with the name now selected and another one
// offered; about says what would be taken.
func NewBaseline(now, offered, about string) *Baseline {
	d := &Baseline{}
	d.list = list{title: "baseline", hint: "choose a name or type one", say: "takes " + sanitize.Line(about, 160), width: 72, whole: true}
	d.leave = Closed{}
	d.accept = func(it item) Act {
		if name, ok := it.value.(string); ok {
			return UseBaseline{name}
		}
		return nil
	}
	d.extra = func(s string) (item, bool) {
		return item{name: s, detail: []string{"as typed"}, value: sanitize.Line(s, 60), mark: isOffer}, true
	}
	if now = sanitize.Line(now, 60); now != "" {
		d.items = append(d.items, item{name: now, detail: []string{"replaces the present one"}, value: now, mark: isCurrent})
	}
	if offered = sanitize.Line(offered, 60); offered != now {
		d.items = append(d.items, item{name: offered, value: offered})
	}
	d.refresh()
	return d
}

// Type implements Dialog. A typed name takes precedence.
func (d *Baseline) Type(s string, pasted bool) Act {
	act := d.picker.Type(s, pasted)
	d.seek(func(it item) bool { return it.mark == isOffer })
	return act
}
