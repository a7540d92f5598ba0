package result_test

import (
	"bytes"
	"io"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/result"
)

// documentOf returns the document of n requests.
func documentOf(n int) result.RunsDocument {
	runs := make([]metrics.Run, n)
	for i := range runs {
		v := metrics.Stream{
			ID: i + 1, State: metrics.Done, Wall: time.Unix(0, 0), Marks: metrics.NewMarks(), Usage: metrics.NoUsage(),
			LiveTokens: -1,
			Model:      "<model> & co", Text: []byte("two words"), Chunks: []metrics.Chunk{{At: 2e6, User: 2e6, TextEnd: 4},
				{At: 9e6, User: 9e6, Read: 1, Event: 1, TextEnd: 9}},
		}
		v.Marks.Sent = 0
		runs[i] = metrics.Run{Stream: v, Figures: metrics.Measure(&v, metrics.Options{})}
	}
	return result.DocumentOf("test", runs, nil)
}

// A document is the same JSON as if it were encoded at once.
func TestDocumentIsWrittenInParts(t *testing.T) {
	for _, n := range []int{0, 1, 2, 20} {
		doc := documentOf(n)
		var whole, parts bytes.Buffer
		all := doc.Document
		for i := range n {
			all.Requests = append(all.Requests, doc.Request(i))
		}
		testkit.OK(t, result.Sentences(nil).WriteDocument(&whole, &all))
		testkit.OK(t, doc.Write(&parts))
		if !bytes.Equal(whole.Bytes(), parts.Bytes()) {
			t.Errorf("the document of %d requests in parts is not that at once:\n%s", n, parts.Bytes())
		}
	}
	doc := documentOf(50)
	err := doc.Write(fullDisk{})
	testkit.That(t, err != nil, "a full disk is no error")
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
