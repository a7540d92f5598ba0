// Package doctor holds what `tokscope doctor` finds between a person and a
// good measurement, as data. ui/format writes the sentences.
package doctor

import (
	"time"

	"tokscope/metrics"
)

// Code names a check: one of the constants below, in the order of a
// check-up. The codes are part of the JSON output.
type Code string

const (
	Key     Code = "key"       // Name is where the key came from; Why says why none is sent
	Proxy   Code = "proxy"     // the environment's proxy: Address, of the variable Name
	Lookup  Code = "name"      // Name to Addresses
	Connect Code = "tcp"       // one Address of a Family
	TLS     Code = "tls"       // Peer
	Models  Code = "models"    // N models, Name among them or not
	HTTP1   Code = "http1"     // a short stream over HTTP/1.1
	HTTP2   Code = "http2"     // a short stream over HTTP/2
	Direct  Code = "direct"    // a short stream without the proxy
	Stream  Code = "stream"    // a long stream
	Buffers Code = "buffering" // of the long stream
	Client  Code = "tokscope"  // tokscope's own lag, and who took the stamps
)

// Unix is the Family of the file of a unix socket.
const Unix = "unix"

// Grade says what a check found.
type Grade string

const (
	OK      Grade = "ok"
	Noted   Grade = "note"    // worth knowing; nothing needs to be done
	Bad     Grade = "bad"     // spoils or prevents a measurement
	Skipped Grade = "skipped" // not checked: Why
)

// Why says why a check was skipped, or what is noted: one of the constants
// below. The words are part of the JSON output.
type Why string

const (
	WhyAddress   Why = "address"          // the target is an address, no name
	WhyPlain     Why = "plain_http"       // the target has no TLS
	WhyNoProxy   Why = "no_proxy"         // the environment names none for this target
	WhySocket    Why = "unix_socket"      // the target is a unix socket: it needs no name, no proxy
	WhyKeyless   Why = "key_missing"      // the provider wants a key: Name
	WhyNoKey     Why = "no_key"           // no key is sent
	WhyNoOffer   Why = "not_offered"      // the server does not offer HTTP/2
	WhyEarlier   Why = "earlier_failure"  // an earlier check failed
	WhyFamily    Why = "one_family"       // another address of the name answers
	WhyThrough   Why = "through_proxy"    // the direct way fails, and the proxy's is what requests take
	WhyAsksCert  Why = "asks_certificate" // the server asks for a client certificate, and there is none
	WhyExpires   Why = "expires_soon"     // the certificate ends within ExpiresSoon
	WhyUnlisted  Why = "not_listed"       // the model is not in the server's list
	WhyNoList    Why = "no_list"          // the server lists no models; Fault says more
	WhyHidden    Why = "no_visible_token" // the short answer held hidden reasoning only
	WhyLeftOpen  Why = "left_open"        // the answer's end marker is missing, and the connection stayed open
	WhyFew       Why = "too_few_chunks"   // N chunks, fewer than LeastChunks
	WhyBase      Why = "other_base"       // Name is a base URL that answers
	WhyAPI       Why = "other_api"        // Name is an API in which the server lists models
	WhySpeaksTLS Why = "speaks_tls"       // the port of a plain URL speaks TLS
	WhyLagged    Why = "lagged"           // tokscope was late: a figure of Run is affected, or a buffer is hidden
	WhyInterrupt Why = "interrupted"      // a person ended the check-up
)

// Bounds of a check-up. They are said before it runs.
const (
	ShortTokens = 16  // most output tokens of a short stream
	LongTokens  = 200 // of the long one
	// LeastChunks of the long stream are needed to say that nothing buffers: a
	// buffer of 8 KiB holds 25 to 50.
	LeastChunks = 100
	// ExpiresSoon: a certificate that is renewed in time never comes closer.
	// Let's Encrypt's of 90 days are renewed 30 days before their end.
	ExpiresSoon = 14 * 24 * time.Hour
)

// Peer is what a TLS handshake showed.
type Peer struct {
	Version  string    `json:"version"`   // "TLS 1.3"
	Protocol string    `json:"protocol"`  // chosen by ALPN, "" for none
	Names    []string  `json:"names"`     // of the certificate
	Issuer   string    `json:"issuer"`    // its organization, else its common name
	NotAfter time.Time `json:"not_after"` // of the certificate
	// AsksCertificate: the server asked for a client certificate.
	AsksCertificate bool `json:"asks_certificate,omitempty"`
	// Client is the subject of the target's client certificate, "" without one, which
	// ends at ClientEnds. It is sent where the server asks.
	Client     string    `json:"client_certificate,omitempty"`
	ClientEnds time.Time `json:"client_not_after,omitzero"`
}

// Check is one result. A code and a Why fill only the fields that they name;
// the others are zero. All strings are redacted, but come from outside:
// sanitize them before a terminal.
type Check struct {
	Code      Code           `json:"check"`
	Grade     Grade          `json:"grade"`
	Why       Why            `json:"why,omitempty"`   // of a note, or why it was skipped
	Elapsed   time.Duration  `json:"ms,omitempty"`    // 0 where it means nothing
	Fault     *metrics.Fault `json:"fault,omitempty"` // why it failed
	Name      string         `json:"name,omitempty"`
	Addresses []string       `json:"addresses,omitempty"`
	Address   string         `json:"address,omitempty"` // host and port, or the file of a unix socket
	Family    string         `json:"family,omitempty"`  // "IPv4", "IPv6", "unix"
	N         int            `json:"n,omitempty"`       // models, or chunks
	Peer      *Peer          `json:"tls,omitempty"`
	Run       *metrics.Run   // of the streams
	Suspect   *metrics.Suspicion
	Fronts    []metrics.Front `json:"fronts,omitempty"` // proxies, gateways and CDNs that a response's headers name
	Observer  metrics.Observer
	Stamps    metrics.Source
	Now       time.Time // of Peer's check
}

// Report is a check-up.
type Report struct {
	Endpoint metrics.Endpoint `json:"endpoint"`
	Started  time.Time        `json:"started"`
	Plan     Plan             `json:"" form:"inline"`
	Checks   []Check
}

// Work is what a check-up sends, and who hears of it.
type Work struct {
	// Short and Long are the workloads of the short streams and of the long one.
	Short, Long metrics.Workload
	// Begin and Say are called before and after each step, on the caller's
	// goroutine. nil is allowed.
	Begin func(Code)
	Say   func(*Check)
}

// Plan is what a check-up will send at most.
type Plan struct {
	Requests int `json:"requests_at_most"`      // chat completions
	Tokens   int `json:"output_tokens_at_most"` // of all of them
}

// Found returns the checks that need something to be done.
func (r *Report) Found() []*Check {
	var out []*Check
	for i := range r.Checks {
		if r.Checks[i].Grade == Bad {
			out = append(out, &r.Checks[i])
		}
	}
	return out
}

// Interrupted reports whether a person ended the check-up.
func (r *Report) Interrupted() bool {
	n := len(r.Checks)
	return n > 0 && r.Checks[n-1].Why == WhyInterrupt
}
