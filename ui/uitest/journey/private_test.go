//go:build !windows

package journey

import (
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A person whose endpoint has a certificate of its own house chooses its
// profile on the screen, and it streams, without a restart. A profile whose
// file is missing says so at once.
func TestAPrivateAuthorityFromThePicker(t *testing.T) {
	t.Parallel()
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/models") {
			_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"house-model"}]}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"inhouse says hello"}}]}`+"\n\n")
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	defer srv.Close()
	dir := t.TempDir()
	cacert, config := filepath.Join(dir, "authority.pem"), filepath.Join(dir, "config.toml")
	for path, text := range map[string]string{
		cacert: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})),
		config: fmt.Sprintf("[profile.inhouse]\nurl = %[1]q\nmodel = \"house-model\"\ncacert = %[2]q\n[profile.typo]\nurl = %[1]q\nmodel = \"house-model\"\ncacert = \"/nowhere.pem\"\n", srv.URL+"/v1", cacert),
	} {
		must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	x := start(t, 120, 40, nil, "--config", config, "--max-tokens", "60")
	x.until("done", "SPEED")
	x.do("e typo <enter> > model ─ typo | /nowhere.pem cannot be read | check --cacert")
	x.keys("<enter>") // all the same
	x.until("space again", "/nowhere.pem")
	x.do("e inhouse <enter> > model ─ inhouse | ▸ ● house-model")
	x.do("<enter> > space run")
	x.do("<space> > inhouse says hello | stream 2 | done")
}
