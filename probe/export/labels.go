package export

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tokscope/metrics"
	"tokscope/metrics/watchstat"
)

// Bounds of what is kept, whatever a server answers.
const (
	maxSeries = 64  // sets of labels; requests beyond count to overflow
	maxExtra  = 48  // values of an instrument's extra attribute within a series
	maxLabel  = 128 // runes of a label's value
)

// labels tell series apart. They are comparable.
type labels struct {
	endpoint   string
	api        string // "" for chat completions
	model      string // asked for; the answer's where none was
	workload   string
	connection string // "cold", "warm" or ""
	provider   string // gen_ai.provider.name
	answered   string // gen_ai.response.model
	address    string // server.address
	port       int    // server.port
}

// overflow is the series of all requests that found no room for their own.
var overflow = labels{endpoint: "other", provider: "other"}

// plain returns l without what only the instruments of the specification show: two
// points must not look alike.
func (l labels) plain() labels {
	return labels{endpoint: l.endpoint, api: l.api, model: l.model, workload: l.workload, connection: l.connection}
}

// Values of labels.connection, the words of a target.
const (
	cold = "cold"
	warm = "warm"
)

// attribute is a label with its name in OTLP.
type attribute struct {
	key, value string
	integer    bool // of server.port
}

// attributes returns those of a point, in a fixed order. extra is the value of the
// instrument's extra attribute. Empty ones are left out: they are not known.
func (in *instrument) attributes(l *labels, extra string) []attribute {
	all := []attribute{{key: "endpoint", value: l.endpoint}, {key: "api", value: l.api}}
	if in.genAI {
		all = append(all, attribute{key: "gen_ai.operation.name", value: cmp.Or(spoken[l.api].operation, "chat")},
			attribute{key: "openai.api.type", value: spoken[l.api].openai},
			attribute{key: "gen_ai.provider.name", value: l.provider}, attribute{key: "gen_ai.request.model", value: l.model},
			attribute{key: "gen_ai.response.model", value: l.answered}, attribute{key: "server.address", value: l.address})
		if l.port > 0 && l.address != "" {
			all = append(all, attribute{"server.port", strconv.Itoa(l.port), true})
		}
	} else {
		all = append(all, attribute{key: "model", value: l.model})
	}
	all = append(all, attribute{key: "workload", value: l.workload}, attribute{key: "connection", value: l.connection})
	if in.extra != "" {
		all = append(all, attribute{key: in.extra, value: extra})
	}
	return slices.DeleteFunc(all, func(a attribute) bool { return a.value == "" })
}

// labelsOf returns the labels of an ended request. clean removes keys.
func labelsOf(s *metrics.Stream, clean func(string) string) labels {
	l := labels{
		endpoint: s.Endpoint.Name, api: s.Endpoint.API, model: cmp.Or(s.Endpoint.Model, s.Model),
		workload: s.Work.Name, answered: s.Model, provider: providerOf(&s.Endpoint),
	}
	if s.Endpoint.Kind != metrics.EndpointEmbedded { // its port is another one each time
		l.address, l.port = addressOf(s.Endpoint.URL)
	}
	switch {
	case s.Conn.Reused:
		l.connection = warm
	case s.Marks.GotConn.Known():
		l.connection = cold
	}
	return l.tidy(clean)
}

// labelsOfTarget returns the labels of the requests of a watch to t.
func labelsOfTarget(t *watchstat.Target, clean func(string) string) labels {
	l := labels{endpoint: t.Endpoint.Name, api: t.Endpoint.API, model: cmp.Or(t.Endpoint.Model, t.Model),
		workload: t.Work.Name, connection: warm}
	if t.Work.Connection == metrics.ReuseCold {
		l.connection = cold
	}
	return l.tidy(clean)
}

// tidy makes every value safe to export.
func (l labels) tidy(clean func(string) string) labels {
	for _, v := range []*string{&l.endpoint, &l.api, &l.model, &l.workload, &l.connection,
		&l.provider, &l.answered, &l.address} {
		*v = tidy(*v, clean)
	}
	return l
}

// tidy returns text from outside without keys, with at most maxLabel runes, and
// with a replacement character for each control character and invalid byte.
func tidy(text string, clean func(string) string) string {
	if text == "" {
		return ""
	}
	if len(text) > 8*maxLabel { // the rest cannot be part of the label
		text = text[:8*maxLabel]
	}
	text = clean(text)
	n := 0
	var b strings.Builder
	for _, r := range text {
		if n == maxLabel {
			break
		}
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			r = utf8.RuneError
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}

// addressOf returns host and port of a URL, "" and 0 if it has none.
func addressOf(address string) (host string, port int) {
	u, err := url.Parse(address)
	if err != nil {
		return "", 0
	}
	if port, err = strconv.Atoi(u.Port()); err != nil {
		port = map[string]int{"http": 80, "https": 443}[u.Scheme]
	}
	return u.Hostname(), port
}

// providers are the specification's names for the providers that have others
// here.
var providers = map[string]string{
	"azure": "azure.ai.openai", "bedrock": "aws.bedrock", "bedrock-mantle": "aws.bedrock",
	"gemini": "gcp.gemini", "google": "gcp.gemini",
	"mistral": "mistral_ai", "moonshot": "moonshot_ai", "xai": "x_ai",
	"vertex": "gcp.vertex_ai", "watsonx": "ibm.watsonx.ai",
}

// spoken are the specification's words for the APIs that are not chat completions: of
// gen_ai.operation.name, "" for chat, of gen_ai.provider.name, and of openai.api.type.
var spoken = map[string]struct{ operation, provider, openai string }{
	"completions": {operation: "text_completion"},
	"gemini":      {"generate_content", "gcp.gemini", ""},
	"messages":    {provider: "anthropic"},
	"ollama":      {provider: "ollama"}, "ollama-generate": {"text_completion", "ollama", ""},
	"responses": {openai: "responses"}, "responses-ws": {openai: "responses"},
}

// embedded is the provider of the embedded endpoint.
const embedded = "tokscope"

// providerOf returns gen_ai.provider.name: the flavor of the telemetry. Where no
// provider is known it is the one whose API the requests are in.
func providerOf(e *metrics.Endpoint) string {
	switch e.Kind {
	case metrics.EndpointEmbedded:
		return embedded
	case metrics.EndpointURL, metrics.EndpointLoopback, metrics.EndpointProfile:
		return cmp.Or(spoken[e.API].provider, "openai")
	case "":
		if e.Name == "demo" {
			return embedded
		}
	}
	return cmp.Or(providers[e.Name], e.Name)
}
