package racestat

import (
	"strings"
	"testing"

	"tokscope/metrics/pick"
	"tokscope/metrics/testkit"
)

// TestContest reads contests as they are typed, and writes them so that they are read
// again.
func TestContest(t *testing.T) {
	long := strings.Repeat("x", 60)
	for _, c := range []struct{ typed, labels, values string }{
		{"groq  work+direct", "groq|work+direct", "|"},
		{"groq --vary tier=default,priority", "tier=default|tier=priority", "default|priority"},
		{"groq --vary=tier=default,priority", "tier=default|tier=priority", "default|priority"},
		{"groq --vary extra.a.b=1,[2,3]", "b=1|b=[2,3]", "1|[2,3]"},
		{`groq --vary extra.stop=["a"],["b","c"]`, `stop=["a"]|stop=["b","c"]`, `["a"]|["b","c"]`},
		{`groq --vary extra.x={"a":[1,{"b":","}]},null`, `x={"a":[1,{"b":","}]}|x=null`, `{"a":[1,{"b":","}]}|null`},
		{`groq --vary extra.x="a,\",b",it's 5",c]`, `x="a,\",b"|x=it's 5"|x=c]`, `"a,\",b"|it's 5"|c]`},
		{"groq --vary extra.x=a=b,c", "x=a=b|x=c", "a=b|c"},
		{"groq --vary extra.x=" + long + "1," + long + "2," + long + "31", "x=" + long[:20] + "…" + long[:18] + "1|x=" +
			long[:20] +
			"…" + long[:18] + "2|x=" + long[:20] + "…" + long[:17] + "31", long + "1|" + long + "2|" + long + "31"},
		{"groq --vary extra.x=" + long + "a" + long + "," + long + "b" + long, "x=" + long[:20] + "…" + long[:19] + "|x=" +
			long[:20] +
			"…" + long[:19] + " (2)", long + "a" + long + "|" + long + "b" + long},
	} {
		contest := ParseContest(c.typed)
		lanes, _, err := contest.Lanes()
		testkit.OK(t, err)
		labels := strings.Join(pick.Each(lanes, func(l *Lane) string { return l.Label }), "|")
		values := strings.Join(pick.Each(lanes, func(l *Lane) string { return l.Value }), "|")
		testkit.That(t, labels == c.labels && values == c.values, "%s: labels %s, values %s", c.typed, labels, values)
		again, _, err := ParseContest(contest.String()).Lanes()
		if testkit.OK(t, err); strings.Join(pick.Each(again, func(l *Lane) string { return l.Label }), "|") != labels {
			t.Errorf("%s is written as %s", c.typed, contest)
		}
	}
}

// TestContestRefuses checks what is said of a contest that is none.
func TestContestRefuses(t *testing.T) {
	for typed, want := range map[string]string{
		"":                                    "2 to 6 targets",
		"a":                                   "not 1",
		"a b c d e f g":                       "not 7",
		"a b --vary tier=a,b":                 "one target, not to 2",
		"--vary tier=a,b":                     "one target, not to 0",
		"a --vary tier":                       "2 to 6 values of a field, such as tier=default,priority, not 1",
		"a --vary tier=a":                     "not 1",
		"a --vary tier=a,b,c,d,e,f,g":         "not 7",
		"a --vary tier=a,b,a":                 "two lanes would have tier a",
		"a --vary tier=a,":                    "a value is empty",
		`a --vary extra.x="a,b`:               `a value does not end: close its quote or bracket: "a,b`,
		`a --vary extra.x=1,{"a":[1,2},{"b"}`: `does not end: close its quote or bracket: {"a":[1,2},{"b"}`,
	} {
		_, _, err := ParseContest(typed).Lanes()
		testkit.That(t, err != nil && strings.Contains(err.Error(), want), "%q: %v, want %q", typed, err, want)
	}
}
