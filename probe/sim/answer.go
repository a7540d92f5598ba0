package sim

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// answer waits for all choices and writes them as one JSON object, unless the engine
// fails one.
func (j *job) answer(w http.ResponseWriter, rc *http.ResponseController, ctx context.Context) *apiError {
	said := make([]whole, len(j.plans))
	var buf []arrival
	for open := len(j.plans); open > 0; {
		select {
		case <-ctx.Done():
			return nil
		case <-j.out.sig:
		}
		got, failed := j.out.swap(buf)
		for i := range got {
			a := &got[i]
			j.note(a)
			for range a.n {
				if k, tok, ok := j.plans[a.choice].next(); ok {
					x := &said[a.choice]
					x.add(k, tok)
					if tok != "" && j.req.details() {
						x.tokens = append(x.tokens, tok)
					}
					j.sent[a.choice]++
				}
			}
			if a.req.Finished {
				open--
				said[a.choice].name(j.plans[a.choice].call)
			}
		}
		buf = got
		if failed != nil {
			return refused(failed)
		}
	}
	b := j.req.api.whole(j, said)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	_ = rc.SetWriteDeadline(time.Now().Add(writeTimeout)) // not every writer supports deadlines
	_, _ = w.Write(b)                                     // a disconnected client reads nothing
	return nil
}

// completion returns a whole answer of OpenAI's completions, or of chat.
func (j *job) completion(said []whole) []byte {
	object := "text_completion"
	if j.req.chat {
		object = "chat.completion"
	}
	b := append(j.header(nil, object), `,"choices":[`...)
	for i := range j.plans {
		if i > 0 {
			b = append(b, ',')
		}
		b = j.choice(b, i, &said[i])
	}
	b = j.usage(append(b, `],"usage":`...))
	if len(j.plans) == 1 && j.recorded == nil {
		b = j.metrics(append(b, `,"metrics":`...))
	}
	return append(b, '}')
}

// whole is the whole answer of one choice.
type whole struct {
	parts  []part
	tokens []string // if the request asks for details
}

// part is what came of one kind until another, or the next call, began.
type part struct {
	kind kind
	name string // of the called tool
	text []byte
}

// add adds what an answer goes on with.
func (w *whole) add(k kind, text string) {
	n := len(w.parts)
	if text == "" {
		return
	}
	if n == 0 || w.parts[n-1].kind != k {
		w.parts, n = append(w.parts, part{kind: k}), n+1
	}
	w.parts[n-1].text = append(w.parts[n-1].text, text...)
}

// name names the tool of the answer's call, nil for an answer without one.
func (w *whole) name(c *call) {
	for i := range w.parts {
		if w.parts[i].kind == toolArgs {
			w.parts[i].name = c.name
		}
	}
}

// said returns the texts by their kind, and the calls.
func (w *whole) said() (texts [speech + 1][]byte, calls []part) {
	for _, p := range w.parts {
		if p.kind == toolArgs {
			calls = append(calls, p)
		} else {
			texts[p.kind] = append(texts[p.kind], p.text...)
		}
	}
	return texts, calls
}

// document returns the arguments of a call where they are no text; false if they were cut.
func (p *part) document() (json.RawMessage, bool) {
	if len(p.text) == 0 {
		return json.RawMessage("{}"), true
	}
	return p.text, json.Valid(p.text)
}

// finish returns why a choice has ended, in the words of the API; "" where nobody tells.
func (j *job) finish(choice int) string {
	reason := j.plans[choice].finish
	return cmp.Or(j.req.api.ends[reason], reason)
}

// orNull returns text as JSON, null for "".
func orNull(text string) string {
	if text == "" {
		return "null"
	}
	return quoted(text)
}

func (j *job) callID(choice int) string { return "call-" + j.id + "-" + strconv.Itoa(choice) }

func (j *job) choice(b []byte, i int, said *whole) []byte {
	answer := `"message":` + j.chatMessage(i, said)
	if texts, _ := said.said(); !j.req.chat {
		answer = `"text":` + quoted(string(texts[content]))
	}
	b = j.logprobs(fmt.Appendf(b, `{"index":%d,%s,"logprobs":`, i, answer), &j.plans[i].log, said.tokens)
	if j.req.returnTokenID {
		b = j.tokenIDs(append(b, `,"token_ids":`...), said.tokens)
	}
	return fmt.Appendf(b, `,"finish_reason":%s,"stop_reason":null}`, orNull(j.finish(i)))
}

// chatMessage returns the message of a choice.
func (j *job) chatMessage(i int, said *whole) string {
	texts, calls := said.said()
	more := ""
	if calls != nil {
		var list []string
		for n, c := range calls {
			list = append(list, fmt.Sprintf(`{"id":"%s","type":"function","function":{"name":%s,"arguments":%s}}`,
				j.callID(i+n), quoted(c.name), quoted(string(c.text))))
		}
		more = `,"tool_calls":[` + strings.Join(list, ",") + "]"
	}
	if text := texts[refusal]; text != nil {
		more += `,"refusal":` + quoted(string(text))
	}
	if text := texts[speech]; text != nil {
		more += `,"audio":{"id":"audio-recorded","transcript":` + quoted(string(text)) + "}"
	}
	answer := quoted(string(texts[content]))
	if more != "" && texts[content] == nil {
		answer = "null"
	}
	if text := texts[reasoning]; text != nil {
		more += `,"reasoning_content":` + quoted(string(text))
	}
	return `{"role":"assistant","content":` + answer + more + "}"
}
