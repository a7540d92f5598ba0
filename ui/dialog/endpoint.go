package dialog

import (
	"cmp"
	"regexp"
	"strings"
	"unicode/utf8"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/format"
)

// Endpoints is the endpoint picker. It opens empty; Found fills it.
type Endpoints struct {
	*Picker[metrics.Endpoint]
	current metrics.Endpoint
	// Typed says where a typed URL or a pasted curl command goes, and what the command
	// reads, NAME and @PATH; nil takes neither.
	Typed func(text string) (e metrics.Endpoint, reads []string, err error)
}

// NewEndpoints returns the picker with current selected. spin returns the
// spinner's frame.
func NewEndpoints(current metrics.Endpoint, spin func() int) *Endpoints {
	d := &Endpoints{current: current}
	d.Picker = newPicker(list{title: "endpoint", hint: "type to filter, type a URL, or paste a curl command",
		extra: d.offer, commands: true, busy: true,
		say: "looking for servers on this machine", spins: spin}, d.choose)
	d.moved = d.says
	d.fill([]metrics.Endpoint{current})
	return d
}

// Found fills the list, the one in use first, and ends the search.
func (d *Endpoints) Found(all []metrics.Endpoint) {
	d.busy, d.say = false, ""
	found := []metrics.Endpoint{d.current}
	for _, e := range all {
		switch typed := metrics.EndpointURL; {
		case d.is(e): // the list may know more of it
			found[0] = e
		case !e.Same(&d.current) || e.Kind != typed && d.current.Kind != typed: // else the same by another name
			found = append(found, e)
		}
	}
	d.fill(found)
	_ = d.now()
	if len(found) == 1 && d.say == "" {
		d.say, d.role = nothingFound, themes.Dim
	}
}

// nothingFound says what makes an empty list longer.
const nothingFound = "no other server found: start one, or set a key such as OPENAI_API_KEY"

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
	return e.Name == d.current.Name && e.Same(&d.current)
}

func (d *Endpoints) item(e metrics.Endpoint) item {
	it := item{name: e.Name, group: string(e.Kind), dim: !e.Ready, value: e, mark: isReady}
	if !e.Ready {
		it.mark = notReady
	}
	note := e.Note
	if d.is(e) { // the note of the model in use, not of the list's choice
		note = cmp.Or(d.current.Note, note)
	}
	it.detail = format.Written(format.If(d.is(e), "in use"), kindWord(e.Kind), e.API, note, e.Badge,
		format.If(e.Kind != metrics.EndpointEmbedded, e.URL))
	return it
}

// choose answers with the endpoint, or says why it cannot be used.
func (d *Endpoints) choose(e metrics.Endpoint) Act {
	if strings.ContainsAny(strings.TrimSpace(d.filter), " \t\n") && d.Typed != nil { // no name and no URL
		if typed, reads, err := d.Typed(d.filter); err == nil && typed == e {
			return UseCurl{d.filter, e, reads}
		}
	}
	if e.Ready {
		return UseEndpoint{e}
	}
	d.say, d.role = e.Name+": "+cmp.Or(e.Note, "not usable yet"), themes.Warn
	return nil
}

// kindWords are the kinds that are not called by their name.
var kindWords = map[metrics.EndpointKind]string{metrics.EndpointEmbedded: "built in",
	metrics.EndpointLoopback: "found here", metrics.EndpointURL: "by URL"}

func kindWord(k metrics.EndpointKind) string { return cmp.Or(kindWords[k], string(k)) }

// offer makes a row from the typed text when it is a command or readable as a URL. Why
// a command is not used is said below the rows too.
func (d *Endpoints) offer(text string) (item, bool) {
	if d.Typed == nil {
		return item{}, false
	}
	e, reads, err := d.Typed(text)
	if err != nil {
		said := commands.MatchString(d.filter) || d.secretive(d.filter) && len(d.shown) == 0
		return item{name: "not used: " + err.Error(), dim: true, mark: notReady}, said
	}
	url, _, _ := strings.Cut(e.URL, "?") // its query may have a key
	name := "use " + format.If(e.API != "", e.API+" at ") + url + format.If(e.Model != "", ", model "+e.Model) +
		format.If(len(reads) > 0, ", reads "+strings.Join(reads, ", "))
	return item{name: name, value: e, mark: isOffer}, true
}

// says shows below the rows, as a whole, why a command is not used.
func (d *Endpoints) says(it item) Act {
	if d.busy {
		return nil
	}
	if d.say = ""; it.value == nil {
		d.say, d.role = it.name, themes.Warn
	}
	return nil
}

// UseCurl reports that a pasted curl command was chosen: where it goes, and what it
// reads there, NAME and @PATH.
type UseCurl struct {
	Text     string
	Endpoint metrics.Endpoint
	Reads    []string
}

// curlMost bounds a pasted command, in bytes.
const curlMost = 1 << 20

// plainMost bounds a name, TARGET or URL that is shown while it is typed, in bytes.
const plainMost = 120

var (
	// plain matches what can be a name, a TARGET or a URL.
	plain = regexp.MustCompile("^[^\\s\"'`=?]*(?:\\?[^\\s\"'`]*)?$")
	// keyed matches a query with what may be a key, as Gemini's.
	keyed = regexp.MustCompile(`(?i)\?(?:.*[&_-])?(?:key|token|sig|signature|code|secret|auth)=`)
	// commands matches what is like a command or a program that sends a request, or has
	// several lines.
	commands = regexp.MustCompile(
		`(?i)(?:^|[\s/=])curl(?:\.exe)?\s|^\s*(?:export|set)\s+\w+=|Invoke-\S|\bi[wr][rm]\s|\bfetch\(|\bbearer\s|[\r\n]`)
)

// secretive reports whether typed text may hold a key. Where a command can be given, that
// is all that cannot be a name, a TARGET or a URL.
func (l *list) secretive(text string) bool {
	text = strings.TrimLeft(text, " ")
	if l.commands {
		text = strings.TrimRight(text, " ")
		return len(text) > plainMost || !plain.MatchString(text) || keyed.MatchString(text)
	}
	return commands.MatchString(text)
}

// masked returns typed text as it may be shown: what may hold a key as dots, the word
// curl excepted.
func (l *list) masked(text string) string {
	if !l.secretive(text) {
		return text
	}
	rest, curl := strings.CutPrefix(strings.TrimSpace(text), "curl ")
	n := utf8.RuneCountInString(rest)
	dots := strings.Repeat("·", min(n, 24))
	return format.If(curl, "curl ") + dots + " " + format.Plural(n, "character", "characters")
}
