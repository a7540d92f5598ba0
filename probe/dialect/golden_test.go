package dialect

import (
	"bufio"
	"bytes"
	"flag"
	"math/rand/v2"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics/testkit"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

// TestServers replays a stream of every server we know of, and of their ways
// to fail, and compares with the expectation beside it.
func TestServers(t *testing.T) {
	streams(t, testkit.Rand(t, 0), "testdata/servers/*.sse", ".sse")
}

// TestCaptures replays streams recorded from real engines.
func TestCaptures(t *testing.T) {
	rnd := testkit.Rand(t, 1)
	streams(t, rnd, "testdata/captures/*/*stream*.body", ".body")
	streams(t, rnd, "testdata/captures/*/*progress*.body", ".body")
	streams(t, rnd, "testdata/captures/*/timings*.body", ".body")
	streams(t, rnd, "testdata/captures/llama.cpp/bad-model.body", ".body")
}

func streams(t *testing.T, rnd *rand.Rand, pattern, ext string) {
	files, err := filepath.Glob(pattern)
	testkit.Given(t, err == nil && len(files) != 0, "%s: no files (%v)", pattern, err)
	for _, file := range files {
		name := strings.TrimSuffix(file, ext)
		t.Run(filepath.Base(name), func(t *testing.T) {
			body := read(t, file)
			h := headers(t, name+".headers")
			got := replay(t, h, body)
			golden(t, name+".golden", got)
			// The same whatever the pieces it arrives in.
			for range 40 {
				cuts := make([]int, 1+rnd.IntN(12))
				for i := range cuts {
					cuts[i] = rnd.IntN(len(body) + 1)
				}
				slices.Sort(cuts)
				if cut := replay(t, h, body, cuts...); cut != got {
					t.Fatalf("cut at %v it says\n%s", cuts, cmp.Diff(got, cut))
				}
			}
			var every []int
			for i := range body {
				every = append(every, i)
			}
			if cut := replay(t, h, body, every...); cut != got {
				t.Errorf("byte by byte it says\n%s", cmp.Diff(got, cut))
			}
		})
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	b := testkit.Must(os.ReadFile(file))(t)
	return b
}

// headers reads a file of header lines. It returns nil if the file does not
// exist.
func headers(t *testing.T, file string) http.Header {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	h, err := textproto.NewReader(bufio.NewReader(bytes.NewReader(append(b, "\r\n"...)))).ReadMIMEHeader()
	testkit.OK(t, err, file)
	return http.Header(h)
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		testkit.OK(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	testkit.Same(t, got, string(read(t, file)), file, "-want +got, go test -update rewrites it")
}
