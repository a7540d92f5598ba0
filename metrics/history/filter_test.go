package history

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

var now = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// request is an entry to try filters on.
func request() Entry {
	e := Entry{
		ID: "1", At: now, Kind: Probe, Group: "g1", State: metrics.Failed, Fault: metrics.FaultRateLimit, Status: 429,
		Stalls: 2, N: 1, Failed: 1, Version: "v1",
		Series: Series{Machine: "Office", Endpoint: "Groq", URL: "https://api.groq.com/v1", Model: "llama-3.3-70b",
			Workload: "long answer", MaxTokens: 200, Proto: "HTTP/2.0", Users: 4, Cold: true},
		Prompt: metrics.Known(31, 1), Output: metrics.Unknown(metrics.WhyNoTokens),
	}
	e.Figures[TTFT] = metrics.Known(500, 1)
	e.Figures[Speed] = metrics.Known(50, 1)
	return e
}

func TestFilter(t *testing.T) {
	e := request()
	for line, want := range map[string]bool{
		"": true, "groq": true, "GROQ LLAMA": true, "groq mistral": false, "127.0.0.1:18401": false, "localhost:8080": false,
		"api.groq.com": true, "https://api.groq.com": true, "!https://api.groq.com": false, `"long answer"`: true,
		`"answer long"`: false, "long answer": true, "!groq": false, "!mistral": true,
		"endpoint:groq": true, "endpoint:together,groq": true, "endpoint:together": false, `workload:"long answer"`: true,
		"model:70b machine:office url:api.groq protocol:http/2": true,
		"ttft>499": true, "ttft>500": false, "ttft>=500": true, "ttft<500": false, "ttft<=500": true, "ttft=500": true,
		"ttft>0.4s": true, "ttft>1m": false, "!ttft>500": true,
		"tpot>0": false, "!tpot>0": true, "output>=0": false, "input=31": true, "stalls>1": true, "users=4": true,
		"users=1": false, "max_tokens=200": true, "speed>=50": true,
		"state:failed": true, "state:done,failed": true, "state:done": false, "fault:rate_limit": true, "kind:probe": true,
		"group:g1": true, "group:g": false, "version:v1": true,
		"status:429": true, "status:4xx": true, "status:5xx": false, "status:500,4xx": true, "connection:cold": true,
		"connection:warm": false, "!connection:warm": true, "suspect:no": true,
		`"ttft>9999"`: false, "sort:-ttft": true, "prompt:abc": false,
	} {
		f, err := ParseFilter(line, now)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		testkit.Is(t, f.Series(&e.Series) && f.Own(&e), want, line)
	}
	f, err := ParseFilter("since:24h until:2026-11-23T10:30 sort:-TTFT", now)
	if err != nil || !f.From.Equal(now.Add(-24*time.Hour)) || !f.To.Equal(now.Add(-90*time.Minute)) ||
		f.Order != (Order{"ttft", true}) {
		t.Errorf("%+v, %v", f, err)
	}
	for line, only := range map[string]bool{"groq since:1d users=4 connection:cold": true, "groq ttft>3": false,
		"state:done": false} {
		if f, err := ParseFilter(line, now); err != nil || f.SharedOnly() != only {
			t.Errorf("%s: of the series alone: %v, %v", line, f.SharedOnly(), err)
		}
	}
}

// TestFilterErrors holds that an error names the term and what can stand there.
func TestFilterErrors(t *testing.T) {
	for line, parts := range map[string][]string{
		"groq foo:1":      {`"foo:1"`, "endpoint", "since", "ttft", "longest_gap"},
		"foo>3":           {`"foo>3"`, "ttft"},
		"ttft>fast":       {`"ttft>fast"`, "500", "1.5s"},
		"ttft>NaN":        {`"ttft>NaN"`},
		"speed>5s":        {`"speed>5s"`, "not a number"},
		"ttft:5":          {`"ttft"`, "known are"},
		"state:good":      {"done, failed, truncated, canceled"},
		"kind:x":          {"run, probe, race"},
		"status:9xx":      {"429", "5xx"},
		"status:42":       {"429"},
		"connection:auto": {"cold, warm"},
		"since:soon":      {"24h", "2026-11-20"},
		"since:-3h":       {"24h"},
		"!since:3h":       {"opposite"},
		"sort:colour":     {"ttft", "endpoint"},
		"endpoint:":       {"after the colon"},
		`"groq`:           {"not closed"},
		">3":              {`">3"`},
	} {
		_, err := ParseFilter(line, now)
		if err == nil {
			t.Errorf("%s: no error", line)
			continue
		}
		for _, p := range parts {
			testkit.That(t, strings.Contains(err.Error(), p), "%s: %v: lacks %s", line, err, p)
		}
	}
}

// TestEveryTermExists holds that each word of the terms is understood, and that
// each field that sorts has a value.
func TestEveryTermExists(t *testing.T) {
	keys, figures := fields.Terms()
	for _, k := range keys {
		value := map[string]string{"kind": "run", "state": "done", "suspect": "yes", "connection": "warm", "status": "200",
			"since": "1h", "until": "1h", "sort": "at"}[k]
		if value == "" {
			value = "x"
		}
		if _, err := ParseFilter(k+":"+value, now); err != nil {
			t.Error(err)
		}
	}
	for _, f := range figures {
		if _, err := ParseFilter(f+">1", now); err != nil {
			t.Error(err)
		}
	}
	e := request()
	for f := range e.Figures {
		e.Figures[f] = metrics.Known(1, 1)
	}
	e.Output = metrics.Known(1, 1)
	s := &e.Series
	s.API, s.Proxy, s.Tier, s.Lane, s.Settings, s.Prompt = "a", "p", "t", "l", "s", "d"
	for _, field := range Fields() {
		o, err := ParseOrder("-" + field)
		testkit.Given(t, err == nil && o.Descending, "%v", err)
		text, number := o.Key(&e)
		testkit.That(t, o.Time() != (text != "" || number.OK), "%s: text %q, number %v", field, text, number)
	}
}

func TestSlots(t *testing.T) {
	var entries []*Entry
	at := time.Date(1969, 12, 31, 23, 58, 30, 0, time.UTC)
	for i := range 9 {
		e := Entry{At: at.Add(time.Duration(i) * 20 * time.Second), State: metrics.Done, N: 1}
		e.Figures[TTFT] = metrics.Known(float64(i), 1)
		switch i {
		case 1:
			e.Suspect = true
		case 2:
			e.State, e.Failed = metrics.Failed, 1
		case 5: // before its first token
			e.State, e.Figures[TTFT] = metrics.Cancelled, metrics.Unknown(metrics.WhyNoChunk)
		case 8: // after it: it has a TTFT, and no total
			e.State, e.Figures[Total] = metrics.Cancelled, metrics.Known(100, 1)
		}
		entries = append(entries, &e)
	}
	slots := Slots(slices.Values(entries), time.Minute)
	var got []int
	for _, slot := range slots {
		got = append(got, slot.N, slot.Failed, slot.Figures[TTFT].N)
	}
	last := &slots[len(slots)-1]
	testkit.That(t, last.Figures[Total].N <= 0, "a stopped request has a total: %+v", last.Figures[Total])
	testkit.Same(t, got, []int{2, 0, 1, 3, 1, 2, 2, 0, 2, 1, 0, 1}, "requests, failed and values of the slots")
	testkit.That(t, slots[0].From.Equal(at.Add(-30*time.Second)), "the first slot begins %v", slots[0].From)
	testkit.Is(t, QuantilesOf([]float64{3, 1, 2, 5, 4}), Quantiles{5, 1, 1.4, 2, 3, 4, 4.6, 5})
	testkit.Is(t, QuantilesOf(nil), Quantiles{})
}

// FuzzFilter holds that no line panics, and that an error names something.
func FuzzFilter(f *testing.F) {
	for _, line := range []string{"ttft>500 status:5xx sort:-ttft", `"a b" !c:d`, "since:24h", "!", `""`, "a:\"b c\"",
		"x>=", ":", "since:99999999999d", "ttft>1e999"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		filter, err := ParseFilter(line, now)
		if err != nil {
			testkit.That(t, len(err.Error()) >= 10, "%q: %v", line, err)
			return
		}
		e := request()
		if filter.Series(&e.Series) && filter.Own(&e) && filter.SharedOnly() {
			_ = filter.Order.Time()
		}
	})
}
