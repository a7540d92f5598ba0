package sim

import (
	"net/http"
	"strings"

	"tokscope/probe/sim/rawjson"
	"tokscope/probe/sim/text"
)

// tokenized is the answer of /tokenize, in vLLM's shape.
type tokenized struct {
	Count       int      `json:"count"`
	MaxModelLen int      `json:"max_model_len"`
	Tokens      []int32  `json:"tokens"`
	TokenStrs   []string `json:"token_strs"` // null unless asked for
}

// tokenize counts and lists the tokens of a prompt or of messages, as a
// completion counts them. The tokenizer has no special tokens, so
// add_special_tokens changes nothing.
func (s *Server) tokenize(w http.ResponseWriter, r *http.Request) *apiError {
	return s.withBody(w, r, func(f *fields) (any, *apiError) {
		all := ""
		switch {
		case f.has("messages"):
			q := request{chat: true}
			q.parseMessages(f)
			q.parseTools(f)
			generate := !f.has("add_generation_prompt") || f.boolean("add_generation_prompt")
			if f.boolean("continue_final_message") && generate {
				f.fail("continue_final_message", "continue_final_message needs add_generation_prompt to be false")
			}
			all, _ = q.chatText(generate)
		case f.has("prompt"):
			all = f.text("prompt")
		default:
			f.fail("prompt", "prompt or messages is missing")
		}
		f.boolean("add_special_tokens")
		strs := f.boolean("return_token_strs")
		d, apiErr := s.driver(f.text("model"))
		if f.err != nil {
			return nil, f.err
		}
		if apiErr != nil {
			return nil, apiErr
		}
		a := tokenized{MaxModelLen: contextOf(d.currentSetup()), Tokens: []int32{}}
		if most := a.MaxModelLen; len(all) > most*maxTextPerToken {
			return nil, tooLong(most)
		}
		for t := range text.All(all) {
			if a.Count++; a.Count > maxIDs {
				return nil, tooLong(maxIDs)
			}
			a.Tokens = append(a.Tokens, s.words.id(t))
			if strs {
				a.TokenStrs = append(a.TokenStrs, strings.Clone(t))
			}
		}
		return a, nil
	})
}

// maxTextPerToken is an upper bound of the bytes of a token.
const maxTextPerToken = 64

func tooLong(most int) *apiError {
	return newError(http.StatusBadRequest, "context_length_exceeded", "the prompt has more than %d tokens", most)
}

// detokenize joins the tokens of ids that /tokenize or an answer has named.
func (s *Server) detokenize(w http.ResponseWriter, r *http.Request) *apiError {
	return s.withBody(w, r, func(f *fields) (any, *apiError) {
		f.text("model")
		v := f.of("tokens", rawjson.Array)
		if v == nil {
			f.fail("tokens", "tokens is missing")
		}
		p := f.ids("tokens", v)
		if p.all > maxIDs {
			f.fail("tokens", "tokens has %d ids, at most %d are taken", p.all, maxIDs)
		}
		var b strings.Builder
		for i, id := range p.ids {
			t, ok := s.words.token(id)
			if !ok {
				f.fail("tokens", "tokens[%d]: the id %d is not known. This endpoint knows the ids that it has named itself", i, id)
				break
			}
			b.WriteString(t)
		}
		return map[string]string{"prompt": b.String()}, f.err
	})
}

// withBody answers a request with what f makes of its body.
func (s *Server) withBody(w http.ResponseWriter, r *http.Request, f func(*fields) (any, *apiError)) *apiError {
	body, release, err := s.body(w, r)
	defer release()
	if err != nil {
		return err
	}
	q, err := bodyFields(body)
	if err != nil {
		return err
	}
	answer, err := f(q)
	if err != nil {
		return err
	}
	return writeJSON(w, answer)
}
