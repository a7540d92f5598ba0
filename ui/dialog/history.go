package dialog

import (
	"time"

	"tokscope/metrics/history"
	"tokscope/metrics/request"
	"tokscope/themes"
	"tokscope/ui/sanitize"
)

// UseFilter reports the chosen filter, "" for none. PreviewFilter shows what
// matches while it is typed.
type (
	UseFilter     struct{ Text string }
	PreviewFilter struct{ Text string }
)

// NewHistoryFilter returns the picker for a filter of the history with the present one
// typed. It lists filters that match something and accepts typed ones.
func NewHistoryFilter(now string, suggested []string) *Picker[string] {
	d := newFilter("type words, or terms: ttft>500 model:llama status:429 since:7d sort:-ttft", func(s string) error {
		_, err := history.ParseFilter(s, time.Now())
		return err
	})
	if now != "" {
		d.items = append(d.items, item{name: "all runs", value: ""})
	}
	return suggest(d, now, suggested)
}

// NewRequestFilter is NewHistoryFilter for a list of requests. The first row is all of
// them. one is what the list calls a row.
func NewRequestFilter(one, now string, suggested []string) *Picker[string] {
	d := newFilter("type words, or terms: ttft>500 gap>200 status:5xx model:llama sort:-ttft", func(s string) error {
		_, err := request.ParseFilter(s)
		return err
	})
	d.moved = func(it item) Act { // they are in memory: every row is tried
		if t, ok := it.value.(string); ok {
			return PreviewFilter{t}
		}
		return nil
	}
	d.items = append(d.items, item{name: "all " + one + "s", value: ""})
	return suggest(d, now, suggested)
}

// newFilter returns a picker without rows. parse returns what is wrong with a
// filter.
func newFilter(hint string, parse func(string) error) *Picker[string] {
	d := newPicker(list{title: "filter", hint: hint, width: 84, aside: true, role: themes.Warn, judges: true},
		func(text string) Act { return UseFilter{text} })
	d.prefers = true
	d.moved = func(it item) Act {
		if t, ok := it.value.(string); ok && it.mark == isOffer {
			return PreviewFilter{t}
		}
		return nil
	}
	d.extra = func(s string) (item, bool) {
		if err := parse(s); err != nil {
			d.say = sanitize.Line(err.Error(), 240) // the message wraps, a row would be cut
			return item{name: s, dim: true, mark: notReady}, true
		}
		return item{name: s, value: s, mark: isOffer}, true
	}
	return d
}

// suggest adds the suggested filters and types the present one.
func suggest(d *Picker[string], now string, suggested []string) *Picker[string] {
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

// NewBaseline returns the picker for the name of a baseline, with the name now
// selected and another one offered; about says what would be taken.
func NewBaseline(now, offered, about string) *Picker[string] {
	d := newPicker[string](list{title: "baseline", hint: "choose a name or type one",
		say: "takes " + sanitize.Line(about, 160), width: 72, whole: true}, nil)
	d.prefers = true
	d.extra = func(s string) (item, bool) {
		return offer(s, s, []string{"as typed"}, sanitize.Line(s, 60), nil)
	}
	if now = sanitize.Line(now, 60); now != "" {
		d.add(item{name: now, detail: []string{"replaces the present one"}, value: now}, true)
	}
	if offered = sanitize.Line(offered, 60); offered != now {
		d.items = append(d.items, item{name: offered, value: offered})
	}
	return d.open()
}
