package result_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/condition"
	"tokscope/metrics/history"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/racestat"
	"tokscope/metrics/slo"
	"tokscope/metrics/stats"
	"tokscope/metrics/testkit"
	"tokscope/metrics/turn"
	"tokscope/metrics/watchstat"
	"tokscope/probe/path"
	"tokscope/probe/result"
	"tokscope/probe/session"
)

var update = flag.Bool("update", false, "rewrite the files that the tests compare with")

const schemaDir = "../../docs/schema"

// documents are the formats whose every value is of a type, by the name of their
// schema: what they are, and the types of a document, or of its lines.
var documents = map[string]struct {
	title string
	types []any
}{
	"compare-v1":       {"Result of tokscope compare --json", []any{result.Comparison{}}},
	"definitions-v1":   {"Result of tokscope definitions --json", []any{result.Definitions{}}},
	"depth-v1":         {"Result of tokscope sweep --depth --json", []any{result.Depth{}}},
	"doctor-v1":        {"Result of tokscope doctor --json", []any{result.CheckUp{}}},
	"history-lines-v1": {"One line of the file of the history", []any{result.HistoryHead{}, result.HistoryLine{}}},
	"history-v1":       {"Result of tokscope history --json", []any{result.HistoryDocument{}}},
	"models-v1":        {"Result of tokscope models --json", []any{result.Models{}}},
	"probe-v1":         {"Result of tokscope probe --json", []any{result.Document{}}},
	"race-lines-v1": {"One line of tokscope race --ndjson", []any{result.RaceBeginLine{}, result.RacePairLine{},
		result.RaceBlockLine{}, result.RaceEndLine{}}},
	"race-v1":   {"Result of tokscope race --json", []any{result.Race{}}},
	"replay-v1": {"Result of tokscope replay --json", []any{session.Replay{}}},
	"sweep-requests-v1": {"One line of a file of tokscope sweep --request-lines", []any{session.RequestsHead{},
		session.RequestLine{}, session.RequestsEnd{}}},
	"sweep-steps-v1": {"One line of a file of tokscope sweep --resume",
		[]any{session.SweepHead{}, session.SweepLine{}}},
	"sweep-v1": {"Result of tokscope sweep --json", []any{result.Sweep{}}},
	"tap-v1": {"Result of tokscope tap --json, and one line of --ndjson",
		[]any{result.Tap{}, result.TapTurn{}}},
	"watch-v1": {"One line of tokscope watch --ndjson; the document of --json is the last",
		[]any{result.WatchBegin{}, result.WatchProbe{}, result.WatchPause{}, result.WatchEnd{}}},
}

// The published JSON Schemas are made from the Go types and their comments, so
// that they cannot drift: go test ./probe/result -run TestSchemas -update
func TestSchemas(t *testing.T) {
	for name, schema := range lineSchemas(t) {
		published(t, name, schema)
	}
	for name, d := range documents {
		published(t, name, schemaOfTypes(t, name, d.title, d.types))
	}
}

// schemaOfTypes returns the schema of a document, or of lines.
func schemaOfTypes(t testing.TB, name, title string, types []any) object {
	g := generator{t, object{}}
	schema := schemaHead(name, title)
	var refs []any
	for _, v := range types {
		refs = append(refs, g.of(reflect.TypeOf(v)))
	}
	if len(refs) == 1 {
		schema["$ref"] = refs[0].(object)["$ref"]
	} else {
		schema["oneOf"] = refs
	}
	schema["$defs"] = g.defs
	return schema
}

func schemaHead(name, title string) object {
	return object{"$schema": "https://json-schema.org/draft/2020-12/schema",
		"$id": "urn:tokscope:" + strings.TrimSuffix(name, "-v1") + ":v1", "title": title}
}

// published compares the schema with its file, or writes it with -update.
func published(t *testing.T, name string, schema object) {
	t.Helper()
	path := filepath.Join(schemaDir, name+".schema.json")
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	testkit.OK(t, enc.Encode(schema))
	if *update {
		testkit.OK(t, os.WriteFile(path, want.Bytes(), 0o644))
		return
	}
	have := testkit.Must(os.ReadFile(path))(t)
	testkit.That(t, bytes.Equal(have, want.Bytes()),
		"%s is not what the types say: run go test ./probe/result -run Schemas -update", path)
}

type object = map[string]any

// lineSchemas returns the schemas of the formats whose lines are made field by field.
func lineSchemas(t *testing.T) map[string]object {
	t.Helper()
	g := generator{t, object{}}
	ref := func(v any) any { return g.of(reflect.TypeOf(v)) }
	num := func(doc string) object { return object{"type": "number", "description": doc} }
	integer := func(doc string) object { return object{"type": "integer", "description": doc} }
	str := func(doc string) object { return object{"type": "string", "description": doc} }
	line := func(kind, doc string, props object, optional ...string) object {
		props["type"] = object{"const": kind}
		var req []string
		for k := range props {
			if !slices.Contains(optional, k) {
				req = append(req, k)
			}
		}
		return object{"type": "object", "description": doc, "properties": props,
			"required": slices.Sorted(slices.Values(req)), "additionalProperties": false}
	}
	nullable := func(o object) object {
		o["type"] = []string{o["type"].(string), "null"}
		return o
	}
	id := integer("number of the request within the run of the program, from 1")
	loadID := integer("number of the load within the run of the program, from 1")
	at := nullable(integer("when, ns since the origin"))
	stampOf := object{"enum": []string{"kernel", "user"}, "description": "who took the stamp"}
	gap := func(doc string) object {
		return line("left_out", doc, object{"id": id, "events": integer("events and comments, with their chunks"),
			"reads": integer("reads of the body"), "body_bytes": integer("bytes of the body")})
	}

	live := schemaHead("ndjson-v1", "One line of tokscope probe --ndjson")
	live["oneOf"] = []any{
		line("request", "a request is about to be sent", object{
			"schema": object{"const": session.LiveSchema}, "id": id, "t_ms": object{"type": "null"},
			"started":  str("wall clock, RFC 3339"),
			"endpoint": ref(metrics.Endpoint{}), "workload": ref(metrics.Workload{}),
		}),
		line("event", "a server-sent event or comment arrived", object{
			"id": id, "t_ms": nullable(num("arrival of its last byte since the request was sent, ms")),
			"event": integer("number of the event within the response, from 0"),
			"read":  integer("number of the read that delivered it, from 0"), "bytes": integer("size on the wire"),
			"stamp":     stampOf,
			"user_t_ms": nullable(num("the same moment by our own clock, ms")), "comment": object{"type": "boolean"},
		}),
		line("chunk", "a delta with text, reasoning, a tool call or a refusal", object{
			"id": id, "t_ms": nullable(num("arrival of its event's last byte since the request was sent, ms")),
			"chunk": integer("number of the chunk within the response, from 0"),
			"event": integer("the event it came in, from 0"),
			"read":  integer("from 0; chunks of one read came as a burst: the gaps between them are unknown"), "stamp": stampOf,
			"kind":     object{"enum": []string{"content", "reasoning", "tool_call", "refusal"}},
			"choice":   integer("index of the choice"),
			"tokens":   nullable(integer("tokens it stands for, where the server said so")),
			"text":     str("its text, raw: of a tool call the function's name, if it has one, then arguments"),
			"function": str("the function's name with which the text of a tool call begins"),
		}, "function"),
		gap("what stdout was read too slowly for stood here"),
		line("done", "the request ended well",
			object{"id": id, "t_ms": nullable(num("end of the response since the request was sent, ms")),
				"request": ref(result.Request{})}),
		line("error", "the request ended in any other way",
			object{"id": id, "t_ms": nullable(num("its end since the request was sent, ms; null when it was never sent")),
				"request": ref(result.Request{})}),
	}

	file := schemaHead("session-v1", "One line of a tokscope session file")
	recorded := func(kind, doc string) object {
		o := line(kind, doc, object{
			"id": id, "at_ns": integer("arrival of its last byte, ns since the origin"),
			"user_ns": integer("the same by our own clock"),
			"read":    integer("number of the read"), "bytes": integer("size on the wire"), "stamp": stampOf,
			"name": str("the event: field"), "field": str("\"error\" for llama.cpp's old error field"),
			"data": str("the data, or the comment's text"),
		}, "name", "field", "chunks")
		if kind == "event" {
			o["properties"].(object)["chunks"] = object{"type": "array", "items": ref(session.JoinedChunk{}),
				"description": "what became of it, where texts of several events were joined to find a key"}
		}
		return o
	}
	file["oneOf"] = []any{
		line("session", "the head: the first line", object{
			"schema": object{"const": session.SessionSchema}, "version": str("of tokscope"),
			"started": str("wall clock, RFC 3339"), "system": str("os/arch"),
			"texts": object{"enum": []string{session.TextsFixed, session.TextsWidths},
				"description": "what stands for the texts of a file to be shared; absent where they are as they came"},
			"bodies_recorded": object{"type": "boolean", "description": "--record=raw: body lines follow"},
			"tap":             ref(turn.Tapped{}),
		}, "texts", "tap"),
		line("request", "a request is about to be sent", object{
			"id": id, "load": loadID, "start_ns": integer("when it was asked for, ns since the origin"),
			"wall":            str("the same by the wall clock, RFC 3339"),
			"events_recorded": object{"type": "boolean", "description": "false: only sent, head and end follow"},
			"endpoint":        ref(metrics.Endpoint{}), "workload": ref(metrics.Workload{}),
		}, "load"),
		line("sent", "the request's last byte was handed to the kernel; another one begins another attempt",
			object{"id": id, "at_ns": integer("when, ns since the origin")}),
		line("head", "the head of the response", object{
			"id": id, "at_ns": nullable(integer("its last byte, ns since the origin")), "status": integer("of HTTP"),
			"protocol": str("such as HTTP/1.1"),
			"headers": object{"type": "object", "additionalProperties": object{"type": "array",
				"items": object{"type": "string"}}, "description": "without cookies, credentials and keys"},
			"headers_left_out": object{"type": "array", "items": object{"type": "string"},
				"description": "names of headers that are not recorded"},
		}, "headers_left_out"),
		recorded("event", "a server-sent event"),
		recorded("comment", "an SSE comment"),
		line("read", "a read brought a part of the body; lines of one number are one arrival", object{
			"id": id, "at_ns": integer("its last byte, ns since the origin"), "user_ns": integer("the same by our own clock"),
			"read":  integer("its number within the response, from 0"),
			"bytes": integer("of the body, without the framing of chunks"), "stamp": stampOf,
		}),
		line("body", "with --record=raw: the next bytes of the body",
			object{"id": id, "data": object{"type": "string", "contentEncoding": "base64",
				"description": "keys are overwritten with asterisks"}}),
		line("path", "what became known of the network beneath the request", object{
			"id": id, "at_ns": integer("when, ns since the origin"), "what": object{"enum": texts(path.Kinds),
				"description": "begin, upload and end have counts"},
			"counts": ref(result.Path{}), "gap": ref(result.PathGap{}), "connect": ref(result.PathConnect{}),
		}, "counts", "gap", "connect"),
		gap("what the disk was too slow for stood here"),
		line("left_out", "lines that the disk was too slow for, of other types", object{"lines": integer("their number")}),
		line("limit", "the last line: the file has reached its limit", object{
			"bytes":                   integer("the limit"),
			"requests_without_events": integer("requests that lack events and reads, or a part of them"),
			"requests_left_out":       integer("requests that are not in the file"),
		}),
		line("end", "the request ended", object{"id": id, "request": ref(result.Request{})}),
		line("turn", "of a tap: what a turn asks, once, and what has passed of it, again when that has changed", object{
			"id": id, "asks": ref(session.TurnAsks{}), "passed": ref(turn.Passed{}),
		}, "asks", "passed"),
		line("other", "of a tap: a request that is no turn passed", object{"kind": str("what it asked for")}),
		line("tap_end", "the tap has ended", object{"at_ns": at}),
		line("load", "a load begins: its first requests name it", object{"load": loadID, "at_ns": at,
			"head": ref(session.LoadHead{})}),
		line("load_point", "the figures of one window at a constant load", object{"load": loadID, "at_ns": at,
			"point": ref(result.SweepPoint{})}),
		line("load_slo", "other objectives were set", object{"load": loadID, "at_ns": at, "slo": object{"type": "array",
			"items": str("one objective, as --slo takes it")}}),
		line("load_mark", "a person changed what the load sends, or its objectives, while it ran",
			object{"load": loadID, "at_ns": at, "mark": ref(result.LoadMark{})}),
		line("load_end", "the load ended", object{"load": loadID, "at_ns": at, "end": ref(session.LoadEnd{})}),
	}
	out := map[string]object{"ndjson-v1": live, "session-v1": file}
	for _, s := range out {
		s["$defs"] = g.defs
	}
	return out
}

// shapes are the types that stand for others in JSON.
var shapes = map[reflect.Type]reflect.Type{
	reflect.TypeFor[metrics.Delay]():          reflect.TypeFor[result.Delay](),
	reflect.TypeFor[metrics.Suspicion]():      reflect.TypeFor[metrics.Note](),
	reflect.TypeFor[metrics.Ending]():         reflect.TypeFor[string](),
	reflect.TypeFor[metrics.AtLeast]():        reflect.TypeFor[result.AtLeast](),
	reflect.TypeFor[slo.Objective]():          reflect.TypeFor[string](),
	reflect.TypeFor[loadstat.RowFigures]():    reflect.TypeFor[[]metrics.Value](),
	reflect.TypeFor[condition.Condition]():    reflect.TypeFor[string](),
	reflect.TypeFor[metrics.LimitForecasts](): reflect.TypeFor[result.RateLimits](),
	reflect.TypeFor[loadstat.Interval]():      reflect.TypeFor[metrics.Bound](),

	reflect.TypeFor[[history.NumFigures]history.Quantiles](): reflect.TypeFor[map[string]history.Quantiles](),
	reflect.TypeFor[[]metrics.FaultCount]():                  reflect.TypeFor[map[string]int](),
	reflect.TypeFor[[watchstat.Figures]watchstat.Row]():      reflect.TypeFor[[]watchstat.Row](),
}

// generator turns types into JSON Schema, as the codec writes them.
type generator struct {
	t    testing.TB
	defs object
}

// of returns the schema of typ, a reference for a struct.
func (g *generator) of(typ reflect.Type) any {
	if shape := shapes[typ]; shape != nil {
		typ = shape
	}
	kind := typ.Kind()
	switch {
	case typ == reflect.TypeFor[metrics.Value]() || typ == reflect.TypeFor[time.Duration]():
		return object{"type": "number"}
	case typ == reflect.TypeFor[metrics.Raw]():
		return object{"type": "array"}
	case typ == reflect.TypeFor[time.Time]() || kind == reflect.String || result.TypeInJSON(typ).Kind() == reflect.String:
		return object{"type": "string"}
	case typ == reflect.TypeFor[json.RawMessage]():
		return object{"description": "the server's own JSON"}
	case kind == reflect.Pointer:
		return g.of(typ.Elem())
	case kind == reflect.Struct:
		name := strings.ToUpper(typ.Name()[:1]) + typ.Name()[1:]
		if _, ok := g.defs[name]; !ok {
			g.defs[name] = object{} // against recursion
			g.defs[name] = g.structure(typ)
		}
		return object{"$ref": "#/$defs/" + name}
	case typ == reflect.TypeFor[[]metrics.Value]():
		return object{"type": "array", "items": object{"type": []string{"number", "null"}}}
	case kind == reflect.Slice:
		return object{"type": "array", "items": g.of(typ.Elem())}
	case kind == reflect.Map:
		return object{"type": "object", "additionalProperties": g.of(typ.Elem())}
	case kind == reflect.Bool:
		return object{"type": "boolean"}
	case kind == reflect.Float64:
		return object{"type": "number"}
	}
	return object{"type": "integer"}
}

func (g *generator) structure(typ reflect.Type) object {
	props, required, reasoned := object{}, []string{}, false
	for _, f := range result.FieldsOf(typ) {
		reasoned = reasoned || f.Reason
		owner, of := typ, typ.FieldByIndex(f.Index) // owner is the embedded type that has it
		for i := range len(f.Index) - 1 {
			if owner = owner.Field(f.Index[i]).Type; owner.Kind() == reflect.Pointer {
				owner = owner.Elem()
			}
		}
		as := of.Type
		if f.Number || f.Element || f.Type.Kind() == reflect.String || of.Tag != "" && of.Tag.Get("form") == "count" {
			as = f.Type
		}
		s := g.of(as)
		optional := f.Omits
		if o, ok := s.(object); ok {
			if f.Type.Kind() == reflect.Pointer && !optional && o["type"] != nil {
				o["type"] = []string{o["type"].(string), "null"}
			}
			if doc := g.doc(owner, of.Name); doc != "" && o["$ref"] == nil && !f.Number {
				o["description"] = doc
			}
			values := fieldValues[owner.String()+"."+of.Name] // of two types of a name
			if values == nil {
				values = fieldValues[owner.Name()+"."+of.Name]
			}
			if values != nil {
				o["enum"] = values
			}
		}
		if o := s.(object); o["$ref"] != nil && f.Type.Kind() == reflect.Pointer && !optional {
			s = object{"oneOf": []any{s, object{"type": "null"}}}
		}
		props[f.Name] = s
		if !optional {
			required = append(required, f.Name)
		}
	}
	if _, own := props["unknown"]; reasoned && !own {
		props["unknown"] = object{"type": "object", "additionalProperties": g.of(reflect.TypeFor[result.Reason]()),
			"description": "why figures are null, by their names"}
	}
	slices.Sort(required)
	o := object{"type": "object", "properties": props, "required": required, "additionalProperties": false}
	if doc := g.doc(typ, ""); doc != "" {
		o["description"] = doc
	}
	return o
}

// fieldValues are the values of the fields with a fixed set of them, by
// "Type.Field". The root's test of metrics allows them there.
var fieldValues = map[string][]string{
	"Figures.TokenSource":     words[metrics.TokenSource](),
	"RequestLine.TokenSource": words[metrics.TokenSource](),
	"Figures.WordsFrom": {metrics.WordsOfText, metrics.WordsOfCharacters, metrics.WordsOfBoth,
		metrics.WordsOfTokens, ""},
	"LensVerdict.Grade":  words[slo.Grade](),
	"Delay.Code":         {string(metrics.DelayReads), string(metrics.DelayStamps), string(metrics.DelayMixed)},
	"Request.Stamps":     stampSources(),
	"Summary.Stamps":     stampSources(),
	"Point.Stamps":       stampSources(),
	"RequestLine.Stamps": stampSources(),
	"Sweep.Stamps":       stampSources(),
	"LoadEnd.Stamps":     stampSources(),
	"Path.Source": texts([]metrics.PathSource{metrics.PathUnread, metrics.PathTCPInfo, metrics.PathOldKernel,
		metrics.PathUnsupported, metrics.PathNoSocket, metrics.PathUnixSocket}),
	"PathGap.Cause": texts([]metrics.PathCause{metrics.PathOutOfOrder, metrics.PathSentLate,
		metrics.PathFlushed, metrics.PathUndecided}),
	"PathGap.Why": texts([]metrics.PathWhy{metrics.PathMaybeTail, metrics.PathTooLong, metrics.PathNoUsual,
		metrics.PathUncounted}),
	"PathConnect.Result": texts([]metrics.ConnectResult{metrics.ConnectOK, metrics.ConnectRefused,
		metrics.ConnectTimeout, metrics.ConnectFailed}),
	"Entry.Kind":            historyKinds(),
	"Entry.State":           words[metrics.State]()[metrics.Done:],
	"Change.Figure":         words[history.Figure]()[:history.NumFigures],
	"View.Parallel":         {"sequential", "parallel"},
	"RaceEnd.Ended":         raceEnds(),
	"RaceVerdict.State":     raceStates(),
	"RaceVerdict.Figure":    raceFigures(),
	"Sample.Kind":           compareKinds(),
	"comparison.Row.Figure": compareFigures(),
	"comparison.Row.State":  words[comparison.State](),
	"Failures.State":        words[comparison.State](),
	"Verdict.Outcome":       words[condition.Outcome](),
	"WatchProbe.State":      words[watchstat.State](),
	"WatchResult.State":     words[watchstat.State](),
	"WatchProbe.Event": append([]string{""}, texts([]watchstat.Event{watchstat.Learned, watchstat.Began, watchstat.Worse,
		watchstat.Recurs, watchstat.Ended, watchstat.Suspects, watchstat.Dropped})...),
	"Change.Head":  words[watchstat.Figure](),
	"Row.Figure":   words[watchstat.Figure](),
	"Change.Cause": texts(watchCauses),
	"Skip.Code":    append([]string{""}, texts(watchSkips)...),
	"WatchEnd.Ended": texts([]watchstat.EndCode{watchstat.EndProbes, watchstat.EndTime, watchstat.EndMet,
		watchstat.EndStopped}),
	"Judgment.Outcome": {condition.Unknown.String(), condition.Open.String(), condition.Unmet.String(),
		condition.Met.String()},
	"Dist.Method": {stats.QuantileMethod, stats.SketchMethod,
		"log bins, 64 an octave, at their means (within 1.1 %)", ""},
}

func texts[T ~string](all []T) (out []string) {
	for _, x := range all {
		if x != "" {
			out = append(out, string(x))
		}
	}
	return out
}

// stampSources are the words of who took the stamps of a request, or of several.
func stampSources() []string { return append([]string{"none"}, words[metrics.Source]()...) }

// words are those of the values of an enumeration, each once.
func words[E fmt.Stringer]() []string { return wordsOf(reflect.TypeFor[E]()) }

func wordsOf(typ reflect.Type) (all []string) {
	defer func() { _ = recover() }() // behind the last one
	for n := range 64 {
		word := reflect.ValueOf(n).Convert(typ).Interface().(fmt.Stringer).String()
		if slices.Contains(all, word) {
			break
		}
		all = append(all, word)
	}
	return all
}

// docs are the comments of the packages that were read: "Type.Field" -> comment.
var docs = map[string]map[string]string{}

// doc returns the comment of a type, or of one of its fields, from its source.
func (g *generator) doc(typ reflect.Type, field string) string {
	of, ok := docs[typ.PkgPath()]
	if !ok {
		of = fieldDocs(g.t, filepath.Join("../..", strings.TrimPrefix(typ.PkgPath(), "tokscope")))
		docs[typ.PkgPath()] = of
	}
	if field == "" {
		return of[typ.Name()]
	}
	return of[typ.Name()+"."+field]
}

// asJSON replaces what a number is in Go by what it is in JSON.
var asJSON = strings.NewReplacer("NaN", "null", "+Inf", "null", "infinite", "null")

// fieldDocs reads the comments of a package's types from its source.
func fieldDocs(t testing.TB, dir string) map[string]string {
	t.Helper()
	docs := map[string]string{}
	files := testkit.Must(filepath.Glob(filepath.Join(dir, "*.go")))(t)
	one := func(g *ast.CommentGroup) string { return strings.Join(strings.Fields(g.Text()), " ") }
	for _, name := range files {
		f := testkit.Must(parser.ParseFile(token.NewFileSet(), name, nil,
			parser.ParseComments|parser.SkipObjectResolution))(t)
		ast.Inspect(f, func(n ast.Node) bool {
			d, ok := n.(*ast.GenDecl)
			if !ok || d.Tok != token.TYPE {
				return true
			}
			for _, spec := range d.Specs {
				ts := spec.(*ast.TypeSpec)
				st, ok := ts.Type.(*ast.StructType)
				if !ok {
					continue
				}
				docs[ts.Name.Name] = asJSON.Replace(one(d.Doc))
				for _, field := range st.Fields.List {
					for _, id := range field.Names {
						docs[ts.Name.Name+"."+id.Name] = asJSON.Replace(strings.TrimSpace(one(field.Doc) + " " + one(field.Comment)))
					}
				}
			}
			return true
		})
	}
	return docs
}

func compareFigures() []string {
	return condition.Names()[:len(condition.Names())-1] // without failures
}

func compareKinds() []string {
	return texts([]comparison.Kind{comparison.KindProbe, comparison.KindLines, comparison.KindSession,
		comparison.KindSweep, comparison.KindRequests, comparison.KindBaseline, comparison.KindHistory})
}

func historyKinds() []string {
	return []string{string(history.Run), string(history.Probe), string(history.Race), string(history.Watch),
		string(history.Point), string(history.Session)}
}

func raceEnds() []string {
	return []string{string(racestat.NotEnded), string(racestat.EndSettled), string(racestat.EndPairs),
		string(racestat.EndTime), string(racestat.EndTokens), string(racestat.EndLane), string(racestat.EndBlocks),
		string(racestat.EndRestart), string(racestat.EndStopped)}
}

func raceStates() []string {
	return []string{string(racestat.TooEarly), string(racestat.Open), string(racestat.Remote), string(racestat.Undecided),
		string(racestat.Decided), string(racestat.Equal), string(racestat.Missing), string(racestat.AtOnce),
		string(racestat.None)}
}

func raceFigures() (out []string) {
	for _, f := range racestat.Figures {
		out = append(out, racestat.Name(f))
	}
	return out
}

var (
	watchCauses = []watchstat.Cause{watchstat.CauseConnect, watchstat.CauseQueue, watchstat.CausePrefill,
		watchstat.CauseUnexplained, watchstat.CauseWait, watchstat.CauseDecode, watchstat.CauseStalls, watchstat.CauseTotal,
		watchstat.CauseFailures}
	watchSkips = []watchstat.SkipCode{watchstat.SkipBusy, watchstat.SkipBackOff, watchstat.SkipRetry,
		watchstat.SkipLimit, watchstat.SkipTokens, watchstat.SkipMoney}
)
