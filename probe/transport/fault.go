package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"tokscope/metrics"
)

// errLinger ends the wait for the end of the body of a complete answer. It is not
// a fault.
var errLinger = errors.New("the server did not end the body of a complete answer")

// bound is a bound on time: its name, what to say where it is passed, with how long it is,
// and what to do then.
type bound struct{ name, message, next string }

// The bounds on time. The last two end well.
var (
	boundConnect = &bound{"connect", "no connection within %s",
		"check the address, the network and a proxy, or allow more time"}
	boundTLS = &bound{"TLS handshake", "the TLS handshake took more than %s",
		"check that the port speaks TLS, or allow more time"}
	boundFirstByte = &bound{"first byte", "no answer within %s after the request was sent",
		"the server may be overloaded or loading the model; raise --timeout-first-byte to wait longer"}
	boundFirstData = &bound{"first data", "the server answered, but sent no data within %s",
		"it may be queueing or prefilling; raise --timeout-first-byte to wait longer"}
	boundFirstToken = &bound{"first token", "no token came, and the server was silent for %s",
		"it may be queueing or prefilling; raise --timeout-first-byte to wait longer"}
	boundTTFT = &bound{"time to first token",
		"no token within %s of the request, or of the last progress that the server reported " +
			"(pings, comments and empty events do not count)",
		"raise --timeout-first-token if the prompt or the queue is that long; else the request hangs in the server"}
	boundIdle = &bound{"idle", "no data for %s (comments do not count)",
		"the stream stalled and what had arrived is kept; raise --timeout-idle if that is normal here"}
	boundWhole  = &bound{name: "end of a whole answer"}
	boundLinger = &bound{name: "end of a complete answer"}
)

// passed returns the fault of a request that took longer than d.
func (b *bound) passed(d time.Duration) *metrics.Fault {
	return &metrics.Fault{Kind: metrics.FaultTimeout, Bound: b.name + " " + seconds(d),
		Message: fmt.Sprintf(b.message, seconds(d)), Next: b.next}
}

// seconds formats a bound as "10 s" or "250 ms", from ten minutes on as "15 min".
func seconds(d time.Duration) string {
	if d >= 10*time.Minute && d%time.Minute == 0 {
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	if d%time.Second == 0 {
		return fmt.Sprintf("%d s", d/time.Second)
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}

// PanicFault is the fault of a request in which our own code panicked with p.
// Its body is the stack.
func PanicFault(p any) *metrics.Fault {
	return &metrics.Fault{
		Kind: metrics.FaultInternal, Message: fmt.Sprintf("a bug in tokscope ended this stream: %v", p),
		Next: "please report it with the session file", Body: string(debug.Stack()),
	}
}

// tooLarge is the fault of a bound on size.
func tooLarge(what string, limit int64, unit string) *metrics.Fault {
	passed := amount(limit, unit)
	if strings.HasPrefix(what, "number of ") {
		passed = strconv.FormatInt(limit, 10)
	}
	return &metrics.Fault{
		Kind:    metrics.FaultTooLarge,
		Bound:   fmt.Sprintf("%s %s", what, amount(limit, unit)),
		Message: fmt.Sprintf("the %s passed %s and the stream was ended", what, passed),
		Next:    "what had arrived is kept; this bound is fixed",
	}
}

// behind is the fault of a bound on what has arrived and waits for this program.
func behind(what string, limit int64, unit string) *metrics.Fault {
	f := tooLarge(what+" not yet read by tokscope", limit, unit)
	f.Kind = metrics.FaultLocal
	f.Message = fmt.Sprintf("tokscope fell behind: of what had arrived it had not read %s, so it ended the stream",
		amount(limit, unit))
	f.Next = "the server is not the cause: use fewer users, end other programs, or take a faster machine"
	return f
}

func amount(n int64, unit string) string {
	switch {
	case unit == "B" && n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case unit == "B" && n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d %s", n, unit)
}

// stage is how far a response had come when an error ended it.
type stage uint8

const (
	unanswered stage = iota // no byte had arrived
	inHead                  // bytes had arrived, the header block was not complete
	inBody
)

// malformed are words in net/http's errors about a response that breaks the
// rules of HTTP. They come from its reader of responses and of chunks.
var malformed = []string{
	"malformed", "invalid", "unsupported transfer encoding", "too many transfer encodings",
	"bad Content-Length", "multiple Content-Length", "chunk length too large",
	"empty hex number", "too much non-data", "header line too long", "suspiciously long trailer",
}

// faultOf turns the error of a request with context ctx into a Fault. stage
// says how far the response had come.
func faultOf(ctx context.Context, err error, stage stage) *metrics.Fault {
	var f *metrics.Fault
	if cause := context.Cause(ctx); errors.As(cause, &f) {
		return f
	}
	if errors.As(err, &f) {
		return f
	}
	if ctx.Err() != nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		if errors.Is(context.Cause(ctx), context.DeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) {
			return &metrics.Fault{Kind: metrics.FaultTimeout, Bound: "request", Message: "the request passed its time limit"}
		}
		return &metrics.Fault{Kind: metrics.FaultCancelled, Message: "the request was canceled"}
	}
	if f := LocalFault(err); f != nil {
		return f
	}
	if f := connectFault(err); f != nil {
		r, _ := ctx.Value(routeKey{}).(route)
		if f.Kind != metrics.FaultConnect && f.Kind != metrics.FaultDNS {
			return f
		}
		if r.proxy != nil {
			// With a proxy only the proxy is dialed: the server was never tried.
			f.Message = "the proxy cannot be reached: " + f.Message
			f.Next = "check " + ProxyVariable(r.scheme) + "; NO_PROXY lists hosts that are reached directly"
		}
		return f
	}
	text := err.Error()
	var op *net.OpError
	switch {
	case stage == unanswered && errors.As(err, &op) && op.Op == "remote error":
		// With TLS 1.3 a server can refuse after the client has finished.
		return &metrics.Fault{Kind: metrics.FaultTLS, Message: "the server refused the TLS handshake: " + op.Err.Error(),
			Next: "check that client and server share a TLS version and its ciphers"}
	case errors.Is(err, io.ErrUnexpectedEOF) && stage == inHead:
		return &metrics.Fault{Kind: metrics.FaultReset,
			Message: "the server closed the connection in the middle of the response's headers",
			Next:    "run again; if it repeats, look at the log of the server or of a proxy on the way"}
	case errors.Is(err, io.ErrUnexpectedEOF) && stage == inBody:
		return &metrics.Fault{Kind: metrics.FaultTruncated,
			Message: "the server closed the connection in the middle of the body",
			Next:    "the server or a proxy ended the stream early; what had arrived is kept"}
	case slices.ContainsFunc(malformed, func(words string) bool { return strings.Contains(text, words) }):
		return &metrics.Fault{Kind: metrics.FaultProtocol,
			Message: "the server violated HTTP: " + text, Next: "check that the address is an HTTP endpoint"}
	case strings.Contains(text, "readLoopPeekFailLocked: %!w(<nil>)"): // data, and not an error of the read
		return &metrics.Fault{Kind: metrics.FaultProtocol,
			Message: "the server sent data before the request", Next: "check that the address is an HTTP endpoint"}
	case stage == inHead:
		return &metrics.Fault{Kind: metrics.FaultReset,
			Message: "the connection broke in the middle of the response's headers: " + reason(err),
			Next:    "run again to see whether it repeats"}
	case stage == inBody:
		return &metrics.Fault{Kind: metrics.FaultReset, Message: "the connection broke in the middle of the stream: " +
			reason(err), Next: "what had arrived is kept; run again to see whether it repeats"}
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(text, "server closed"):
		return &metrics.Fault{Kind: metrics.FaultReset, Message: "the server closed the connection without an answer",
			Next: "run again; if it repeats, look at the server's log"}
	}
	return &metrics.Fault{Kind: metrics.FaultReset,
		Message: "the connection broke before an answer came: " + reason(err), Next: "run again to see whether it repeats"}
}

// LocalFault returns the fault of an error that says that this machine, not the
// server, ran out of something; nil for any other error.
func LocalFault(err error) *metrics.Fault {
	f := &metrics.Fault{Kind: metrics.FaultLocal}
	// The resolver of names keeps only the text of an error.
	text := strings.ToLower(err.Error())
	switch {
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), strings.Contains(text, "too many open"):
		f.Message = "this machine allows no more connections: too many open files"
		f.Next = "raise the limit with ulimit -n, or use fewer users"
	case errors.Is(err, syscall.ENOMEM), errors.Is(err, syscall.ENOBUFS):
		f.Message = "this machine has no memory for another connection"
		f.Next = "use fewer users"
	default:
		return nil
	}
	return f
}

// reason returns the innermost text of a network error: "connection reset by
// peer".
func reason(err error) string {
	if no, ok := errors.AsType[syscall.Errno](err); ok {
		return no.Error()
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Err != nil {
		return op.Err.Error()
	}
	return err.Error()
}

// connectFault returns the fault of an error before the request was sent, or
// nil for any other error.
func connectFault(err error) *metrics.Fault {
	var dns *net.DNSError
	var host x509.HostnameError
	var alert tls.AlertError
	var op *net.OpError
	switch {
	case errors.As(err, &dns):
		return &metrics.Fault{Kind: metrics.FaultDNS, Message: fmt.Sprintf("the name %s was not found", dns.Name),
			Next: "check the spelling of the host and the network"}
	case is[tls.RecordHeaderError](err):
		return &metrics.Fault{Kind: metrics.FaultTLS, Message: "the server does not speak TLS on this port",
			Next: "use http:// in the address if it is meant to be plain"}
	case is[x509.UnknownAuthorityError](err):
		return &metrics.Fault{Kind: metrics.FaultTLS, Message: "the server's certificate is signed by an unknown authority",
			Next: "give the authority's certificate with --cacert"}
	case errors.As(err, &host):
		return &metrics.Fault{Kind: metrics.FaultTLS, Message: host.Error(), Next: "use the name that is in the certificate"}
	case is[x509.CertificateInvalidError](err), is[*tls.CertificateVerificationError](err):
		return &metrics.Fault{Kind: metrics.FaultTLS, Message: "the server's certificate is not valid: " + err.Error(),
			Next: "check the certificate and this machine's clock"}
	case errors.As(err, &alert):
		return &metrics.Fault{Kind: metrics.FaultTLS, Message: "the TLS handshake failed: " + alert.Error(),
			Next: "check that client and server share a TLS version"}
	case errors.As(err, &op) && op.Op == "dial" && op.Net == "unix":
		return socketFault(fmt.Sprint(op.Addr), err)
	case errors.Is(err, syscall.ECONNREFUSED):
		return &metrics.Fault{Kind: metrics.FaultConnect, Message: "the connection was refused" + at(err),
			Next: "check that the server runs and the port is right"}
	case errors.As(err, &op) && op.Op == "dial":
		return &metrics.Fault{Kind: metrics.FaultConnect,
			Message: "no connection" + at(err) + ": " + reason(op.Err), Next: "check the address and the network"}
	}
	return nil
}

// is reports whether err is, or wraps, an error of the type E.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func at(err error) string {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Addr != nil {
		return " by " + op.Addr.String()
	}
	return ""
}

// redirectFault returns the fault of a refused redirect, with its target but
// without userinfo.
func redirectFault(req *http.Request, resp *http.Response) *metrics.Fault {
	f := &metrics.Fault{Kind: metrics.FaultRedirect, Status: resp.StatusCode,
		Message: "the server redirects, which is not followed: the key would be sent along"}
	base := *req.URL
	if r, _ := req.Context().Value(routeKey{}).(route); r.socket != "" {
		base.Host = req.Host
	}
	to, err := base.Parse(resp.Header.Get("Location"))
	if err == nil && resp.Header.Get("Location") != "" {
		to.User = nil
		f.Location = to.String()
		f.Message = "the server redirects to " + f.Location + ", which is not followed: the key would be sent along"
		f.Next = "use that address as the base URL if you trust it"
	}
	return f
}

// streamable reports whether a content type may hold an event stream. No
// content type and text/plain are accepted too: servers use them for streams.
func streamable(contentType string) bool {
	mt, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		mt, _, _ = strings.Cut(contentType, ";")
		mt = strings.ToLower(strings.TrimSpace(mt))
	}
	switch mt {
	case "", "text/event-stream", "text/plain", "application/octet-stream",
		"application/x-ndjson", "application/ndjson", "application/jsonl", "application/stream+json":
		return true
	}
	return false
}

// encoded reports whether a Content-Encoding hides the arrival of events.
func encoded(contentEncoding string) bool {
	return contentEncoding != "" && !strings.EqualFold(contentEncoding, "identity")
}

// notStreamFault returns the fault of a 2xx that is not a stream, by its content type.
// What its bytes are says dialect.NotEvents.
func notStreamFault(resp *http.Response) *metrics.Fault {
	said, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";") // as it was sent: it may repeat a key
	said = strings.TrimSpace(said)
	if _, _, err := mime.ParseMediaType(said); err != nil {
		said = "no content type"
	}
	return &metrics.Fault{Kind: metrics.FaultNotStream, Status: resp.StatusCode,
		Message: "the server answered with " + said + " instead of a stream", Next: "check the base URL"}
}

func compressedFault(resp *http.Response) *metrics.Fault {
	e := resp.Header.Get("Content-Encoding")
	return &metrics.Fault{
		Kind: metrics.FaultCompressed, Status: resp.StatusCode,
		Message: "the server compressed the stream (" + e + ") although that was not offered: arrival times cannot be seen",
		Next:    "switch off compression of event streams in the server or proxy",
	}
}

// closes reports whether err says that the other side closed or reset the
// connection.
func closes(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
