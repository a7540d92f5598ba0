package sim

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// answer waits for all choices and writes them as one JSON object.
func (j *job) answer(w http.ResponseWriter, rc *http.ResponseController, ctx context.Context) {
	said := make([][toolArgs + 1][]byte, len(j.plans))
	var buf []arrival
	for open := len(j.plans); open > 0; {
		select {
		case <-ctx.Done():
			return
		case <-j.out.sig:
		}
		got, failed := j.out.swap(buf)
		for i := range got {
			a := &got[i]
			j.note(a)
			for range a.n {
				if k, tok, ok := j.plans[a.choice].next(); ok {
					said[a.choice][k] = append(said[a.choice][k], tok...)
					j.sent[a.choice]++
				}
			}
			if a.req.Finished {
				open--
			}
		}
		buf = got
		if failed != nil {
			refused(failed).write(w)
			return
		}
	}
	object := "text_completion"
	if j.req.chat {
		object = "chat.completion"
	}
	b := append(j.header(nil, object), `,"choices":[`...)
	for i := range j.plans {
		if i > 0 {
			b = append(b, ',')
		}
		b = j.choice(b, i, said[i])
	}
	b = j.usage(append(b, `],"usage":`...))
	if len(j.plans) == 1 {
		b = j.metrics(append(b, `,"metrics":`...))
	}
	b = append(b, '}')
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	_ = rc.SetWriteDeadline(time.Now().Add(writeTimeout)) // not every writer has deadlines
	_, _ = w.Write(b)                                     // a client that is gone hears nothing
}

func (j *job) choice(b []byte, i int, said [toolArgs + 1][]byte) []byte {
	b = strconv.AppendInt(append(b, `{"index":`...), int64(i), 10)
	if !j.req.chat {
		b = appendJSON(append(b, `,"text":`...), string(said[content]))
	} else {
		b = append(b, `,"message":{"role":"assistant","content":`...)
		if c := j.plans[i].call; c != nil {
			b = append(b, `null,"tool_calls":[{"id":`...)
			b = appendJSON(b, "call-"+j.id+"-"+strconv.Itoa(i))
			b = appendJSON(append(b, `,"type":"function","function":{"name":`...), c.name)
			b = appendJSON(append(b, `,"arguments":`...), string(said[toolArgs]))
			b = append(b, `}}]`...)
		} else {
			b = appendJSON(b, string(said[content]))
		}
		if len(said[reasoning]) > 0 {
			b = appendJSON(append(b, `,"reasoning_content":`...), string(said[reasoning]))
		}
		b = append(b, '}')
	}
	b = j.logprobs(append(b, `,"logprobs":`...), string(said[content]), j.sent[i])
	b = appendJSON(append(b, `,"finish_reason":`...), j.plans[i].finish)
	return append(b, `,"stop_reason":null}`...)
}
