package live

import (
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/themes"
)

// cutWithHead is a stream that broke in the middle, with the head of its response.
func cutWithHead() *View {
	v := scene("error")
	v.Stream.Head = &metrics.ResponseHead{Status: 200, Reason: "OK", Proto: "HTTP/1.1", Withheld: []string{"Set-Cookie"},
		Fields: []metrics.HeaderField{{Name: "X-Request-Id", Value: "req-17\x1b[2J"},
			{Name: "X-Long", Value: strings.Repeat("long ", 40) + "end"}}, More: 3}
	return v
}

// TestTheAnswerScrolls checks that each row of a long answer can be reached, at
// any size from 72x17.
func TestTheAnswerScrolls(t *testing.T) {
	for _, size := range [][2]int{{73, 20}, {80, 24}, {100, 30}, {120, 40}} {
		v := scene("refused")
		fields := []string{}
		for i := range 40 {
			name := "X-Field-" + string(rune('a'+i%26)) + string(rune('a'+i/26))
			v.Stream.Head.Fields = append(v.Stream.Head.Fields, metrics.HeaderField{Name: name, Value: "value"})
			fields = append(fields, name)
		}
		v.Findings = conclude(v)
		s, seen := newPicture(), ""
		for range 80 {
			g := frame(v, size[0], size[1])
			s.Draw(g, g.Bounds(), v)
			seen += g.Plain()
			s.Move(1)
		}
		for _, name := range fields {
			testkit.Given(t, strings.Contains(seen, name+": value"), "%v: %s cannot be reached", size, name)
		}
	}
}

// TestTheRetryCountsDown checks the seconds before a retry, that the clock runs
// until the end is drawn, and rests then.
func TestTheRetryCountsDown(t *testing.T) {
	v := scene("limited")
	v.Findings = conclude(v)
	s := newPicture()
	start := v.Stream.Marks.Headers
	for _, c := range []struct {
		after time.Duration
		says  string
		ticks bool // after the frame
	}{
		{0, "wait  7 s left of the server's Retry-After", true},
		{6001 * time.Millisecond, "wait  1 s left", true},
		{7 * time.Second, "wait  over: space sends the request again", false},
		{time.Hour, "wait  over", false},
	} {
		v.Now = start + metrics.Stamp(c.after)
		if before := s.Animating(v); before != (c.after < time.Hour) && c.after > 0 {
			t.Errorf("after %v: animating is %v before the frame", c.after, before)
		}
		g := frame(v, 120, 40)
		s.Draw(g, g.Bounds(), v)
		find(t, g, c.says)
		testkit.Is(t, s.Animating(v), c.ticks, "after", c.after, "animating")
	}
	v.Stream.RateLimit = &metrics.RateLimit{ResetRequests: v.Stream.Fault.RetryAfter}
	v.Now = start
	find(t, frame(v, 80, 24), "wait  7 s left until its limit resets")
	v.Stream.Fault.RetryAfter = 0
	testkit.Lacks(t, frame(v, 120, 40).Plain(), "wait  ")
}

// TestHostileBodiesStayBounded checks bodies that are deep, long or not UTF-8.
func TestHostileBodiesStayBounded(t *testing.T) {
	for name, body := range map[string]string{
		"deep": strings.Repeat("[", 2000) + strings.Repeat("]", 2000), "lines": strings.Repeat("\n",
			90) + strings.Repeat("a\n", 2000), "bytes": strings.Repeat("\xff\x1b[2J\u202e", 400),
	} {
		for _, w := range []int{-3, 0, 1, 7, 80} {
			if rows := bodyRows(body, w); len(rows) > faultBody {
				t.Errorf("%s at %d: %d rows", name, w, len(rows))
			}
		}
		v := scene("refused")
		v.Stream.Fault.Body = body
		for _, size := range [][2]int{{1, 3}, {20, 6}, {40, 12}, {80, 24}, {300, 80}} {
			frame(v, size[0], size[1])
			v.Max = TextPanel
			frame(v, size[0], size[1])
			v.Max, v.Glyphs = NoPanel, themes.ASCIIGlyphs()
		}
	}
}
