package filter

import (
	"reflect"
	"testing"

	"tokscope/metrics/testkit"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		line string
		want []Term
	}{
		{"", nil},
		{`ttft>=500 !status:5xx`, []Term{{Text: "ttft>=500", Key: "ttft", Op: ">=", Value: "500"},
			{Text: "status:5xx", Not: true, Key: "status", Op: ":", Value: "5xx"}}},
		{`"long answer" !`, []Term{{Text: "long answer"}, {Text: "!"}}},
		{`"ttft>5"`, []Term{{Text: "ttft>5"}}},
		{`TTFT=5 ""`, []Term{{Text: "TTFT=5", Key: "ttft", Op: "=", Value: "5"}}},
	} {
		got, err := Parse(c.line)
		testkit.That(t, err == nil && reflect.DeepEqual(got, c.want), "%q: %+v, %v, want %+v", c.line, got, err, c.want)
	}
	if _, err := Parse(`a "b`); err == nil {
		t.Error("an open quotation mark is no error")
	}
}

func TestStatus(t *testing.T) {
	is := Status("5xx")
	testkit.That(t, is != nil && is(500) && is(599) && !is(499) && !is(0), "5xx are not 500 to 599")
	for _, text := range []string{"", "xx", "6xx", "99", "600", "x"} {
		testkit.That(t, Status(text) == nil, "%q is a status", text)
	}
}
