package config

import (
	"bytes"
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
	fault  error // the first unknown key
	parser unstable.Parser
}

// walkKeys returns the line of every table and key of text by its dotted name
// in lower case. The error is about an unknown key. It stops at an error of the syntax,
// which the decoder reports.
func walkKeys(path, text string) (map[string]int, error) {
	w := &keyWalk{path: path, text: []byte(text), line: 1, lines: map[string]int{}}
	w.parser.Reset(w.text)
	var table []string
	for w.parser.NextExpression() {
		e := w.parser.Expression()
		if e.Kind == unstable.KeyValue {
			w.keyValue(table, e)
		} else if e.Kind != unstable.Comment {
			table = w.key(nil, e)
		}
		if w.fault != nil {
			return nil, w.fault
		}
		if w.keys > configKeys {
			return nil, endpoint.Refuse(fmt.Sprintf("%s:%d: more than %d keys", path, w.line, configKeys),
				"give another file with --config")
		}
	}
	return w.lines, nil
}

// keyValue records a key in a table, and the keys in its value.
func (w *keyWalk) keyValue(table []string, e *unstable.Node) {
	w.inner(w.key(table, e), e.Value())
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

// key returns the whole key of e within table. It counts and records the key, and
// refuses an unknown one.
func (w *keyWalk) key(table []string, e *unstable.Node) (key []string) {
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
		w.refuse(fmt.Sprintf("a key of more than %d parts", configDepth), sampleHint)
		return key
	}
	if name := strings.ToLower(strings.Join(key, ".")); w.lines[name] == 0 {
		w.lines[name] = w.line
	}
	if v, n := valueAt(reflect.ValueOf(Config{}), key); n < len(key) && w.fault == nil {
		w.unknown(key[:n+1], v.Type())
	}
	return key
}

// refuse keeps the first fault, on the present line.
func (w *keyWalk) refuse(what, hint string) {
	if w.fault == nil {
		w.fault = endpoint.Refuse(fmt.Sprintf("%s:%d: %s", w.path, w.line, what), hint)
	}
}

// unknown reports a key that t does not have.
func (w *keyWalk) unknown(key []string, t reflect.Type) {
	last := strings.ToLower(key[len(key)-1])
	if last == "api_key" || last == "key" || last == "apikey" || last == "token" {
		w.refuse("a key does not belong in the configuration file ("+keyName(key)+")",
			"name where it is: api_key_env, api_key_cmd or api_key_file")
		return
	}
	known := tags(t)
	hint := "the known keys are " + strings.Join(known, ", ")
	if near := endpoint.Closest(last, known); near != "" {
		hint = "did you mean " + near + "?"
	} else if table := tableOf(last); table != "" && (len(key) < 2 || key[0] != table) {
		hint = "it belongs under [" + table + "]"
	}
	w.refuse("unknown key "+keyName(key), hint)
}

// valueAt returns the value of key in v, and the length of key. For an unknown key it
// returns the value that lacks a part, and the number of parts before it. What a map
// holds is taken as zero.
func valueAt(v reflect.Value, key []string) (at reflect.Value, known int) {
	for i, part := range key {
		switch v.Kind() {
		case reflect.Map:
			v = reflect.Zero(v.Type().Elem())
		case reflect.Struct:
			field := slices.IndexFunc(tags(v.Type()), func(tag string) bool { return strings.EqualFold(tag, part) })
			if field < 0 {
				return v, i
			}
			v = v.Field(field)
		default: // any value, or one that holds no keys: the decoder refuses them
			return v, len(key)
		}
	}
	return v, len(key)
}

// form returns the values of a key of type t, in words.
func form(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Map:
		if t.Elem().Kind() == reflect.String {
			return "a table of strings"
		}
	}
	return "a table"
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
func (c *Config) lineOf(key ...string) int {
	for n := len(key); n > 0; n-- {
		if l := c.Line(strings.Join(key[:n], ".")); l > 0 {
			return l
		}
	}
	return 0
}

// refuse returns a fault about key. Its message begins with the file and the line.
func (c *Config) refuse(what, next string, key ...string) error {
	return endpoint.Refuse(fmt.Sprintf("%s:%d: %s", c.path, c.lineOf(key...), what), next)
}
