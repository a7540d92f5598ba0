package sim

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
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
					x.text[k] = append(x.text[k], tok...)
					if tok != "" && j.req.details() {
						x.tokens[k] = append(x.tokens[k], tok)
					}
					j.sent[a.choice]++
				}
			}
			if a.req.Finished {
				open--
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
	if len(j.plans) == 1 {
		b = j.metrics(append(b, `,"metrics":`...))
	}
	return append(b, '}')
}

// whole is the whole answer of one choice, by the field that it belongs to.
type whole struct {
	text   [toolArgs + 1][]byte
	tokens [toolArgs + 1][]string // if the request asks for details
}

// arguments returns those of the call, false where there is none or its document was cut.
func (w *whole) arguments() (json.RawMessage, bool) {
	args := w.text[toolArgs]
	return args, json.Valid(args)
}

// all returns the tokens in the order of the answer.
func (w *whole) all() []string {
	return slices.Concat(w.tokens[reasoning], w.tokens[toolArgs], w.tokens[content])
}

func (j *job) callID(choice int) string { return "call-" + j.id + "-" + strconv.Itoa(choice) }

func (j *job) choice(b []byte, i int, said *whole) []byte {
	b = strconv.AppendInt(append(b, `{"index":`...), int64(i), 10)
	if !j.req.chat {
		b = appendJSON(append(b, `,"text":`...), string(said.text[content]))
	} else {
		b = append(b, `,"message":{"role":"assistant","content":`...)
		if c := j.plans[i].call; c != nil {
			b = append(b, `null,"tool_calls":[{"id":`...)
			b = appendJSON(b, j.callID(i))
			b = appendJSON(append(b, `,"type":"function","function":{"name":`...), c.name)
			b = appendJSON(append(b, `,"arguments":`...), string(said.text[toolArgs]))
			b = append(b, `}}]`...)
		} else {
			b = appendJSON(b, string(said.text[content]))
		}
		if len(said.text[reasoning]) > 0 {
			b = appendJSON(append(b, `,"reasoning_content":`...), string(said.text[reasoning]))
		}
		b = append(b, '}')
	}
	b = j.logprobs(append(b, `,"logprobs":`...), &j.plans[i].log, said.all())
	if j.req.returnTokenID {
		b = j.tokenIDs(append(b, `,"token_ids":`...), said.all())
	}
	b = appendJSON(append(b, `,"finish_reason":`...), j.plans[i].finish)
	return append(b, `,"stop_reason":null}`...)
}
