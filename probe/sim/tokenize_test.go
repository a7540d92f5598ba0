package sim

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
)

// tokensOf asks /tokenize.
func tokensOf(t interface{ Fatalf(string, ...any) }, s *Server, body string) tokenized {
	w := answered(s.Handler(), recorded("POST", "/tokenize", body))
	var a tokenized
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != 200 {
		t.Fatalf("%s: %d %s", body, w.Code, w.Body)
	}
	return a
}

// The counts are those of a completion's usage.
func TestTokenizeCountsAsUsageDoes(t *testing.T) {
	s := start(t, Options{})
	tools := `"tools":[{"type":"function","function":{"name":"weather","parameters":{"type": "object"}}}]`
	for _, c := range []struct{ route, body string }{
		{"/chat/completions", `"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":[{"type":"text","text":"How does a server answer?"}]}]`},
		{"/chat/completions", `"messages":[{"role":"user","content":"Weather?"}],` + tools},
		{"/completions", `"prompt":"Once upon a time, in 1234567 – für alle 速さ"`},
	} {
		_, _, raw := post(t, s, c.route, `{`+c.body+`,"max_tokens":1}`)
		var a texts
		testkit.OK(t, json.Unmarshal([]byte(raw), &a))
		got := tokensOf(t, s, `{`+c.body+`}`)
		if got.Count != a.Usage.PromptTokens || len(got.Tokens) != got.Count || got.MaxModelLen != 131072 ||
			got.TokenStrs != nil {
			t.Errorf("%s: %+v, usage %d", c.body, got, a.Usage.PromptTokens)
		}
	}
	with := tokensOf(t, s, `{"messages":[{"role":"user","content":"x"}]}`)
	without := tokensOf(t, s, `{"messages":[{"role":"user","content":"x"}],"add_generation_prompt":false}`)
	if with.Count <= without.Count {
		t.Errorf("%d tokens with the generation prompt, %d without", with.Count, without.Count)
	}
	testkit.Is(t, tokensOf(t, s, `{"prompt":"x","model":"llama-2-7b@a100-40"}`).MaxModelLen, 4096, "context of … tokens")
}

// Text becomes ids and the same text again. A prompt of these ids is the same
// prompt: as long, and in the same cache.
func TestTokensRoundTrip(t *testing.T) {
	s, h := served(t, Options{})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ToValidUTF8(rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-zA-Zäöü ]{0,60}`)).Draw(t, "text"),
			"")
		raw := testkit.Must(json.Marshal(map[string]any{"prompt": text, "return_token_strs": true}))(t)
		a := tokensOf(t, s, string(raw))
		if strings.Join(a.TokenStrs, "") != text || len(a.TokenStrs) != a.Count {
			t.Fatalf("%q became %q", text, a.TokenStrs)
		}
		ids := testkit.Must(json.Marshal(map[string]any{"tokens": a.Tokens}))(t)
		w := answered(h, recorded("POST", "/detokenize", string(ids)))
		var back struct{ Prompt string }
		if err := json.Unmarshal(w.Body.Bytes(), &back); err != nil || w.Code != 200 || back.Prompt != text {
			t.Fatalf("%q came back as %q: %d %s", text, back.Prompt, w.Code, w.Body)
		}
		_, fromText := blocks(text)
		again, fromIDs := s.words.blocks(a.Tokens)
		if again != text || fmt.Sprint(fromText) != fmt.Sprint(fromIDs) {
			t.Fatalf("%q: blocks %v of the text, %v of its ids", text, fromText, fromIDs)
		}
	})
}

func TestTokenIDsOfAnAnswerCanBeJoined(t *testing.T) {
	s := start(t, Options{})
	list, _ := stream(t, s, `"max_tokens":40,"return_token_ids":true`)
	text, _ := said(list)
	var ids []int
	for _, c := range list {
		for _, x := range c.Choices {
			ids = append(ids, x.TokenIDs...)
		}
	}
	raw := testkit.Must(json.Marshal(map[string]any{"tokens": ids}))(t)
	w := answered(s.Handler(), recorded("POST", "/detokenize", string(raw)))
	var back struct{ Prompt string }
	if err := json.Unmarshal(w.Body.Bytes(), &back); err != nil || len(ids) != 40 || back.Prompt != text {
		t.Errorf("%d ids of %q: %s", len(ids), text, w.Body)
	}
}

func TestTokenizeMistakes(t *testing.T) {
	_, h := served(t, Options{})
	for _, c := range []struct{ path, body, words string }{
		{"/tokenize", `{}`, "prompt or messages is missing"},
		{"/tokenize", `{"prompt":["a"]}`, "prompt must be a string, got an array"},
		{"/tokenize", `{"messages":[{"role":"robot"}]}`, "messages[0].role must be one of"},
		{"/tokenize", `{"prompt":"x","return_token_strs":1}`, "return_token_strs must be true or false"},
		{"/tokenize", `{"prompt":"x","model":"x@y"}`, "known are"},
		{"/tokenize", `{"messages":[{"role":"user","content":"x"}],"continue_final_message":true}`,
			"needs add_generation_prompt to be false"},
		{"/detokenize", `{}`, "tokens is missing"},
		{"/detokenize", `{"tokens":"x"}`, "tokens must be an array, got a string"},
		{"/detokenize", `{"tokens":[1.5]}`, "tokens[0] must be a token id"},
		{"/detokenize", `{"tokens":[127999]}`, "tokens[0]: the id 127999 is not known"},
	} {
		w := answered(h, recorded("POST", c.path, c.body))
		if w.Code/100 != 4 || !strings.Contains(w.Body.String(), c.words) {
			t.Errorf("%s: %d %s", c.body, w.Code, w.Body)
		}
	}
}

// A vocabulary forgets its oldest tokens and stays bounded. What it knows is
// always right.
func TestVocabularyIsBounded(t *testing.T) {
	v := newVocabulary()
	for i := range 3 * maxLearned {
		tok := fmt.Sprint("token ", i)
		id := v.id(tok)
		if back, ok := v.token(id); !ok || back != tok || id < 0 || id >= vocabularySize || v.id(tok) != id {
			t.Fatalf("%q has id %d, which is %q", tok, id, back)
		}
	}
	if len(v.ids) != maxLearned || len(v.tokens) != maxLearned || len(v.order) != maxLearned {
		t.Errorf("%d tokens, %d ids, %d in order", len(v.tokens), len(v.ids), len(v.order))
	}
	for i := 2 * maxLearned; i < 3*maxLearned; i++ {
		if tok := fmt.Sprint("token ", i); v.tokens[v.ids[tok]] != tok {
			t.Fatalf("%q is forgotten", tok)
		}
	}
}

func TestModelCardsAreVLLMs(t *testing.T) {
	_, h := served(t, Options{})
	var l struct{ Data []map[string]any }
	testkit.OK(t, json.Unmarshal(answered(h, recorded("GET", "/v1/models", "")).Body.Bytes(), &l))
	for _, m := range l.Data {
		parent, hasParent := m["parent"]
		p, _ := m["permission"].([]any)
		if m["root"] != m["id"] || m["object"] != "model" || m["created"] == nil || m["owned_by"] == nil || !hasParent ||
			parent != nil || m["max_model_len"] == nil || len(p) != 1 {
			t.Errorf("%v", m)
			continue
		}
		for _, name := range []string{"id", "object", "created", "allow_create_engine", "allow_sampling", "allow_logprobs",
			"allow_search_indices", "allow_view", "allow_fine_tuning", "organization", "group", "is_blocking"} {
			if _, ok := p[0].(map[string]any)[name]; !ok {
				t.Errorf("permission without %s", name)
			}
		}
	}
}
