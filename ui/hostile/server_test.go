package hostile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// apiKey is sent to every server of the table. It has no shape that the program
// knows, and characters that every encoding writes differently.
const apiKey = "Zq7hT3pW9-xK2wmB5v+Lc8RnJ4dY6sG1fA0tUe&w"

// keyForms are the spellings of the key that a server can echo. In what a row
// sends, $KEY and $KEY:form stand for them.
var keyForms = map[string]func(string) string{
	"url":     url.QueryEscape,
	"percent": func(k string) string { return eachByte(k, "%%%02x") },
	"json":    func(k string) string { return eachByte(k, `\u%04x`) },
	"twice":   func(k string) string { return eachByte(k, `\\u%04x`) },
	"base64":  func(k string) string { return base64.StdEncoding.EncodeToString([]byte(k)) },
	"base64a": func(k string) string { return base64.StdEncoding.EncodeToString([]byte("a" + k)) },
	"base64b": func(k string) string { return base64.StdEncoding.EncodeToString([]byte("ab" + k)) },
	"base64u": func(k string) string { return base64.RawURLEncoding.EncodeToString([]byte("user:" + k)) },
	"cut":     func(k string) string { return k[:24] },
	"first":   func(k string) string { return k[:len(k)/2] },
	"second":  func(k string) string { return k[len(k)/2:] },
}

func eachByte(s, form string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, form, s[i])
	}
	return b.String()
}

// spell replaces the key's places in what a server sends.
func spell(s string) string {
	for name, form := range keyForms {
		s = strings.ReplaceAll(s, "$KEY:"+name+";", form(apiKey))
	}
	return strings.ReplaceAll(s, "$KEY", apiKey)
}

// unspelled returns text and what a reader can make of it with the decoders of
// the forms that docs/config.md names: URL, JSON, base64. A text that a
// decoder leaves as it is comes once.
func unspelled(text string) []string {
	forms := []string{text}
	add := func(from, s string) {
		if s != from {
			forms = append(forms, s)
		}
	}
	if strings.Contains(text, "%") {
		if s, err := url.QueryUnescape(strings.ReplaceAll(text, "+", "%2B")); err == nil {
			add(text, s)
		}
		add(text, unescapeURL(text))
	}
	plain := text
	for range 3 { // JSON within JSON
		before := plain
		if plain = unescapeJSON(plain); plain == before {
			break
		}
		forms = append(forms, plain)
		add(plain, unescapeURL(plain))
	}
	return forms
}

// unescapeJSON replaces the escapes of JSON strings wherever they stand.
func unescapeJSON(s string) string {
	return replaceEach(s, '\\', func(s string) (string, int) {
		if len(s) > 5 && s[1] == 'u' {
			if v, err := hex.DecodeString(s[2:6]); err == nil {
				return string(rune(v[0])<<8 | rune(v[1])), 6
			}
		}
		if len(s) > 1 && strings.IndexByte(`"\/`, s[1]) >= 0 {
			return s[1:2], 2
		}
		return s[:1], 1
	})
}

// unescapeURL replaces %XX wherever it stands.
func unescapeURL(s string) string {
	return replaceEach(s, '%', func(s string) (string, int) {
		if len(s) > 2 {
			if v, err := hex.DecodeString(s[1:3]); err == nil {
				return string(v), 3
			}
		}
		return s[:1], 1
	})
}

// replaceEach replaces what begins with mark in s: by gets s from there on and
// returns the replacement of its first n bytes.
func replaceEach(s string, mark byte, by func(s string) (instead string, n int)) string {
	i := strings.IndexByte(s, mark)
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for ; i >= 0; i = strings.IndexByte(s, mark) {
		instead, n := by(s[i:])
		b.WriteString(s[:i])
		b.WriteString(instead)
		s = s[i+n:]
	}
	b.WriteString(s)
	return b.String()
}

// leaks returns the part of text that gives a secret away, or "". Of a text of
// more than a MiB the decoders see the first and the last half MiB.
func leaks(text string) string {
	for _, k := range []string{apiKey[:16], proxyPassword} {
		if i := strings.Index(text, k); i >= 0 {
			return around(text, i)
		}
	}
	if n := len(text); n > 1<<20 {
		text = text[:512<<10] + "\n" + text[n-512<<10:]
	}
	telling := []string{apiKey[:16], proxyPassword} // as "cut off" leaves it
	for _, s := range unspelled(text) {
		for _, k := range telling {
			if i := strings.Index(s, k); i >= 0 {
				return around(s, i)
			}
		}
	}
	for shift := range 3 { // base64 of the key at any place of a longer text
		for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			form := e.EncodeToString([]byte("abc"[:shift] + apiKey))
			form = form[4 : len(form)-4]
			if i := strings.Index(text, form); i >= 0 {
				return around(text, i)
			}
		}
	}
	return ""
}

// around returns the surroundings of text[i].
func around(text string, i int) string {
	return fmt.Sprintf("%q", text[max(0, i-40):min(len(text), i+40)])
}

// conn is a connection of the server.
type conn = net.Conn

// serves answers one request on c. The connection is closed afterwards.
type serves func(c net.Conn)

// sends writes s, with the key's forms filled in.
func sends(s string) serves {
	return func(c net.Conn) { _, _ = io.WriteString(c, spell(s)) }
}

// next does several things in turn.
func next(parts ...serves) serves {
	return func(c net.Conn) {
		for _, p := range parts {
			p(c)
		}
	}
}

// inTurn does several things n times.
func inTurn(n int, parts ...serves) serves {
	return func(c net.Conn) {
		for range n {
			next(parts...)(c)
		}
	}
}

// hangs waits until the client leaves.
func hangs(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// resets ends the connection with RST.
func resets(c net.Conn) {
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = c.Close()
}

// waits pauses, or until the client leaves.
func waits(d time.Duration) serves {
	return func(c net.Conn) {
		_ = c.SetReadDeadline(time.Now().Add(d))
		_, _ = io.Copy(io.Discard, c)
		_ = c.SetReadDeadline(time.Time{})
	}
}

// repeats writes s n times, in large writes, or until the client leaves.
func repeats(s string, n int) serves {
	return func(c net.Conn) {
		s := spell(s)
		per := max(1, min(n, 32<<10/len(s)))
		block := strings.Repeat(s, per)
		for left := n; left > 0; left -= per {
			if _, err := io.WriteString(c, block[:len(s)*min(per, left)]); err != nil {
				return
			}
		}
	}
}

const endless = 1 << 40

// Answers. The body of the first ends with the connection.
const eventStream = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n"

// stream sends a body of an event stream that ends with the connection.
func stream(body string) serves { return sends(eventStream + "\r\n" + body) }

// counted sends an answer with a Content-Length and these headers.
func counted(status, headers, body string) serves {
	body = spell(body)
	return sends(fmt.Sprintf("HTTP/1.1 %s\r\n%sContent-Length: %d\r\nConnection: close\r\n\r\n", status, headers,
		len(body)) + body)
}

// refused sends an error as JSON.
func refused(status, body string) serves {
	return counted(status, "Content-Type: application/json\r\n", body)
}

// framed sends an event stream with these headers; body is as it stands.
func framed(headers, body string) serves {
	return sends("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n" + headers + "\r\n" + body)
}

// chunked sends an event stream whose framing is written out in body.
func chunked(body string) serves { return framed("Transfer-Encoding: chunked\r\n", body) }

// chunk frames s as one chunk.
func chunk(s string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(s), s) }

// event writes one event.
func event(data string) string { return "data: " + data + "\n\n" }

// says is an event with a delta of this text, as it stands in a JSON string.
func says(text string) string {
	return event(`{"id":"c1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"` +
		text + `"}}]}`)
}

// delta is an event with this delta.
func delta(fields string) string {
	return event(`{"choices":[{"index":0,"delta":{` + fields + `}}]}`)
}

// usage is an event with this usage.
func usage(fields string) string { return event(`{"choices":[],"usage":{` + fields + `}}`) }

// A whole answer, and its ends.
const (
	finish = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	done   = "data: [DONE]\n\n"
	ending = finish + done
)

var (
	hello = says("hello ")
	whole = hello + says("world") + ending
)

// zipped is gzip of s.
func zipped(s string) string {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	_, _ = io.WriteString(z, s)
	_ = z.Close()
	return b.String()
}

// encoded sends body with this Content-Encoding.
func encoded(name, body string) serves {
	return framed("Content-Encoding: "+name+"\r\n", body)
}

// server plays one row on a loopback port.
type server struct {
	ln    net.Listener
	wg    sync.WaitGroup
	mu    sync.Mutex
	conns map[net.Conn]bool
	ended bool
}

// listen starts a server whose every connection is handled by handle.
func listen(t testing.TB, handle serves) *server {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{ln: ln, conns: map[net.Conn]bool{}}
	s.wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.conns[c] = true
			if s.ended {
				_ = c.Close()
			}
			s.mu.Unlock()
			s.wg.Go(func() {
				handle(c)
				s.mu.Lock()
				delete(s.conns, c)
				s.mu.Unlock()
				_ = c.Close()
			})
		}
	})
	return s
}

func (s *server) addr() string { return s.ln.Addr().String() }

// close ends all connections and waits for their goroutines.
func (s *server) close() {
	_ = s.ln.Close()
	s.mu.Lock()
	s.ended = true
	for c := range s.conns {
		_ = c.Close()
	}
	s.mu.Unlock()
	s.wg.Wait()
}

// answers handles a connection: chat requests get what the row sends, and every
// other request a 404, since the program asks a local server what it is.
func answers(row serves) serves {
	return func(c net.Conn) {
		br := bufio.NewReader(c)
		for {
			req, err := http.ReadRequest(br)
			if err != nil {
				return
			}
			if _, err := io.Copy(io.Discard, req.Body); err != nil {
				return
			}
			if strings.HasSuffix(req.URL.Path, "/chat/completions") {
				row(c)
				return
			}
			if _, err := io.WriteString(c, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"); err != nil {
				return
			}
		}
	}
}

// answersAnything is answers for what is no HTTP.
func answersAnything(row serves) serves {
	return func(c net.Conn) {
		_, _ = c.Read(make([]byte, 16<<10))
		row(c)
	}
}

// pings sends a comment every 10 ms until the client leaves.
func pings(c net.Conn) {
	for {
		if _, err := io.WriteString(c, ": ping\n\n"); err != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// each applies f to every byte of s.
func each(s string, f func(string) string) []string {
	parts := make([]string, len(s))
	for i := range len(s) {
		parts[i] = f(s[i : i+1])
	}
	return parts
}

// lie is an answer of two chunks with this usage.
func lie(fields string) serves {
	return stream(hello + says("world") + finish + usage(fields) + done)
}

// retryAfter is a 429 with this header.
func retryAfter(value string) serves {
	return counted("429 Too Many Requests", "Retry-After: "+value+"\r\n", "")
}

// overTLS handles connections with this certificate.
func overTLS(cfg *tls.Config, handle serves) serves {
	return func(c net.Conn) {
		tc := tls.Server(c, cfg)
		if err := tc.Handshake(); err != nil {
			return
		}
		handle(tc)
	}
}

// tunnels answers CONNECT with 200 and hands the connection on.
func tunnels(handle serves) serves {
	return next(sends("HTTP/1.1 200 Connection established\r\n\r\n"), handle)
}

// certificate makes a certificate for 127.0.0.1 that ends at notAfter.
func certificate(host string, notAfter time.Time) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "hostile \x1b[31m"},
		NotBefore: notAfter.Add(-48 * time.Hour), NotAfter: notAfter, DNSNames: []string{host},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	if ip := net.ParseIP(host); ip != nil {
		c.DNSNames, c.IPAddresses = nil, []net.IP{ip}
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// The certificates of the table, made once.
var (
	good      = sync.OnceValue(func() *tls.Config { return config(certificate("127.0.0.1", time.Now().Add(time.Hour))) })
	elsewhere = sync.OnceValue(func() *tls.Config {
		return config(certificate("other.example",
			time.Now().Add(time.Hour)))
	})
	expired = sync.OnceValue(func() *tls.Config { return config(certificate("127.0.0.1", time.Now().Add(-time.Hour))) })
)

func config(c tls.Certificate) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{c}, NextProtos: []string{"http/1.1"}}
}

// authorities are the table's certificates as a file for --cacert.
func authorities() []byte {
	var b []byte
	for _, c := range []*tls.Config{good(), elsewhere(), expired()} {
		b = append(b, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificates[0].Certificate[0]})...)
	}
	return b
}
