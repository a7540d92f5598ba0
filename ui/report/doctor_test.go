package report

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tokscope/metrics"
	"tokscope/metrics/doctor"
	"tokscope/metrics/testkit"
	"tokscope/ui/uitest/golden"
)

// stream is an ended stream of n chunks, d apart.
func evenStream(n int, d time.Duration) *metrics.Run {
	s := metrics.Stream{State: metrics.Done, Finish: "stop", Marks: metrics.NewMarks(), Usage: metrics.NoUsage(),
		Stamps: metrics.SourceKernel, TokensFrom: metrics.TokensUsage}
	s.Marks.Start, s.Marks.GotConn, s.Marks.Sent = 0, 0, 0
	s.Usage.Completion = n
	for i := range n {
		s.Text = append(s.Text, "word "...)
		at := metrics.Stamp(200*time.Millisecond + time.Duration(i)*d)
		s.Chunks = append(s.Chunks, metrics.Chunk{At: at, User: at, Read: int32(i), Event: int32(i), Bytes: 200,
			TextEnd: int32(len(s.Text)), Tokens: -1, Kernel: true})
	}
	s.Marks.FirstByte, s.Marks.Headers, s.Marks.FirstEvent = s.Chunks[0].At, s.Chunks[0].At, s.Chunks[0].At
	s.Marks.End, s.Now = s.Chunks[n-1].At, s.Chunks[n-1].At
	return &metrics.Run{Stream: s, Figures: metrics.Measure(&s, metrics.Options{})}
}

// laggedRun is a run whose stamps may be late.
func laggedRun() *metrics.Run {
	r := evenStream(200, 4*time.Millisecond)
	r.Figures.Delay = metrics.Delay{Code: metrics.DelayStamps, P99: 12, Max: 40}
	return r
}

// cachedRun is a run of another model, which had most of the prompt.
func cachedRun() *metrics.Run {
	r := evenStream(16, 4*time.Millisecond)
	r.Stream.Model, r.Stream.Endpoint.Model = "s", "m"
	r.Figures.Suspect = []metrics.Suspicion{{Code: metrics.SuspectCached, N: 16, Of: 20}}
	return r
}

var doctorNow = time.Date(2026, 11, 23, 7, 0, 0, 0, time.UTC)

// checkUps are the check-ups of the golden file.
var checkUps = []struct {
	name   string
	report doctor.Report
}{
	{"a provider, nothing found", doctor.Report{
		Endpoint: metrics.Endpoint{Name: "groq", URL: "https://api.groq.com/openai/v1", Model: "llama-3.3-70b-versatile"},
		Plan:     doctor.Plan{Requests: 3, Tokens: 232},
		Checks: []doctor.Check{
			{Code: doctor.Key, Grade: doctor.OK, Name: "env GROQ_API_KEY"},
			{Code: doctor.Proxy, Grade: doctor.Skipped, Why: doctor.WhyNoProxy},
			{Code: doctor.Lookup, Grade: doctor.OK, Name: "api.groq.com", Addresses: []string{"104.18.3.2",
				"2606:4700::6812:302"}, Elapsed: 12 * time.Millisecond},
			{Code: doctor.Connect, Grade: doctor.OK, Family: "IPv4", Address: "104.18.3.2:443", Elapsed: 11 * time.Millisecond},
			{Code: doctor.Connect, Grade: doctor.Noted, Why: doctor.WhyFamily, Family: "IPv6",
				Address: "[2606:4700::6812:302]:443",
				Fault: &metrics.Fault{Kind: metrics.FaultConnect,
					Message: "no connection to [2606:4700::6812:302]:443: network is unreachable",
					Next:    "check the address and the network"}},
			{Code: doctor.TLS, Grade: doctor.OK, Elapsed: 23 * time.Millisecond, Now: doctorNow,
				Peer: &doctor.Peer{Version: "TLS 1.3", Protocol: "h2", Names: []string{"groq.com", "*.groq.com"},
					Issuer: "Google Trust Services", NotAfter: doctorNow.Add(40 * 24 * time.Hour)}},
			{Code: doctor.Models, Grade: doctor.OK, N: 24, Name: "llama-3.3-70b-versatile", Elapsed: 80 * time.Millisecond},
			{Code: doctor.HTTP1, Grade: doctor.OK, Run: evenStream(16, 4*time.Millisecond),
				Fronts: []metrics.Front{metrics.FrontCloudflare}},
			{Code: doctor.HTTP2, Grade: doctor.OK, Run: evenStream(16, 4*time.Millisecond),
				Fronts: []metrics.Front{metrics.FrontCloudflare}},
			{Code: doctor.Direct, Grade: doctor.Skipped, Why: doctor.WhyNoProxy},
			{Code: doctor.Stream, Grade: doctor.OK, Run: evenStream(200, 4*time.Millisecond)},
			{Code: doctor.Buffers, Grade: doctor.OK, Run: evenStream(200, 4*time.Millisecond), N: 200},
			{Code: doctor.Client, Grade: doctor.OK, Stamps: metrics.SourceKernel, Observer: metrics.Observer{N: 400,
				LateP99: 120 * time.Microsecond}},
		}}},
	{"nobody listens", doctor.Report{Endpoint: metrics.Endpoint{URL: "http://127.0.0.1:8080/v1", API: "messages",
		Settings: "api=messages"}, Plan: doctor.Plan{Requests: 2, Tokens: 216}, Checks: []doctor.Check{
		{Code: doctor.Key, Grade: doctor.Skipped, Why: doctor.WhyNoKey},
		{Code: doctor.Proxy, Grade: doctor.Skipped, Why: doctor.WhyNoProxy},
		{Code: doctor.Lookup, Grade: doctor.Skipped, Why: doctor.WhyAddress, Name: "127.0.0.1"},
		{Code: doctor.Connect, Grade: doctor.Bad, Family: "IPv4", Address: "127.0.0.1:8080",
			Fault: &metrics.Fault{Kind: metrics.FaultConnect, Message: "the connection was refused by 127.0.0.1:8080",
				Next: "check that the server runs and the port is right"}},
		{Code: doctor.TLS, Grade: doctor.Skipped, Why: doctor.WhyEarlier},
		{Code: doctor.Models, Grade: doctor.Skipped, Why: doctor.WhyEarlier},
		{Code: doctor.HTTP1, Grade: doctor.Skipped, Why: doctor.WhyEarlier},
		{Code: doctor.HTTP2, Grade: doctor.Skipped, Why: doctor.WhyPlain},
		{Code: doctor.Stream, Grade: doctor.Skipped, Why: doctor.WhyEarlier},
	}}},
	{"a wrong key, behind a proxy",
		doctor.Report{Endpoint: metrics.Endpoint{Name: "work", URL: "https://llm.example.com/v1", Model: "m"},
			Plan: doctor.Plan{Requests: 4, Tokens: 248}, Checks: []doctor.Check{
				{Code: doctor.Key, Grade: doctor.OK, Name: "env WORK_KEY"},
				{Code: doctor.Proxy, Grade: doctor.OK, Address: "10.0.0.1:3128", Elapsed: 2 * time.Millisecond},
				{Code: doctor.Lookup, Grade: doctor.Noted, Why: doctor.WhyThrough, Name: "llm.example.com",
					Fault: &metrics.Fault{Kind: metrics.FaultDNS, Message: "the name llm.example.com was not found",
						Next: "check the spelling"}},
				{Code: doctor.HTTP1, Grade: doctor.Bad, Run: evenStream(1, 0), Fault: &metrics.Fault{Kind: metrics.FaultAuth,
					Message: "HTTP 401 Unauthorized: Incorrect API key \x1b[31mprovided",
					Next:    "the key came from env WORK_KEY; check that it is valid here"}},
				{Code: doctor.Direct, Grade: doctor.Noted, Why: doctor.WhyThrough, Run: evenStream(1, 0),
					Fault: &metrics.Fault{Kind: metrics.FaultDNS, Message: "the name llm.example.com was not found"}},
				{Code: doctor.Stream, Grade: doctor.Skipped, Why: doctor.WhyEarlier},
			}}},
	{"a buffer, and a certificate that ends soon",
		doctor.Report{Endpoint: metrics.Endpoint{URL: "https://llm.example.com/v1"}, Plan: doctor.Plan{Requests: 3,
			Tokens: 232}, Checks: []doctor.Check{
			{Code: doctor.TLS, Grade: doctor.Noted, Why: doctor.WhyExpires, Elapsed: 23 * time.Millisecond, Now: doctorNow,
				Peer: &doctor.Peer{Version: "TLS 1.2", Protocol: "http/1.1", Names: []string{"llm.example.com"},
					Issuer: "Let's Encrypt", NotAfter: doctorNow.Add(3 * 24 * time.Hour)}},
			{Code: doctor.Models, Grade: doctor.Noted, Why: doctor.WhyUnlisted, N: 1, Name: "m", Elapsed: 9 * time.Millisecond},
			{Code: doctor.HTTP2, Grade: doctor.Skipped, Why: doctor.WhyNoOffer},
			{Code: doctor.Buffers, Grade: doctor.Bad, Run: evenStream(200, 4*time.Millisecond), N: 200,
				Suspect: &metrics.Suspicion{Code: metrics.SuspectBuffered, Ratio: 25, Ms: 173,
					Buffering: metrics.Buffering{Kind: metrics.BufferSize, Bursts: 14, Bytes: 8192, Ms: 173}}},
			{Code: doctor.Client, Grade: doctor.Noted, Why: doctor.WhyLagged, Stamps: metrics.SourceUser, Run: laggedRun(),
				Observer: metrics.Observer{N: 400, LateP99: 12 * time.Millisecond}},
		}}},
	{"HAProxy holds writes, and a person stops", doctor.Report{Endpoint: metrics.Endpoint{URL: "http://10.0.0.7:8000/v1"},
		Plan: doctor.Plan{Requests: 2, Tokens: 216}, Checks: []doctor.Check{
			{Code: doctor.Buffers, Grade: doctor.Bad, Run: evenStream(200, 4*time.Millisecond), N: 200,
				Suspect: &metrics.Suspicion{Code: metrics.SuspectBuffered, Ratio: 30.8, Ms: 212,
					Buffering: metrics.Buffering{Kind: metrics.BufferTimer, Bursts: 11, Bytes: 10045, Ms: 212}}},
			{Code: doctor.Client, Grade: doctor.Skipped, Why: doctor.WhyInterrupt},
		}}},
	{"other ends", doctor.Report{Endpoint: metrics.Endpoint{URL: "http://10.0.0.7:8000/v1"},
		Plan: doctor.Plan{Requests: 2, Tokens: 216}, Checks: []doctor.Check{
			{Code: doctor.Models, Grade: doctor.Bad, Why: doctor.WhyBase, Name: "http://10.0.0.7:8000/api/v1",
				Fault: &metrics.Fault{Kind: metrics.FaultHTTP, Status: 404,
					Message: "http://10.0.0.7:8000/v1/models answered 404 Not Found"}},
			{Code: doctor.Models, Grade: doctor.Bad, Why: doctor.WhyAPI, Name: "ollama",
				Fault: &metrics.Fault{Kind: metrics.FaultHTTP, Status: 404,
					Message: "http://10.0.0.7:8000/v1/models answered 404 Not Found"}},
			{Code: doctor.HTTP1, Grade: doctor.Bad, Why: doctor.WhySpeaksTLS, Fault: &metrics.Fault{Kind: metrics.FaultProtocol,
				Message: "the server violated HTTP: malformed HTTP response"}},
			{Code: doctor.HTTP1, Grade: doctor.Noted, Why: doctor.WhyHidden, Fault: &metrics.Fault{Kind: metrics.FaultEmpty,
				Code: "length", Message: "empty"}},
			{Code: doctor.HTTP1, Grade: doctor.Bad, Fault: &metrics.Fault{Kind: metrics.FaultRateLimit,
				Message: "HTTP 429 Too Many Requests", Next: "wait", RetryAfter: 7 * time.Second}},
			{Code: doctor.Direct, Grade: doctor.OK, Run: cachedRun()},
			{Code: doctor.Buffers, Grade: doctor.Noted, Run: evenStream(200, 4*time.Millisecond),
				Suspect: &metrics.Suspicion{Code: metrics.SuspectBuffered, Ratio: 8, Ms: 120,
					Buffering: metrics.Buffering{Kind: metrics.BufferCount, Bursts: 20}}},
			{Code: doctor.Buffers, Grade: doctor.Bad, Run: evenStream(200, 4*time.Millisecond),
				Suspect: &metrics.Suspicion{Code: metrics.SuspectTerminalBurst, N: 200, Of: 200},
				Fronts:  []metrics.Front{metrics.FrontALB}},
			{Code: doctor.Buffers, Grade: doctor.Skipped, Why: doctor.WhyFew, N: 12},
			{Code: doctor.Buffers, Grade: doctor.Skipped, Why: doctor.WhyLagged, Run: laggedRun(),
				Suspect: &metrics.Suspicion{Code: metrics.SuspectStopped, Ms: 1200}},
		}}},
}

// writeCheckUp writes a check-up as the command does.
func writeCheckUp(t *testing.T, r *doctor.Report, width int, color bool) string {
	t.Helper()
	var b bytes.Buffer
	d := Doctor{W: &b, Width: width, Color: color}
	d.Head(r)
	for i := range r.Checks {
		d.Check(&r.Checks[i])
	}
	testkit.OK(t, d.End(r))
	return b.String()
}

// TestDoctor holds the text of check-ups at 80 and 120 columns.
func TestDoctor(t *testing.T) {
	var out strings.Builder
	for i := range checkUps {
		c := &checkUps[i]
		for _, width := range []int{80, 120} {
			text := writeCheckUp(t, &c.report, width, false)
			fmt.Fprintf(&out, "# %s, %d columns\n%s\n", c.name, width, text)
			for line := range strings.Lines(text) {
				n := ansi.StringWidth(strings.TrimRight(line, "\n"))
				testkit.That(t, n <= width, "%s: a line has %d columns of %d: %s", c.name, n, width, line)
			}
			testkit.That(t, !strings.ContainsRune(text, '\x1b'), "%s: the text holds an escape", c.name)
			colored := writeCheckUp(t, &c.report, width, true)
			plain := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(colored, "")
			testkit.That(t, plain == text, "%s: color changes more than color", c.name)
		}
	}
	golden.Text(t, "doctor", out.String())
}
