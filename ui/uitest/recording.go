package uitest

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"tokscope/metrics/serving"
)

// Recording holds the history of the simulated engine up to one moment, in
// virtual time. docs/scenes records it; the tests of the interface show it.
type Recording struct {
	// View is the moment without its steps. Its Watched has User, Request,
	// TrueTTFT and Steps.
	View  serving.View
	Steps []serving.EngineStep
	Doing *serving.EngineStep // the running step, nil between steps
}

// recorded is the file format of a Recording.
type recorded struct {
	Like    string          `json:",omitempty"` // takes steps and watched request from this recording
	View    json.RawMessage // zero fields are left out, numbers have six digits
	Watched runs            `json:",omitempty"` // numbers of the steps that yielded its chunks
	Steps   *packedSteps    `json:",omitempty"`
	Doing   *packedSteps    `json:",omitempty"`
}

//go:embed testdata/explain/*.json
var recordings embed.FS

var (
	loadedMu sync.Mutex
	loaded   = map[string]*Recording{}
)

// recording reads a recording of testdata/explain. Its slices are shared and
// read-only. It panics if the file is missing or damaged, since that is an
// error of the tests.
func recording(name string) *Recording {
	loadedMu.Lock()
	defer loadedMu.Unlock()
	return load(name)
}

// load is recording with loadedMu held.
func load(name string) *Recording {
	if r := loaded[name]; r != nil {
		return r
	}
	data, err := recordings.ReadFile("testdata/explain/" + name + ".json")
	if err != nil {
		panic(fmt.Sprintf("explain scene %s: %v", name, err))
	}
	var f recorded
	r := &Recording{}
	if err = json.Unmarshal(data, &f); err == nil {
		err = json.Unmarshal(f.View, &r.View)
	}
	if err != nil {
		panic(fmt.Sprintf("explain scene %s: %v", name, err))
	}
	if f.Like != "" {
		like := load(f.Like)
		r.Steps, r.Doing = like.Steps, like.Doing
		r.View.Watched = like.View.Watched
	} else {
		r.Steps = f.Steps.unpack()
		if d := f.Doing.unpack(); len(d) > 0 {
			r.Doing = &d[0]
		}
		for _, n := range f.Watched.rows(0) {
			r.View.Watched.Steps = append(r.View.Watched.Steps, uint64(n))
		}
	}
	loaded[name] = r
	return r
}

// Encode returns the file of r. like names a recording with the same steps
// and watched request as r; "" writes r's own.
func (r *Recording) Encode(like string) []byte {
	f := recorded{Like: like}
	v := r.View
	if like != "" {
		v.Watched = serving.Watched{}
	} else {
		var numbers []int64
		for _, n := range v.Watched.Steps {
			numbers = append(numbers, int64(n))
		}
		f.Watched, v.Watched.Steps = runsOf(numbers), nil
		f.Steps = packSteps(r.Steps)
		if r.Doing != nil {
			f.Doing = packSteps([]serving.EngineStep{*r.Doing})
		}
	}
	var b bytes.Buffer
	b.WriteByte('{')
	field := func(name string, x any) {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "\n%q: %s", name, compact(x))
	}
	if f.Like != "" {
		field("Like", f.Like)
	}
	field("View", v)
	if f.Watched != nil {
		field("Watched", f.Watched)
	}
	if f.Steps != nil {
		field("Steps", f.Steps)
	}
	if f.Doing != nil {
		field("Doing", f.Doing)
	}
	b.WriteString("\n}\n")
	return b.Bytes()
}

// compact is v as JSON without zero values. Each field of the first two
// levels of structs has its own line, so that a diff is readable.
func compact(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		panic(err)
	}
	var b bytes.Buffer
	write(&b, prune(tree), 2)
	return b.Bytes()
}

// prune removes values that a decoder would set to zero, except in lists, and
// rounds numbers.
func prune(v any) any {
	switch x := v.(type) {
	case map[string]any:
		for key, e := range x {
			if e = prune(e); zero(e) {
				delete(x, key)
			} else {
				x[key] = e
			}
		}
	case []any:
		for i := range x {
			x[i] = prune(x[i])
		}
	case json.Number:
		if _, err := x.Int64(); err != nil {
			f, _ := x.Float64()
			f, _ = strconv.ParseFloat(strconv.FormatFloat(f, 'g', 6, 64), 64)
			return f
		}
	}
	return v
}

func zero(v any) bool {
	switch x := v.(type) {
	case nil:
		return true
	case bool:
		return !x
	case string:
		return x == ""
	case float64:
		return x == 0
	case json.Number:
		return x == "0"
	case []any:
		return len(x) == 0
	case map[string]any:
		return len(x) == 0
	}
	return false
}

// write writes v to b. The fields of structs have their own lines for that
// many levels.
func write(b *bytes.Buffer, v any, levels int) {
	switch x := v.(type) {
	case map[string]any:
		b.WriteByte('{')
		keys := make([]string, 0, len(x))
		for key := range x {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for i, key := range keys {
			if i > 0 {
				b.WriteByte(',')
			}
			if levels > 0 {
				b.WriteByte('\n')
			}
			fmt.Fprintf(b, "%q:", key)
			write(b, x[key], levels-1)
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, e := range x {
			if i > 0 {
				b.WriteByte(',')
			}
			if _, ok := e.(map[string]any); ok && levels > -1 {
				b.WriteByte('\n')
			}
			write(b, e, 0)
		}
		b.WriteByte(']')
	default:
		data, err := json.Marshal(x)
		if err != nil {
			panic(err)
		}
		b.Write(data)
	}
}
