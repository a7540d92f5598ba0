package reports

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// document is what is judged of the JSON document of a probe.
type document struct {
	Requests []request
}

type request struct {
	State   string
	Finish  string `json:"finish_reason"`
	Text    string
	Figures struct {
		TTFT      *float64 `json:"ttft_ms"`
		TPOT      *float64 `json:"tpot_ms"`
		Speed     *float64 `json:"speed_tok_per_s"`
		Tokens    *float64 `json:"output_tokens"`
		Reasoning *float64 `json:"reasoning_tokens"`
		Answer    struct{ Tokens *float64 }
		Stalls    []struct{ Made bool }
	}
}

// figure returns a figure, with seconds in place of milliseconds; nil: it is unknown, or
// there is none of that name, with ok false.
func (r *request) figure(name string) (v *float64, ok bool) {
	f := &r.Figures
	seconds := func(ms *float64) *float64 {
		if ms == nil {
			return nil
		}
		s := *ms / 1e3
		return &s
	}
	switch name {
	case "ttft":
		return seconds(f.TTFT), true
	case "tpot":
		return seconds(f.TPOT), true
	case "speed":
		return f.Speed, true
	case "tokens":
		return f.Tokens, true
	case "reasoning":
		return f.Reasoning, true
	case "answer":
		return f.Answer.Tokens, true
	case "stalls":
		n := 0.0
		for _, s := range f.Stalls {
			if !s.Made {
				n++
			}
		}
		return &n, true
	}
	return nil, false
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
		switch w.what {
		case "says", "not":
			if i+1 == len(in.wants) || !slices.Contains([]string{"phrase", "never"}, in.wants[i+1].what) {
				add("no expression below want %s %s", w.what, w.value)
			}
		case "phrase", "never":
			if text := w.unheard(says.out); text != "" {
				add("%s", text)
			}
		case "sent":
			if !strings.HasSuffix(says.sent, w.value) {
				add("sent %q, not %q", says.sent, w.value)
			}
		case "exit":
			if strconv.Itoa(says.code) != w.value {
				add("exit code %d, not %s", says.code, w.value)
			}
		default:
			for n := range doc.Requests {
				if text := w.missed(&doc.Requests[n]); text != "" {
					add("request %d: %s", n+1, text)
				}
			}
		}
	}
	return wrong
}

// missed says what is wrong with a request, "" for nothing.
func (w *want) missed(r *request) string {
	switch w.what {
	case "state":
		if class, _, _ := strings.Cut(w.value, " "); class == "done" != (r.State == "done") {
			return fmt.Sprintf("%s, not %s", r.State, w.value)
		}
		return ""
	case "finish":
		if r.Finish != w.value {
			return fmt.Sprintf("finish reason %q, not %s", r.Finish, w.value)
		}
		return ""
	case "text":
		text := strings.ReplaceAll(w.value, `\n`, "\n")
		if strings.TrimSpace(r.Text) != strings.TrimSpace(text) {
			return fmt.Sprintf("text %q, not %q", r.Text, text)
		}
		return ""
	}
	v, known := r.figure(w.what)
	wanted, err := strconv.ParseFloat(w.value, 64)
	switch {
	case !known:
		return "no such figure: " + w.what
	case err != nil && w.value != "unknown":
		return err.Error()
	case v == nil:
		if w.value != "unknown" {
			return fmt.Sprintf("%s unknown, not %s", w.what, w.value)
		}
	case w.value == "unknown" || math.Abs(*v-wanted) > near*wanted:
		return fmt.Sprintf("%s %.4g, not %s", w.what, *v, w.value)
	}
	return ""
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
