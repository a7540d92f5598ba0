package session

import (
	"cmp"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"tokscope/metrics"
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

// pager makes the copy of ForPage.
type pager struct {
	texts bool
	scrub *secret.Scrubber
	names map[string][]string // that had a stand-in, by its word
}

// ForPage returns a copy of v, any value of package metrics, as a page for others may show it:
// without what Share leaves out of a session file. Names of models, endpoints, machines,
// workloads and lanes become letters, other strings that are no word of this program one sign.
// With texts all strings stay, but for what looks like a key. Fields without a name in JSON
// count by their own, in small letters.
func ForPage(v any, texts bool) any {
	p := pager{texts: texts, scrub: secret.NewScrubber(), names: map[string][]string{}}
	own := reflect.New(reflect.TypeOf(v)).Elem()
	own.Set(reflect.ValueOf(v))
	p.walk(own, "", own.Type())
	return own.Interface()
}

// walk replaces what to, which stands under key in a value of type in, must not show. It
// writes to no memory that the value shares with others.
func (p *pager) walk(to reflect.Value, key string, in reflect.Type) {
	switch to.Kind() {
	case reflect.String:
		to.SetString(p.text(to.String(), key, to.Type(), in))
	case reflect.Pointer:
		if !to.IsNil() {
			own := reflect.New(to.Type().Elem())
			own.Elem().Set(to.Elem())
			p.walk(own.Elem(), key, in)
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
			p.each(to, key, in)
			p.prune(to)
		}
	case reflect.Array:
		p.each(to, key, in)
	case reflect.Map:
		own := reflect.MakeMap(to.Type())
		for it := to.MapRange(); it.Next(); {
			k, v := reflect.New(to.Type().Key()).Elem(), reflect.New(to.Type().Elem()).Elem()
			k.Set(it.Key())
			v.Set(it.Value())
			p.walk(k, "finish_reason", in)
			if own.MapIndex(k).IsValid() {
				k.SetString(p.standIn("reason", it.Key().String())) // two counts stay two
			}
			p.walk(v, key, in)
			own.SetMapIndex(k, v)
		}
		if !to.IsNil() {
			to.Set(own)
		}
	case reflect.Struct:
		p.fields(to)
	}
}

func (p *pager) each(list reflect.Value, key string, in reflect.Type) {
	for i := range list.Len() {
		p.walk(list.Index(i), key, in)
	}
}

// prune leaves out doubts and notes about texts and headers: they have no word.
func (p *pager) prune(list reflect.Value) {
	unknown := func(code string) bool { return !p.texts && word("code", code) == "" }
	switch l := list.Addr().Interface().(type) {
	case *[]metrics.Suspicion:
		*l = slices.DeleteFunc(*l, func(s metrics.Suspicion) bool { return unknown(string(s.Code)) })
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
func (p *pager) fields(to reflect.Value) {
	switch v := to.Addr().Interface().(type) {
	case *metrics.Run:
		if !p.texts {
			bareRun(v)
		}
	case *metrics.Stream:
		if text := string(v.Text); !p.texts || p.scrub.String(text) != text {
			bareText(v)
		}
	}
	t := to.Type()
	for i := range t.NumField() {
		f, v := t.Field(i), to.Field(i)
		if !f.IsExported() {
			continue
		}
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		key, _, _ = strings.Cut(cmp.Or(key, strings.ToLower(f.Name)), "|")
		switch {
		case p.texts:
		case !v.CanFloat() && (slices.Contains(shareDrops, key) || slices.Contains(pageDrops, key)):
			v.SetZero()
			continue
		case slices.Contains(shareFigures, key) && t == reflect.TypeFor[metrics.Figures]():
			p.unknown(v)
		case f.Type == reflect.TypeFor[metrics.Why]() && metrics.Why(v.Uint()).Code() == metrics.WhyForeign:
			v.SetUint(uint64(metrics.WhyForeign))
		}
		p.walk(v, key, t)
	}
}

// unknown removes figures that are measured in the texts.
func (p *pager) unknown(v reflect.Value) {
	switch f := v.Addr().Interface().(type) {
	case *metrics.Value:
		*f = metrics.Unknown(metrics.WhyTextRemoved)
	case *[2]metrics.Value:
		f[0], f[1] = metrics.Unknown(metrics.WhyTextRemoved), metrics.Unknown(metrics.WhyTextRemoved)
	}
}

// text returns what stands for a string of type t.
func (p *pager) text(text, key string, t, in reflect.Type) string {
	if key == "name" && (in == reflect.TypeFor[metrics.Endpoint]() || in == reflect.TypeFor[metrics.Workload]()) {
		key = strings.ToLower(in.Name())
	}
	plain := t.Name() == "string" || t == reflect.TypeFor[metrics.Raw]() || t == reflect.TypeFor[metrics.Front]()
	switch extra := pageWords()[key]; {
	case p.texts:
		return p.scrub.String(text)
	case text == "" || word(key, text) != "" || extra != nil && extra.MatchString(text):
	case !plain && shareWords()[key] == nil && ofConstants().MatchString(text):
	case in == reflect.TypeFor[slo.Objective]() && slices.Contains(slo.Names(), text):
	case key == "tls":
		return "TLS"
	case pageNames[key] != "":
		return p.standIn(pageNames[key], text)
	default:
		return hidden
	}
	return text
}

// standIn returns "model A" for the first name of its kind.
func (p *pager) standIn(word, name string) string {
	i := slices.Index(p.names[word], name)
	if i < 0 {
		i = len(p.names[word])
		p.names[word] = append(p.names[word], name)
	}
	letters := string(rune('A' + i%26))
	if i >= 26 {
		letters = string(rune('A'+(i/26-1)%26)) + letters
	}
	return word + " " + letters
}

// bareRun removes from a run the counts that were judged by its texts.
func bareRun(run *metrics.Run) {
	v, f := &run.Stream, &run.Figures
	u := judged(v.Usage, f)
	if !counted(f) {
		u.Completion, u.Reasoning, u.Total = -1, -1, -1
	}
	if !f.PromptTokens.OK {
		u.Prompt, u.Cached = -1, -1
	}
	u.Peak = 0
	v.Usage, v.BodyBytes, v.AudioBytes, v.ImageBytes, v.Paced = u, 0, 0, 0, !f.AtOnce()
	if f.Chunks > 0 {
		f.Words, f.WordsFrom = 0, ""
	}
}

// bareText puts blanks in the place of the texts of a stream, and removes their sizes.
func bareText(v *metrics.Stream) {
	chunks, text, s := slices.Clone(v.Chunks), []byte(nil), sharer{}
	for i := range chunks {
		c := &chunks[i]
		text = append(text, s.text(string(v.ChunkText(i)))...)
		c.TextEnd, c.Bytes, c.Name = int32(len(text)), 0, 0
	}
	v.Chunks, v.Text, v.TextRemoved = chunks, text, true
}
