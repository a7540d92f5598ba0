package dialect

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/sse"
)

// replay runs a body through framer and decoder. It returns the content of
// each event, one per line, and the texts joined at the end. cuts (ascending
// offsets) split the body into pieces.
func replay(t testing.TB, h http.Header, body []byte, cuts ...int) string {
	t.Helper()
	var (
		b      strings.Builder
		out    Out
		dec    = New()
		asm    sse.Assembler
		cutter sse.Cutter
		texts  [6]strings.Builder
		events int
	)
	write := func(label string) {
		for _, d := range out.Deltas {
			testkit.That(t, utf8.Valid(d.Text), "%s: a delta is no valid UTF-8: %q", label, d.Text)
			texts[d.Kind].Write(d.Text)
		}
		if s := describe(&out); s != "" {
			fmt.Fprintf(&b, "%s: %s\n", label, s)
		}
	}
	if h != nil {
		dec.Header(h, &out)
		write("headers")
	}
	emit := func(ev sse.Event) {
		dec.Event(ev, &out)
		events++
		write(fmt.Sprint(events))
	}
	push := func(line []byte, size int) {
		asm.Push(sse.Line{Data: line, Bytes: int32(size)}, emit)
	}
	from := 0
	for _, to := range append(cuts, len(body)) {
		// A fresh copy a piece: nothing may live on in a piece that is gone.
		piece := bytes.Clone(body[from:to])
		for rest := piece; ; {
			line, size, next, ok := cutter.Next(rest)
			if !ok {
				break
			}
			push(line, size)
			rest = next
		}
		for i := range piece {
			piece[i] = 'X'
		}
		from = to
	}
	if line, size, ok := cutter.Rest(); ok {
		push(line, size)
	}
	asm.Flush(emit)
	dec.Finish(true, &out)
	write("end")
	for k := range texts {
		if s := texts[k].String(); s != "" {
			fmt.Fprintf(&b, "all %s: %q\n", metrics.Kind(k), s)
		}
	}
	return b.String()
}

// describe writes what one event said on one line, "" for nothing at all.
func describe(o *Out) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	for _, w := range []struct {
		on   bool
		word string
	}{{o.Comment, "keep-alive"}, {o.Choices, "choices"}, {o.Role, "role"}} {
		if w.on {
			add("%s", w.word)
		}
	}
	for _, d := range o.Deltas {
		s := fmt.Sprintf("%s %q", d.Kind, d.Text)
		if d.Name != "" {
			s += " of " + d.Name
		}
		if d.Choice > 0 {
			s += fmt.Sprintf(" in choice %d", d.Choice)
		}
		if d.Tokens >= 0 {
			s += fmt.Sprintf(" = %d tokens", d.Tokens)
		}
		add("%s", s)
	}
	if o.LiveTokens >= 0 {
		add("live %d", o.LiveTokens)
	}
	if u := o.Usage; u != nil {
		s := fmt.Sprintf("usage prompt %d completion %d total %d", u.Prompt, u.Completion, u.Total)
		if u.Reasoning >= 0 {
			s += fmt.Sprintf(" reasoning %d", u.Reasoning)
		}
		if u.Cached >= 0 {
			s += fmt.Sprintf(" cached %d", u.Cached)
		}
		if u.CacheWritten > 0 {
			s += fmt.Sprintf(" written %d", u.CacheWritten)
		}
		if u.Mended != "" {
			s += " (mended)"
		}
		add("%s", s)
	}
	if o.TokensFrom != metrics.TokensUnknown {
		add("from %s", o.TokensFrom)
	}
	for _, s := range o.Server {
		add("%s %v by %s", s.Name, s.D, s.From)
	}
	if p := o.Progress; p != nil {
		add("prefilled %d of %d, %d cached", p.Processed, p.Total, p.Cached)
	}
	if r := o.RateLimit; r != nil {
		add("requests %d of %d for %v", r.RemainingRequests, r.LimitRequests, r.ResetRequests)
		add("tokens %d of %d for %v", r.RemainingTokens, r.LimitTokens, r.ResetTokens)
	}
	if o.Finish != "" {
		add("finish %s", o.Finish)
	}
	if o.Done {
		add("done")
	}
	for _, id := range []struct{ name, value string }{{"id", o.RequestID}, {"model", o.Model}, {"provider", o.Provider},
		{"fingerprint", o.Fingerprint}} {
		if id.value != "" {
			add("%s %s", id.name, id.value)
		}
	}
	if o.Thinking > 0 {
		add("about %d tokens of hidden thinking", o.Thinking)
	}
	for i, w := range o.Waits {
		add("%s %s", w.Name, map[bool]string{true: "has worked", false: "works"}[o.Waits[i].To.Known()])
	}
	for _, n := range o.Notes {
		add("note %s: %s", n.Code, n.Text)
	}
	if f := o.Fault; f != nil {
		add("FAULT %s status %d code %q: %s", f.Kind, f.Status, f.Code, f.Error())
	}
	return strings.Join(parts, " | ")
}
