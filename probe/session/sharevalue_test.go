package session

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// textsOf calls f with all strings and bytes that v holds, exported or not.
func textsOf(v reflect.Value, f func(string)) {
	switch v.Kind() {
	case reflect.String:
		f(v.String())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			textsOf(v.Elem(), f)
		}
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 && v.Kind() == reflect.Slice {
			f(string(v.Bytes()))
			return
		}
		for i := range v.Len() {
			textsOf(v.Index(i), f)
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			textsOf(it.Key(), f)
			textsOf(it.Value(), f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type() != reflect.TypeFor[metrics.Stamp]() && v.Type().PkgPath() != "time" {
				textsOf(v.Field(i), f)
			}
		}
	}
}

// planned are the strings that a page may have without a text.
var planned = regexp.MustCompile(`^((` + hidden + `|xxxx|    )*|` +
	`(model|endpoint|machine|workload|lane|reason) [A-Z]+|TLS)$`)

// Of all servers that are recorded, with planted words, a page has no string but words of this
// program and stand-ins; with texts it has them, and no key. The figures are those of the
// request, but for those that are measured in texts, and those of the shared file.
func TestPagesHoldNoText(t *testing.T) {
	r := testkit.Rand(t, 11)
	names, answers := fixtures(t)
	for i := range answers {
		planted := `{"choices":[{"index":0,"delta":{"content":"secret_text"}}],"model":"secret_model","secret_field":7}`
		answers[i].pieces = split(r, append([]byte("data: "+planted+"\n\n"), answers[i].pieces[0]...), 5)
		answers[i].head += "X-Served-By: secret-host-1\r\nX-Request-Id: secret-request\r\n"
	}
	path, _ := recorded(t, true, answers...)
	_, from, to := shared(t, path, false)
	words := map[string]bool{}
	for i := range from.Requests {
		v, bare := StreamOf(from.Requests[i]).Final(), StreamOf(to.Requests[i]).Final()
		v.Endpoint.Name, v.Endpoint.Note = "secret_name", "secret_note"
		run := metrics.Run{Stream: v, Figures: metrics.Measure(&v, metrics.Options{})}
		before := fmt.Sprintf("%#v", run)
		page := ForPage([]metrics.Run{run}, false).([]metrics.Run)[0]
		testkit.That(t, fmt.Sprintf("%#v", run) == before, "%s: the request itself was changed", names[i])
		textsOf(reflect.ValueOf(page), func(s string) {
			if !planned.MatchString(s) {
				words[s] = true
			}
			testkit.That(t, !strings.Contains(s, "secret"), "%s: %q is on the page", names[i], s)
		})
		for k := range page.Stream.Chunks {
			testkit.Is(t, page.Stream.Chunks[k].Bytes, int32(0), names[i], "the size of chunk", k)
		}
		x, y := figuresByName(t, &run.Figures), figuresByName(t, &page.Figures)
		f := metrics.Measure(&bare, metrics.Options{})
		z := figuresByName(t, &f)
		for name := range x {
			textual := slices.Contains(ofTexts, name)
			testkit.That(t, textual || reflect.DeepEqual(x[name], y[name]), "%s: %s was %v, is %v", names[i],
				name, x[name], y[name])
			if textual && name != "suspect" && page.Figures.Chunks > 0 {
				testkit.That(t, reflect.DeepEqual(y[name], z[name]), "%s: %s is %v, in the shared file %v", names[i], name, y[name],
					z[name])
			}
		}
		all := ForPage([]metrics.Run{run}, true).([]metrics.Run)[0]
		testkit.That(t, all.Stream.Model == v.Model && string(all.Stream.Text) == string(v.Text),
			"%s: with texts the page lacks some", names[i])
	}
	allowed := func(s string) bool { // by some key
		for key := range shareWords() {
			if word(key, s) != "" {
				return true
			}
		}
		return ofConstants().MatchString(s)
	}
	for s := range words {
		testkit.That(t, allowed(s) || allowed(strings.ReplaceAll(s, " ", "_")), "%q is on a page", s)
	}
}

// TestPagesHoldNoKey: what looks like a key is on no page, with texts neither.
func TestPagesHoldNoKey(t *testing.T) {
	key := "sk-proj-" + strings.Repeat("a1B2c3D4", 6)
	run := metrics.Run{Stream: metrics.NoStream(0)}
	run.Stream.Text, run.Stream.Chunks = []byte("it is "+key), []metrics.Chunk{{TextEnd: int32(6 + len(key))}}
	run.Stream.Work.Prompt, run.Stream.Fault = "say "+key, &metrics.Fault{Message: "refused " + key}
	for _, texts := range []bool{false, true} {
		textsOf(reflect.ValueOf(ForPage([]metrics.Run{run}, texts)), func(s string) {
			testkit.That(t, !strings.Contains(s, key[8:]), "texts %v: %q", texts, s)
		})
	}
}
