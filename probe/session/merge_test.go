package session_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/probe/session"
)

// shards are the documents of a load of 3 users that two programs have sent.
func shards(t *testing.T) [2]string {
	t.Helper()
	return [2]string{string(read(t, "testdata/shards/0.json")), string(read(t, "testdata/shards/1.json"))}
}

// merged merges documents.
func merged(allow bool, documents ...string) (*session.Merger, loadstat.SweepOutcome, []string, error) {
	m := &session.Merger{}
	for i, d := range documents {
		if err := m.Add(strings.NewReader(d), []string{"a.json", "b.json", "c.json"}[i]); err != nil {
			return m, loadstat.SweepOutcome{}, nil, err
		}
	}
	_, out, warnings, err := m.Merge(allow)
	return m, out, warnings, err
}

// The order of the files does not matter, a log around a document neither, and what is
// written is the document of a sweep.
func TestMergeReadsShards(t *testing.T) {
	both := shards(t)
	_, out, warnings, err := merged(false, both[0], both[1])
	testkit.Given(t, err == nil && len(out.Steps) == 1 && len(out.Shards) == 2, "%v, %+v", err, out)
	testkit.Lacks(t, strings.Join(warnings, "\n"), "requests of shard")
	p := out.Steps[0].Point
	testkit.That(t, p.Users == 3 && p.TTFT.N > 10 && p.Gaps.N > 100 && p.Total.OK && len(p.Misses) == 1, "%+v", p)
	m, again, warnings, err := merged(false, both[1], "tokscope: begins late\n\n"+both[0]+"tokscope: done\n")
	testkit.OK(t, err)
	testkit.Same(t, again.Steps[0].Point.TTFT, p.TTFT)
	testkit.Is(t, again.Shards[0].File, "b.json")
	var doc bytes.Buffer
	testkit.OK(t, m.Write(&doc, loadstat.SweepVerdicts{}, warnings))
	validate(t, "sweep-v1", doc.Bytes())
	validate(t, "sweep-v1", []byte(both[0]))
	s := testkit.Must(session.ReadSample(bytes.NewReader(doc.Bytes()), "merged.json"))(t)
	testkit.That(t, len(s.Groups) == 1 && s.Groups[0].Users == 3, "to be compared: %+v", s.Groups)
	_, _, _, err = merged(false, doc.String())
	testkit.Refuses(t, err, "it is not of one shard")

	_, few, _, err := merged(true, both[1])
	testkit.Given(t, err == nil && few.Steps[0].Point.Users == 1, "%v, %+v", err, few)
	testkit.Is(t, few.Steps[0].Point.Why, loadstat.Unsteady{Code: loadstat.UnsteadyShards, N: 1, Of: 2})
}

// What would make the figures wrong is refused, and what makes them weaker is said.
func TestMergeRefuses(t *testing.T) {
	both := shards(t)
	for _, x := range []struct {
		from, to string // in the second document
		refused  string
		said     string
	}{
		{`"index":1`, `"index":0`, "it is shard 0 of 2, as a.json is", ""},
		{`"index":1`, `"index":2`, "which part of which load", ""},
		{`"of":2`, `"of":3`, "shards is 2 in the first file, 3 here", ""},
		{`"seed":"1`, `"seed":"2`, "another load: seed is", ""},
		{`"max_tokens":20`, `"max_tokens":21`, "workload.max_tokens is 20 in the first file, 21 here", ""},
		{`"shared_prefix":false`, `"shared_prefix":true`, "load.shared_prefix is false in the first file, true here", ""},
		{`"schema":"tokscope/sweep/v1"`, `"schema":"tokscope/other/v1"`, "it is not of one shard", ""},
		{`"shards":[`, `"others":[`, "it is not of one shard", ""},
		{`"step":0`, `"step":1`, "belongs to no step", ""},
		{`"to_ns":4000000000`, `"to_ns":4500000000`, "as tokscope writes them", ""},
		{`"late_ms":0`, `"late_ms":31200`, "", "shard 1: it began 31.2 s late"},
		{`"model_reported":"`, `"model_reported":"x`, "", "answered, not"},
		{`"clock_offset_ms":`, `"clock_offset_ms":null,"x":`, "", "could not be compared"},
		{`"speed_tok_per_s":148.288838403959`, `"speed_tok_per_s":49.288838403959`, "",
			"step 1 of 1: requests of shard 1 get 49.29 tok/s, those of all 148.8"},
		{`"warnings":[`, `"warnings":["client-bound at 1 user",`, "", "shard 1: client-bound"},
	} {
		testkit.Given(t, strings.Contains(both[1], x.from), "no %s in the document", x.from)
		_, _, warnings, err := merged(false, both[0], strings.ReplaceAll(both[1], x.from, x.to))
		if x.refused != "" {
			testkit.Refuses(t, err, x.refused)
			continue
		}
		testkit.OK(t, err, x.to)
		testkit.Has(t, strings.Join(warnings, "\n"), x.said)
	}
	_, _, _, err := merged(false, both[0])
	testkit.Refuses(t, err, "1 of 2 shards are missing, here are 0", "--allow-missing")
	for _, other := range []string{"", "hello\n", "{}", "[]", `{"schema":"tokscope/sweep/v1"}`} {
		_, _, _, err := merged(false, other)
		testkit.That(t, err != nil && strings.Contains(err.Error(), "it is"), "%q: %v", other, err)
	}
}

// A damaged document is refused, or gives a sweep: nothing panics.
func TestMergeOfDamagedDocuments(t *testing.T) {
	both, random := shards(t), testkit.Rand(t, 61)
	for range 300 {
		d := []byte(both[1])
		cut := random.IntN(len(d) - 2)
		_, _, _, err := merged(false, both[0], string(d[:cut]))
		testkit.That(t, err != nil, "cut at %d", cut)
		for range 1 + random.IntN(4) {
			d[random.IntN(len(d))] = "0123456789-{}[],:\"nulte."[random.IntN(24)]
		}
		m, _, warnings, err := merged(true, both[0], string(d))
		if err == nil {
			testkit.OK(t, m.Write(io.Discard, loadstat.SweepVerdicts{}, warnings))
		}
	}
}
