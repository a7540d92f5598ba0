package sim

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

// loggedToken is one token of a chat's logprobs.
type loggedToken struct {
	Token   string
	Logprob float64
	Bytes   []int
	Top     []struct {
		Token   string
		Logprob float64
		Bytes   []int
	} `json:"top_logprobs"`
}

func bytesOf(s string) (list []int) {
	for i := range len(s) {
		list = append(list, int(s[i]))
	}
	return list
}

// chatLogs returns the logprobs and the text of a chat, streamed or whole.
func chatLogs(t *testing.T, s *Server, fields string, streamed bool) (list []loggedToken, text string) {
	t.Helper()
	type logs struct{ Content []loggedToken }
	if !streamed {
		var a struct {
			Choices []struct {
				Message  struct{ Content string }
				Logprobs logs
			}
		}
		_, _, raw := post(t, s, "/chat/completions", ask+","+fields+"}")
		testkit.OK(t, json.Unmarshal([]byte(raw), &a), "in", raw)
		return a.Choices[0].Logprobs.Content, a.Choices[0].Message.Content
	}
	chunks, _ := stream(t, s, fields)
	for _, c := range chunks {
		for _, x := range c.Choices {
			var l logs
			testkit.OK(t, json.Unmarshal(x.Logprobs, &l))
			list = append(list, l.Content...)
		}
	}
	text, _ = said(chunks)
	return list, text
}

func TestChatLogprobs(t *testing.T) {
	s := start(t, Options{})
	for _, top := range []int{0, 1, 5, 20} {
		for _, extra := range []string{"", `,"temperature":0`, `,"model":"llama-3.3-70b@4xh100+draft"`} {
			fields := fmt.Sprintf(`"max_tokens":80,"logprobs":true,"top_logprobs":%d%s`, top, extra)
			list, text := chatLogs(t, s, fields, true)
			again, _ := chatLogs(t, s, fields, false)
			a, b := fmt.Sprint(list), fmt.Sprint(again)
			testkit.That(t, a == b, "%s: streamed %.300s\nwhole %.300s", fields, a, b)
			joined, lower := "", 0
			testkit.Is(t, len(list), 80, fields, "tokens logged of 80")
			for i, x := range list {
				joined += x.Token
				testkit.That(t, x.Logprob <= 0 && slices.Equal(x.Bytes, bytesOf(x.Token)) && len(x.Top) == top,
					"%s, token %d: %+v", fields, i, x)
				sum, within := 0.0, false
				for k, alt := range x.Top {
					sum += math.Exp(alt.Logprob)
					if k > 0 && alt.Logprob > x.Top[k-1].Logprob || !slices.Equal(alt.Bytes, bytesOf(alt.Token)) {
						t.Errorf("%s, token %d, rank %d: %+v after %+v", fields, i, k+1, alt, x.Top[k-1])
					}
					for _, other := range x.Top[:k] {
						testkit.That(t, other.Token != alt.Token, "%s, token %d: %q twice", fields, i, alt.Token)
					}
					within = within || alt.Token == x.Token && alt.Logprob == x.Logprob
				}
				switch {
				case sum > 1.000001:
					t.Errorf("%s, token %d: the probabilities sum to %v", fields, i, sum)
				case top > 0 && !within && x.Logprob > x.Top[top-1].Logprob:
					t.Errorf("%s, token %d: %q is likelier than the last alternative, but not among them", fields, i, x.Token)
				case top == 20 && !within:
					t.Errorf("%s, token %d: %q is not among 20", fields, i, x.Token)
				case top > 0 && strings.Contains(extra, "temperature") && x.Top[0].Token != x.Token:
					t.Errorf("%s, token %d: at temperature 0 %q was chosen, not %q", fields, i, x.Token, x.Top[0].Token)
				}
				if x.Logprob < -0.01 && top > 0 && !within {
					lower++
				}
			}
			testkit.Is(t, joined, text, fields, "logged")
			testkit.That(t, top != 1 || extra != "" || lower != 0 && lower <= 40,
				"%d of 80 tokens were not the likeliest", lower)
		}
	}
	if list, _ := chatLogs(t, s, `"max_tokens":5`, false); list != nil {
		t.Errorf("logprobs that nobody asked for: %v", list)
	}
}

func TestCompletionLogprobs(t *testing.T) {
	s := start(t, Options{})
	for top := range maxTopCompletions + 1 {
		body := fmt.Sprintf(`{"prompt":["Warum ist das so, und wie ist es schöner?","速さは"],"max_tokens":60,"logprobs":%d`,
			top)
		a := textsOf(t, s, body+"}")
		for _, c := range a.Choices {
			l := c.Logprobs
			if l == nil || len(l.Tokens) != 60 || len(l.TokenLogprobs) != 60 || len(l.TopLogprobs) != 60 ||
				len(l.TextOffset) != 60 {
				t.Fatalf("logprobs %d: %+v", top, l)
			}
			runes := []rune(c.Text)
			for i, tok := range l.Tokens {
				from := l.TextOffset[i]
				testkit.That(t, string(runes[from:from+len([]rune(tok))]) == tok, "token %d %q is not at %d", i, tok, from)
				p, ok := l.TopLogprobs[i][tok]
				if n := len(l.TopLogprobs[i]); !ok || p != l.TokenLogprobs[i] || p > 0 || n != top && n != top+1 {
					t.Errorf("logprobs %d, token %d %q %v: %v", top, i, tok, l.TokenLogprobs[i], l.TopLogprobs[i])
				}
			}
		}
		// The offsets of a stream go on from chunk to chunk.
		_, _, raw := post(t, s, "/completions", body+`,"stream":true}`)
		list, _, _ := events(t, raw)
		offsets := make([][]int, 2)
		for _, c := range list {
			for _, x := range c.Choices {
				var l struct {
					TextOffset []int `json:"text_offset"`
				}
				testkit.OK(t, json.Unmarshal(x.Logprobs, &l))
				offsets[x.Index] = append(offsets[x.Index], l.TextOffset...)
			}
		}
		for i, c := range a.Choices {
			if !slices.Equal(offsets[i], c.Logprobs.TextOffset) {
				t.Errorf("streamed offsets %v, want %v", offsets[i], c.Logprobs.TextOffset)
			}
		}
	}
}
