package scrape

import (
	"bufio"
	"bytes"
	"slices"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
)

// mostFigure is the largest value that is read: float64 counts exactly up to
// there, and sums stay finite.
const mostFigure = 1 << 53

// Parse returns the figures of a page in the text format of Prometheus or
// OpenMetrics. A page of an unknown server gives the zero value: From is "".
//
// Series of one name are added: engines, ranks, reasons of an end. Where the
// page names model among several, the series of other models are left out. A
// share of the cache is the largest one.
func Parse(text []byte, model string) loadstat.ServerCounts {
	all := readSeries(text, model)
	for i := range dialects {
		if c := dialects[i].of(all); c != (loadstat.ServerCounts{}) {
			c.From = dialects[i].name
			return c
		}
	}
	return loadstat.ServerCounts{}
}

// series are the values of a page by their name, without _total.
type series map[string][]float64

// sum adds the series of the first name that the page has.
func (s series) sum(names ...string) metrics.Value {
	return s.join(names, func(all []float64) (total float64) {
		for _, v := range all {
			total += v
		}
		return total
	})
}

// largest is the largest of the series of the first name that the page has.
func (s series) largest(names ...string) metrics.Value { return s.join(names, slices.Max[[]float64]) }

// join is the zero Value without a series.
func (s series) join(names []string, of func([]float64) float64) (v metrics.Value) {
	for _, name := range names {
		if all := s[name]; len(all) > 0 {
			return metrics.Known(of(all), 0)
		}
	}
	return v
}

// readSeries returns the series that a dialect can name.
func readSeries(text []byte, model string) series {
	type sample struct {
		v     float64
		model string
	}
	all := map[string][]sample{}
	named := false // the page has series of our model
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(make([]byte, 0, 64<<10), mostPage)
	for lines.Scan() {
		name, of, v, ok := readLine(lines.Text())
		if ok && wanted(name) {
			named = named || of == model && model != ""
			name = strings.TrimSuffix(name, "_total")
			all[name] = append(all[name], sample{v, of})
		}
	}
	out := series{}
	for name, samples := range all {
		for _, s := range samples {
			if !named || s.model == model || s.model == "" {
				out[name] = append(out[name], s.v)
			}
		}
	}
	return out
}

// wanted reports whether a dialect begins like name.
func wanted(name string) bool {
	return pick.First(dialects[:], func(d *dialect) bool { return strings.HasPrefix(name, d.mark) }) != nil
}

// readLine cuts a sample of the text format: a name, labels in braces, of which one names
// the model, a value, perhaps a time. ok is false for comments and anything else.
func readLine(line string) (name, model string, v float64, ok bool) {
	line = strings.TrimSpace(line)
	end := strings.IndexAny(line, "{ \t")
	if end <= 0 || line[0] == '#' {
		return "", "", 0, false
	}
	name, rest := line[:end], line[end:]
	if rest[0] == '{' {
		for rest = strings.TrimLeft(rest[1:], ", \t"); !strings.HasPrefix(rest, "}"); {
			label, after, _ := strings.Cut(rest, "=")
			value, more, ok := readQuoted(after)
			if !ok {
				return "", "", 0, false
			}
			if label = strings.TrimSpace(label); label == "model_name" || label == "model" && model == "" {
				model = value
			}
			rest = strings.TrimLeft(more, ", \t")
		}
		rest = rest[1:]
	}
	number := strings.TrimSpace(rest)
	if end := strings.IndexAny(number, " \t"); end >= 0 {
		number = number[:end]
	}
	v, err := strconv.ParseFloat(number, 64)
	return name, model, v, err == nil && v >= 0 && v <= mostFigure
}

// readQuoted cuts the quoted value that s begins with, behind blanks. Strings of Go know
// more escapes, and refuse all others: a path of Windows would cost its line.
func readQuoted(s string) (value, rest string, ok bool) {
	s = strings.TrimLeft(s, " \t")
	if !strings.HasPrefix(s, `"`) {
		return "", "", false
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return unescape.Replace(s[1:i]), s[i+1:], true
		}
	}
	return "", "", false
}

var unescape = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n")
