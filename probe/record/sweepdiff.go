package record

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// SweepMismatch reports that a file of finished steps belongs to another
// sweep.
type SweepMismatch struct {
	Path string
	Diff string // the first field that differs, with both values
}

// Error implements error.
func (m *SweepMismatch) Error() string {
	return fmt.Sprintf("%s is of another sweep: %s; give the same flags, or another file", m.Path, m.Diff)
}

// difference returns the first field, by name, in which two keys differ:
// "workload.max_tokens is 200 in the file, 100 now"; "" for equal keys.
func difference(was, is SweepKey) string {
	a, b := map[string]any{}, map[string]any{}
	flatten(a, "", tree(was))
	flatten(b, "", tree(is))
	var names []string
	for k := range a {
		names = append(names, k)
	}
	for k := range b {
		if _, both := a[k]; !both {
			names = append(names, k)
		}
	}
	slices.Sort(names)
	for _, k := range names {
		if !reflect.DeepEqual(a[k], b[k]) {
			return fmt.Sprintf("%s is %s in the file, %s now", k, short(a[k]), short(b[k]))
		}
	}
	return ""
}

// tree returns v as encoding/json represents it.
func tree(v any) any {
	data, err := appendJSON(nil, (*Sentences)(nil).inJSON(v))
	if err != nil {
		return err.Error()
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		return err.Error()
	}
	return out
}

// flatten stores the leaves of v in m under their dotted names.
func flatten(m map[string]any, name string, v any) {
	o, ok := v.(map[string]any)
	if !ok {
		m[name] = v
		return
	}
	for k, x := range o {
		flatten(m, strings.TrimPrefix(name+"."+k, "."), x)
	}
}

// short returns a value in few words.
func short(v any) string {
	if v == nil {
		return "not set"
	}
	data, err := json.Marshal(v)
	if err != nil {
		return "unwritable"
	}
	if r := []rune(string(data)); len(r) > 60 {
		return string(r[:59]) + "…"
	}
	return string(data)
}
