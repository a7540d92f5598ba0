package record

import (
	"io"
	"runtime"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/doctor"
)

// DoctorSchema names the format of tokscope doctor --json.
const DoctorSchema = "tokscope/doctor/v1"

// CheckUp is the document of tokscope doctor --json.
type CheckUp struct {
	Schema     string           `json:"schema"`
	Tool       Tool             `json:"tool"`
	Started    string           `json:"started"` // wall clock, RFC 3339
	Endpoint   metrics.Endpoint `json:"endpoint"`
	Requests   int              `json:"requests_at_most"`
	Tokens     int              `json:"output_tokens_at_most"` // of all requests
	Found      int              `json:"found"`                 // checks that need something to be done
	Conclusion string           `json:"conclusion"`
	Checks     []Check          `json:"checks"`
}

// Check is one check. What does not apply is absent.
type Check struct {
	Check     string             `json:"check"`
	Grade     string             `json:"grade"`         // "ok", "note", "bad" or "skipped"
	Why       string             `json:"why,omitempty"` // of a note, or why it was skipped
	Text      string             `json:"text"`          // what was found, as a sentence
	Next      []string           `json:"next"`          // what to do, the most likely first
	Ms        *float64           `json:"ms,omitempty"`
	Name      string             `json:"name,omitempty"`
	Address   string             `json:"address,omitempty"`
	Family    string             `json:"family,omitempty"`
	Addresses []string           `json:"addresses,omitempty"`
	N         int                `json:"n,omitempty"` // models, or chunks
	TLS       *CheckTLS          `json:"tls,omitempty"`
	Fronts    []metrics.Front    `json:"fronts,omitempty"` // proxies, gateways and CDNs that the response's headers name
	Buffer    *metrics.Buffering `json:"buffer,omitempty"`
	Fault     *metrics.Fault     `json:"fault,omitempty"`
	Request   *Request           `json:"request,omitempty"` // of a stream
}

// CheckTLS is what a TLS handshake showed.
type CheckTLS struct {
	Version  string   `json:"version"`
	Protocol string   `json:"protocol"` // by ALPN
	Names    []string `json:"names"`    // of the certificate
	Issuer   string   `json:"issuer"`
	NotAfter string   `json:"not_after"` // RFC 3339
}

// CheckUpOf returns the document of a check-up.
func CheckUpOf(r *doctor.Report, version string, say Sentences) CheckUp {
	d := CheckUp{
		Schema: DoctorSchema, Tool: Tool{"tokscope", version, runtime.GOOS + "/" + runtime.GOARCH},
		Started:  r.Started.UTC().Format(time.RFC3339Nano),
		Endpoint: r.Endpoint, Requests: r.Plan.Requests, Tokens: r.Plan.Tokens,
		Found: len(r.Found()), Checks: []Check{},
	}
	if say.CheckUp != nil {
		d.Conclusion = say.CheckUp(r)
	}
	for i := range r.Checks {
		d.Checks = append(d.Checks, checkOf(&r.Checks[i], say))
	}
	return d
}

func checkOf(k *doctor.Check, say Sentences) Check {
	c := Check{
		Check: string(k.Code), Grade: string(k.Grade), Why: string(k.Why),
		Ms: nonzero(msOf(k.Elapsed)), Name: k.Name, Address: k.Address, Family: k.Family,
		Addresses: k.Addresses, N: k.N, Fronts: k.Fronts, Fault: k.Fault, Next: []string{},
	}
	if say.Check != nil {
		text, next := say.Check(k)
		c.Text, c.Next = text, append(c.Next, next...)
	}
	if p := k.Peer; p != nil {
		c.TLS = &CheckTLS{p.Version, p.Protocol, append([]string{}, p.Names...),
			p.Issuer, p.NotAfter.UTC().Format(time.RFC3339)}
	}
	if s := k.Suspect; s != nil && s.Code == metrics.SuspectBuffered {
		c.Buffer = &s.Buffering
	}
	if k.Run != nil && k.Code != doctor.Buffers && k.Code != doctor.Client {
		q := RequestOf(&k.Run.Stream, &k.Run.Figures)
		c.Request = &q
	}
	return c
}

// WriteDoctor writes a check-up as a JSON document.
func WriteDoctor(w io.Writer, r *doctor.Report, version string, say Sentences) error {
	return say.document(w, CheckUpOf(r, version, say))
}
