package endpoint

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"tokscope/metrics/pick"
)

// Pasted is the request of a pasted curl command. It may hold a key, so no way of
// printing it shows more than its host.
type Pasted struct {
	// Needs are the parts of the command that stand elsewhere, in its order: NAME is a
	// variable of the environment, @PATH a file.
	Needs []string

	text        string
	url, cacert argument   // as written; cacert is a file
	headers     []argument // lines of headers
	body        *argument  // nil without one
	http2       bool
	notes       []string  // what the command would do and tokscope does not
	input       *argument // of a heredoc

	rest   []argument // of the command, while it is read
	joined string     // the value that stands in one word with its flag
}

// In the texts of a Pasted a need stands as \x00NEED\x00.
var needSign = regexp.MustCompile(`\x00([^\x00]+)\x00`)

// Format prints the host under every verb.
func (p *Pasted) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "curl "+p.host()) }

// host is scheme, host and port of the address, "" where they are not written out.
func (p *Pasted) host() string { return strings.TrimRight(hostOnly.FindString(p.url.text), "/?#") }

// CurlError says why a pasted command is not sent. It holds no key.
type CurlError struct {
	At         int // offset in the command
	What, Next string
	// Line and Column say where At is, from 1. Excerpt is the line as dots around it, and
	// in a second line a caret.
	Line, Column int
	Excerpt      string
}

// Error returns what is wrong, where, and the next step.
func (e *CurlError) Error() string {
	return fmt.Sprintf("%s (line %d, character %d): %s", e.What, e.Line, e.Column, e.Next)
}

func fail(at int, what, next string) error { return &CurlError{At: at, What: what, Next: next} }

var (
	curlBegins = regexp.MustCompile(`^((?:\s*#.*\n)*\s*(?:[$%>]\s+)?)curl(?:\.exe)?(?:[\s^]|$)`)
	hostOnly   = regexp.MustCompile(`^(?i:https?)://[^/?#@\s\x00]+(?:[/?#]|$)`)
	plainFlag  = regexp.MustCompile(`^(?:-[a-zA-Z#]|--[a-z][a-z-]+)$`)
)

// maxPasted bounds a pasted command and a file that it names, in bytes.
const maxPasted = 8 << 20

// ParseCurl reads a curl command as browsers, pages, other programs and people write it,
// for a POSIX shell, cmd.exe or PowerShell. It runs no shell, expands nothing, and opens
// no file. The error is a *CurlError: what cannot be read, cannot be sent as the command
// says, or would do more than send.
func ParseCurl(text string) (*Pasted, error) {
	p := &Pasted{text: text}
	if err := p.parse(); err != nil {
		return nil, p.located(err)
	}
	for _, text := range slices.Concat([]argument{p.url}, p.headers, []argument{*p.body, p.cacert}) {
		for _, m := range needSign.FindAllStringSubmatch(text.text, -1) {
			p.Needs = pick.Once(p.Needs, m[1])
		}
	}
	return p, nil
}

func (p *Pasted) parse() error {
	begins := curlBegins.FindStringSubmatch(p.text)
	switch {
	case len(p.text) > maxPasted:
		return fail(0, "the command is longer than 8 MiB", "give a shorter body")
	case !utf8.ValidString(p.text) || strings.ContainsAny(p.text, "\x00"+ignored):
		return fail(0, "the command is no text in UTF-8", "save it as UTF-8")
	case begins == nil:
		return fail(0, "this is no curl command", "paste from the word curl on; browsers have Copy as cURL")
	}
	before := len(begins[1])
	q, err := split(strings.Repeat(" ", before) + p.text[before:])
	if err != nil {
		return err
	}
	p.input, p.rest = q.input, q.out[1:]
	for len(p.rest) > 0 && err == nil {
		a := p.rest[0]
		p.rest = p.rest[1:]
		switch {
		case strings.HasPrefix(a.text, "--"):
			err = p.flag(a.text, a.at)
		case len(a.text) > 1 && a.text[0] == '-':
			for p.joined = a.text[1:]; p.joined != "" && err == nil; {
				letter := p.joined[:1]
				p.joined = p.joined[1:]
				err = p.flag("-"+letter, a.at)
			}
		default:
			err = p.address(a)
		}
	}
	switch {
	case err != nil:
		return err
	case p.url.text == "" || p.body == nil:
		return fail(before, "the command has no address or no body", "copy the request that has the prompt in its body")
	case p.host() == "" && strings.Contains(p.url.text, "\x00"):
		return fail(p.url.at, "the host of the address is in a variable", "write it out: it gets what the command sends")
	}
	_, _, err = p.named()
	return err
}

// flag carries out a flag of curl.
func (p *Pasted) flag(name string, at int) error {
	no := func(what, next string) error { return fail(at, name+" "+what, next) }
	none := func(argument) error { return nil }
	switch name {
	case "-H", "--header":
		return p.value(name, at, p.header)
	case "-d", "--data", "--data-ascii", "--data-binary", "--json", "--data-raw":
		return p.value(name, at, func(v argument) error { return p.data(v, name == "--data-raw") })
	case "-X", "--request":
		return p.value(name, at, func(v argument) error {
			if v.text != "POST" {
				return fail(v.at, "a request for an answer is a POST", "copy the request that has the prompt in its body")
			}
			return nil
		})
	case "--url":
		return p.value(name, at, p.address)
	case "-b", "--cookie":
		return p.value(name, at, func(v argument) error {
			if !strings.Contains(v.text, "=") {
				return fail(v.at, name+" would read a file", "write cookies as name=value")
			}
			return p.header(argument{"Cookie:" + v.text, v.at})
		})
	case "--cacert":
		return p.value(name, at, func(v argument) (err error) {
			p.cacert, err = fileOf(v.text, v.at)
			return err
		})
	case "--http2":
		p.http2 = true
	case "-s", "--silent", "-S", "--show-error", "-N", "--no-buffer", "-v", "--verbose", "-i", "--include", "-f", "--fail",
		"--fail-with-body", "-#", "--progress-bar", "--no-progress-meter", "-g", "--globoff", "--http1.1":
	case "-w", "--write-out":
		return p.value(name, at, none)
	case "--compressed":
		p.notes = append(p.notes, name+" is left out: compression would hide when chunks arrive")
	case "-m", "--max-time", "--connect-timeout", "--retry", "--retry-delay":
		p.notes = append(p.notes, name+" is left out: tokscope has limits of its own, and repeats no request")
		return p.value(name, at, none)
	case "-k", "--insecure":
		return no("would trust any certificate", "leave it out, and name a private authority: --cacert FILE")
	case "-K", "--config":
		return no("would read flags from a file", "write them into the command")
	case "-o", "--output", "-O", "--remote-name", "-D", "--dump-header", "-c", "--cookie-jar":
		return no("would write a file", "leave it out")
	case "-L", "--location", "--location-trusted":
		return no("would follow redirects, with the key", "leave it out: tokscope says where one points")
	case "-x", "--proxy":
		return no("would send all through a proxy", "leave it out, and set HTTPS_PROXY")
	case "-u", "--user":
		return no("is a password", "leave it out, and give the header Authorization with -H")
	case "-E", "--cert", "--key":
		return no("would read a client certificate", "leave it out, and give tokscope --cert and --key")
	default:
		if !plainFlag.MatchString(name) || len(name) > 23 { // it may be a key
			name = "this"
		}
		return no("is no flag of curl that tokscope carries out", "leave it out")
	}
	return nil
}

// value calls set with the value of a flag.
func (p *Pasted) value(name string, at int, set func(argument) error) error {
	v := argument{p.joined, at}
	if p.joined = ""; v.text == "" {
		if len(p.rest) == 0 {
			return fail(at, name+" has no value", "copy the whole command")
		}
		v, p.rest = p.rest[0], p.rest[1:]
	}
	return set(v)
}

func (p *Pasted) address(v argument) error {
	if p.url.text != "" {
		return fail(v.at, "this is a second address, or a text without quotes", "leave it out, or put the text into quotes")
	}
	if p.url = v; !strings.Contains(v.text, "://") {
		p.url.text = "http://" + v.text // as curl does
	}
	return nil
}

func (p *Pasted) header(v argument) (err error) {
	if path, file := strings.CutPrefix(v.text, "@"); file {
		v, err = fileOf(path, v.at)
	}
	p.headers = append(p.headers, v)
	return err
}

// fileOf returns the sign of a file, which nothing reads yet.
func fileOf(path string, at int) (argument, error) {
	if path == "" || strings.Contains(path, "\x00") {
		return argument{}, fail(at, "the path of this file is not written out", "write it out")
	}
	return argument{"\x00@" + path + "\x00", at}, nil
}

// data takes a body, unless raw also that of a file.
func (p *Pasted) data(v argument, raw bool) (err error) {
	path, file := strings.CutPrefix(v.text, "@")
	switch {
	case p.body != nil:
		return fail(v.at, "this is a second body", "give one body")
	case raw || !file:
	case path != "-":
		v, err = fileOf(path, v.at)
	case p.input == nil:
		return fail(v.at, "the body would come from the standard input", "put it into the command")
	default:
		v = *p.input
	}
	p.body = &v
	return err
}

// excerptHalf is how much is shown on each side of a place, in characters.
const excerptHalf = 36

// located returns err with its place, where it is a *CurlError.
func (p *Pasted) located(err error) error {
	e, ok := errors.AsType[*CurlError](err)
	if !ok {
		return err
	}
	from := strings.LastIndexByte(p.text[:e.At], '\n') + 1
	line, _, _ := strings.Cut(p.text[from:], "\n")
	e.Line = strings.Count(p.text[:from], "\n") + 1
	e.Column = utf8.RuneCountInString(p.text[from:e.At]) + 1
	dots := []rune(strings.Map(func(r rune) rune {
		if r > ' ' {
			return '·'
		}
		return ' '
	}, line))
	first, at := max(e.Column-1-excerptHalf, 0), e.Column-1
	e.Excerpt = string(dots[first:min(at+excerptHalf, len(dots))]) + "\n" + strings.Repeat(" ", at-first) + "^"
	return e
}
