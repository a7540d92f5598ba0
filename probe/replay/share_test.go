package replay

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
	"tokscope/metrics/testseed"
	"tokscope/probe/probetest"
	"tokscope/probe/record"
)

// shared returns the shared form of the session file at path, opened again.
func shared(t *testing.T, path string, widths bool) (text string, from, to *Recording) {
	t.Helper()
	from, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Share(&out, from, widths, record.Sentences{}); err != nil {
		t.Fatal(err)
	}
	if to, err = Open("-", bytes.NewReader(out.Bytes())); err != nil {
		t.Fatal(err)
	}
	return out.String(), from, to
}

// harmlessText matches every string that a shared file may hold. A text is of a
// fixed width; everything else is a word of the program, a date or empty.
var harmlessText = regexp.MustCompile(`^(|xxxx|    |\[DONE\]|session|request|sent|head|event|comment|read|left_out|end|tokscope/session/v1|fixed|` +
	`linux/amd64|kernel|user|body|mixed|none|embedded|profile|provider|loopback|url|auto|cold|warm|HTTP/[123]\.[01]|TLS|text/event-stream|` +
	`idle|connecting|waiting|decoding|done|failed|truncated|canceled|content|reasoning|tool_call|refusal|stop|length|tool_calls|content_filter|function_call|error|` +
	`unknown|counted|mean|server usage|counted by the server|token ids|server timings|logprobs|estimated|chat|reading|client|server|` +
	`queue|prefill|decode|ttft|total|processing|load|unexplained|sent|dns|tcp|tls|wait|retried|upload|headers|first byte|network|` +
	`words|send|linear interpolation \(Hyndman-Fan type 7\)|tcp_info|old_kernel|unsupported_system|no_socket|shared_reads|all_times|some_times|[a-z_]+_code|` +
	`config|connect|timeout|http|auth|rate_limit|redirect|not_a_stream|in_stream|protocol|too_large|reset|empty_answer|compressed|local|internal|` +
	`malformed_events?|model_alias|other_model|first_chunk_tokens|several_choices|terminal_burst|cached_prompt|multi_token_chunks|server_exceeds_wait|fewer_tokens|counted|mean|\d{4}-\d\d-\d\dT[0-9:.]+Z)$`)

// harmlessData matches the data of an event of a shared file.
var harmlessData = regexp.MustCompile(`^(\[DONE\]|\{"choices":\[(\{"index":\d+,"delta":\{((?:(?:"(?:content|reasoning|reasoning_content|refusal)":"(?:xxxx|    )?"|"reasoning_details":\[\{"text":"(?:xxxx|    )?","type":"reasoning\.text"\}\]),?)+|"tool_calls":\[\{"function":\{"arguments":"(xxxx|    )?"\},"index":0\}\])\}\},?)*\]\})?$`)

// harmlessParts are what events keep beside chunks: reasons to finish that servers
// share, and numbers of the usage.
var harmlessParts = regexp.MustCompile(`,"finish_reason":"(?:stop|length|tool_calls|content_filter|function_call|error|xxxx)"|,"usage":\{(?:(?:"(?:completion|prompt|total)_tokens":\d+|"(?:completion|prompt)_tokens_details":\{"(?:reasoning|cached)_tokens":\d+\}),?)+\}`)

// Of all fixtures no text, name, id, host, address, path, header or prompt is in a
// shared file: each of its strings is a word of the program or has a fixed width.
func TestSharedFilesHoldNoText(t *testing.T) {
	r := testseed.Rand(t, 6)
	names, answers := fixtures(t)
	for i := range answers {
		answers[i].pieces = split(r, answers[i].pieces[0], 5)
		answers[i].head += "X-Served-By: secret-host-1\r\nServer-Timing: secret-timing;dur=3\r\nX-Request-Id: secret-request\r\n"
	}
	path, _ := recorded(t, true, answers...)
	text, from, _ := shared(t, path, false)
	if len(from.Requests) != len(names) {
		t.Fatalf("%d requests of %d fixtures", len(from.Requests), len(names))
	}
	strange := map[string]int{}
	for line := range strings.Lines(text) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		if data, ok := v["data"].(string); ok && v["type"] == "event" {
			bare := strings.ReplaceAll(harmlessParts.ReplaceAllString(data, ""), `"delta":{}`, `"delta":{"content":""}`)
			if delete(v, "data"); !harmlessData.MatchString(bare) {
				strange[data]++
			}
		}
		reasonsOf(v, func(s string) {
			if !harmlessReason.MatchString(s) {
				strange[s]++
			}
		})
		stringsOf(v, func(s string) {
			if !harmlessText.MatchString(s) {
				strange[s]++
			}
		})
	}
	for s, n := range strange {
		t.Errorf("%d times: %q", n, s)
	}
	if strings.Contains(text, "secret") || strings.Contains(text, "127.0.0.1") {
		t.Error("a planted word is in the shared file")
	}
	// And the other way round: no longer word of the original is in it, but those
	// of the format.
	word := regexp.MustCompile(`[A-Za-z]{7,}`)
	ours := map[string]bool{}
	for key := range keysOf(text) {
		for _, w := range word.FindAllString(key, -1) {
			ours[w] = true
		}
	}
	left := map[string]bool{}
	for _, w := range word.FindAllString(text, -1) {
		left[w] = true
	}
	for _, q := range from.Requests {
		for _, ev := range q.Events {
			for _, w := range word.FindAllString(string(ev.Data), -1) {
				if left[w] && !ours[w] && !harmlessWords[w] {
					t.Errorf("%q of an event is in the shared file", w)
				}
			}
		}
	}
}

// harmlessWords are words of the format's values that servers use as well.
var harmlessWords = map[string]bool{"content": true, "reasoning": true, "choices": true, "estimated": true, "reasoning_content": true, "reasoning_details": true, "details": true, "function": true, "refusal": true, "arguments": true, "waiting": true, "decoding": true, "counted": true, "unknown": true, "request": true, "connect": true, "tokscope": true, "session": true, "logprobs": true, "timings": true, "processing": true}

// harmlessReason matches the code of a reason why a figure is unknown.
var harmlessReason = regexp.MustCompile(`^(unreported|reused|idle|[a-z]+(-[a-z]+)+|needs:\d+)$`)

// reasonsOf calls f with the reasons of v, and removes them.
func reasonsOf(v any, f func(string)) {
	switch v := v.(type) {
	case map[string]any:
		stringsOf(v["unknown"], f)
		delete(v, "unknown")
		for _, x := range v {
			reasonsOf(x, f)
		}
	case []any:
		for _, x := range v {
			reasonsOf(x, f)
		}
	}
}

// stringsOf calls f with all strings of v but keys.
func stringsOf(v any, f func(string)) {
	switch v := v.(type) {
	case string:
		f(v)
	case map[string]any:
		for _, x := range v {
			stringsOf(x, f)
		}
	case []any:
		for _, x := range v {
			stringsOf(x, f)
		}
	}
}

// keysOf returns the names of all fields in lines of JSON.
func keysOf(text string) map[string]bool {
	out := map[string]bool{}
	for _, m := range regexp.MustCompile(`"([a-z_0-9]+)":`).FindAllStringSubmatch(text, -1) {
		out[m[1]] = true
	}
	return out
}

// ofTexts are the figures that are counted in texts or sizes.
var ofTexts = []string{"words", "words_from", "words_per_minute", "times_reading", "below_reading_share", "head_start_ms", "first_sentence_ms", "speaker_150_wpm_wait_ms", "speaker_180_wpm_wait_ms", "suspect", "unknown"}

// The figures of a shared file are those of the original, where they are counts and
// times. Those of texts are unknown, with the reason.
func TestFiguresOfSharedFiles(t *testing.T) {
	r := testseed.Rand(t, 7)
	names, answers := fixtures(t)
	few := probetest.Cases(len(answers), 20)
	names, answers = names[:few], answers[:few]
	for i := range answers {
		answers[i].pieces, answers[i].gap = split(r, answers[i].pieces[0], 8), 50*time.Microsecond
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
			d := record.ReplayOf("test")
			d.AddFile("f", to.Recording)
			d.AddRequest(to.Requests[i], &v, b.Missing, record.Sentences{})
			if s := d.Requests[0].Same; s == nil || !*s {
				t.Errorf("%s: replayed it differs in %v", names[i], d.Requests[0].Differs)
			}
		}
	}
}

// TestSharedFilesKeepUsageAndFinish: without the end line a shared file still says how
// many tokens the server counted, why the answer ended, and which events were empty.
func TestSharedFilesKeepUsageAndFinish(t *testing.T) {
	path, _, _, _ := forty(t, false, testseed.Rand(t, 9))
	_, from, to := shared(t, path, false)
	withUsage, withFinish := 0, 0
	for i := range from.Requests {
		whole := StreamOf(from.Requests[i]).Final()
		f := metrics.Measure(&whole, metrics.Options{})
		to.Requests[i].End = nil
		v := StreamOf(to.Requests[i]).Final()
		if slices.Contains(finishes, whole.Finish) {
			if withFinish++; v.Finish != whole.Finish {
				t.Errorf("stream %d: finish %q, was %q", i, v.Finish, whole.Finish)
			}
		}
		if f.TokenSource == metrics.TokensUsage && whole.Usage.Mended == "" {
			if withUsage++; v.Usage.Completion != whole.Usage.Completion || v.Usage.Total != whole.Usage.Total {
				t.Errorf("stream %d: usage %v, was %v", i, countsOf(&v.Usage), countsOf(&whole.Usage))
			}
		}
		if len(v.Blanks) != len(whole.Blanks) {
			t.Errorf("stream %d: %d empty events, were %d", i, len(v.Blanks), len(whole.Blanks))
		}
	}
	if withUsage == 0 || withFinish == 0 {
		t.Errorf("%d streams with usage, %d with a finish reason", withUsage, withFinish)
	}
}

func figuresByName(t *testing.T, f *metrics.Figures) map[string]any {
	t.Helper()
	g := record.FiguresOf(f, record.Sentences{})
	var out map[string]any
	if err := json.Unmarshal([]byte(jsonOf(t, &g)), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// Texts of any length have one width, and with widths their own; events come at
// the same times, in the same reads.
func TestWidthsOfSharedFiles(t *testing.T) {
	path, _, _, _ := forty(t, false, testseed.Rand(t, 8))
	sizes := map[string]map[int]bool{}
	for _, widths := range []bool{false, true} {
		_, from, to := shared(t, path, widths)
		for i := range from.Requests {
			a, b := from.Requests[i], to.Requests[i]
			if len(a.Events) != len(b.Events) || len(a.Attempts[0].Reads) != len(b.Attempts[0].Reads) {
				t.Fatalf("stream %d: %d events of %d, %d reads of %d", i, len(b.Events), len(a.Events), len(b.Attempts[0].Reads), len(a.Attempts[0].Reads))
			}
			for k := range a.Events {
				x, y := &a.Events[k], &b.Events[k]
				if x.At != y.At || x.User != y.User || x.Read != y.Read || x.Comment != y.Comment || x.Kernel != y.Kernel {
					t.Fatalf("stream %d: event %d is %+v, was %+v", i, k, y, x)
				}
				if data := string(y.Data); !widths && (harmlessParts.MatchString(data) || strings.Contains(data, `{"content":""}`)) {
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
			if va, vb := StreamOf(a).Final(), StreamOf(b).Final(); widths != (len(va.Text) == len(vb.Text)) && len(va.Text) > 40 {
				t.Errorf("stream %d, widths %v: %d bytes of text, were %d", i, widths, len(vb.Text), len(va.Text))
			}
		}
	}
	for kind, n := range sizes {
		if len(n) > 2 { // white space and [DONE] have no chunk or another form
			t.Errorf("events of kind %s have the sizes %v", kind, n)
		}
	}
}

func kindsOf(c []record.JoinedChunk) (all []string) {
	for i := range c {
		all = append(all, c[i].Kind)
	}
	return all
}
