package session

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/turn"
	"tokscope/probe/client"
	"tokscope/probe/dialect"
	"tokscope/probe/secret"
	"tokscope/probe/sse"
)

// exchange is a request and its response as another program has kept them. It is decoded on
// the way of a live response: lines, events, chunks.
type exchange struct {
	method, url string // "" where the file does not say
	asked       []byte // body of the request
	wall        time.Time
	start, end  metrics.Stamp
	marks       metrics.RequestMarks
	status      int // of the response; 0 where the file does not say
	proto       string
	header      http.Header
	parts       []part
}

// part is what came of a body at once, at NoStamp where the file does not say when.
type part struct {
	data []byte
	at   metrics.Stamp
}

// newExchange returns an exchange that began then, and in which nothing has happened.
func newExchange(start metrics.Stamp) *exchange {
	return &exchange{start: start, end: metrics.NoStamp, marks: metrics.NewRequestMarks()}
}

// add adds the next bytes of the body.
func (x *exchange) add(data []byte, at metrics.Stamp) {
	if n := len(x.parts); n > 0 && x.parts[n-1].at == at {
		x.parts[n-1].data = append(x.parts[n-1].data, data...)
	} else if len(data) > 0 {
		x.parts = append(x.parts, part{bytes.Clone(data), at})
	}
}

// takeHead takes a head of a response, which ends with an empty line. It returns what
// follows it, and whether b begins with a head.
func (x *exchange) takeHead(b []byte) (rest []byte, ok bool) {
	end := cmp.Or(bytes.Index(b, []byte("\r\n\r\n"))+4, 3)
	if end == 3 {
		end = bytes.Index(b, []byte("\n\n")) + 2
	}
	if end < 2 || !bytes.HasPrefix(b, []byte("HTTP/")) {
		return b, false
	}
	r := textproto.NewReader(bufio.NewReader(bytes.NewReader(b[:end])))
	line, _ := r.ReadLine()
	h, err := r.ReadMIMEHeader()
	words := append(strings.Fields(line), "")
	x.status, _ = strconv.Atoi(words[1])
	x.proto, x.header = words[0], http.Header(h)
	return b[end:], err == nil && x.status >= 100
}

// unchunk takes the framing of HTTP/1.1's chunks away, where the body still has it.
func (x *exchange) unchunk() {
	size, _, ok := bytes.Cut(x.begin(), []byte("\n"))
	_, err := strconv.ParseUint(string(bytes.TrimSpace(size)), 16, 31)
	if !ok || err != nil || !strings.EqualFold(x.header.Get("Transfer-Encoding"), "chunked") {
		return
	}
	left, line := 0, []byte(nil) // of the chunk with its line end; of the line with the next size
	for i := range x.parts {
		in, out := x.parts[i].data, []byte(nil)
		for len(in) > 0 {
			n := min(left, len(in))
			out = append(out, in[:max(min(left-2, n), 0)]...)
			in, left = in[n:], left-n
			if end := bytes.IndexByte(in, '\n') + 1; end > 0 {
				if n, err := strconv.ParseUint(string(bytes.TrimSpace(append(line, in[:end]...))), 16, 31); err == nil && n > 0 {
					left = int(n) + 2
				}
				in, line = in[end:], nil
			} else {
				in, line = nil, append(line, in...)
			}
		}
		x.parts[i].data = out
	}
}

// begin returns enough of the beginning of the body to say what it is.
func (x *exchange) begin() (b []byte) {
	for i := 0; i < len(x.parts) && len(b) < 4<<10; i++ {
		b = append(b, x.parts[i].data...)
	}
	return b[:min(len(b), 4<<10)]
}

// events cuts the body into its events. Each has the stamp and the number of the part with its
// last byte.
func (x *exchange) events(form sse.Form) (events []sse.Event, err error) {
	cutter := sse.Cutter{Array: form == sse.Array}
	asm := sse.Assembler{Bare: form == sse.Lines || form == sse.Array}
	emit := func(ev sse.Event) {
		if !ev.At.Known() { // nor is it with which others it came
			ev.Read = int32(len(x.parts) + len(events))
		}
		ev.Name, ev.Data = bytes.Clone(ev.Name), []byte(secret.RemovePatterns(string(ev.Data)))
		events = append(events, ev)
	}
	l := sse.Line{}
	for i, p := range append(x.parts, part{at: metrics.NoStamp}) {
		rest, more := p.data, true
		if i < len(x.parts) {
			l.At, l.User, l.Read = p.at, p.at, int32(i)
		}
		for more {
			var size int
			if l.Data, size, rest, more = cutter.Next(rest); !more && i == len(x.parts) {
				l.Data, size, more = cutter.Rest()
			}
			if l.Bytes = int32(size); more {
				asm.Push(l, emit)
			}
		}
	}
	asm.Flush(emit)
	if cutter.LineTooLong() {
		err = fmt.Errorf("a line of the stream is longer than %d MiB", sse.DefaultMaxLine>>20)
	}
	return events, err
}

// errNoStream says that an exchange is no request for an answer.
var errNoStream = errors.New("its body is no stream of an API that tokscope decodes")

// addTo decodes the exchange and adds it to b. It is errNoStream for what is neither a stream nor a
// refusal of one.
func (x *exchange) addTo(b *foreign) error {
	x.unchunk()
	start := x.begin()
	form, api := sse.FormOf(start), dialect.Seems(start)
	u, err := url.Parse(x.url)
	if err != nil {
		u = &url.URL{}
	}
	asks := dialect.Read("", x.method, u.Path, nil, x.asked)
	v := b.begin(x.marks.Sent)
	v.TextRemoved, v.Wall, v.Conn.Proto = false, x.wall, x.proto
	v.Marks.Start, v.Marks.RequestMarks, v.Marks.End = x.start, x.marks, x.end
	var events []sse.Event
	switch encoding := x.header.Get("Content-Encoding"); {
	case encoding != "" && form == sse.Other:
		return fmt.Errorf("its body is compressed (%s): save it decompressed, as curl --compressed does",
			metrics.Head(encoding, 20))
	case x.status >= http.StatusMultipleChoices && (asks.Kind == turn.Asks || x.url == ""):
		v.State, v.Fault = metrics.Failed, client.Refused(x.status, x.header, start)
	case form == sse.Events, api != nil && api.Form != sse.Undecided && api.Form == form:
		if events, err = x.events(form); err != nil {
			return err
		}
		if api = dialect.Spoken(events); api == nil {
			return errNoStream
		}
	default:
		return errNoStream
	}
	name, _, base := dialect.Pasted(u.Hostname(), u.Port(), u.Path)
	if api != nil {
		name = api.Name
	}
	if name == dialect.Speaks("").Name {
		name = ""
	}
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: secret.RemovePatterns(base)}
	v.Endpoint = metrics.Endpoint{Kind: metrics.EndpointURL, Name: u.Host, Model: asks.Model, API: name}
	if u.Host != "" {
		v.Endpoint.URL = shown.String()
	}
	if x.header != nil {
		h, left := client.Presentable(x.header)
		b.head = &client.Head{At: x.marks.Headers, Status: x.status, Proto: x.proto, Headers: h, Withheld: left}
	}
	return b.add(v, events, false)
}
