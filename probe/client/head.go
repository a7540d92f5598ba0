package client

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/probe/secret"
)

// Bounds of a head as a stream shows it: fields, and bytes of a value. Servers
// send 10 to 40 fields; a hostile one fills 64 kB.
const (
	headFields = 64
	headValue  = 512
)

// shownHead returns the head of a response for the stream's view: the fields in
// the order of their names, without keys, cookies and credentials. h is nil
// without a response, and so is the result.
func shownHead(status int, proto string, h http.Header, scrub *secret.Scrubber) *metrics.ResponseHead {
	if h == nil {
		return nil
	}
	out := &metrics.ResponseHead{Status: status, Reason: http.StatusText(status), Proto: proto}
	fields, left := presentable(h, scrub)
	out.Withheld = left[:min(len(left), headFields)]
	names := slices.Sorted(maps.Keys(fields))
	for i, name := range names {
		if i == headFields {
			out.More = len(names) - i
			break
		}
		value := strings.Join(fields[name], ", ")
		if len(value) > headValue {
			value = value[:headValue] + "…"
		}
		out.Fields = append(out.Fields, metrics.HeaderField{Name: name[:min(len(name), headValue)], Value: value})
	}
	return out
}
