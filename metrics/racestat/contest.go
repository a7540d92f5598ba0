package racestat

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tokscope/metrics/pick"
)

// Contest says who races, as it was typed: targets, one target in whose requests a field
// varies, or the settings of the server of one.
type Contest struct {
	Targets []string
	// Vary is FIELD=VALUE,VALUE…, a lane for each value; "" where targets race. A value
	// may be JSON: commas in its strings, lists and objects divide nothing.
	Vary string
	// Settings are the labels of the lanes of a Swap, which checks them; nil without one.
	Settings []string
}

// Proposal says why a contest is proposed.
type Proposal string

// The proposals, the first before the next ones.
const (
	NotProposed  Proposal = ""
	DemoMachines Proposal = "demo"  // the embedded endpoint on another machine
	LastOther    Proposal = "last"  // the endpoint in use, and the one measured last before it
	OtherModel   Proposal = "model" // two models of the endpoint in use
	SameCold     Proposal = "cold"  // the endpoint in use over kept connections and over new ones
)

// varyWord is what stands before Vary in the text of a Contest.
const varyWord = "--vary"

// String is what ParseContest reads: "groq together", "groq --vary tier=default,priority".
func (c Contest) String() string {
	text := strings.Join(c.Targets, " ")
	if c.Vary != "" {
		text += " " + varyWord + " " + c.Vary
	}
	return text
}

// ParseContest reads targets with blanks between them, and --vary as the last of them.
// Lanes says what is wrong with it.
func ParseContest(text string) Contest {
	targets, vary, _ := strings.Cut(text, varyWord)
	return Contest{Targets: strings.Fields(targets), Vary: strings.TrimLeft(vary, " =")}
}

// Lanes returns the lanes as they stand before the race, with label and value alone, and
// the field that varies, "" where targets race. The error says what is wrong in words.
func (c Contest) Lanes() (lanes []Lane, field string, err error) {
	named := func(label *string) Lane { return Lane{Label: *label} }
	if c.Settings != nil {
		return pick.Each(c.Settings, named), "", nil
	}
	of := "targets, such as llama-3.1-8b@h100 llama-3.1-8b-q4@m3max"
	lanes = pick.Each(c.Targets, named)
	if c.Vary != "" {
		of = "values of a field, such as tier=default,priority"
		if field, lanes, err = c.varied(); err != nil {
			return nil, "", err
		}
	}
	if n := len(lanes); n < MinLanes || n > MaxLanes {
		return nil, "", fmt.Errorf("a race takes %d to %d %s, not %d", MinLanes, MaxLanes, of, n)
	}
	return lanes, field, nil
}

// varied returns the lanes of one target, and the field in which they differ.
func (c Contest) varied() (field string, lanes []Lane, err error) {
	if n := len(c.Targets); n != 1 {
		return "", nil, fmt.Errorf("%s compares requests to one target, not to %d: leave the others out", varyWord, n)
	}
	field, list, _ := strings.Cut(c.Vary, "=")
	values, err := divided(list)
	for i, value := range values {
		switch {
		case value == "" && len(values) > 1:
			return "", nil, fmt.Errorf("%s %s: a value is empty", varyWord, c.Vary)
		case slices.Contains(values[:i], value):
			return "", nil, fmt.Errorf("two lanes would have %s %s: give each a value of its own", field, value)
		}
		lanes = append(lanes, Lane{Label: labelOf(lanes, field, value), Value: value})
	}
	return field, lanes, err
}

// divided returns the parts of list between commas. A comma within a JSON string, list or
// object is none.
func divided(list string) (parts []string, err error) {
	start, depth, quoted := 0, 0, false
	for i := 0; i < len(list); i++ {
		switch b := list[i]; {
		case quoted && b == '\\':
			i++
		case b == '"' && (quoted || depth > 0 || i == start):
			quoted = !quoted
		case quoted:
		case (b == '[' || b == '{') && (depth > 0 || i == start):
			depth++
		case (b == ']' || b == '}') && depth > 0:
			depth--
		case b == ',' && depth == 0:
			parts = append(parts, list[start:i])
			start = i + 1
		}
	}
	if quoted || depth > 0 {
		return nil, errors.New("a value does not end: close its quote or bracket: " + list[start:])
	}
	return append(parts, list[start:]), nil
}

// valueMost bounds the characters of a value in a label.
const valueMost = 40

// labelOf returns the label of a lane, which none of lanes has: the last name of the field
// and the value, cut in its middle.
func labelOf(lanes []Lane, field, value string) string {
	if r := []rune(value); len(r) > valueMost {
		value = string(r[:valueMost/2]) + "…" + string(r[len(r)-valueMost/2+1:])
	}
	label := field[strings.LastIndexByte(field, '.')+1:] + "=" + value
	if pick.First(lanes, func(l *Lane) bool { return l.Label == label }) != nil {
		label += fmt.Sprintf(" (%d)", len(lanes)+1)
	}
	return label
}
