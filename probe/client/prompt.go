package client

import (
	"encoding/json"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/turn"
)

// filler is the stock of sentences for synthetic prompts. It is plain
// English, so tokenizers need about 1.3 tokens a word, as for prose.
var filler = []string{
	"A river that has been measured for two hundred years still surprises the people who live beside it.",
	"The ferry left at six, loaded with flour, nails, two pianos and a schoolteacher who did not look back.",
	"Every lighthouse keeper kept a log, and most of the entries said only that nothing had happened.",
	"She counted the windows of the train as it passed, because counting was easier than waiting.",
	"Rain came from the west in the afternoon and left a line of silver on the roofs of the market.",
	"The clockmaker explained that a good clock is not one that is never wrong, but one whose error is known.",
	"In the archive there were forty boxes of letters, and in the last of them a single dried leaf.",
	"Nobody could say who had planted the orchard, only that it had always needed pruning.",
	"The bridge was closed in winter, so the village learned to be two villages for three months of the year.",
	"He wrote down the temperature at noon and at midnight, in the same pencil, for thirty-one years.",
}

// tokensPerWord is the usual number of tokens per word of English prose
// (cl100k and its successors: 1.3, see OpenAI's help pages).
const tokensPerWord = 1.3

// promptOf returns w with the synthetic part and the nonce written out.
func promptOf(w metrics.Workload) metrics.Workload {
	if w.InputTokens > 0 && w.Messages == "" {
		w.Prompt = Synthetic(w.InputTokens, w.Prompt)
		w.InputTokens = 0
	}
	if w.Nonce != "" {
		begin := w.Nonce + "\n\n"
		w.Prompt, w.Messages = begin+w.Prompt, w.Messages.Before(begin)
		w.Nonce = ""
	}
	return w
}

// Turn returns w with the messages of a step in API: texts of ours, the first of which says what
// w asks before. What is no model's is a user's, tools and system prompts too.
func Turn(w metrics.Workload, s *turn.Step, api string) metrics.Workload {
	type message struct {
		Role    string `json:"role"`
		Content any    `json:"content"`
	}
	all, text := []message{{Role: "user"}}, w.Prompt
	for i, part := range s.Said {
		role := "user"
		if part.Model && i > 0 && i < len(s.Said)-1 { // the first and the last are never a model's
			role = "assistant"
		}
		n := len(all) - 1
		if all[n].Role != role {
			all[n].Content, text = text, ""
			all = append(all, message{Role: role})
		}
		text += "\n\n" + strconv.Itoa(part.Block) + ". " + Synthetic(part.Tokens-labelTokens, "")
	}
	last := &all[len(all)-1]
	if last.Content = text; api == "messages" { // where nothing is cached that no request asks for
		cached := map[string]any{"type": "ephemeral"}
		last.Content = []any{map[string]any{"type": "text", "text": text, "cache_control": cached}}
	}
	data, _ := json.Marshal(all) // they always have a JSON form
	w.Messages, w.Prompt = metrics.Raw(data), ""
	w.InputTokens, w.MaxTokens = s.Prompt, s.Output
	return w
}

// labelTokens is about what the number of a part takes.
const labelTokens = 3

// Synthetic returns a prompt of about n tokens of English prose that ends with
// the question. The same n and question give the same text.
func Synthetic(n int, question string) string {
	words := int(float64(n)/tokensPerWord) - len(strings.Fields(question))
	var b strings.Builder
	for i := 0; words > 0; i++ {
		s := filler[i%len(filler)]
		f := strings.Fields(s)
		if len(f) > words {
			s = strings.Join(f[:words], " ")
		}
		words -= len(f)
		b.WriteString(s)
		b.WriteByte(' ')
	}
	if question != "" {
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(question)
	}
	return b.String()
}
