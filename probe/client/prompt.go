package client

import (
	"strings"

	"tokscope/metrics"
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
	if w.InputTokens > 0 {
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
