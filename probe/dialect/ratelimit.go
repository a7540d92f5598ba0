package dialect

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tokscope/metrics"
)

// limitNames are the headers of one rate limit each, with % for Limit, Remaining and
// Reset, in the order in which they are shown. The shortest window comes first: a burst
// of requests reaches it first.
var limitNames = struct{ requests, tokens []string }{
	requests: []string{"X-Ratelimit-%-Requests", "Anthropic-Ratelimit-Requests-%", "X-Ratelimit-%-Requests-Minute",
		"X-Ratelimit-%-Requests-Hour", "X-Ratelimit-%-Requests-Day", "X-Ratelimit-%", "Ratelimit-%", "X-Rate-Limit-%"},
	tokens: []string{"X-Ratelimit-%-Tokens", "Anthropic-Ratelimit-Tokens-%", "X-Ratelimit-%-Tokens-Minute",
		"X-Ratelimit-%-Tokens-Hour", "X-Ratelimit-%-Tokens-Day", "Anthropic-Ratelimit-Output-Tokens-%",
		"Anthropic-Ratelimit-Input-Tokens-%", "X-Ratelimit-%-Tokens-Generated"},
}

// limit is one rate limit. -1 means not given.
type limit struct {
	most, left int
	reset      time.Duration
}

var noLimit = limit{-1, -1, -1}

// rateLimit decodes the rate-limit headers of OpenAI, Groq, Azure, Cerebras,
// Anthropic, the usual generic names, and the IETF's RateLimit. Missing values are -1.
// It returns nil if all are missing.
func rateLimit(h http.Header) *metrics.RateLimit {
	if !slices.ContainsFunc(slices.Collect(maps.Keys(h)), func(k string) bool { return strings.Contains(k, "imit") }) {
		return nil // as in most answers: a lookup of each name takes 40 µs
	}
	now := serverNow(h)
	requests, tokens := ietfLimits(h, now)
	for _, name := range limitNames.requests {
		requests = append(requests, namedLimit(h, name, now))
	}
	for _, name := range limitNames.tokens {
		tokens = append(tokens, namedLimit(h, name, now))
	}
	r, t := decisive(requests), decisive(tokens)
	if r == noLimit && t == noLimit {
		return nil
	}
	return &metrics.RateLimit{LimitRequests: r.most, RemainingRequests: r.left, ResetRequests: r.reset,
		LimitTokens: t.most, RemainingTokens: t.left, ResetTokens: t.reset}
}

// decisive returns the limit that matters: the one of which nothing is left for the
// longest known time, else the first that tells what is left, else the first.
func decisive(all []limit) limit {
	out, longest := noLimit, time.Duration(-1)
	for _, l := range all {
		switch {
		case l.left == 0 && l.reset > longest:
			out, longest = l, l.reset
		case longest < 0 && (out == noLimit || out.left < 0 && l.left >= 0):
			out = l
		}
	}
	return out
}

// resetNames are what headers call the wait until a limit is full again.
var resetNames = []string{"Reset", "Reset-After", "Timeremaining", "Time-Remaining"}

// namedLimit reads the headers of one limit.
func namedLimit(h http.Header, name string, now time.Time) limit {
	get := func(what string) string { return strings.TrimSpace(h.Get(strings.Replace(name, "%", what, 1))) }
	count := func(what string) int {
		v, _, _ := strings.Cut(get(what), ",") // RateLimit-Limit may include a policy: 100, 100;w=60
		v, _, _ = strings.Cut(v, ";")
		return asCount([]byte(strings.TrimSpace(v)))
	}
	l := limit{count("Limit"), count("Remaining"), -1}
	for _, what := range resetNames {
		if d, ok := until(get(what), now); ok {
			l.reset = d
			break
		}
	}
	return l
}

// ietfLimits reads RateLimit and RateLimit-Policy in both forms of the IETF's draft
// (draft-ietf-httpapi-ratelimit-headers, 07 and 10):
//
//	RateLimit: limit=100, remaining=0, reset=30
//	RateLimit: "minute";r=0;t=30, "day";r=900;t=3600
//	RateLimit-Policy: "minute";q=100;w=60
//
// A limit whose name or unit has the word token is one of tokens.
func ietfLimits(h http.Header, now time.Time) (requests, tokens []limit) {
	policies := map[string]map[string]string{}
	for _, p := range listItems(h["Ratelimit-Policy"]) {
		policies[p["name"]] = p
	}
	for _, p := range listItems(h["Ratelimit"]) {
		policy := policies[p["name"]]
		l := limit{asCount([]byte(cmp.Or(p["limit"], policy["q"]))), asCount([]byte(cmp.Or(p["r"], p["remaining"]))), -1}
		if d, ok := until(cmp.Or(p["t"], p["reset"]), now); ok {
			l.reset = d
		}
		if strings.Contains(strings.ToLower(p["name"]+policy["qu"]), "token") {
			tokens = append(tokens, l)
		} else {
			requests = append(requests, l)
		}
	}
	return requests, tokens
}

// listItems returns the parameters of the items of a list, each with the item's name
// under "name". Items without a name are one together: that is the older form.
func listItems(lines []string) (items []map[string]string) {
	var unnamed map[string]string
	for item := range splitOutsideQuotes(strings.Join(lines, ","), ',') {
		params := map[string]string{}
		for part := range splitOutsideQuotes(item, ';') {
			k, v, isParam := strings.Cut(strings.TrimSpace(part), "=")
			if !isParam {
				k, v = "name", k
			}
			if k = strings.ToLower(strings.TrimSpace(k)); params[k] == "" { // the first counts
				params[k] = strings.Trim(strings.TrimSpace(v), `"`)
			}
		}
		switch {
		case params["name"] != "":
			items = append(items, params)
		case unnamed == nil:
			unnamed = params
			items = append(items, params)
		default:
			maps.Copy(unnamed, params)
		}
	}
	return items
}

// serverNow returns the server's clock from its Date header, so that a wrong local
// clock does not matter; without one, the local clock.
func serverNow(h http.Header) time.Time {
	t, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return time.Now()
	}
	return t
}

// until parses a wait in any form that servers use. That is 6m0s, 12ms, 1.5
// (seconds), an RFC 3339 or HTTP date, or an epoch in seconds or
// milliseconds. Dates and epochs count from now; a past one is a wait of 0. ok is
// false if v has no such form.
func until(v string, now time.Time) (d time.Duration, ok bool) {
	if v == "" {
		return 0, false
	}
	if n, isNumber := asFloat([]byte(v)); isNumber {
		switch {
		case n >= 1e12:
			return sinceDate(time.UnixMilli(int64(min(n, 1e15))), now)
		case n >= 1e9:
			return sinceDate(time.Unix(int64(n), 0), now)
		}
		return duration(n, time.Second)
	}
	if d, err := time.ParseDuration(v); err == nil {
		return d, d >= 0 && d <= longest
	}
	if t, err := time.Parse(time.RFC3339, v); err == nil {
		return sinceDate(t, now)
	}
	if t, err := http.ParseTime(v); err == nil {
		return sinceDate(t, now)
	}
	return 0, false
}

func sinceDate(t, now time.Time) (time.Duration, bool) {
	d := max(t.Sub(now), 0)
	return d, d <= longest
}

// waitOf returns how long a refused request has to wait, 0 where that is not known: the
// wait that the server asks for (retry-after-ms, or Retry-After in seconds or as a
// date), else the one that its body names, else until the limit of which nothing is
// left is full again. A 429 that does not tell what is left has nothing left.
func waitOf(status int, h http.Header, body []byte) time.Duration {
	for _, k := range []string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		if v, ok := asFloat([]byte(strings.TrimSpace(h.Get(k)))); ok {
			if d, ok := duration(v, time.Millisecond); ok {
				return d
			}
		}
	}
	now := serverNow(h)
	if d, ok := until(strings.TrimSpace(h.Get("Retry-After")), now); ok {
		return d
	}
	if d := bodyWait(body, now); d > 0 {
		return d
	}
	r := rateLimit(h)
	if r == nil || status != http.StatusTooManyRequests || r.RemainingRequests >= 0 || r.RemainingTokens >= 0 {
		return r.UsedUp()
	}
	return max(r.ResetRequests, r.ResetTokens, 0)
}

// bodyWait returns the longest wait that the JSON of an error names, else the one in
// its words, 0 without one:
//
//	{"error":{"details":[{"@type":"…RetryInfo","retryDelay":"34s"}]}}          Gemini
//	{"error":{"metadata":{"headers":{"X-RateLimit-Reset":"1795176030000"}}}}   OpenRouter
//	{"error":{"type":"usage_limit_reached","resets_in_seconds":3600}}          ChatGPT
//	{"retry_after":30}                                                         gateways
//	Please try again in 7m12s.                                                 OpenAI, Groq
//	Limit resets at: 2026-11-20 12:00:30 UTC                                   LiteLLM
func bodyWait(body []byte, now time.Time) (longest time.Duration) {
	var doc any
	if json.Unmarshal(body, &doc) == nil {
		namedWaits(doc, 0, func(key, value string) {
			unit := ""
			if n := strings.ToLower(key); strings.HasSuffix(n, "ms") || strings.HasSuffix(n, "milliseconds") {
				unit = "ms"
			}
			if d, ok := until(value+unit, now); ok {
				longest = max(longest, d)
			}
		})
	}
	if longest > 0 {
		return longest
	}
	return spokenWait(string(body), now)
}

// namedWaits calls found for each value whose key names a wait.
func namedWaits(doc any, depth int, found func(key, value string)) {
	const deepest = 8
	if depth > deepest {
		return
	}
	switch v := doc.(type) {
	case []any:
		for _, x := range v {
			namedWaits(x, depth+1, found)
		}
	case map[string]any:
		for key, x := range v {
			if n, ok := x.(float64); ok {
				x = strconv.FormatFloat(n, 'f', -1, 64)
			}
			if value, ok := x.(string); !ok {
				namedWaits(x, depth+1, found)
			} else if waitKey().MatchString(key) {
				found(key, strings.TrimSpace(value))
			}
		}
	}
}

// What errors say about a wait.
var (
	waitKey = compiled(`(?i)^(x-)?(rate-?limit-)?(retry[-_ ]?(after|delay|in)|` +
		`resets?([-_ ]?(after|in|at|time))?)` +
		`([-_ ]?(requests|tokens|ms|milliseconds|s|seconds))?$`)
	waitWords = compiled(`(?i)\b(?:again|retry|retrying|resets?)(?: your request)? (?:in|after) ` +
		`((?:\d+(?:\.\d+)? ?(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h)\b[ ,]*)+|` +
		`(?:\d+(?:\.\d+)?(?:ms|s|m|h))+)`)
	waitMoment = compiled(`(?i)\b(?:again|retry|resets?) (?:at|after):? ` +
		`(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)`)
	waitPart = compiled(`(\d+(?:\.\d+)?) ?(ms|mil|s|m|h)`)
)

// compiled returns a regular expression that is compiled at its first use: hardly any
// program meets a limit, and each would pay at its start.
func compiled(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// spokenWait returns the wait in a sentence, 0 without one.
func spokenWait(text string, now time.Time) (d time.Duration) {
	text = strings.ToLower(text)
	if m := waitMoment().FindStringSubmatch(text); m != nil {
		if t, err := time.Parse(time.DateTime, m[1]+" "+m[2]); err == nil {
			d, _ = sinceDate(t, now)
			return d
		}
	}
	m := waitWords().FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	for _, part := range waitPart().FindAllStringSubmatch(m[1], -1) {
		unit := map[string]time.Duration{"ms": time.Millisecond, "mil": time.Millisecond,
			"s": time.Second, "m": time.Minute, "h": time.Hour}[part[2]]
		v, _ := strconv.ParseFloat(part[1], 64)
		if more, ok := duration(v, unit); ok {
			d += more
		}
	}
	return min(d, longest)
}
