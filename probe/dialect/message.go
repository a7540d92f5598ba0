package dialect

// message holds the decoded keys of one JSON document, before they change the
// state of the stream. A malformed document thus leaves no trace. nil means
// absent or null. The last value of a repeated key counts.
//
// Types are checked no more strictly than necessary: id, created and seed of
// real servers are strings, integers, floats and numbers beyond int64.
type message struct {
	id, model, provider, fingerprint []byte
	tier                             []byte // service_tier
	requestID                        []byte // request_id of an error
	object, typ                      []byte // "object" and "type"
	response                         []byte // Cloudflare's shape: {"response":"tok"}
	choices                          []choice
	isChunk                          bool // a list of choices was present, even an empty one

	// Raw values, decoded only where needed.
	usage, xGroq, progress       []byte
	evalCount, promptEvalCount   []byte // Ollama's own names
	err, errs, message           []byte
	delta, contentBlock, success []byte // Anthropic's events; Cloudflare's errors
	blocks                       [len(timeBlocks)][]byte
}

// maxChoices bounds the choices of one event. A choice needs some 600 bytes,
// so a hostile list of empty ones would need 200 times its own size.
// Delta.Choice cannot number more.
const maxChoices = 256

// choice is one element of choices.
type choice struct {
	index        int
	delta        delta
	message      delta // a whole answer instead of the delta
	text         []byte
	finish       []byte
	usage, err   []byte
	ids, logprob int // lengths of token_ids and logprobs, -1 if absent
}

// delta is the addition of a choice.
type delta struct {
	present          bool
	role             bool
	named            bool // it has the key role, whatever it says
	blank            bool // content is an empty string
	content          []byte
	parts            []byte // content that is an array, raw
	reasoningContent []byte
	reasoning        []byte
	details          []byte // reasoning_details, raw
	refusal          []byte
	transcript       []byte // of audio
	audio, images    media
	tools, function  []byte // tool_calls and function_call, raw
	thought          bool   // extra_content.google.thought
	tokenID          bool   // Together: exactly one token
}

// read fills m from the document in s. It returns false if that is malformed
// or not an object.
func (m *message) read(s *scanner) bool {
	*m = message{choices: m.choices[:0]}
	if s.peek() != '{' {
		s.fail()
		return false
	}
	for k, more := s.firstKey(); more; k, more = s.nextKey() {
		switch string(k) {
		case "choices":
			m.readChoices(s)
		case "id":
			m.id, _ = s.text()
		case "model":
			m.model, _ = s.text()
		case "provider":
			m.provider, _ = s.text()
		case "system_fingerprint":
			m.fingerprint, _ = s.text()
		case "service_tier":
			m.tier, _ = s.text()
		case "request_id":
			m.requestID, _ = s.text()
		case "object":
			m.object, _ = s.text()
		case "type":
			m.typ, _ = s.text()
		case "response":
			m.response, _ = s.text()
		case "usage":
			m.usage = s.raw()
		case "x_groq":
			m.xGroq = s.raw()
		case "eval_count":
			m.evalCount = s.raw()
		case "prompt_eval_count":
			m.promptEvalCount = s.raw()
		case "prompt_progress":
			m.progress = s.raw()
		case "error":
			m.err = s.raw()
		case "errors":
			m.errs = s.raw()
		case "message":
			m.message = s.raw()
		case "success":
			m.success = s.raw()
		case "delta":
			m.delta = s.raw()
		case "content_block":
			m.contentBlock = s.raw()
		default:
			if i := timeBlock(k); i >= 0 {
				m.blocks[i] = s.raw()
			}
		}
	}
	return s.end()
}

func (m *message) readChoices(s *scanner) {
	m.choices = m.choices[:0]
	m.isChunk = s.peek() == '['
	for more := s.firstElem(); more; more = s.nextElem() {
		if s.peek() == '{' && len(m.choices) < maxChoices {
			m.choices = append(m.choices, choice{ids: -1, logprob: -1})
			m.choices[len(m.choices)-1].read(s)
		}
	}
}

func (c *choice) read(s *scanner) {
	for k, more := s.firstKey(); more; k, more = s.nextKey() {
		switch string(k) {
		case "index":
			c.index = asCount(s.raw())
		case "delta":
			c.delta.read(s)
		case "message":
			c.message.read(s)
		case "text":
			c.text, _ = s.text()
		case "finish_reason":
			if c.finish, _ = s.text(); string(c.finish) == "null" { // of DashScope
				c.finish = nil
			}
		case "usage":
			c.usage = s.raw()
		case "error":
			c.err = s.raw()
		case "token_ids":
			c.ids = s.count()
		case "logprobs":
			c.logprob = readLogprobs(s)
		}
	}
}

func (d *delta) read(s *scanner) {
	*d = delta{present: s.peek() == '{'}
	for k, more := s.firstKey(); more; k, more = s.nextKey() {
		switch string(k) {
		case "content":
			d.content, d.parts, d.blank = nil, nil, false
			if s.peek() == '[' {
				d.parts = s.raw()
			} else {
				var ok bool
				d.content, ok = s.text()
				d.blank = ok && len(d.content) == 0
			}
		case "role":
			d.named = true
			role, _ := s.text()
			d.role = len(role) > 0
		case "reasoning_content":
			d.reasoningContent, _ = s.text()
		case "reasoning":
			d.reasoning, _ = s.text()
		case "reasoning_details":
			d.details = s.raw()
		case "refusal":
			d.refusal, _ = s.text()
		case "audio":
			d.readAudio(s)
		case "images":
			d.readImages(s)
		case "tool_calls":
			d.tools = s.raw()
		case "function_call":
			d.function = s.raw()
		case "extra_content":
			d.thought = readThought(s)
		case "token_id":
			_, d.tokenID = asFloat(s.raw())
		}
	}
}

// readLogprobs counts the tokens of a choice's logprobs: the entries of
// content and refusal, or the legacy list of tokens. It returns -1 without
// any.
func readLogprobs(s *scanner) int {
	content, refusal, tokens := -1, -1, -1
	for k, more := s.firstKey(); more; k, more = s.nextKey() {
		switch string(k) {
		case "content":
			content = s.count()
		case "refusal":
			refusal = s.count()
		case "tokens":
			tokens = s.count()
		}
	}
	switch n := max(content, 0) + max(refusal, 0); {
	case n > 0:
		return n
	case tokens > 0:
		return tokens
	}
	return -1
}

// readThought decodes {"google":{"thought":true}}.
func readThought(s *scanner) (thought bool) {
	for k, more := s.firstKey(); more; k, more = s.nextKey() {
		if string(k) != "google" {
			continue
		}
		thought = false
		for k, more := s.firstKey(); more; k, more = s.nextKey() {
			if string(k) == "thought" {
				thought = s.peek() == 't'
			}
		}
	}
	return thought
}
