package dialect

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/probe/sse"
)

// Audio and images are chunks of their own kinds, wherever a server puts them, with
// their bytes. A transcript is the text of audio.
func TestMedia(t *testing.T) {
	data := func(n int) string { return base64.StdEncoding.EncodeToString(make([]byte, n)) }
	png := "data:image/png;base64," + data(3000)
	for _, tt := range []struct {
		name, event   string
		kinds         string // and texts of the chunks
		audio, images int    // bytes
		n             int    // images
	}{
		{"transcript", chunkOf(`{"audio":{"id":"a","transcript":"hi"}}`), "audio=hi", 0, 0, 0},
		{"sound", chunkOf(`{"audio":{"data":"` + data(4800) + `"}}`), "audio=", 4800, 0, 0},
		{"sound and transcript, with a role",
			chunkOf(`{"role":"assistant","content":null,"audio":{"transcript":" there","data":"` + data(1) +
				`","expires_at":1}}`), "audio= there", 1, 0, 0},
		{"only an id", chunkOf(`{"audio":{"id":"a","expires_at":1760000000}}`), "", 0, 0, 0},
		{"empty parts", chunkOf(`{"audio":{"transcript":"","data":""},"images":[]}`), "", 0, 0, 0},
		{"null and strange", chunkOf(`{"audio":null,"images":{"a":[1]}}`), "", 0, 0, 0},
		{"text beside sound", chunkOf(`{"content":"ok","audio":{"data":"` + data(20) + `"}}`), "content=ok audio=", 20, 0, 0},
		{"image", chunkOf(`{"images":[{"type":"image_url","image_url":{"url":"` + png + `"}}]}`), "image=", 0, 3000, 1},
		{"two images", chunkOf(`{"images":[{"b64_json":"` + data(10) + `"},{"image_url":"` + png + `"}]}`), "image=", 0,
			3010, 2},
		{"linked image", chunkOf(`{"images":[{"url":"https://host.example/a.png"}]}`), "image=", 0, 0, 1},
		{"parts of content", chunkOf(`{"content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"` +
			png + `"}},{"type":"output_audio","output_audio":{"data":"` + data(7) + `","transcript":"moo"}}]}`),
			"content=see audio=moo image=", 7, 3000, 1},
		{"a whole answer", `{"choices":[{"index":0,"message":{"role":"assistant","audio":{"id":"a","data":"` + data(96) +
			`","transcript":"hello you"}},"finish_reason":"stop"}]}`, "audio=hello you", 96, 0, 0},
		{"deep", chunkOf(`{"images":[` + strings.Repeat(`{"image_url":`, 400) + `1` + strings.Repeat(`}`, 400) + `]}`), "",
			0, 0, 0},
	} {
		var out Out
		New().Event(sse.Event{Data: []byte(tt.event)}, &out)
		var kinds []string
		for _, d := range out.Deltas {
			kinds = append(kinds, d.Kind.String()+"="+string(d.Text))
		}
		if got := strings.Join(kinds, " "); got != tt.kinds || out.AudioBytes != tt.audio || out.ImageBytes != tt.images ||
			out.Images != tt.n {
			t.Errorf("%s: %q, audio %d, images %d of %d", tt.name, got, out.AudioBytes, out.Images, out.ImageBytes)
		}
	}
}

// An event of audio allocates nothing.
func TestMediaAllocatesNothing(t *testing.T) {
	d, out := New(), Out{}
	ev := sse.Event{Data: []byte(fmt.Sprintf(`{"id":"a","model":"m","choices":[{"index":0,"delta":{"audio":{"transcript":" yes","data":%q}}}]}`, strings.Repeat("AAAA", 4000)))}
	if n := testing.AllocsPerRun(100, func() { d.Event(ev, &out) }); n > 0 || len(out.Deltas) != 1 ||
		out.Deltas[0].Kind != metrics.Audio || out.AudioBytes != 12000 {
		t.Errorf("%v allocations, %+v", n, out)
	}
}
