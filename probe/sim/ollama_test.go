package sim

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

// TestOllamaLines: every line is one document, and the last has the end, whatever came before.
func TestOllamaLines(t *testing.T) {
	_, h := served(t, Options{})
	for _, path := range []string{"/api/chat", "/api/generate"} {
		body := `{"model":"` + thinker +
			`:latest","prompt":"x","messages":[{"role":"user","content":"x"}],"think":true,"options":{"num_predict":40}}`
		w := answered(h, recorded("POST", path, body))
		if w.Code != 200 || w.Header().Get("Content-Type") != "application/x-ndjson" {
			t.Fatalf("%d %v %s", w.Code, w.Header(), w.Body)
		}
		said, before := strings.Split(strings.TrimSuffix(w.Body.String(), "\n"), "\n"), time.Time{}
		for i, line := range said {
			var doc any
			testkit.OK(t, json.Unmarshal([]byte(line), &doc), "in", line)
			stamp, _ := at(doc, "created_at").(string)
			now, err := time.Parse(time.RFC3339Nano, stamp)
			if err != nil || now.Before(before) || at(doc, "done") != (i == len(said)-1) || at(doc, "model") != thinker {
				t.Fatalf("line %d: %v %s", i, err, line)
			}
			if before = now; i < len(said)-1 {
				continue
			}
			total, prefill, decode := at(doc, "total_duration").(float64), at(doc, "prompt_eval_duration").(float64),
				at(doc, "eval_duration").(float64)
			testkit.That(t, prefill > 0 && decode > 0 && total >= prefill+decode, "%s", line)
		}
	}
}

func TestOllamaFields(t *testing.T) {
	_, h := served(t, Options{})
	ask := func(fields string) string {
		return `{"messages":[{"role":"user","content":"x"}],"stream":false,` + fields + `}`
	}
	for _, x := range []struct {
		path, body string
		code       int
		words      string
	}{
		{"chat", ask(`"options":{"num_predict":3,"temperature":0,"repeat_penalty":1.1}`), 200, `"done_reason":"length"`},
		{"chat", ask(`"options":{"num_predict":-1}`), 200, `"done_reason":"stop"`},
		{"chat", ask(`"model":"qwen3-8b@h100","think":true`), 200, `"thinking":"`},
		{"chat", ask(`"model":"qwen3-8b@h100","think":"high"`), 200, `"thinking":"`},
		{"chat", ask(`"model":"qwen3-8b@h100","think":false`), 200, `"message":{"role":"assistant","content":"`},
		{"chat", ask(`"format":"json"`), 200, `"content":"{`},
		{"chat", ask(`"format":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}`), 200,
			`"content":"{\"a\":`},
		{"chat", ask(`"options":{"stop":[""]}`), 400, `{"error":"a stop sequence must not be empty"}`},
		{"chat", ask(`"think":"much"`), 400, `"error":"think must be one of`},
		{"generate", `{"prompt":"x","raw":true,"stream":false,"options":{"num_predict":5}}`, 200, `"prompt_eval_count":1,`},
		{"generate", `{"prompt":"x","images":["AAAA"]}`, 400, "reads only text"},
		{"show", `{"model":"qwen3-8b@h100"}`, 200, `"capabilities":["completion","tools","thinking"]`},
		{"show", `{"model":"` + DefaultModel + `:latest"}`, 200, `"details":{`},
		{"show", `{"name":"` + DefaultModel + `"}`, 200, `.context_length":131072`},
		{"show", `{"model":"nobody"}`, 404, `{"error":"model \"nobody\" not found"}`},
	} {
		w := answered(h, recorded("POST", "/api/"+x.path, x.body))
		testkit.That(t, w.Code == x.code && strings.Contains(w.Body.String(), x.words),
			"%s %s: %d %s", x.path, x.body, w.Code, w.Body)
		testkit.That(t, !strings.Contains(x.body, `"think":false`) || !strings.Contains(w.Body.String(), "thinking"),
			"it thinks: %s", w.Body)
	}
}

// TestOllamaLists: /api/tags has every model of /v1/models, /api/ps those that run.
func TestOllamaLists(t *testing.T) {
	s, h := served(t, Options{})
	for path, want := range map[string]int{"/api/tags": len(s.listed()), "/api/ps": 1} {
		var doc any
		w := answered(h, recorded("GET", path, ""))
		testkit.OK(t, json.Unmarshal(w.Body.Bytes(), &doc))
		models := list(doc, "models")
		if len(models) != want || at(models[0], "name") != DefaultModel || at(models[0], "size").(float64) < 1e10 {
			t.Errorf("%s: %d models, want %d: %s", path, len(models), want, w.Body)
		}
		_, loaded := at(models[0], "size_vram").(float64)
		testkit.That(t, loaded == (path == "/api/ps"), "%s: %s", path, w.Body)
	}
	if w := answered(h, recorded("GET", "/api/version", "")); !strings.Contains(w.Body.String(), `"version":"`) {
		t.Errorf("%s", w.Body)
	}
}
