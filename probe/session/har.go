package session

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/probe/endpoint"
)

// harLog is a log of requests in HAR 1.2, as browsers and proxies write it.
var harLog = format{
	tool: "HAR", file: "HTTP archive of a browser or a proxy, with the contents of responses",
	is: func(h *opening) bool {
		creator, entries := bytes.Contains(h.text, []byte(`"creator"`)), bytes.Contains(h.text, []byte(`"entries"`))
		return !h.list && h.has("log") && (creator || entries)
	},
	read: readHAR,
}

// harEntry is a request of the log. Times are ms; -1 and null are none.
type harEntry struct {
	Started string `json:"startedDateTime"`
	Request struct {
		Method   string `json:"method"`
		URL      string `json:"url"`
		PostData struct {
			Text string `json:"text"`
		} `json:"postData"`
	} `json:"request"`
	Response struct {
		Status  int    `json:"status"`
		Version string `json:"httpVersion"`
		Headers []struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		} `json:"headers"`
		Content struct {
			Text     string `json:"text"`
			Encoding string `json:"encoding"`
			MIME     string `json:"mimeType"`
		} `json:"content"`
	} `json:"response"`
	Timings struct {
		Blocked, DNS, Connect, SSL, Send, Wait, Receive float64
	} `json:"timings"`
	// Of Chrome: messages of a WebSocket, and proposed for events, each with its time, Unix s.
	Messages []harMessage `json:"_webSocketMessages"`
	Events   []harMessage `json:"_eventSourceMessages"`
}

type harMessage struct {
	Type string  `json:"type"` // of a WebSocket's: send, receive
	Time float64 `json:"time"`
	Name string  `json:"eventName"`
	Data string  `json:"data"`
}

func readHAR(b *foreign) error {
	others, empty, timed := 0, 0, false
	entry := func() error {
		var e harEntry
		if err := b.dec.Decode(&e); err != nil {
			return named(err)
		}
		wall, err := time.Parse(time.RFC3339Nano, e.Started)
		if err != nil {
			return errors.New("startedDateTime is no time")
		}
		x, err := e.exchange(wall, b.at(metrics.Stamp(wall.UnixNano())))
		if err == nil {
			err = x.addTo(b)
		}
		switch {
		case errors.Is(err, errNoStream):
			others++
			if len(x.parts) == 0 && strings.HasPrefix(e.Response.Content.MIME, "text/event-stream") {
				empty++
			}
		case err != nil:
			return err
		default:
			timed = timed || len(e.Messages)+len(e.Events) > 0
		}
		return nil
	}
	err := b.fields(func(string) error {
		return b.fields(func(name string) (err error) {
			switch name {
			case "creator":
				var by struct{ Name, Version string }
				err = named(b.dec.Decode(&by))
				b.about.Tool, b.about.Version = metrics.Head(cmp.Or(by.Name, "HAR"), 40), metrics.Head(by.Version+", HAR", 40)
			case "entries":
				return b.list(entry)
			default:
				_, err = b.scalar()
			}
			return err
		})
	})
	switch {
	case err != nil:
		return err
	case len(b.added) == 0:
		return endpoint.Refuse(fmt.Sprintf("without the stream of an answer: %d entries, %d of them streams without content",
			others, empty), "record it with the contents of responses, and save it when the answer is whole")
	case others > 0:
		b.lacks(fmt.Sprintf("the stream of an answer in %d of its entries, which are left out", others))
	}
	if timed {
		b.lacks("times of its own for each event: those of one piece share that of the piece")
	} else {
		b.lacks("times of events: it has the first byte of an answer and its end, and no gap")
	}
	b.lacks("stamps of the kernel")
	return nil
}

// exchange returns the entry, which began at wall, the stamp start.
func (e *harEntry) exchange(wall time.Time, start metrics.Stamp) (*exchange, error) {
	x := newExchange(start)
	x.method, x.url, x.asked, x.wall = e.Request.Method, e.Request.URL, []byte(e.Request.PostData.Text), wall
	x.status, x.proto, x.header = e.Response.Status, e.Response.Version, http.Header{}
	for _, h := range e.Response.Headers {
		x.header.Add(h.Name, h.Value)
	}
	x.header.Del("Transfer-Encoding") // the content is without it
	x.header.Del("Content-Encoding")
	at := x.start
	t := &e.Timings
	tls := max(t.SSL, 0)
	for _, step := range []struct {
		ms       float64
		from, to *metrics.Stamp
	}{
		{t.Blocked, nil, nil}, {t.DNS, &x.marks.DNSStart, &x.marks.DNSDone},
		{t.Connect - tls, &x.marks.ConnectStart, &x.marks.ConnectDone}, {tls, &x.marks.TLSStart, &x.marks.TLSDone},
		{t.Send, &x.marks.GotConn, &x.marks.Sent}, {t.Wait, nil, &x.marks.FirstByte}, {t.Receive, nil, &x.end},
	} {
		if step.ms > 0 && step.from != nil {
			*step.from = at
		}
		at += secondsOf(min(max(step.ms, 0)/1000, 1e8)) // their sum fits
		if step.to != nil && (step.ms > 0 || step.to == &x.marks.Sent) {
			*step.to = at
		}
	}
	body := []byte(e.Response.Content.Text)
	if e.Response.Content.Encoding == "base64" {
		var err error
		if body, err = base64.StdEncoding.DecodeString(string(body)); err != nil {
			return nil, fmt.Errorf("content.text is no base64: %w", err)
		}
	}
	for _, m := range append(e.Events, e.Messages...) {
		when := metrics.NoStamp
		if s := m.Time - float64(wall.UnixMicro())/1e6; s >= 0 && s < time.Duration(longest).Seconds() {
			when = x.start + secondsOf(s)
		}
		if m.Type != "send" {
			x.add(fmt.Appendf(nil, "event: %s\ndata: %s\n\n", m.Name, m.Data), when)
			body = nil
		}
	}
	x.add(body, metrics.NoStamp)
	return x, nil
}
