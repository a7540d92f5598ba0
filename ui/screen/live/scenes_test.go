package live

import (
	"time"

	"tokscope/metrics"
)

// scene is one of the moments of the golden files.
func scene(name string) *View {
	chat := []string{"reused", "queue 2ms", "prefill 41ms", "60 x 7ms", "stall 31ms", "40 x 7ms", "burst 4", "40 x 7ms"}
	switch name {
	case "connecting":
		return layOut("connect 48ms", "prefill 12s").view(20 * ms)
	case "waiting":
		return layOut("connect 48ms", "prefill 12s").view(460 * ms)
	case "longwait":
		return layOut("connect 48ms", "prefill 100s").view(31 * time.Second)
	case "progress":
		return layOut("reused", "progress 512/2048", "prefill 4s").view(1240 * ms)
	case "decoding":
		return layOut(append(chat, "100 x 7ms", "done")...).view(900 * ms)
	case "reasoning":
		return layOut("reused", "think", "prefill 220ms", "28 x 30ms", "answer", "90 x 18ms", "done").view(1900 * ms)
	case "tool":
		return layOut("reused", "prefill 220ms", "28 x 30ms", "tool", "8 x 18ms", "done").view(-1)
	case "stalled":
		return layOut("reused", "prefill 90ms", "60 x 20ms", "stall 2s", "burst 12", "20 x 20ms", "stall 9s",
			"done").view(8 * time.Second)
	case "done":
		return layOut(append(chat, "done")...).view(-1)
	case "timings": // a new connection to a server that reports its timings
		v := layOut("connect 30ms", "queue 2ms", "prefill 41ms", "100 x 7ms", "done").view(-1)
		w := v.Figures.Wait
		rest := w[len(w)-1]
		w[len(w)-2].Ms.V -= 15 // of the prefill: the server's front end
		v.Figures.Wait = append(w[:len(w)-1:len(w)-1], metrics.Share{Name: metrics.ShareServer, Ms: metrics.Known(15, 1),
			Server: true}, rest)
		return v
	case "length":
		return layOut("connect 30ms", "prefill 300ms", "900 x 20ms", "length").view(-1)
	case "error":
		return layOut("connect 30ms", "prefill 300ms", "50 x 20ms", "fail").view(-1)
	case "truncated":
		return layOut("reused", "prefill 120ms", "80 x 15ms", "cut").view(-1)
	case "stopped":
		return layOut("reused", "prefill 120ms", "80 x 15ms", "stop").view(-1)
	case "refused":
		v := layOut("connect 30ms", "prefill 300ms").view(100 * ms)
		v.Stream.State = metrics.Failed
		v.Stream.Marks.End = v.Now
		v.Stream.Fault = &metrics.Fault{Kind: metrics.FaultAuth, Status: 401, Code: "invalid_api_key",
			Message: "the server refused the key", Next: "check GROQ_API_KEY, or make a new key at the provider",
			Body: "{\"error\":{\"message\":\"Incorrect API key provided: [redacted]\x1b[2J\",\n " +
				"\"type\":\"invalid_request_error\"}}"}
		v.Stream.Head = &metrics.ResponseHead{Status: 401, Reason: "Unauthorized", Proto: "HTTP/1.1",
			Withheld: []string{"Set-Cookie"}, Fields: []metrics.HeaderField{
				{Name: "Content-Type", Value: "application/json"}, {Name: "Date", Value: "Mon, 23 Nov 2026 14:20:37 GMT"},
				{Name: "Server", Value: "nginx\x1b[2J"}}}
		v.Figures = metrics.Measure(&v.Stream, metrics.Options{})
		return v
	case "limited": // early, and asked to wait
		v := scene("refused")
		v.Stream.Fault = &metrics.Fault{Kind: metrics.FaultRateLimit, Status: 429,
			Message: "HTTP 429 Too Many Requests: slow down", RetryAfter: 7 * time.Second,
			Next: "the rate limit is reached: try again in 7s, or send fewer requests",
			Body: "{\"error\":{\"message\":\"slow down\",\"type\":\"rate_limit\"}}"}
		v.Stream.Head.Status, v.Stream.Head.Reason = 429, "Too Many Requests"
		v.Stream.Head.Fields[1] = metrics.HeaderField{Name: "Retry-After", Value: "7"}
		v.Now += 2500e6
		return v
	case "unreachable":
		v := scene("connecting")
		v.Stream.State, v.Stream.Marks.End = metrics.Failed, v.Now
		v.Stream.Fault = &metrics.Fault{Kind: metrics.FaultConnect, Message: "the connection was refused by 127.0.0.1:1",
			Next: "check that the server runs and the port is right"}
		v.Figures = metrics.Measure(&v.Stream, metrics.Options{})
		return v
	case "idle":
		w := layOut("prefill 1s").s.Work
		return &View{Stream: metrics.Stream{Work: w, Marks: metrics.NewMarks()}, Endpoint: metrics.Endpoint{Name: "demo"},
			Figures: metrics.Measure(&metrics.Stream{Marks: metrics.NewMarks()}, metrics.Options{})}
	}
	panic("unknown scene " + name)
}
