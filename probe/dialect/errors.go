package dialect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"tokscope/metrics"
)

// maxBody bounds Fault.Body, maxMessage the server's message within
// Fault.Message.
const (
	maxBody    = 4 << 10
	maxMessage = 600
)

// serverError is an error reported by a server, in any shape.
type serverError struct {
	found   bool
	message string
	code    string // the code, or the type without one
	status  int    // an HTTP status in the document
	names   string // fields of the request that the error names (param, loc), each with blanks around it
}

// errorOf finds the error in a document of any shape:
//
//	{"error":{"message":…,"code":…,"type":…}}  OpenAI and most others
//	{"error":"text","error_type":…}             TGI
//	{"object":"error","message":…}              older vLLM
//	{"type":"error","error":{…}}                Anthropic
//	{"detail":"…"} {"detail":[{"loc":…,"msg":…}]} FastAPI
//	{"success":false,"errors":[{…}]}            Cloudflare
//	{"message":…} {"title":…}                   gateways
//	[{"error":{…}}]                             Gemini
//	<html><title>…                              proxies
//	anything else                               its first line
//
// found is true only if the document declares an error: the first six shapes
// except detail, or a list with one of them.
func errorOf(doc []byte) serverError {
	doc = bytes.TrimSpace(doc)
	if !json.Valid(doc) {
		return serverError{message: plainMessage(doc)}
	}
	return readError(doc, 0)
}

// readError decodes one well-formed value, nothing of null. depth bounds nested errors.
func readError(raw []byte, depth int) (e serverError) {
	const deepest = 4
	if raw == nil || depth > deepest {
		return e
	}
	s := scanner{b: raw}
	switch s.peek() {
	case '"':
		e.message = scalar(raw)
		return e
	case '[':
		for more := s.firstElem(); more; more = s.nextElem() {
			e.join(readError(s.raw(), depth+1))
		}
		return e
	}
	var typ string
	for k, more := s.firstKey(); more; k, more = s.nextKey() {
		key := string(k)
		switch v := s.raw(); key {
		case "error", "errors", "detail", "message", "msg", "title", "error_description":
			inner := readError(v, depth+1)
			if isError := key == "error" || key == "errors"; isError && saysSomething(v) {
				e.found = true
				inner.found = true
			}
			if key == "error" || key == "message" || key == "errors" || e.message == "" {
				e.merge(inner)
			}
		case "code":
			if n := asCount(v); n >= 100 && n < 600 { // the type says more
				e.status = n
			} else if c := scalar(v); c != "" {
				e.code = c
			}
		case "type", "error_type":
			typ = scalar(v)
		case "object":
			e.found = e.found || scalar(v) == "error"
		case "status", "status_code", "http_status_code":
			if n := asCount(v); n >= 100 && n < 600 {
				e.status = n
			} else if typ == "" {
				typ = scalar(v)
			}
		case "details": // Anthropic's are an object with a finer code than the type
			if inner := readError(v, depth+1); len(v) > 0 && v[0] == '{' && e.code == "" {
				e.code = inner.code
			}
		case "error_code":
			e.code = scalar(v)
		case "param":
			e.names += " " + scalar(v) + " "
		case "loc":
			e.names += " " + names(v) + " "
		}
	}
	e.code = cmp.Or(e.code, typ)
	return e
}

// merge copies the fields of inner that e lacks.
func (e *serverError) merge(inner serverError) {
	e.message = cmp.Or(inner.message, e.message)
	e.code = cmp.Or(inner.code, e.code)
	e.status = cmp.Or(inner.status, e.status)
	e.names += inner.names
	e.found = e.found || inner.found
}

// words returns message and code in lower case.
func (e *serverError) words() string { return strings.ToLower(e.message + " " + e.code) }

// hold reports whether words holds one of the texts. A message may have a megabyte: words
// of the same error are asked for once.
func hold(words string, texts ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(words, text) })
}

// join appends one more error of a list.
func (e *serverError) join(next serverError) {
	if e.message != "" && next.message != "" {
		next.message = e.message + "; " + next.message
	}
	e.merge(next)
}

// saysSomething reports whether the value of an error key is an error. null,
// false, 0, "" and an empty list are not.
func saysSomething(raw []byte) bool {
	switch string(raw) {
	case "", "null", "false", "0", `""`, "[]":
		return false
	}
	return true
}

// scalar returns a string or number as text, "" for everything else.
func scalar(raw []byte) string {
	if len(raw) == 0 {
		return ""
	}
	switch raw[0] {
	case '{', '[', 't', 'f', 'n':
		return ""
	case '"':
		s := scanner{b: raw}
		t, _ := s.text()
		return string(t)
	}
	return string(raw)
}

// names returns the strings of a list, such as ["body","seed"], with blanks between.
func names(raw []byte) string {
	s := scanner{b: raw}
	if s.peek() != '[' {
		return scalar(raw)
	}
	var all []string
	for more := s.firstElem(); more; more = s.nextElem() {
		all = append(all, scalar(s.raw()))
	}
	return strings.Join(all, " ")
}

// plainMessage returns a sentence from a body that is not JSON: the title of
// a page, or the first line.
func plainMessage(doc []byte) string {
	low := bytes.ToLower(doc)
	if i := bytes.Index(low, []byte("<title")); i >= 0 {
		if j := bytes.IndexByte(low[i:], '>'); j >= 0 {
			begin := i + j + 1
			if n := bytes.Index(low[begin:], []byte("</title")); n >= 0 && len(low) == len(doc) {
				return Excerpt(doc[begin:begin+n], maxMessage)
			}
		}
	}
	if bytes.HasPrefix(low, []byte("<!doctype")) || bytes.HasPrefix(low, []byte("<html")) {
		return "an HTML page"
	}
	line, _, _ := bytes.Cut(doc, []byte("\n"))
	return Excerpt(line, maxMessage)
}

// chunkFault sets the fault of a chunk, wherever the chunk holds it, and
// reports whether it did.
func (d *Decoder) chunkFault(m *message, doc, groqErr []byte, out *Out) bool {
	var raw []byte
	switch {
	case saysSomething(m.err):
		raw = m.err
	case saysSomething(groqErr):
		raw = groqErr
	case string(m.object) == "error", string(m.success) == "false" && saysSomething(m.errs):
		// The whole document is the error.
		d.fault(out, errorOf(doc), doc)
		return true
	}
	for i := 0; raw == nil && i < len(m.choices); i++ {
		if saysSomething(m.choices[i].err) {
			raw = m.choices[i].err
		}
	}
	if raw == nil {
		return false
	}
	d.fault(out, readError(raw, 0), raw)
	return true
}

// fault reports an error from inside the stream.
func (d *Decoder) fault(out *Out, e serverError, raw []byte) {
	d.faulted, d.recognized = true, true
	f := &metrics.Fault{Kind: metrics.FaultInStream, Status: e.status, Code: e.code, Body: BodyStart(raw),
		RetryAfter: waitOf(e.status, nil, raw)}
	f.Message = "the server sent an error without a message in the stream"
	if said := cmp.Or(e.message, e.code); said != "" {
		f.Message = "the server sent an error in the stream: " + Excerpt([]byte(said), maxMessage)
	}
	f.Next = nextStep(e.status, nil, e, f.RetryAfter)
	out.Fault = f
}

// BodyStart returns the first 4 KiB of a body as valid UTF-8.
func BodyStart(b []byte) string {
	return metrics.Head(strings.ToValidUTF8(string(b[:min(len(b), 2*maxBody)]), "\uFFFD"), maxBody)
}
