package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/stats"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
)

// shared returns the shared form of the session file at path, opened again.
func shared(t *testing.T, path string, widths bool) (text string, from, to *Recording) {
	t.Helper()
	from = testkit.Must(Open(path, nil))(t)
	var out bytes.Buffer
	testkit.OK(t, Share(&out, from, widths))
	to = testkit.Must(Open("-", bytes.NewReader(out.Bytes())))(t)
	return out.String(), from, to
}

// formatWords are the words of the format that no walk decides about.
var formatWords = regexp.MustCompile(`^(session|request|sent|head|event|comment|read|left_out|end|fixed|` +
	`tokscope/session/v1|kernel|user|text/event-stream|content|reasoning|reasoning\.text|tool_call|refusal|audio|image|TLS|` +
	`\d{4}-\d\d-\d\dT[0-9:.]+Z)$`)

// Of all servers that are recorded, and of planted words, no string is in a shared file
// but words of this program, each under its key, and blanks. The data of its events
// have no other field than those that carry chunks, usage and the finish.
func TestSharedFilesHoldNoText(t *testing.T) {
	r := testkit.Rand(t, 6)
	names, answers := fixtures(t)
	for i := range answers {
		planted := []byte(`{"secret_key":7,"choices":[{"secret_choice":8,"delta":{"content":"secret_text","secret_part":"secret"},` +
			`"finish_reason":"secret_finish"}],"model":"secret_model","usage":{"secret_count":9}}`)
		answers[i].pieces = split(r, append([]byte("data: "+string(planted)+"\n\n"), answers[i].pieces[0]...), 5)
		answers[i].head += "X-Served-By: secret-host-1\r\nServer-Timing: secret-timing;dur=3\r\nX-Request-Id: " +
			"secret-request\r\n"
	}
	path, _ := recorded(t, true, answers...)
	text, from, _ := shared(t, path, false)
	testkit.Need(t, len(from.Requests), len(names), "requests of … fixtures")
	testkit.That(t, !strings.Contains(text, "secret") && !strings.Contains(text, "127.0.0.1"),
		"a planted word is in the shared file")
	for seed := range probetest.Cases(3, 1) { // and of generated streams
		path, _, _, _ := forty(t, false, testkit.Rand(t, uint64(seed)))
		more, _, _ := shared(t, path, false)
		text += more
	}
	strange := map[string]int{}
	for line := range strings.Lines(text) {
		var v map[string]any
		testkit.OK(t, json.Unmarshal([]byte(line), &v))
		if data, ok := v["data"].(string); ok && data != "" && data != "[DONE]" {
			var ev any
			testkit.OK(t, json.Unmarshal([]byte(data), &ev), data)
			v["data"] = ev
			for _, key := range keysOf(ev) {
				if !slices.Contains(dataKeys, key) {
					strange[key]++
				}
			}
		}
		stringsOf("", v, func(key, s string) {
			if s != "" && s != blank && s != blankSpace && s != "[DONE]" && word(key, s) == "" && !formatWords.MatchString(s) {
				strange[key+": "+s]++
			}
		})
	}
	for s, n := range strange {
		t.Errorf("%d times: %q", n, s)
	}
}

// dataKeys are the fields of the data of a shared event.
var dataKeys = strings.Fields("choices index delta content reasoning reasoning_content reasoning_details text type " +
	"refusal " +
	"audio transcript images tool_calls function arguments finish_reason usage completion_tokens prompt_tokens " +
	"total_tokens " +
	"completion_tokens_details prompt_tokens_details reasoning_tokens cached_tokens")

// stringsOf calls f with all strings of v and their keys, which v stands under.
func stringsOf(key string, v any, f func(key, s string)) {
	switch v := v.(type) {
	case string:
		f(key, v)
	case map[string]any:
		for name, x := range v {
			if key == "unknown" { // its keys are figures
				name = key
			}
			stringsOf(name, x, f)
		}
	case []any:
		for _, x := range v {
			stringsOf(key, x, f)
		}
	}
}

// keysOf returns the names of all fields of v.
func keysOf(v any) (all []string) {
	switch v := v.(type) {
	case map[string]any:
		for name, x := range v {
			all = append(append(all, name), keysOf(x)...)
		}
	case []any:
		for _, x := range v {
			all = append(all, keysOf(x)...)
		}
	}
	return all
}

// ofTexts are the figures that are counted in texts or sizes.
var ofTexts = []string{"words", "words_from", "words_per_minute", "times_reading", "below_reading_share",
	"head_start_ms", "first_sentence_ms", "speaker_150_wpm_wait_ms", "speaker_180_wpm_wait_ms", "suspect", "unknown"}

// The figures of a shared file are those of the original, where they are counts and
// times. Those of texts are unknown, with the reason.
func TestFiguresOfSharedFiles(t *testing.T) {
	// In the second, hundreds of tokens can be made that are not sent.
	for _, gap := range []time.Duration{50 * time.Microsecond, 4 * time.Millisecond}[:probetest.Cases(2, 1)] {
		t.Run(gap.String(), func(t *testing.T) { figuresOfSharedFiles(t, gap) })
	}
}

func figuresOfSharedFiles(t *testing.T, gap time.Duration) {
	r := testkit.Rand(t, 7)
	names, answers := fixtures(t)
	few := probetest.Cases(len(answers), 20)
	names, answers = names[:few], answers[:few]
	for i := range answers {
		answers[i].pieces, answers[i].gap = split(r, answers[i].pieces[0], 8), gap
	}
	path, _ := recorded(t, false, answers...)
	for _, widths := range []bool{false, true} {
		_, from, to := shared(t, path, widths)
		for i := range from.Requests {
			a, b := StreamOf(from.Requests[i]).Final(), StreamOf(to.Requests[i])
			v := b.Final()
			fa, fb := metrics.Measure(&a, metrics.Options{}), metrics.Measure(&v, metrics.Options{})
			if fa.Choices > 1 && fa.TokenSource == metrics.TokensEstimated {
				continue // an estimate over several choices is rounded
			}
			if v.Reasoned != a.Reasoned {
				t.Errorf("%s, widths %v: the reasoning was in the fields %b, is in %b", names[i], widths, a.Reasoned, v.Reasoned)
			}
			x, y := figuresByName(t, &fa), figuresByName(t, &fb)
			for _, name := range slices.Sorted(maps.Keys(x)) {
				if !slices.Contains(ofTexts, name) && !reflect.DeepEqual(x[name], y[name]) {
					t.Errorf("%s, widths %v: %s was %v, is %v", names[i], widths, name, x[name], y[name])
				}
			}
			if len(v.Chunks) > 0 && (fb.WPM.OK || fb.WPM.Why != metrics.WhyTextRemoved) {
				t.Errorf("%s: words per minute %v", names[i], fb.WPM)
			}
			d := ReplayOf("test")
			d.AddFile(to)
			d.AddRequest(to.Requests[i], &v, b.Missing)
			if s := d.Requests[0].Same; s == nil || !*s {
				t.Errorf("%s: replayed it differs in %v", names[i], d.Requests[0].Differs)
			}
		}
	}
}

// TestSharedFilesKeepThePace: the server's decode time is compared with the tokens that
// were sent, which shows in the texts. A shared file must not judge its answer to be
// held back where the original's was not.
func TestSharedFilesKeepThePace(t *testing.T) {
	event := func(json string) []byte { return []byte("data: {" + json + "}\n\n") }
	delta := func(text string) []byte { return event(`"choices":[{"index":0,"delta":{"content":"` + text + `"}}]`) }
	f := testkit.Must(Create(t.TempDir(), Options{Version: "test", Started: time.Unix(1e9, 0)}))(t)
	write(f, 1, 5e6, false, []arrival{
		{18 * time.Millisecond, delta("well")},
		{20 * time.Millisecond, delta("Fine")}, // two tokens of three
		{2 * time.Millisecond, event(`"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]`)},
		{2 * time.Millisecond, event(`"choices":[],"usage":{"completion_tokens":3,"prompt_tokens":8,"total_tokens":11},` +
			`"timings":{"predicted_n":3,"predicted_ms":66}`)},
		{2 * time.Millisecond, []byte("data: [DONE]\n\n")},
	})
	testkit.OK(t, f.Close())
	for _, widths := range []bool{false, true} {
		_, from, to := shared(t, f.Path(), widths)
		a, b := StreamOf(from.Requests[0]).Final(), StreamOf(to.Requests[0]).Final()
		fa, fb := metrics.Measure(&a, metrics.Options{}), metrics.Measure(&b, metrics.Options{})
		testkit.Need(t, len(a.Server) > 0 && fa.TPOT.OK, true, "the original has a decode time and its pace")
		testkit.Is(t, fb.TPOT, fa.TPOT, "TPOT with widths", widths)
	}
}

// TestSharedFilesKeepUsageAndFinish: without the end line a shared file still says how
// many tokens the server counted, why the answer ended, and which events were empty.
func TestSharedFilesKeepUsageAndFinish(t *testing.T) {
	path, _, _, _ := forty(t, false, testkit.Rand(t, 9))
	_, from, to := shared(t, path, false)
	withUsage, withFinish := 0, 0
	for i := range from.Requests {
		whole := StreamOf(from.Requests[i]).Final()
		f := metrics.Measure(&whole, metrics.Options{})
		to.Requests[i].End = nil
		v := StreamOf(to.Requests[i]).Final()
		if word("finish_reason", whole.Finish) != "" {
			if withFinish++; v.Finish != whole.Finish {
				t.Errorf("stream %d: finish %q, was %q", i, v.Finish, whole.Finish)
			}
		}
		if f.TokenSource == metrics.TokensUsage && !f.Estimated() && whole.Usage.Mended == "" {
			if withUsage++; v.Usage.Completion != whole.Usage.Completion || v.Usage.Total != whole.Usage.Total {
				t.Errorf("stream %d: usage %v, was %v", i, countsOf(&v.Usage), countsOf(&whole.Usage))
			}
		}
		testkit.Is(t, len(v.Blanks), len(whole.Blanks), "stream", i, "empty events")
	}
	testkit.That(t, withUsage != 0 && withFinish != 0,
		"%d streams with usage, %d with a finish reason", withUsage, withFinish)
}

func figuresByName(t *testing.T, f *metrics.Figures) map[string]any {
	t.Helper()
	var out map[string]any
	testkit.OK(t, json.Unmarshal([]byte(jsonOf(t, f)), &out))
	return out
}

// Texts of any length have one width, and with widths their own; events come at
// the same times, in the same reads.
func TestWidthsOfSharedFiles(t *testing.T) {
	path, _, _, _ := forty(t, false, testkit.Rand(t, 8))
	sizes := map[string]map[int]bool{}
	for _, widths := range []bool{false, true} {
		_, from, to := shared(t, path, widths)
		same, long := 0, 0 // texts
		for i := range from.Requests {
			a, b := from.Requests[i], to.Requests[i]
			if len(a.Events) != len(b.Events) || len(a.Attempts[0].Reads) != len(b.Attempts[0].Reads) {
				t.Fatalf("stream %d: %d events of %d, %d reads of %d", i, len(b.Events), len(a.Events), len(b.Attempts[0].Reads),
					len(a.Attempts[0].Reads))
			}
			for k := range a.Events {
				x, y := &a.Events[k], &b.Events[k]
				if x.At != y.At || x.User != y.User || x.Read != y.Read || x.Comment != y.Comment || x.Kernel != y.Kernel {
					t.Fatalf("stream %d: event %d is %+v, was %+v", i, k, y, x)
				}
				if data := string(y.Data); !widths && (strings.Contains(data, `"usage"`) ||
					strings.Contains(data, "finish_reason") ||
					strings.Contains(data, `{"content":""}`)) {
					continue // its numbers have digits
				}
				if kind := fmt.Sprint(y.Comment, len(b.Joined[k]), kindsOf(b.Joined[k])); !widths {
					if sizes[kind] == nil {
						sizes[kind] = map[int]bool{}
					}
					sizes[kind][int(y.Bytes)] = true
				} else if x.Bytes != y.Bytes {
					t.Fatalf("stream %d: event %d has %d bytes, had %d", i, k, y.Bytes, x.Bytes)
				}
			}
			if va, vb := StreamOf(a).Final(), StreamOf(b).Final(); len(va.Text) > 40 {
				if long++; len(va.Text) == len(vb.Text) {
					same++
				}
			}
		}
		// Without widths fewer than one in a hundred has its length by chance. With new seeds
		// one run in a million fails without a cause.
		if least, _ := stats.ShareInterval(same, long, 1e-6); widths && same < long || !widths && least > 0.01 {
			t.Errorf("widths %v: %d of %d long texts have their length", widths, same, long)
		}
	}
	for kind, n := range sizes {
		if len(n) > 2 { // white space and [DONE] have no chunk or another form
			t.Errorf("events of kind %s have the sizes %v", kind, n)
		}
	}
}

func kindsOf(c []JoinedChunk) (all []string) {
	for i := range c {
		all = append(all, c[i].Kind)
	}
	return all
}

// A shared file has no texts to judge counts by, and the figures stay: where reasoning was
// left out of the count, summarized, or is many tokens a chunk.
func TestCountsOfSharedReasoning(t *testing.T) {
	of := func(reasoning, said int, text string, completion, reasoned int) answer {
		var b strings.Builder
		for i := range reasoning + said {
			field := "content"
			if i < reasoning {
				field = "reasoning_content"
			}
			fmt.Fprintf(&b, "data: {\"choices\":[{\"delta\":{%q:%q}}]}\n\n", field, text)
		}
		fmt.Fprintf(&b, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":9,"+
			"\"completion_tokens\":%d,\"completion_tokens_details\":{\"reasoning_tokens\":%d}}}\n\ndata: [DONE]\n\n",
			completion, reasoned)
		parts := strings.SplitAfter(b.String(), "\n\n")
		var pieces [][]byte
		for _, p := range parts {
			pieces = append(pieces, []byte(p))
		}
		return answer{pieces: pieces, gap: 2 * time.Millisecond}
	}
	path, _ := recorded(t, false, of(29, 24, "word ", 24, 29), of(9, 24, "word ", 424, 400),
		of(20, 20, "for(i=0;i<n;i++){a[i]+=b[i];}", 400, 200),
		of(0, 30, "word ", 400, 0))
	_, from, to := shared(t, path, false)
	for i := range from.Requests {
		a, b := StreamOf(from.Requests[i]).Final(), StreamOf(to.Requests[i]).Final()
		x, y := metrics.Measure(&a, metrics.Options{}), metrics.Measure(&b, metrics.Options{})
		if x.Tokens.V != y.Tokens.V && !x.Estimated() || x.DecodeTokens.V != y.DecodeTokens.V || x.TPOT.V != y.TPOT.V ||
			!x.TPOT.OK {
			t.Errorf("stream %d: %v of %v tokens, %v; were %v of %v, %v", i,
				y.DecodeTokens, y.Tokens, y.TPOT, x.DecodeTokens, x.Tokens, x.TPOT)
		}
	}
}

// TestSharedMessages: of a conversation their number stays, with widths their lengths.
func TestSharedMessages(t *testing.T) {
	w := metrics.Workload{Name: "custom",
		Messages: `[{"role":"secret","content":"secret"},{"content":[{"text":"secret"}]}]`,
		Tools:    `[{"function":{"parameters":{"properties":{"secret_name":{}}}}}]`}
	endpoint := metrics.Endpoint{Kind: metrics.EndpointURL, Settings: "X-Secret-Team: secret"}
	for _, widths := range []bool{false, true} {
		var out bytes.Buffer
		testkit.OK(t, Share(&out, &Recording{Requests: []*Recorded{{ID: 1, Workload: w, Endpoint: endpoint}}}, widths))
		rec := testkit.Must(Open("-", bytes.NewReader(out.Bytes())))(t)
		to := rec.Requests[0].Workload
		testkit.That(t, !strings.Contains(out.String(), "ecret") && to.Messages.Count() == 2 && to.Tools.Count() == 1,
			"widths %v: %s", widths, out.String())
		testkit.That(t, !widths || len(to.Messages) >= len(w.Messages), "%d bytes of %d", len(to.Messages), len(w.Messages))
	}
}
