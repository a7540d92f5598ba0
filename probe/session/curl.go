package session

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/probe/dialect"
	"tokscope/probe/endpoint"
	"tokscope/probe/sse"
)

// curlDump is what curl prints of transfers: the bodies alone, with -i also their heads, or the
// output of -v, --trace and --trace-ascii.
var curlDump = format{
	tool: "curl", file: "curl -N, best with --trace-time --trace-ascii FILE",
	is: func(h *opening) bool {
		form, api := sse.FormOf(h.text), dialect.Seems(h.text)
		return form == sse.Events || bytes.HasPrefix(h.text, []byte("HTTP/")) || curlTells(h.text) ||
			api != nil && api.Form != sse.Undecided && api.Form == form
	},
	read: readCurl,
}

// curlSyntax is how curl writes. It is not made before it is needed.
var curlSyntax = sync.OnceValue(func() (of struct{ mark, line, bytes, next, meter *regexp.Regexp }) {
	// A line about a transfer, of --trace or of -v, with the time of day by --trace-time and a
	// number by --trace-ids. A part of a body may have no line end: what is written behind it
	// stands in the same line.
	of.mark = regexp.MustCompile(`(?:(\d\d:\d\d:\d\d\.\d{6}) |^)(?:\[[^\]]{1,20}\] )?` +
		`(?:(== Info:|[*<>])(?: +(.*))?|` +
		`([=<][=>] (?:Send|Recv) (?:SSL data|data|header)), (\d{1,9}) bytes \(0x[0-9a-f]+\))$|` +
		`(\d\d:\d\d:\d\d\.\d{6} )?([{}]) \[(\d{1,9}) bytes data\]$`)
	of.line = regexp.MustCompile(`^([0-9a-f]{4,8}): (.*)$`)    // of a dump
	of.bytes = regexp.MustCompile(`^(?:[0-9a-f]{2} |   ){16}`) // of one with bytes
	// What follows a line end in a body.
	of.next = regexp.MustCompile(`^(?:data|event|id|retry|error)?:|^[.{\[,\]]`)
	// The meter that curl shows without --silent.
	of.meter = regexp.MustCompile(`  % Total .*\n.*Speed\r?\n|` +
		`\r?(?: *[\d.]+[kMGTP]?){8}(?: +[\d:-]{7,8}){3} [ \d.kMGTP]{5}`)
	return of
})

// curlTells reports whether a whole line of text is one of curl's.
func curlTells(text []byte) bool {
	for line := range bytes.Lines(text) {
		if bytes.HasSuffix(line, []byte("\n")) && curlSyntax().mark.Match(bytes.TrimRight(line, "\r\n")) {
			return true
		}
	}
	return false
}

func readCurl(b *foreign) error {
	text, err := io.ReadAll(io.LimitReader(b.in, mostPart+1))
	if err != nil || len(text) > mostPart {
		return errors.Join(err, endpoint.Refuse(fmt.Sprintf("longer than %d MiB", mostPart>>20), "give a part of it"))
	}
	c := curlLog{x: newExchange(0), first: metrics.NoStamp, file: b}
	if curlTells(text[:min(len(text), headBytes)]) {
		err = c.read(curlSyntax().meter.ReplaceAll(text, nil))
	} else {
		b.lacks("the request")
		rest, more := c.x.takeHead(text)
		for more {
			text = rest
			rest, more = c.x.takeHead(text)
		}
		c.x.add(text, metrics.NoStamp)
	}
	if c.first.Known() {
		b.lacks("stamps of the kernel: the times are curl's, of when it had read")
	} else {
		b.lacks("times: curl writes them with --trace-time --trace-ascii FILE")
	}
	if c.ascii {
		b.lacks("letters outside ASCII: --trace-ascii has dots for them, and --trace has them")
	}
	for i, x := range append(c.done, c.x) {
		if err == nil {
			if err = x.addTo(b); err != nil {
				err = fmt.Errorf("response %d: %w", i+1, err)
			}
		}
	}
	return err
}

// curlLog reads what curl has written about transfers, one after the other.
type curlLog struct {
	file    *foreign
	done    []*exchange
	x       *exchange
	first   metrics.Stamp // the time of day of the first line; NoStamp before it
	last    metrics.Stamp // of the latest, since then
	heading []byte        // lines of a head
	headed  bool          // the head of the response is whole
	ascii   bool          // a dump has letters alone

	// Of what undot has seen: brackets that are open, whether it is in a text, behind a backslash, and
	// the last byte.
	depth          int
	quoted, escape bool
	before         byte
}

// at returns the time of a line since the first one, NoStamp without one. A day may end.
func (c *curlLog) at(text string) metrics.Stamp {
	t, err := time.Parse("15:04:05.000000", text)
	if err != nil {
		return metrics.NoStamp
	}
	const day = metrics.Stamp(24 * time.Hour)
	at := metrics.Stamp(t.Sub(t.Truncate(24 * time.Hour)))
	if !c.first.Known() {
		c.first = at
	}
	for at -= c.first; at < c.last-day/2; {
		at += day
	}
	c.last = at
	return at
}

// info takes a line about the connection.
func (c *curlLog) info(at metrics.Stamp, text string) {
	m := &c.x.marks
	for begin, mark := range map[string]*metrics.Stamp{"Trying ": &m.ConnectStart, "Connected to ": &m.ConnectDone,
		"TLSv1.3 (OUT), TLS handshake, Client": &m.TLSStart, "SSL connection using": &m.TLSDone} {
		if strings.HasPrefix(text, begin) && !mark.Known() {
			*mark = at
		}
	}
	if c.headed && (strings.Contains(text, "left intact") || strings.HasPrefix(text, "Closing connection")) {
		c.x.end = at
	}
}

// asks takes a part of the head of a request, of which it keeps the address.
func (c *curlLog) asks(at metrics.Stamp, text []byte) {
	if c.headed {
		c.done, c.headed, c.depth, c.quoted = append(c.done, c.x), false, 0, false
		c.x = newExchange(max(at, 0))
	}
	c.x.marks.Sent = at
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 3 && strings.HasPrefix(words[2], "HTTP/"):
			c.x.method, c.x.url = words[0], words[1]
		case len(words) == 2 && strings.EqualFold(words[0], "host:") && c.x.marks.TLSDone.Known():
			c.x.url = "https://" + words[1] + c.x.url
		case len(words) == 2 && strings.EqualFold(words[0], "host:"):
			c.x.url = "http://" + words[1] + c.x.url
		}
	}
}

// heads takes a part of the head of a response.
func (c *curlLog) heads(at metrics.Stamp, text []byte) {
	if m := &c.x.marks; !m.FirstByte.Known() {
		m.FirstByte = at
	}
	if c.heading = append(c.heading, text...); len(bytes.TrimSpace(text)) == 0 {
		_, c.headed = c.x.takeHead(c.heading)
		c.x.marks.Headers, c.heading = at, nil
	}
}

// comes takes a part of the body.
func (c *curlLog) comes(at metrics.Stamp, data []byte) {
	if c.x.add(data, at); at.Known() {
		c.x.end = at
	}
}

// read reads the output of --trace, --trace-ascii or -v. A last dump may end early.
func (c *curlLog) read(text []byte) error {
	var dump struct {
		at    metrics.Stamp
		what  string // Send header, Recv data, …; "" without a dump
		size  int
		line  int
		lines [][]byte
	}
	n := 0
	dumped := func() error {
		data, ascii, whole := undump(dump.lines, dump.size)
		switch {
		case dump.what == "" || strings.HasSuffix(dump.what, "SSL data"):
		case !whole:
			return fmt.Errorf("line %d says %d bytes, and the lines below it have others", dump.line, dump.size)
		case dump.what == "=> Send header":
			c.asks(dump.at, data)
		case dump.what == "=> Send data":
			c.x.asked, c.x.marks.Sent = append(c.x.asked, data...), dump.at
		case dump.what == "<= Recv header":
			c.heads(dump.at, data)
		default:
			if ascii {
				c.undot(data)
			}
			c.ascii = c.ascii || ascii
			c.comes(dump.at, data)
		}
		return nil
	}
	// Most versions write one line of -v for all reads of a body: its bytes are those of the first.
	at, left := metrics.NoStamp, 0
	said := func(body []byte) {
		if left -= len(body); left < 0 {
			at = metrics.NoStamp
		}
		if c.headed && dump.what == "" { // else the body stands in the dumps as well
			c.comes(at, body)
		}
	}
	for line := range bytes.Lines(text) {
		n++
		bare := bytes.TrimRight(line, "\r\n")
		if dump.what != "" && curlSyntax().line.Match(bare) {
			dump.lines = append(dump.lines, bare)
			continue
		}
		m := curlSyntax().mark.FindSubmatchIndex(bare)
		if m == nil {
			said(line)
			continue
		}
		said(line[:m[0]])
		sub := func(i int) string { return string(bare[max(m[2*i], 0):max(m[2*i+1], 0)]) }
		when := c.at(strings.TrimSpace(sub(1) + sub(6)))
		if err := dumped(); err != nil {
			return err
		}
		dump.at, dump.what, dump.line, dump.lines = when, sub(4), n, nil
		dump.size, _ = strconv.Atoi(sub(5))
		switch rest := sub(3); sub(2) + sub(7) {
		case "== Info:":
			c.info(when, rest)
			dump.what = "SSL data" // a trace goes on
		case "*":
			c.info(when, rest)
		case ">":
			c.asks(when, []byte(rest))
		case "<":
			c.heads(when, []byte(rest+"\r\n"))
		case "}":
			c.x.marks.Sent = when
		case "{":
			at = when
			left, _ = strconv.Atoi(sub(8))
		}
	}
	c.file.rec.Cut = dumped() != nil
	return nil
}

// undump returns the bytes of a dump, and whether they are all of them. In one of letters alone the
// offsets tell the line ends of two bytes.
func undump(lines [][]byte, size int) (data []byte, ascii, whole bool) {
	for _, line := range lines {
		ascii = ascii || !curlSyntax().bytes.Match(curlSyntax().line.FindSubmatch(line)[2])
	}
	for _, line := range lines {
		m := curlSyntax().line.FindSubmatch(line)
		from, err := strconv.ParseUint(string(m[1]), 16, 31)
		if ascii && int(from) == len(data)+2 {
			data = append(data, "\r\n"...)
		}
		if err != nil || int(from) != len(data) {
			return data, ascii, false
		}
		if !ascii {
			m[2], err = hex.DecodeString(strings.ReplaceAll(string(m[2][:48]), " ", ""))
		}
		if data = append(data, m[2]...); err != nil {
			return data, ascii, false
		}
	}
	if ascii && len(data)+2 == size {
		data = append(data, "\r\n"...)
	}
	return data, ascii, len(data) == size
}

// undot restores the line ends that --trace-ascii has written as dots: between events and the
// fields of one. A dot in a text stays, and so do the dots for letters outside ASCII.
func (c *curlLog) undot(b []byte) {
	for i, ch := range b {
		switch {
		case c.escape:
			c.escape = false
		case c.quoted:
			c.escape, c.quoted = ch == '\\', ch != '"'
		case ch == '"':
			c.quoted = c.depth > 0
		case ch == '{' || ch == '[':
			c.depth++
		case ch == '}' || ch == ']':
			c.depth = max(c.depth-1, 0)
		case ch != '.' || c.depth > 0 && c.before >= '0' && c.before <= '9': // of a number
		case i == len(b)-1, strings.IndexByte("}]\n", c.before) >= 0, curlSyntax().next.Match(b[i+1:]):
			b[i] = '\n'
		}
		c.before = b[i]
	}
}
