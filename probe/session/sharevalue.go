package session

import (
	"cmp"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/metrics/slo"
	"tokscope/probe/secret"
)

// hidden stands for a string that a page for others does not have.
const hidden = "▒▒▒▒"

// pageWords are the strings that a page may have beside shareWords: words of this program that
// a session file does not hold.
var pageWords = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"value_of_each": regexp.MustCompile(`^(request|point)$`),
		"currency":      regexp.MustCompile(`^[A-Z]{3}$`), "cost_currency": regexp.MustCompile(`^[A-Z]{3}$`),
		"state": regexp.MustCompile(`^(too_early|open|remote|undecided|decided|equal|missing|at_once|none)$`),
		"kind": regexp.MustCompile(`^(probe|lines|session|foreign|sweep|requests|baseline|history|run|point|race|watch|tap|` +
			`model|workload|endpoint|objectives|users|rate)$`),
		"tool": regexp.MustCompile(`^(vLLM|vllm-bench|inference-perf|AIPerf|GuideLLM|HAR|curl|MLPerf Endpoints|` +
			`Firefox|WebInspector|Playwright|mitmproxy)$`),
		"connection": regexp.MustCompile(`^reused$`), "proxy": regexp.MustCompile(`^none$`),
		"breaks": regexp.MustCompile(`^(` + strings.Join(slo.Names(), "|") + `)$`),
	}
})

// pageNames are the keys whose strings have a stand-in that tells them apart, as "model A" and
// "model B", with the word that it begins with.
var pageNames = map[string]string{"model": "model", "model_reported": "model", "endpoint": "endpoint",
	"machine": "machine", "workload": "workload", "label": "lane"}

// pageDrops are keys whose strings leave nothing behind: addresses and ids.
var pageDrops = []string{"url", "remote", "request_id", "response_id", "system_fingerprint", "head", "conditions"}

// ofConstants is a value of a named type, such as metrics.EndingCode.
var ofConstants = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z_]{0,30}$`) })

// ForPage returns a copy of v, any value of package metrics, as a page for others may show it:
// without what Share leaves out of a session file. Names of models, endpoints, machines,
// workloads and lanes become letters, other strings that are no word of this program one sign.
// With texts all strings stay, but for what looks like a key.
func ForPage(v any, texts bool) any {
	s := sharer{page: true, texts: texts, scrub: secret.NewScrubber()}
	return s.bare(v)
}

// bare returns a copy of v without what must not be shown. A field without a name in JSON counts
// by its own, in small letters.
func (s *sharer) bare(v any) any {
	if s.names == nil {
		s.names = map[string][]string{}
	}
	own := reflect.New(reflect.TypeOf(v)).Elem()
	own.Set(reflect.ValueOf(v))
	s.walk(own, "", own.Type())
	return own.Interface()
}

// walk replaces what to, which stands under key in a value of type in, must not show. It
// writes to no memory that the value shares with others.
func (s *sharer) walk(to reflect.Value, key string, in reflect.Type) {
	switch to.Kind() {
	case reflect.String:
		to.SetString(s.stringOf(to.String(), key, to.Type(), in))
	case reflect.Pointer:
		if !to.IsNil() {
			own := reflect.New(to.Type().Elem())
			own.Elem().Set(to.Elem())
			s.walk(own.Elem(), key, in)
			to.Set(own)
		}
	case reflect.Slice:
		if kind := to.Type().Elem().Kind(); kind == reflect.Uint8 {
			if in != reflect.TypeFor[metrics.Stream]() { // bareText has been there
				to.SetZero()
			}
		} else if kind > reflect.Complex128 && !to.IsNil() { // no numbers
			own := reflect.MakeSlice(to.Type(), to.Len(), to.Len())
			reflect.Copy(own, to)
			to.Set(own)
			s.each(to, key, in)
			s.prune(to)
		}
	case reflect.Array:
		s.each(to, key, in)
	case reflect.Map:
		own := reflect.MakeMap(to.Type())
		for it := to.MapRange(); it.Next(); {
			k, v := reflect.New(to.Type().Key()).Elem(), reflect.New(to.Type().Elem()).Elem()
			k.Set(it.Key())
			v.Set(it.Value())
			s.walk(k, "finish_reason", in)
			if own.MapIndex(k).IsValid() {
				k.SetString(s.standIn("reason", it.Key().String())) // two counts stay two
			}
			s.walk(v, key, in)
			own.SetMapIndex(k, v)
		}
		if !to.IsNil() {
			to.Set(own)
		}
	case reflect.Struct:
		s.fields(to)
	}
}

func (s *sharer) each(list reflect.Value, key string, in reflect.Type) {
	for i := range list.Len() {
		s.walk(list.Index(i), key, in)
	}
}

// prune leaves out doubts and notes about texts and headers: they have no word.
func (s *sharer) prune(list reflect.Value) {
	unknown := func(code string) bool { return !s.texts && word("code", code) == "" }
	switch l := list.Addr().Interface().(type) {
	case *[]metrics.Suspicion:
		*l = slices.DeleteFunc(*l, func(x metrics.Suspicion) bool { return unknown(string(x.Code)) })
	case *[]metrics.Note:
		*l = slices.DeleteFunc(*l, func(n metrics.Note) bool { return unknown(n.Code) })
		for i := range *l {
			if n := &(*l)[i]; n.Text == hidden {
				n.Text = strings.ReplaceAll(n.Code, "_", " ")
			}
		}
	}
}

// fields walks the fields of a struct.
func (s *sharer) fields(to reflect.Value) {
	switch v := to.Addr().Interface().(type) {
	case *metrics.Run:
		s.counts(&v.Stream, &v.Figures)
	case *metrics.Stream:
		if text := string(v.Text); !s.texts || s.scrub.String(text) != text {
			s.bareText(v)
		}
	case *metrics.Figures:
		s.unknown(v)
	}
	t := to.Type()
	for i := range t.NumField() {
		f, v := t.Field(i), to.Field(i)
		if !f.IsExported() {
			continue
		}
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		key = cmp.Or(key, strings.ToLower(f.Name))
		if !s.texts && !v.CanFloat() && s.drops(key) {
			v.SetZero()
			continue
		}
		s.walk(v, key, t)
	}
}

// drops reports whether what stands under key leaves nothing behind.
func (s *sharer) drops(key string) bool {
	return slices.Contains(shareDrops, key) && !(s.tap && key == "rate_limit") || s.page && slices.Contains(pageDrops, key)
}

// unknown removes what is measured in the texts.
func (s *sharer) unknown(f *metrics.Figures) {
	if s.texts || f.Chunks == 0 {
		return
	}
	f.Words, f.WordsFrom = 0, ""
	for _, v := range []*metrics.Value{&f.WPM, &f.TimesReading, &f.BelowReading, &f.ReaderWait, &f.FirstSentence,
		&f.SpeakerDry[0], &f.SpeakerDry[1]} {
		*v = metrics.Unknown(metrics.WhyTextRemoved)
	}
}

// stringOf returns what stands for a string of type t.
func (s *sharer) stringOf(text, key string, t, in reflect.Type) string {
	if key == "name" && (in == reflect.TypeFor[metrics.Endpoint]() || in == reflect.TypeFor[metrics.Workload]()) {
		key = strings.ToLower(in.Name())
	}
	plain := t.Name() == "string" || t == reflect.TypeFor[metrics.Raw]() || t == reflect.TypeFor[metrics.Front]()
	switch {
	case s.texts:
		return s.scrub.String(text)
	case text == "" || s.word(key, text) != "":
		return text
	case key == "tls":
		return "TLS"
	case !s.page && slices.Contains(shareLists, key):
		return s.list(text)
	case !s.page && slices.Contains(shareTexts, key):
		return s.text(text)
	case !s.page:
		return blank
	case !plain && shareWords()[key] == nil && ofConstants().MatchString(text):
		return text
	case in == reflect.TypeFor[slo.Objective]() && slices.Contains(slo.Names(), text):
		return text
	case pageNames[key] != "":
		return s.standIn(pageNames[key], text)
	}
	return hidden
}

// list returns JSON in which one text stands for each element of raw.
func (s *sharer) list(raw string) string {
	var list []json.RawMessage
	_ = json.Unmarshal([]byte(raw), &list) // none of what is no list
	out, _ := json.Marshal(pick.Each(list, func(x *json.RawMessage) string { return s.text(string(*x)) }))
	return string(out)
}

// standIn returns "model A" for the first name of its kind.
func (s *sharer) standIn(word, name string) string {
	i := slices.Index(s.names[word], name)
	if i < 0 {
		i = len(s.names[word])
		s.names[word] = append(s.names[word], name)
	}
	letters := string(rune('A' + i%26))
	if i >= 26 {
		letters = string(rune('A'+(i/26-1)%26)) + letters
	}
	return word + " " + letters
}

// counts removes from a request the counts that were judged by its texts; f are its figures.
func (s *sharer) counts(v *metrics.Stream, f *metrics.Figures) {
	if s.texts {
		return
	}
	if !s.tap { // there they are as the server counted them
		v.Usage = judged(v.Usage, f)
	}
	if !s.widths {
		v.BodyBytes, v.AudioBytes, v.ImageBytes = 0, 0, 0
	}
	v.Usage.Peak, v.Paced = 0, !f.AtOnce()
}

// bareText puts blanks in the place of the texts of a stream, and removes their sizes.
func (s *sharer) bareText(v *metrics.Stream) {
	chunks, text := slices.Clone(v.Chunks), []byte(nil)
	for i := range chunks {
		c := &chunks[i]
		text = append(text, s.text(string(v.ChunkText(i)))...)
		c.TextEnd, c.Bytes, c.Name = int32(len(text)), 0, 0
	}
	v.Chunks, v.Text, v.TextRemoved = chunks, text, true
}
