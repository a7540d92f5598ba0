package result

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
)

// A null figure has its reason as a code with the words of the program, and what no
// JSON can hold is null.
func TestCodecReasons(t *testing.T) {
	type object struct {
		A metrics.Value    `json:"a_ms"`
		B metrics.Value    `json:"b" form:"bare"`
		C [2]metrics.Value `json:"slow|fast"`
		D float64          `json:"d" form:"null=inf"`
		E float64          `json:"e" form:"null=zero"`
		F time.Duration    `json:"f_s" form:"s"`
		G metrics.Value    `json:"g" form:"n=g_n"`
	}
	say := SayOf(func(w metrics.Why) string { return "because " + w.String() })
	x := object{A: metrics.Known(math.NaN(), 1), B: metrics.Unknown(metrics.WhyReused), D: math.Inf(1),
		F: 1500 * time.Millisecond,
		C: [2]metrics.Value{metrics.Unknown(metrics.Needs(20)), metrics.Known(0.5, 0)}, G: metrics.Known(1, 7)}
	data, err := say.Append(nil, &x)
	want := `{"a_ms":null,"b":null,"slow":null,"fast":0.5,"d":null,"e":null,"f_s":1.5,"g":1,"g_n":7,` +
		`"unknown":{"a_ms":{"code":"","text":"because "},"slow":{"code":"needs:20","text":"because needs:20"}}}`
	testkit.That(t, err == nil && string(data) == want, "%s, %v\nwant %s", data, err, want)
	say = SayOf(func(s *metrics.Suspicion) string { return fmt.Sprint(s.Code, " at ", s.N) })
	doubt := metrics.Suspicion{Code: metrics.SuspectTruncated, N: 1}
	if data, err = say.Append(nil, &doubt); err != nil || string(data) != `{"code":"truncated","text":"truncated at 1"}` {
		t.Errorf("a doubt is %s, %v", data, err)
	}
}

// Reasons of earlier versions are words alone: they are shown as they stand, if a
// terminal can bear them. Codes of later versions are known by their words.
func TestReasonsOfOtherVersions(t *testing.T) {
	for text, want := range map[string]string{
		`"connection reused"`:                         "connection reused",
		`{"code":"of-later","text":"too dark"}`:       "too dark",
		`{"code":"needs:20","text":"anything"}`:       "",
		`"bad \u001b[31m"`:                            "",
		`"` + strings.Repeat("x", mostReason+1) + `"`: "",
		`{"code":"of-later"}`:                         "",
	} {
		var d struct {
			A metrics.Value `json:"a"`
		}
		if err := Unmarshal([]byte(`{"a":null,"unknown":{"a":`+text+`}}`), &d); err != nil {
			t.Fatal(err)
		}
		got := d.A.Why.Text()
		testkit.That(t, got == want && !d.A.OK, "%s is shown as %q, want %q", text, got, want)
	}
	var fit loadstat.TTFTFit
	if err := Unmarshal([]byte(`{"a_ms":null,"unknown":"all the same"}`), &fit); err != nil ||
		fit.A.Why.Text() != "all the same" {
		t.Errorf("the reason of an older fit is %q, %v", fit.A.Why.Text(), err)
	}
}
