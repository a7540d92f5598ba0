package session

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/result"
)

const fileHeadOf = `{"type":"session","schema":"tokscope/session/v1","version":"1","started":"2026-11-20T14:05:09Z","system":"linux/amd64","bodies_recorded":false}` + "\n"
const request = `{"type":"request","id":1,"start_ns":1000000,"wall":"2026-11-20T14:05:09Z","events_recorded":true,"endpoint":{},"workload":{}}` + "\n"
const delta = `{"type":"event","id":1,"at_ns":%d,"user_ns":%d,"read":%d,"bytes":90,"stamp":"kernel","data":"{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}"}` + "\n"

// A file can be compressed, come through stdin, and end in the middle of a line
// or of the compressed data.
func TestOpenForms(t *testing.T) {
	text := fileHeadOf + request
	for i := range 50 {
		text += fmt.Sprintf(delta, (i+2)*1e6, (i+2)*1e6, i)
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	for name, data := range map[string][]byte{
		"plain": []byte(text), "torn": []byte(text[:len(text)-30]), "gzip": zipped.Bytes(),
		"torn gzip": zipped.Bytes()[:zipped.Len()-12],
	} {
		path := filepath.Join(t.TempDir(), "session.ndjson")
		testkit.OK(t, os.WriteFile(path, data, 0o600))
		fromFile, err := Open(path, nil)
		testkit.OK(t, err, name)
		fromInput, err := Open("-", bytes.NewReader(data))
		testkit.Given(t, err == nil && fromInput.Name == "stdin" && fromFile.Name == "session.ndjson", "%s: %v", name, err)
		for _, rec := range []*Recording{fromFile, fromInput} {
			s := StreamOf(rec.Requests[0])
			v := s.Final()
			if n := len(v.Chunks); n < 40 || n > 50 || s.Missing != metrics.ReplayNoEnd || v.State != metrics.Decoding {
				t.Errorf("%s: %d chunks, %q, %v", name, n, s.Missing, v.State)
			}
			testkit.That(t, rec.Cut == (name == "torn") || strings.Contains(name, "gzip"), "%s: cut %v", name, rec.Cut)
		}
	}
}

// A file of a later version is read as far as it is known; so are files from
// before reads, heads and sendings were recorded.
func TestOtherVersions(t *testing.T) {
	later := strings.Replace(fileHeadOf, "session/v1", "session/v2", 1) + request + fmt.Sprintf(delta, 2000000, 2000000,
		0) +
		`{"type":"event","id":1,"at_ns":"a moment","data":{}}` + "\n" + `{"type":"weather","id":9}` + "\n" +
		`{"type":"read","id":7}` + "\n"
	rec := testkit.Must(Open("-", strings.NewReader(later)))(t)
	if v := StreamOf(rec.Requests[0]).Final(); rec.Newer != "tokscope/session/v2" || rec.Unread != 3 ||
		len(v.Chunks) != 1 {
		t.Errorf("%q, %d unread, %d chunks", rec.Newer, rec.Unread, len(v.Chunks))
	}
	old := fileHeadOf + request + fmt.Sprintf(delta, 42000000, 42000000, 0) + fmt.Sprintf(delta, 49000000, 49000000, 1) +
		`{"type":"end","id":1,"request":{"id":1,"state":"done","marks":{"start_ns":1000000,"sent_ns":2000000,"end_ns":50000000}}}` + "\n"
	rec = testkit.Must(Open("-", strings.NewReader(old)))(t)
	v := StreamOf(rec.Requests[0]).Final()
	if f := metrics.Measure(&v, metrics.Options{}); f.TTFT.V != 40 || f.Gaps.N != 1 || v.State != metrics.Done {
		t.Errorf("TTFT %v, %d gaps, %v", f.TTFT, f.Gaps.N, v.State)
	}
}

// Whatever a file holds, opening it ends soon with a recording or an error for a
// person.
func TestHostileFiles(t *testing.T) {
	huge := `{"type":"event","id":1,"data":"` + strings.Repeat("a", 9<<20) + `"}`
	for name, c := range map[string]struct{ text, want string }{
		"empty":      {"", "no \"session\" line"},
		"other":      {`{"model":"llama"}` + "\n", "line 1 is not the first line of a session file"},
		"binary":     {"\x00\x01\x02\n", "line 1 is not a line of a session file"},
		"long line":  {fileHeadOf + huge, "longer than 8 MiB"},
		"not begun":  {fileHeadOf + fmt.Sprintf(delta, 1, 1, 0), "which has not begun"},
		"wrong type": {fileHeadOf + request + `{"type":"event","id":1,"at_ns":"x"}` + "\n", "line 3"},
		"another format": {"{\n  \"schema\": \"tokscope/probe/v1\",\n  \"tool\": {\n",
			"stdin is a tokscope/probe/v1 document without the events of a stream: give a session file"},
		"lines":           {`{"type":"head","schema":"tokscope/ndjson/v1"}` + "\n", "is a tokscope/ndjson/v1 document"},
		"a later session": {`{"type":"head","schema":"tokscope/session/v9"}` + "\n", "cannot be read as a session file"},
		"half compressed": {"\x1f\x8b\x08", "decompress it"},
	} {
		_, err := Open("-", strings.NewReader(c.text))
		testkit.That(t, err != nil && strings.Contains(err.Error(), c.want), "%s: %v, want %q", name, err, c.want)
	}
	if _, err := Open("/no/such/file.ndjson", nil); err == nil || !strings.Contains(err.Error(), "/no/such/file.ndjson") {
		t.Error(err)
	}
}

// Requests whose times are impossible are shown without a panic, and time never
// runs backwards.
func TestHostileTimes(t *testing.T) {
	r := testkit.Rand(t, 4)
	values := []int64{0, -1, 1, 1 << 62, -1 << 62, 9223372036854775807, -9223372036854775808, 5e9}
	for range 300 {
		text := fileHeadOf + strings.Replace(request, "1000000", fmt.Sprint(values[r.IntN(len(values))]), 1)
		for range 1 + r.IntN(6) {
			text += fmt.Sprintf(delta, values[r.IntN(len(values))], values[r.IntN(len(values))], r.Int32())
		}
		if r.IntN(2) == 0 {
			text += fmt.Sprintf(`{"type":"end","id":1,"request":{"state":"done","reads":-3,"usage":{"completion_tokens":%d},"marks":{"sent_ns":%d,"end_ns":%d}}}`, values[r.IntN(len(values))], values[r.IntN(len(values))], values[r.IntN(len(values))]) + "\n"
		}
		rec := testkit.Must(Open("-", strings.NewReader(text)))(t)
		s := StreamOf(rec.Requests[0])
		for _, at := range values {
			v := s.At(metrics.Stamp(at))
			f := metrics.Measure(&v, metrics.Options{})
			result.RequestOf(&v, &f)
		}
	}
}

// Where a key was split over chunks, the text and its figures come back as they
// were although the events hold less.
func TestKeysSplitOverChunks(t *testing.T) {
	const key = "sk-live-0123456789abcdef0123"
	var pieces [][]byte
	for _, part := range []string{"see ", "sk-", "live-01234", "56789ab", "cdef0123 is it", " sk-l", "ast words",
		". And sk-live-0"} {
		pieces = append(pieces, fmt.Appendf(nil, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", part))
	}
	a := answer{pieces: append(pieces, []byte("data: [DONE]\n\n")), gap: time.Millisecond}
	path, streams := recordedWithout(t, false, key, a)
	rec, want := testkit.Must(Open(path, nil))(t), streams[0]
	if len(rec.Requests[0].Joined) < 3 || strings.Contains(string(want.Text), key) {
		t.Errorf("%d joined events, text %q", len(rec.Requests[0].Joined), want.Text)
	}
	sameRecord(t, "split key", &want, StreamOf(rec.Requests[0]))
}

// TestOpenNamesTheFolder checks that the error of a missing file names the folder of
// this machine's session files, and no other.
func TestOpenNamesTheFolder(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	_, err := Open(filepath.Join(state, "missing.ndjson"), nil)
	testkit.Refuses(t, err, filepath.Join(state, "tokscope"))
}
