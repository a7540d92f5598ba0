package probetest

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// part is one thing to send: an event, a comment, or bytes.
type part struct {
	kind  string
	text  string
	after time.Duration
	glued bool // joins the write of the previous part
}

// shape is the form of the parts on the wire.
type shape struct {
	flags  map[string]bool
	halves time.Duration
	group  int
	size   int
	per    int
	answer string
	target string

	lockstep int
	spread   time.Duration
}

type parser struct {
	parts  []part
	shape  shape
	wait   time.Duration
	began  bool // a wait or a part came before: it replaces D of the next group's first
	ending string
}

var flags = map[string]bool{
	"headers": true, "hints": true, "crlf": true, "cr": true, "nospace": true, "blanks": true,
	"unchunked": true, "length": true, "extensions": true, "trailers": true, "straddle": true,
	"usage-each": true, "role-first": true, "numbered": true,
}

var series = map[string]string{"tokens": "token", "reasoning": "reasoning",
	"thinking": "thinking", "comments": "comment", "empty": "empty"}

// Parse parses a script and renders it.
func Parse(text string) (*Plan, error) {
	p := parser{shape: shape{flags: map[string]bool{}, group: 1, per: 1}}
	for _, item := range split(text) {
		if err := p.item(item); err != nil {
			return nil, fmt.Errorf("script %q: %q: %w", text, item, err)
		}
	}
	if p.ending == "" && p.shape.answer == "" {
		p.add("finish", "", 0)
		p.add("done", "", 0)
	}
	return render(&p), nil
}

// MustParse is Parse for scripts in source code. It panics on an error.
func MustParse(text string) *Plan {
	p, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return p
}

// split splits at semicolons outside quotes.
func split(text string) []string {
	var items []string
	quoted, escaped, start := false, false, 0
	for i, c := range text + ";" {
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case c == ';' && (!quoted || i == len(text)):
			if item := strings.TrimSpace(text[start:i]); item != "" {
				items = append(items, item)
			}
			start = min(i+1, len(text))
		}
	}
	return items
}

func (p *parser) item(item string) error {
	word, arg, _ := strings.Cut(item, " ")
	arg = strings.TrimSpace(arg)
	if flags[word] && arg == "" {
		p.shape.flags[word] = true
		return nil
	}
	var err error
	switch word {
	case "prefill", "stall":
		var d time.Duration
		d, err = time.ParseDuration(arg)
		p.wait += d
		p.began = true
	case "burst":
		var n int
		n, err = strconv.Atoi(arg)
		for i := range n {
			p.add("token", "", 0)
			p.parts[len(p.parts)-1].glued = i > 0
		}
	case "role", "finish", "usage", "error", "done":
		p.add(word, "", 0)
	case "say", "raw":
		var s string
		s, err = strconv.Unquote(arg)
		p.add(word, s, 0)
	case "flood":
		var n int
		n, err = strconv.Atoi(arg)
		for range n {
			p.add("flood", strings.Repeat("x", 1<<10), 0)
		}
	case "end", "cut", "rst", "hang":
		p.ending = word
	case "unauthorized", "ratelimited", "redirect", "html", "json", "gzip", "broken":
		p.shape.answer, p.shape.target = word, arg
	case "halves":
		p.shape.halves, err = time.ParseDuration(arg)
	case "spread":
		p.shape.spread, err = time.ParseDuration(arg)
	case "group":
		p.shape.group, err = strconv.Atoi(arg)
	case "size":
		p.shape.size, err = strconv.Atoi(arg)
	case "per":
		p.shape.per, err = strconv.Atoi(arg)
	case "lockstep":
		p.shape.lockstep, err = strconv.Atoi(arg)
	default:
		err = p.series(word, arg)
	}
	return err
}

// series parses "50 tokens @ 1.4ms".
func (p *parser) series(count, rest string) error {
	f := strings.Fields(rest)
	n, err := strconv.Atoi(count)
	if err != nil || len(f) != 3 || f[1] != "@" || series[f[0]] == "" {
		return fmt.Errorf("not an item of a script")
	}
	d, err := time.ParseDuration(f[2])
	if err != nil {
		return err
	}
	for i := range n {
		gap := d
		if i == 0 && p.began {
			gap = 0
		}
		p.add(series[f[0]], "", gap)
	}
	return nil
}

func (p *parser) add(kind, text string, gap time.Duration) {
	p.parts = append(p.parts, part{kind: kind, text: text, after: p.wait + gap})
	p.wait, p.began = 0, false
}
