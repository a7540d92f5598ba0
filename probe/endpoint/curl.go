package endpoint

import (
	"net/url"
	"regexp"
	"strings"
	"sync"

	"tokscope/probe/dialect"
)

// longArgument is the size of a body from which Curl passes it on standard
// input: Linux takes 128 KiB in one argument.
const longArgument = 100 << 10

// bodyEnd ends a body on standard input. JSON in one line never holds it.
const bodyEnd = "TOKSCOPE_BODY"

// Curl returns a command for a POSIX shell that sends body, one line of JSON,
// as tokscope does: curl, or over a WebSocket websocat, which knows no certificates and no
// unix socket. Secrets are variables that the shell
// fills in: the key is the one it was read from, else $API_KEY; a header or a
// query parameter has its own name in capitals, or those that it was written with. The text holds no secret of t,
// but body may hold one.
func (t Target) Curl(body []byte) string {
	var b strings.Builder
	line := func(s string) { b.WriteString(" \\\n  " + s) }
	socket, address := overSocket(t.Address())
	frames, header := dialect.Speaks(t.API).Ends != nil, "-H "
	if frames {
		header = "-H=" // else websocat takes further words for headers
		b.WriteString("# curl speaks no WebSocket, websocat does\nprintf '%s\\n' " + quoted(string(body)) +
			" | websocat -n -B 16777216 " + t.curlURL("ws"+strings.TrimPrefix(address, "http")))
	} else {
		b.WriteString("curl -sS -N " + t.curlURL(address))
		if t.HTTP2 {
			line("--http2")
		}
		for _, o := range []struct{ flag, file string }{
			{"--cacert ", t.CACert}, {"--cert ", t.Cert}, {"--key ", t.CertKey}, {"--unix-socket ", socket},
		} {
			if o.file != "" {
				line(o.flag + quoted(o.file))
			}
		}
		line("-H 'Content-Type: application/json' -H 'Accept: text/event-stream'")
	}
	if !t.Key.Empty() && t.Auth != AuthNone {
		name, scheme := t.keyHeader()
		line(header + `"` + name + ": " + scheme + "$" + t.keyVariable() + `"`)
	}
	for _, k := range sortedKeys(t.Header) {
		line(header + quoted(k+": "+t.Header[k]))
	}
	for _, k := range sortedKeys(t.secretHeader) {
		if text, ok := t.written[k]; ok {
			line(header + shellWord(k+": "+text))
		} else {
			line(header + quoted(k+": ") + `"$` + variable(k) + `"`)
		}
	}
	if frames {
		return b.String() + "\n"
	}
	if len(body) < longArgument {
		line("--data-binary " + quoted(string(body)))
		return b.String() + "\n"
	}
	line("--data-binary @- <<'" + bodyEnd + "'")
	return b.String() + "\n" + string(body) + "\n" + bodyEnd + "\n"
}

// curlURL is address with the query, as one word of a shell.
func (t Target) curlURL(address string) string {
	sep := "?"
	if strings.Contains(address, sep) {
		sep = "&"
	}
	if plain := t.Query.Encode(); plain != "" {
		address, sep = address+sep+plain, "&"
	}
	word := quoted(address)
	for _, k := range sortedKeys(t.secretQuery) {
		for range t.secretQuery[k] {
			word += quoted(sep+url.QueryEscape(k)+"=") + `"$` + variable(k) + `"`
			sep = "&"
		}
	}
	return word
}

var noVariable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Z0-9_]+`) })

// keyVariable is the variable that holds the key.
func (t Target) keyVariable() string {
	if name, env := strings.CutPrefix(t.KeyFrom, "env "); env && envName(name) {
		return name
	}
	return "API_KEY"
}

// variable makes the name of a variable from that of a header.
func variable(name string) string {
	v := noVariable().ReplaceAllString(strings.ToUpper(name), "_")
	if v == "" || v[0] >= '0' && v[0] <= '9' {
		v = "_" + v
	}
	return v
}

// shellWord is a value of -H as one word of a POSIX shell, which fills in its variables.
func shellWord(s string) string {
	word := shellReference.ReplaceAllStringFunc(quoted(s), func(m string) string {
		if m == "$$" {
			return "$"
		}
		return `'"` + m + `"'`
	})
	if strings.HasSuffix(word, `"''`) {
		word = word[:len(word)-2]
	}
	return word
}

// quoted is s as one word of a POSIX shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
