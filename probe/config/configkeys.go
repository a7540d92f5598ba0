package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"tokscope/probe/endpoint"
)

// Bounds of a configuration. The decoder compares every key of a table with
// the previous ones, and copies the path of a table for its keys. Without
// bounds a file of 1 MiB takes minutes.
const (
	configKeys  = 2048 // keys and tables in the file
	configDepth = 32   // parts of a key, including those of its table
)

// keyWalk visits the keys of a TOML text in file order. It records their
// lines and stops at the first key that Config does not have.
type keyWalk struct {
	path   string // of the file, for messages
	text   []byte
	at     int // offset up to which line is counted
	line   int
	keys   int
	lines  map[string]int
	fault  error // the first key that is unknown or has the wrong type
	parser unstable.Parser
}

// walkKeys returns the line of every table and key of text by its dotted name
// in lower case. The error is about the syntax, an unknown key or a value of
// the wrong type.
func walkKeys(path, text string) (map[string]int, error) {
	w := &keyWalk{path: path, text: []byte(text), line: 1, lines: map[string]int{}}
	w.parser.Reset(w.text)
	var table []string
	for w.parser.NextExpression() {
		e := w.parser.Expression()
		if e.Kind == unstable.KeyValue {
			w.keyValue(table, e)
		} else if e.Kind != unstable.Comment {
			table = w.table(e)
		}
		if w.fault != nil {
			return nil, w.fault
		}
		if w.keys > configKeys {
			return nil, endpoint.Refuse(fmt.Sprintf("%s:%d: more than %d keys", path, w.line, configKeys),
				"give another file with --config")
		}
	}
	if err := w.parser.Error(); err != nil {
		return nil, w.syntax(table, err)
	}
	return w.lines, nil
}

// syntax returns an error of the parser with its line, and the key on it.
// table is the table that contains the line.
func (w *keyWalk) syntax(table []string, err error) error {
	var pe *unstable.ParserError
	if !errors.As(err, &pe) {
		return endpoint.Refuse(w.path+": "+err.Error(), sampleHint)
	}
	at := w.parser.Range(pe.Highlight)
	start := bytes.LastIndexByte(w.text[:at.Offset], '\n') + 1
	// The scrubber takes "basic" for the prefix of a secret, so drop the word.
	what := strings.ReplaceAll(pe.Message, "basic string", "string")
	if name, _, ok := bytes.Cut(w.text[start:], []byte{'='}); ok {
		if key := strings.TrimSpace(string(name)); bareKey.MatchString(key) {
			what = keyName(append(table[:len(table):len(table)], key)) + ": " + what
		}
	}
	return endpoint.Refuse(fmt.Sprintf("%s:%d: %s", w.path, w.parser.Shape(at).Start.Line, what), sampleHint)
}

// table records the key of a table and returns it.
func (w *keyWalk) table(e *unstable.Node) []string {
	key, line := w.key(nil, e)
	if t, ok := w.known(key, line); ok && (e.Kind == unstable.ArrayTable || !isTable(t)) && t.Kind() != reflect.Interface {
		w.refuseType(key, line, t, e.Kind)
	}
	return key
}

// keyValue records a key in a table, and the keys in its value.
func (w *keyWalk) keyValue(table []string, e *unstable.Node) {
	key, line := w.key(table, e)
	t, ok := w.known(key, line)
	if !ok {
		return
	}
	v := e.Value()
	if !takes(t, v) {
		w.refuseType(key, line, t, v.Kind)
		return
	}
	if t == reflect.TypeFor[endpoint.Command]() && emptyCommand(v) {
		w.refuse(line, keyName(key)+": api_key_cmd is empty", sampleHint)
		return
	}
	w.inner(key, v)
}

// inner records the keys of the inline tables in a value.
func (w *keyWalk) inner(key []string, v *unstable.Node) {
	if w.fault != nil || v.Kind != unstable.InlineTable && v.Kind != unstable.Array {
		return
	}
	for it := v.Children(); it.Next(); {
		if n := it.Node(); n.Kind == unstable.KeyValue {
			w.keyValue(key, n)
		} else if v.Kind == unstable.Array {
			w.inner(key, n)
		}
	}
}

// key returns the whole key of e within table, and its line. It counts and
// records the key.
func (w *keyWalk) key(table []string, e *unstable.Node) (key []string, line int) {
	key = append(key, table...)
	first := true
	for it := e.Key(); it.Next(); first = false {
		n := it.Node()
		if offset := int(n.Raw.Offset); first && offset >= w.at {
			w.line += bytes.Count(w.text[w.at:offset], []byte{'\n'})
			w.at = offset
		}
		if len(key) <= configDepth {
			key = append(key, string(n.Data))
		}
	}
	w.keys++
	if len(key) > configDepth {
		w.refuse(w.line, fmt.Sprintf("a key of more than %d parts", configDepth), sampleHint)
		return key, w.line
	}
	if name := strings.ToLower(strings.Join(key, ".")); w.lines[name] == 0 {
		w.lines[name] = w.line
	}
	return key, w.line
}

// refuse keeps the first fault.
func (w *keyWalk) refuse(line int, what, hint string) {
	if w.fault == nil {
		w.fault = endpoint.Refuse(fmt.Sprintf("%s:%d: %s", w.path, line, what), hint)
	}
}

// refuseType reports the type that a key requires.
func (w *keyWalk) refuseType(key []string, line int, t reflect.Type, is unstable.Kind) {
	wants, _ := form(t)
	this := cmp.Or(kindWords[is], "a date or a time")
	w.refuse(line, fmt.Sprintf("%s must be %s, this is %s", keyName(key), wants, this), sampleHint)
}

// known returns the type of key's value. For an unknown key it returns false
// and reports a fault that suggests the closest key.
func (w *keyWalk) known(key []string, line int) (reflect.Type, bool) {
	if w.fault != nil {
		return nil, false
	}
	t := reflect.TypeFor[Config]()
	for i, part := range key {
		next := within(t, part)
		if next == nil {
			w.unknown(key[:i+1], t, line)
			return nil, false
		}
		t = next
	}
	return t, true
}

// unknown reports a key that t does not have.
func (w *keyWalk) unknown(key []string, t reflect.Type, line int) {
	last := strings.ToLower(key[len(key)-1])
	if last == "api_key" || last == "key" || last == "apikey" || last == "token" {
		w.refuse(line, "a key does not belong in the configuration file ("+keyName(key)+")",
			"name where it is: api_key_env, api_key_cmd or api_key_file")
		return
	}
	known := tags(t)
	hint := "the known keys are " + strings.Join(known, ", ")
	if near := endpoint.Closest(last, known); near != "" {
		hint = "did you mean " + near + "?"
	} else if table := tableOf(last); table != "" && (len(key) < 2 || key[0] != table) {
		hint = "it belongs under [" + table + "]"
	} else if len(known) == 0 {
		hint = "leave it out"
	}
	w.refuse(line, "unknown key "+keyName(key), hint)
}

// within returns the type of the value under a name in t, nil for an unknown
// name.
func within(t reflect.Type, name string) reflect.Type {
	switch t.Kind() {
	case reflect.Interface:
		return t
	case reflect.Map:
		return t.Elem()
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); strings.EqualFold(f.Tag.Get("toml"), name) {
				return f.Type
			}
		}
	}
	return nil
}

// isTable reports whether a value of type t is a table in the file.
func isTable(t reflect.Type) bool {
	return t.Kind() == reflect.Map || t.Kind() == reflect.Struct && t != reflect.TypeFor[endpoint.Command]()
}

// form returns the values of a key of type t, in words, and their kinds in the
// file. An interface takes any.
func form(t reflect.Type) (word string, kinds []unstable.Kind) {
	switch {
	case t == reflect.TypeFor[endpoint.Command]():
		return "a string or a list of strings", []unstable.Kind{unstable.String, unstable.Array}
	case t == reflect.TypeFor[recordSetting]():
		return "true, false or raw", []unstable.Kind{unstable.Bool, unstable.String}
	case isTable(t):
		return "a table", []unstable.Kind{unstable.InlineTable}
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false", []unstable.Kind{unstable.Bool}
	case reflect.String:
		return "a string", []unstable.Kind{unstable.String}
	case reflect.Int:
		return "a whole number", []unstable.Kind{unstable.Integer}
	case reflect.Float64:
		return "a number", []unstable.Kind{unstable.Float, unstable.Integer}
	}
	return "", nil
}

// takes reports whether a value of the file is assignable to t.
func takes(t reflect.Type, v *unstable.Node) bool {
	if t.Kind() == reflect.Interface {
		return true
	}
	if _, kinds := form(t); !slices.Contains(kinds, v.Kind) {
		return false
	}
	if v.Kind == unstable.Array { // of a command
		for it := v.Children(); it.Next(); {
			if k := it.Node().Kind; k != unstable.String && k != unstable.Comment {
				return false
			}
		}
	}
	return true
}

// emptyCommand reports whether a string or a list of strings contains no
// program.
func emptyCommand(v *unstable.Node) bool {
	if v.Kind == unstable.Array {
		it := v.Children()
		for it.Next() {
			if v = it.Node(); v.Kind == unstable.String {
				break
			}
		}
	}
	return v.Kind != unstable.String || len(bytes.TrimSpace(v.Data)) == 0
}

// kindWords are the kinds of values in a file, for people. All others are dates and
// times.
var kindWords = map[unstable.Kind]string{
	unstable.Array: "a list", unstable.ArrayTable: "a list of tables",
	unstable.Table: "a table", unstable.InlineTable: "a table", unstable.String: "a string",
	unstable.Bool: "true or false", unstable.Integer: "a whole number", unstable.Float: "a number",
}

var bareKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// keyName formats a key as in the file. Control characters are escaped.
func keyName(key []string) string {
	parts := make([]string, len(key))
	for i, p := range key {
		if parts[i] = p; !bareKey.MatchString(p) {
			parts[i] = strconv.Quote(p)
		}
	}
	return strings.Join(parts, ".")
}

// lineOf returns the line of key or of the nearest enclosing table or key, 0
// without one.
func lineOf(found map[string]int, key []string) int {
	for n := len(key); n > 0; n-- {
		if l := found[strings.ToLower(strings.Join(key[:n], "."))]; l > 0 {
			return l
		}
	}
	return 0
}
