package reports

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// document is what is judged of the JSON document of a probe.
type document struct {
	Requests []struct {
		State   string
		Finish  string `json:"finish_reason"`
		Text    string
		Figures map[string]any
	}
}

// figures are the names of figures in an input, with the keys in JSON and their unit
// there: thousandths of a second, or as wanted.
var figures = map[string]struct {
	key  string
	unit float64
}{
	"ttft": {"ttft_ms", 1e-3}, "tpot": {"tpot_ms", 1e-3}, "speed": {"speed_tok_per_s", 1},
	"tokens": {"output_tokens", 1}, "reasoning": {"reasoning_tokens", 1}, "answer": {"answer", 1}, "stalls": {"stalls", 1},
}

// figure returns the figure of that name among all; ok is false where it is unknown.
func figure(name string, all map[string]any) (v float64, ok bool) {
	switch x := all[figures[name].key].(type) {
	case float64:
		return x * figures[name].unit, true
	case map[string]any: // a phase
		v, ok = x["tokens"].(float64)
		return v, ok
	case []any: // stalls, less those in which all was made
		for _, stall := range x {
			if stall.(map[string]any)["made"] != true {
				v++
			}
		}
		return v, true
	}
	return 0, false
}

// near is how far a figure may be from what is wanted, as a share of that.
const near = 0.03

// judge returns what is wrong with what the program says.
func (in *input) judge(says *said) (wrong []string) {
	add := func(form string, a ...any) { wrong = append(wrong, fmt.Sprintf(form, a...)) }
	var doc document
	if err := json.Unmarshal([]byte(says.out["json"]), &doc); err != nil && says.out["json"] != "" {
		add("JSON: %v", err)
	}
	for i, w := range in.wants {
		each := func(of func(n int) string) { // of each request
			if len(doc.Requests) == 0 && w.value != "failed" {
				add("no request: %s is not %s", w.what, w.value)
			}
			for n := range doc.Requests {
				if got := of(n); got != strings.TrimSpace(w.value) {
					add("request %d: %s is %q, not %q", n+1, w.what, got, w.value)
				}
			}
		}
		switch w.what {
		case "says", "not":
			if i+1 == len(in.wants) || in.wants[i+1].what != "phrase" && in.wants[i+1].what != "never" {
				add("no expression below want %s %s", w.what, w.value)
			}
		case "phrase", "never":
			if text := w.unheard(says.out); text != "" {
				add("%s", text)
			}
		case "sent":
			if !strings.HasSuffix(says.out["sent"], w.value) {
				add("sent %q, not %q", says.out["sent"], w.value)
			}
		case "exit":
			if strconv.Itoa(says.code) != w.value {
				add("exit code %d, not %s", says.code, w.value)
			}
		case "state": // the words behind "failed" are for people
			w.value, _, _ = strings.Cut(w.value, " ")
			each(func(n int) string {
				if doc.Requests[n].State != "done" {
					return "failed"
				}
				return "done"
			})
		case "finish":
			each(func(n int) string { return doc.Requests[n].Finish })
		case "text":
			w.value = strings.ReplaceAll(w.value, `\n`, "\n")
			each(func(n int) string { return strings.TrimSpace(doc.Requests[n].Text) })
		default:
			each(func(n int) string { return w.measured(doc.Requests[n].Figures) })
		}
	}
	return wrong
}

// measured returns the value that is wanted where the figure is near it, else the figure.
func (w *want) measured(all map[string]any) string {
	v, ok := figure(w.what, all)
	wanted, err := strconv.ParseFloat(w.value, 64)
	switch {
	case !ok:
		return "unknown"
	case err == nil && math.Abs(v-wanted) <= near*wanted:
		return w.value
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

var space = regexp.MustCompile(`\s+`)

// unheard says how what the program says does not match the expression, "" where it does.
func (w *want) unheard(out map[string]string) string {
	re, err := regexp.Compile(w.value)
	if err != nil {
		return err.Error()
	}
	places := w.places
	if places == nil {
		places = []string{"text", "errors", "screen"}
		if w.what == "phrase" {
			places = append(places, "json")
		}
	}
	var found, missing []string
	for _, p := range places {
		if s := re.FindString(space.ReplaceAllString(out[p], " ")); s != "" {
			found = append(found, fmt.Sprintf("%q in %s", s, p))
		} else {
			missing = append(missing, p)
		}
	}
	switch {
	case w.what == "never" && found != nil:
		return "it says " + strings.Join(found, ", ")
	case w.what == "phrase" && (found == nil || w.places != nil && missing != nil):
		return fmt.Sprintf("%s says no %s", strings.Join(missing, ", "), w.value)
	}
	return ""
}
