package dialog

import (
	"net"
	"net/url"
	"strings"

	"tokscope/metrics"
	"tokscope/themes"
)

// Endpoints is the endpoint picker. It opens empty; Found fills it.
type Endpoints struct {
	*Picker[metrics.Endpoint]
	current metrics.Endpoint
	// Curl says where a pasted curl command goes, and what it reads there, NAME and
	// @PATH; nil takes none.
	Curl func(text string) (e metrics.Endpoint, reads []string, err error)
}

// NewEndpoints returns the picker with current selected. spin returns the
// spinner's frame.
func NewEndpoints(current metrics.Endpoint, spin func() int) *Endpoints {
	d := &Endpoints{current: current}
	d.Picker = newPicker(list{title: "endpoint", hint: "type to filter, type a URL, or paste a curl command",
		extra: d.offer, commands: true, busy: true, grows: true,
		say: "looking for servers on this machine", spins: spin}, d.choose)
	d.moved = d.says
	d.fill([]metrics.Endpoint{current})
	return d
}

// Found fills the list and ends the search.
func (d *Endpoints) Found(all []metrics.Endpoint) {
	d.busy, d.say = false, ""
	d.fill(all)
	_ = d.now()
	if len(all) <= 1 && d.say == "" {
		d.say, d.role = nothingFound, themes.Dim
	}
}

// nothingFound describes an empty list: what it would contain.
const nothingFound = "no server answers at the usual ports of this machine. Providers " +
	"are listed when their key is in the environment, profiles when the configuration has them"

func (d *Endpoints) fill(all []metrics.Endpoint) {
	d.items = d.items[:0]
	for _, e := range all {
		d.items = append(d.items, d.item(e))
	}
	d.refresh()
	if d.filter == "" {
		d.seek(func(it item) bool { return d.is(it.value.(metrics.Endpoint)) })
	}
}

// is reports whether e is the endpoint in use.
func (d *Endpoints) is(e metrics.Endpoint) bool {
	return e.Name == d.current.Name && e.URL == d.current.URL
}

func (d *Endpoints) item(e metrics.Endpoint) item {
	it := item{name: e.Name, group: string(e.Kind), dim: !e.Ready, value: e, mark: isReady}
	if !e.Ready {
		it.mark = notReady
	}
	parts := []string{kindWord(e.Kind)}
	if d.is(e) {
		parts = []string{"in use", parts[0]}
	}
	note := e.Note
	if d.is(e) && d.current.Note != "" { // the note of the model in use, not of the list's choice
		note = d.current.Note
	}
	for _, s := range []string{note, e.Badge} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if e.Kind != metrics.EndpointEmbedded && e.URL != "" {
		parts = append(parts, e.URL)
	}
	it.detail = parts
	return it
}

// choose answers with the endpoint, or says why it cannot be used.
func (d *Endpoints) choose(e metrics.Endpoint) Act {
	if commands.MatchString(d.filter) {
		_, reads, _ := d.Curl(d.filter)
		return UseCurl{d.filter, e, reads}
	}
	if e.Ready {
		return UseEndpoint{e}
	}
	why := e.Note
	if why == "" {
		why = "not usable yet"
	}
	d.say, d.role = e.Name+": "+why, themes.Warn
	return nil
}

func kindWord(k metrics.EndpointKind) string {
	switch k {
	case metrics.EndpointEmbedded:
		return "built in"
	case metrics.EndpointLoopback:
		return "found here"
	case metrics.EndpointURL:
		return "by URL"
	}
	return string(k)
}

// offer makes a row from the typed text when it is a command or readable as a URL.
func (d *Endpoints) offer(s string) (item, bool) {
	if d.Curl != nil && commands.MatchString(d.filter) {
		return d.offerCurl(s), true
	}
	u, ok := asURL(s)
	if !ok {
		return item{}, false
	}
	parsed, _ := url.Parse(u)
	e := metrics.Endpoint{Kind: metrics.EndpointURL, Name: parsed.Host, URL: u, Ready: true}
	return item{name: "use " + u, value: e, mark: isOffer}, true
}

// asURL completes typed text to a URL: http for this machine and private
// addresses, https for all others.
func asURL(s string) (string, bool) {
	if s == "" || strings.ContainsAny(s, " \t") {
		return "", false
	}
	if !strings.Contains(s, "://") {
		if !strings.ContainsAny(s, ".:/") && s != "localhost" {
			return "", false
		}
		host, _, _ := strings.Cut(s, "/")
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		scheme := "https://"
		if local(host) {
			scheme = "http://"
		}
		s = scheme + s
	}
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" &&
		u.Scheme != "https" || strings.HasPrefix(u.Hostname(), ".") {
		return "", false
	}
	return s, true
}

func local(host string) bool {
	if host == "localhost" || host == "" || strings.HasSuffix(host, ".local") {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && (ip.IsLoopback() || ip.IsPrivate() || ip.IsUnspecified())
}
