package session

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
	"tokscope/probe/result"
	"tokscope/probe/secret"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// answer is one scripted response: its header lines, and the body in pieces that
// are written one by one. cut leaves out the body's end.
type answer struct {
	head   string
	pieces [][]byte
	gap    time.Duration
	cut    bool
}

// serve answers a request with a over chunked framing. It reports whether that was
// a question for an answer.
func (a *answer) serve(c net.Conn) (asked bool) {
	defer func() { _ = c.Close() }()
	req, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return false
	}
	_, _ = io.Copy(io.Discard, req.Body)
	if req.Method != http.MethodPost {
		fmt.Fprint(c, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		return false
	}
	fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\nTransfer-Encoding: "+
		"chunked\r\n%s\r\n", a.head)
	for _, p := range a.pieces {
		if len(p) > 0 {
			fmt.Fprintf(c, "%x\r\n%s\r\n", len(p), p)
		}
		if a.gap > 0 {
			time.Sleep(a.gap) // between writes, so that they are separate reads; nothing waits for it
		}
	}
	if !a.cut {
		_, _ = c.Write([]byte("0\r\n\r\n"))
	}
	return true
}

// recorded has the engine ask a server for each answer in turn, and returns the
// session file that it wrote, and the streams as the engine had them.
func recorded(t testing.TB, raw bool, answers ...answer) (path string, streams []metrics.Stream) {
	t.Helper()
	return recordedWithout(t, raw, "", answers...)
}

// recordedWithout is recorded by an engine that knows a key, "" for none.
func recordedWithout(t testing.TB, raw bool, key string, answers ...answer) (path string, streams []metrics.Stream) {
	t.Helper()
	ln := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	served := make(chan struct{})
	go func() {
		defer close(served)
		for i := 0; ; {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			if answers[min(i, len(answers)-1)].serve(c) {
				i++
			}
		}
	}()
	file := testkit.Must(Create(t.TempDir(), Options{Version: "test", Started: time.Now(), Raw: raw}))(t)
	e := client.New(client.Options{NoPathProbe: true})
	if key != "" {
		e.Scrubber().Add(secret.NewSecret(key))
	}
	e.AddSink(file)
	target := endpoint.Target{Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, Name: "secret-endpoint",
		URL: "http://" + ln.Addr().String() + "/secret-base/v1", Model: "secret-model"}}
	for range answers {
		s := e.Start(context.Background(), target, metrics.Workload{Name: "secret-workload",
			Prompt: "secret-prompt words of a person", System: "secret-system", MaxTokens: 100, Nonce: "secret-nonce",
			Connection: metrics.ReuseCold})
		<-s.Done()
		streams = append(streams, s.Snapshot())
	}
	_ = ln.Close()
	<-served
	e.Close()
	testkit.OK(t, file.Close())
	return file.Path(), streams
}

// fixtures are the recorded streams of servers, with their headers.
func fixtures(t testing.TB) (names []string, answers []answer) {
	t.Helper()
	for _, pattern := range []string{"servers/*.sse", "captures/*/*.body"} {
		files, err := filepath.Glob("../dialect/testdata/" + pattern)
		testkit.Given(t, err == nil && len(files) != 0, "no fixtures: %v", err)
		for _, f := range files {
			body := testkit.Must(os.ReadFile(f))(t)
			head, _ := os.ReadFile(strings.TrimSuffix(f, ".sse") + ".headers")
			names = append(names, f)
			answers = append(answers, answer{head: strings.ReplaceAll(string(head), "\n", "\r\n"), pieces: [][]byte{body}})
		}
	}
	return names, answers
}

// split cuts body into up to n pieces, anywhere.
func split(r *rand.Rand, body []byte, n int) [][]byte {
	var out [][]byte
	for len(body) > 0 && len(out) < n {
		k := 1 + r.IntN(1+2*len(body)/n)
		k = min(k, len(body))
		out, body = append(out, body[:k]), body[k:]
	}
	return append(out, body)
}

// Every figure of the end line, of every recorded server, is computed again from
// events and stamps, to the digit; so is the rest of the record.
func TestFiguresOfFixtures(t *testing.T) {
	r := testkit.Rand(t, 1)
	names, answers := fixtures(t)
	few := probetest.Cases(len(answers), 30)
	names, answers = names[:few], answers[:few]
	for i := range answers {
		answers[i].pieces, answers[i].gap = split(r, answers[i].pieces[0], 1+r.IntN(20)), 50*time.Microsecond
		answers[i].cut = i%7 == 6
	}
	path, streams := recorded(t, false, answers...)
	rec := testkit.Must(Open(path, nil))(t)
	testkit.Need(t, len(rec.Requests), len(names), "requests")
	for i, q := range rec.Requests {
		s := StreamOf(q)
		sameRecord(t, names[i], &streams[i], s)
	}
}

// sameRecord compares the record that was made again with that of the engine,
// and with the end line.
func sameRecord(t *testing.T, name string, want *metrics.Stream, s *Stream) {
	t.Helper()
	have := s.Final()
	testkit.Is(t, s.Missing, "", name)
	d := cmp.Diff(want.Chunks, have.Chunks, cmpopts.EquateEmpty())
	testkit.That(t, d == "", "%s: chunks (-want +have):\n%s", name, d)
	testkit.Is(t, string(have.Text), string(want.Text), name, "text")
	f := metrics.Measure(&have, metrics.Options{})
	again := result.RequestOf(&have, &f)
	testkit.Same(t, jsonOf(t, &again), jsonOf(t, s.Recorded.End), name, "the end line")
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	var b, lines bytes.Buffer
	var say result.Sentences
	testkit.OK(t, say.WriteLine(&b, v))
	testkit.OK(t, json.Indent(&lines, b.Bytes(), "", " "))
	return lines.String()
}
