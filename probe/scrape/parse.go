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

// modelLabels are the labels that name the model of a series.
var modelLabels = []string{"model_name", "model"}

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
		name, labels, v, ok := readLine(lines.Text())
		if !ok || !wanted(name) {
			continue
		}
		name = strings.TrimSuffix(name, "_total")
		s := sample{v: v}
		for _, l := range modelLabels {
			if m, has := label(labels, l); has {
				s.model = m
				named = named || m == model && model != ""
				break
			}
		}
		all[name] = append(all[name], s)
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

// readLine cuts a sample of the text format: a name, labels in braces, a
// value, perhaps a time. ok is false for comments and anything else.
func readLine(line string) (name, labels string, v float64, ok bool) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return "", "", 0, false
	}
	end := strings.IndexAny(line, "{ \t")
	if end <= 0 {
		return "", "", 0, false
	}
	name = line[:end]
	rest := line[end:]
	if rest[0] == '{' {
		n := closing(rest)
		if n < 0 {
			return "", "", 0, false
		}
		labels, rest = rest[1:n], rest[n+1:]
	}
	number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !(v >= 0 && v <= mostFigure) {
		return "", "", 0, false
	}
	return name, labels, v, true
}

// closing returns the index of the brace that closes s[0], -1 without one.
// Braces inside quotes do not count.
func closing(s string) int {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quoted:
			i++
		case s[i] == '"':
			quoted = !quoted
		case s[i] == '}' && !quoted:
			return i
		}
	}
	return -1
}

// label returns the value of one label.
func label(labels, name string) (v string, ok bool) {
	for rest := labels; rest != ""; {
		key, after, found := strings.Cut(rest, "=")
		if !found || !strings.HasPrefix(after, `"`) {
			return "", false
		}
		end := 1
		for end < len(after) && after[end] != '"' {
			if after[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(after) {
			return "", false
		}
		if strings.TrimSpace(key) == name {
			return unescape.Replace(after[1:end]), true
		}
		rest = strings.TrimPrefix(strings.TrimSpace(after[end+1:]), ",")
	}
	return "", false
}

var unescape = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n")
