package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tokscope/metrics"
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

// What the codec has no form of its own for is written as encoding/json writes it, in
// one line and indented, but for what a terminal would interpret.
func TestCodecWritesAsEncodingJSON(t *testing.T) {
	type inner struct {
		S string   `json:"s,omitempty"`
		L []string `json:"l,omitempty"`
	}
	type object struct {
		F float64            `json:"f"`
		G float64            `json:"g,omitempty"`
		I int32              `json:"i,omitempty"`
		U uint64             `json:"u"`
		B bool               `json:"b,omitempty"`
		S string             `json:"s"`
		P *int64             `json:"p,omitempty"`
		X *inner             `json:"x"`
		L []inner            `json:"l,omitempty"`
		M map[string]float64 `json:"m,omitempty"`
		R json.RawMessage    `json:"r,omitempty"`
		A [2]int             `json:"a"`
		D []byte             `json:"d,omitempty"`
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Make[object]().Draw(t, "object")
		v.R = json.RawMessage(rapid.SampledFrom([]string{"", "0", "{}", `{"a":[1,{}]}`}).Draw(t, "raw"))
		got, err := Sentences(nil).Append(nil, &v)
		want := testkit.Must(json.Marshal(v))(t)
		testkit.Given(t, err == nil && bytes.Equal(got, Harmless(want)), "%s, %v\nwant %s", got, err, want)
		whole, indented := testkit.Must(Marshal(&v))(t), bytes.Buffer{}
		testkit.OK(t, json.Indent(&indented, whole, "", "  "))
		testkit.Given(t, bytes.Equal(whole, indented.Bytes()), "%s\nwant %s", whole, indented.Bytes())
	})
}

// A code of another version is known as such, whatever its words are.
func TestReasonsOfOtherVersions(t *testing.T) {
	for text, want := range map[string]metrics.Why{
		`{"code":"needs:20","text":"anything"}`:   metrics.Needs(20),
		`{"code":"of-later","text":"too \u001b"}`: metrics.WhyForeign,
		`{"code":"of-later"}`:                     metrics.WhyForeign,
		`{}`:                                      metrics.WhyNotRecorded,
	} {
		var d struct {
			A metrics.Value `json:"a"`
		}
		if err := Unmarshal([]byte(`{"a":null,"unknown":{"a":`+text+`}}`), &d); err != nil {
			t.Fatal(err)
		}
		testkit.That(t, d.A.Why == want && !d.A.OK, "%s is %v, want %v", text, d.A.Why, want)
	}
}
