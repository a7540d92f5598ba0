package dialect

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// arrived are the texts of a stream by kind and choice, and how many chunks it had.
type arrived struct {
	text   map[string]string
	chunks int
	notes  []string
	begins int // chunks before Out.Begins, -1 without it
}

// decodeAll decodes documents as one stream.
func decodeAll(docs ...string) arrived {
	d, out, a := New(), Out{}, arrived{text: map[string]string{}, begins: -1}
	collect := func() {
		if out.Begins {
			a.begins = a.chunks
		}
		for _, x := range out.Deltas {
			a.chunks++
			a.text[fmt.Sprintf("%s %d", x.Kind, x.Choice)] += string(x.Text)
		}
		for _, n := range out.Notes {
			a.notes = append(a.notes, n.Code)
		}
	}
	for _, doc := range docs {
		d.Event(event(doc), &out)
		collect()
	}
	d.Finish(true, &out)
	collect()
	return a
}

// growingText are deltas that repeat all text before, one word longer each.
func growingText(words string, each int) (all []string) {
	fields := strings.SplitAfter(words, " ")
	for n := each; n < len(fields)+each; n += each {
		all = append(all, strings.Join(fields[:min(n, len(fields))], ""))
	}
	return all
}

// Text that repeats everything before it counts once, and answers that only look so at
// their beginning stay as they came.
func TestRepeatedText(t *testing.T) {
	huge := strings.Repeat("words and more ", 1500) + "."
	long := "Rivers run past the old mill and over the stones, as rivers do, and nobody counts them."
	content, reasoning := `{"choices":[{"index":0,"delta":{"content":%q}}]}`,
		`{"choices":[{"index":0,"delta":{"reasoning_content":%q}}]}`
	completion := `{"choices":[{"index":0,"text":%q}]}`
	for _, c := range []struct {
		name, form string
		deltas     []string
		want       string
		repeats    bool
	}{
		{"a word more each", content, growingText("The river ran past", 1), "The river ran past", true},
		{"a long answer", content, growingText(long, 1), long, true},
		{"three words more each", content, growingText(long, 3), long, true},
		{"reasoning", reasoning, growingText(long, 2), long, true},
		{"completions", completion, growingText("def f(x):\n  return x + 1\n", 1), "def f(x):\n  return x + 1\n", true},
		{"Chinese", content, []string{"河", "河流", "河流过", "河流过去", "河流过去了"}, "河流过去了", true},
		{"empty ones between", content, []string{"The", "", "The river", "", "The river ran", "The river ran past", ""},
			"The river ran past", true},
		{"the same again between", content, []string{"The", "The river", "The river", "The river ran", "The river ran past",
			"The river ran past"},
			"The river ran past", true},
		{"a corrected end", content, []string{"Fine,", "Fine, a", "Fine, a nice", "Fine, a nice caf\uFFFD",
			"Fine, a nice café 世", "Fine, a nice café 丗界"},
			"Fine, a nice caf\uFFFDé 世丗界", true},
		{"a short one", content, []string{"The", "The river", "The river ran"}, "The river ran", true},
		{"then only what is new", content, append(growingText(long, 4), " Nobody at all."), long + " Nobody at all.", true},
		{"then another text with the same beginning", content, append(growingText(long, 4), "Rivals", "Rival"),
			long + "RivalsRival", true},
		{"less between", content, append(growingText(long, 4), long[:60], long+" Nobody."), long + " Nobody.", true},

		{"more than is held back", content, []string{"I", "I" + huge, "I" + huge, "I" + huge, "I" + huge},
			"I" + strings.Repeat("I"+huge, 4), false},
		{"ha ha ha", content, []string{"ha", " ha", " ha", " ha"}, "ha ha ha ha", false},
		{"hahaha", content, []string{"ha", "haha", "hahaha", "hahahaha", "!"}, "hahahahahahahahahaha!", false},
		{"rules", content, []string{"=", "==", "====", "========", "\n"}, "===============\n", false},
		{"blanks", content, []string{" ", "  ", "   ", "    ", "x"}, "          x", false},
		{"the same word", content, []string{"no", "no", "no", "no"}, "nononono", false},
		{"two by chance", content, []string{"1", "10", "100", " and", " more"}, "110100 and more", false},
		{"one by chance", content, []string{"I", "In", "deed"}, "IIndeed", false},
		{"two deltas", content, []string{"No", "No."}, "NoNo.", false},
		{"one delta", content, []string{long}, long, false},
	} {
		var docs []string
		words := 0
		for _, text := range c.deltas {
			docs = append(docs, fmt.Sprintf(c.form, text))
			if text != "" {
				words++
			}
		}
		a := decodeAll(append(docs, stop, done)...)
		kind := "content 0"
		if c.form == reasoning {
			kind = "reasoning 0"
		}
		testkit.That(t, a.text[kind] == c.want && slices.Contains(a.notes, "repeated_text") == c.repeats,
			"%s: %q, notes %v", c.name, a.text[kind], a.notes)
		testkit.That(t, a.chunks <= words+1, "%s: %d chunks of %d deltas", c.name, a.chunks, words)
	}
}

// Each choice and each kind repeats its own text.
func TestRepeatedTextOfChoices(t *testing.T) {
	var docs []string
	for _, n := range []string{"a", "a b", "a b c", "a b c d", "a b c d e"} {
		docs = append(docs, chunkOf(fmt.Sprintf(`{"reasoning":%q,"content":%q}`, "so "+n, n)),
			fmt.Sprintf(`{"choices":[{"index":1,"delta":{"content":%q}}]}`, n[:1]))
	}
	a := decodeAll(append(docs, done)...)
	for kind, want := range map[string]string{"content 0": "a b c d e", "reasoning 0": "so a b c d e",
		"content 1": "aaaaa"} {
		testkit.Is(t, a.text[kind], want, kind)
	}
}

// Chunks with neither id nor model before the first with both are another sender's. A
// server that never names itself, or names itself at the end only, is the one that answers.
func TestAnotherSender(t *testing.T) {
	bare := func(field, text string) string { return chunkOf(fmt.Sprintf(`{%q:%q}`, field, text)) }
	named := func(text string) string {
		return fmt.Sprintf(`{"id":"c-1","model":"m","choices":[{"delta":{"content":%q}}]}`, text)
	}
	for _, c := range []struct {
		name string
		docs []string
		want int
	}{
		{"a proxy that loads a model", []string{bare("reasoning_content", "loading "), bare("reasoning_content", ". "),
			named("Yes"), named(" it")}, 2},
		{"in the content", []string{bare("content", "Waiting for a worker\n"), named("Yes")}, 1},
		{"before the role", []string{bare("content", "one moment"),
			`{"id":"c","model":"m","choices":[{"delta":{"role":"assistant"}}]}`, named("Yes")}, 1},
		{"never named", []string{bare("content", "Yes"), bare("content", " it"), bare("content", " is")}, -1},
		{"named at the end", []string{bare("content", "Yes"), bare("content", " it"),
			`{"id":"c","model":"m","choices":[],"usage":{"completion_tokens":2}}`}, -1},
		{"always named", []string{named("Yes"), named(" it")}, -1},
		{"later without a name", []string{named("Yes"), bare("content", " it"), named(" is")}, -1},
		{"an id alone", []string{`{"id":"c","choices":[{"delta":{"content":"Yes"}}]}`, named(" it")}, -1},
	} {
		testkit.Is(t, decodeAll(append(c.docs, stop, done)...).begins, c.want, c.name, "begins at")
	}
}

// A stream that repeats nothing costs what it did.
func TestPlainTextAllocatesNothing(t *testing.T) {
	d, out := New(), Out{}
	var events []func()
	for _, text := range []string{"The", " river", " ran", " past"} {
		ev := event(chunkOf(fmt.Sprintf(`{"content":%q}`, text)))
		events = append(events, func() { d.Event(ev, &out) })
	}
	for _, decode := range events {
		decode()
	}
	testkit.Allocates(t, 0, 100, events[3], "a chunk")
	if metrics.Content != out.Deltas[0].Kind || d.choices[0].saying.seen != nil {
		t.Error("a plain stream is still compared")
	}
}

// A report of the prefill's progress tells the server's own time for it, where it has one.
func TestTimeOfTheProgress(t *testing.T) {
	for field, want := range map[string]time.Duration{`,"time_ms":90`: 90e6, `,"time_ms":1500.5`: 1500500e3,
		`,"time_ms":"soon"`: 0, ``: 0} {
		d, out := New(), Out{}
		d.Event(event(`{"choices":[],"prompt_progress":{"total":800,"cache":100,"processed":400`+field+`}}`), &out)
		p := out.Progress
		testkit.That(t, p != nil && p.Took == want && p.Processed == 400, "%s: %+v, want %v", field, p, want)
	}
}
