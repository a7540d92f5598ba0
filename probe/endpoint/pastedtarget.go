package endpoint

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/probe/dialect"
	"tokscope/probe/files"
	"tokscope/probe/secret"
	"tokscope/probe/sse"
)

// FromCurl returns the target and the workload of a pasted command. It reads the needs
// of p, which a person has agreed to, and no key of the environment beside them. What
// the flags say comes on top.
func (r *Resolver) FromCurl(p *Pasted) (Target, metrics.Workload, error) {
	var secrets []secret.Secret
	t, w, err := p.request(func(need string) (string, error) {
		text, err := r.need(need)
		if SecretName(need) {
			secrets = append(secrets, secret.NewSecret(text))
		}
		return text, err
	})
	if err != nil {
		return t, w, p.located(err)
	}
	t.hidden = append(t.hidden, secrets...)
	if err := t.CheckWork(&w); err != nil {
		return t, w, err
	}
	if b, err := ParseURL(t.URL); err == nil {
		if known := providerOf(b, r.env); known != nil && !known.Local {
			t.Server = known.Name
		}
	}
	t, err = r.finish(t, &Spec{})
	return t, w, err
}

// need reads what a need stands for.
func (r *Resolver) need(need string) (string, error) {
	text, err := r.env(need), error(nil)
	if path, file := strings.CutPrefix(need, "@"); file {
		text, err = r.await(func() (string, error) {
			data, err := files.ReadText(path, maxPasted)
			return string(data), err
		})
		if r.ctx().Err() != nil {
			return "", r.ctx().Err()
		}
	}
	if text = strings.TrimRight(text, "\r\n"); err == nil && (text == "" || strings.Contains(text, "\x00")) {
		err = errors.New("it is empty, not set, or no text")
	}
	if err != nil {
		return "", Refuse("the curl command reads "+need+": "+Reason(err), "set it, or write its text into the command")
	}
	return text, nil
}

// Typed returns where a person's text leads: a URL in any usual form, or a curl command,
// of which reads are the needs. The URL of a command is its host alone.
func Typed(text string) (e metrics.Endpoint, reads []string, err error) {
	if !looksLikeURL(text) || strings.ContainsAny(text, " \t\r\n") {
		p, err := ParseCurl(text)
		if err != nil {
			return e, nil, err
		}
		return p.Endpoint(), p.Needs, nil
	}
	b, err := ParseURL(text)
	if scheme, _, _ := strings.Cut(b.URL, "://"); !strings.Contains(text, ":/") {
		text = scheme + "://" + text
	}
	e = metrics.Endpoint{Kind: metrics.EndpointURL, Name: b.name(), URL: text, Model: b.Model, Ready: true}
	if speaks := dialect.Speaks(b.API); speaks != dialect.Speaks("") {
		e.API = b.API
	}
	return e, nil, err
}

// Endpoint is what a person may see of where p goes: its host and model, without what p
// keeps secret elsewhere.
func (p *Pasted) Endpoint() metrics.Endpoint {
	t, _, _ := p.named() // ParseCurl did
	shown := secret.NewScrubber(t.Secrets()...).String
	return metrics.Endpoint{Kind: metrics.EndpointURL, Name: shown(t.Name), URL: shown(p.host()), API: t.API,
		Model: shown(t.Model), Ready: true}
}

// named is the request with the names of its needs in place of what they stand for. What
// is wrong with them is not judged.
func (p *Pasted) named() (Target, metrics.Workload, error) {
	t, w, err := p.request(func(need string) (string, error) { return need, nil })
	bad, _ := errors.AsType[*CurlError](err)
	if slices.ContainsFunc(append(p.headers, *p.body), func(a argument) bool {
		return bad != nil && a.at == bad.At && needSign.MatchString(a.text)
	}) {
		err = nil
	}
	return t, w, err
}

// request returns what the command asks for, with its needs as read gives them.
func (p *Pasted) request(read func(need string) (string, error)) (t Target, w metrics.Workload, err error) {
	fill := func(text string) string {
		return needSign.ReplaceAllStringFunc(text, func(m string) string {
			text, failed := read(strings.Trim(m, "\x00"))
			err = cmp.Or(err, failed)
			return text
		})
	}
	address, body := fill(p.url.text), fill(p.body.text)
	b, wrong := ParseURL(address)
	path := strings.TrimRight(address[:strings.IndexAny(address+"?", "?#")], "/")
	switch {
	case err != nil:
		return t, w, err
	case wrong != nil:
		return t, w, fail(p.url.at, message(wrong), next(wrong))
	case b.Socket != "":
		return t, w, fail(p.url.at, "curl knows no such address", "give it to tokscope as the target")
	case !dialect.Speaks(b.API).AskedAt(path):
		return t, w, fail(p.url.at, "the address does not end with the path of an API that streams answers",
			"give one that ends with /chat/completions, /completions, /messages, /responses, /api/chat, /api/generate "+
				"or :streamGenerateContent")
	}
	t = fromBase(b)
	t.Kind, t.Name, t.Bases, t.HTTP2 = metrics.EndpointURL, b.name(), nil, p.http2
	t.CACert = strings.TrimPrefix(strings.Trim(p.cacert.text, "\x00"), "@")
	t.Warnings = append(t.Warnings, p.notes...)
	asked, wrong := ParseBody([]byte(body))
	if wrong != nil {
		return t, w, fail(p.body.at, "the body: "+message(wrong), next(wrong))
	}
	w, t.Model, t.MaxField, t.Extra = asked.Work, cmp.Or(asked.Model, t.Model), asked.MaxField, asked.Extra
	t.spoken, t.hidden = asked.spoken, asked.hidden
	if system, prompt := oneTurn(w.Messages); prompt != "" {
		w.System, w.Prompt, w.Messages = system, prompt, ""
	}
	if !asked.Streams && dialect.Speaks(b.API).Form == sse.Undecided { // the others stream unless told not to
		t.Warnings = append(t.Warnings, `the command asks for no stream; tokscope does: "stream": true`)
	}
	for _, h := range p.headers {
		from := "the curl command"
		variables := needSign.FindAllStringSubmatch(h.text, -1)
		if n := len(variables); n > 0 {
			from = "env " + variables[n-1][1]
		}
		for line := range strings.Lines(fill(h.text)) {
			name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
			if !ok || !headerName.MatchString(name) || strings.ContainsAny(value, "\r\n") {
				return t, w, fail(h.at, "this is no header", "write 'Name: value'")
			}
			t.pasted(http.CanonicalHeaderKey(name), strings.TrimSpace(value), from, len(variables) > 0)
		}
	}
	return t, w, cmp.Or(err, t.speak(t.API))
}

// pasted makes a header of a command a header of t, or its key, which came from there.
func (t *Target) pasted(name, value, from string, hidden bool) {
	auth, key := "", value
	switch {
	case name == "Accept-Encoding":
		t.Warnings = append(t.Warnings, name+" is left out: "+ownHeaders[name])
		return
	case value == "" || ownHeaders[name] != "" || name == "Accept" || name == "Content-Type",
		name == "Host" && value == t.Name:
		return // curl takes out a header that has no value
	case slices.Contains(auths, strings.ToLower(name)):
		auth = strings.ToLower(name)
	case name == "Authorization" && len(key) > 7 && strings.EqualFold(key[:7], "bearer "):
		auth, key = AuthBearer, key[7:]
	}
	key, err := cleanKey(key)
	if auth == "" || err != nil || !t.Key.Empty() {
		t.setHeader(name, value, hidden)
		return
	}
	t.Auth, t.Key, t.KeyFrom = auth, secret.NewSecret(key), from
}

// oneTurn returns the texts of messages that are one of the user, and at most one of the
// system before it; "" for others.
func oneTurn(messages metrics.Raw) (system, prompt string) {
	var turns []struct{ Role, Content string }
	d := json.NewDecoder(strings.NewReader(string(messages)))
	d.DisallowUnknownFields()
	err := d.Decode(&turns)
	switch n := len(turns); {
	case err != nil || n > 2 || turns[n-1].Role != "user":
		return "", ""
	case n == 1:
		return "", turns[0].Content
	case turns[0].Role == "system":
		return turns[0].Content, turns[1].Content
	}
	return "", ""
}
