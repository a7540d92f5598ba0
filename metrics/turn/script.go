package turn

import (
	"math"
	"slices"
	"time"

	"tokscope/metrics"
)

// Script is a session as lengths, shared prefixes and pauses, to be played with other texts.
// It is read only. Agents that worked at the same time are played one after the other.
type Script struct {
	Steps         []Step `json:"-"`
	Turns         int    `json:"turns"`           // that are played
	OfAgents      int    `json:"turns_of_agents"` // of them those of subagents
	Conversations int    `json:"conversations"`   // of the session
	Prompt        int    `json:"prompt_tokens"`   // of all turns that are played
	Shared        int    `json:"shared_tokens"`   // of them those with which an earlier turn begins too
	Output        int    `json:"output_tokens"`   // of all their answers
	LeftOut       int    `json:"turns_left_out"`  // they failed, or nothing is known of their prompt
	// Estimated are turns whose tokens no server counted: four bytes of a prompt count as one,
	// and a chunk of an answer.
	Estimated int           `json:"turns_estimated"`
	Pauses    time.Duration `json:"pauses_s" form:"s"` // the sum of those before turns
	Shortened int           `json:"waits_shortened"`   // waits for a person that were longer than MostWait
}

// MostWait bounds the time for which a Script waits for a person behind a turn.
const MostWait = 30 * time.Second

// Step is a turn to be played. Prompt, Shared and Output are tokens: of what is said, of the
// part of it with which a step before begins too, and of the answer.
type Step struct {
	Said                   []Said
	Prompt, Shared, Output int
	// After is the index of a step from whose end it waits for Pause, -1 for none.
	After int
	Pause time.Duration
}

// Said is a part of a prompt, of 1 token or more. Those of one Script with the same Block,
// from 1, are the same text. Model: it is what a model has said.
type Said struct {
	Block, Tokens int
	Model         bool
}

// writing is a Script in the making.
type writing struct {
	Script
	turns  []*Turn // of its steps
	said   map[Digest]Said
	blocks int            // parts so far
	begun  map[[2]int]int // the nodes of a tree of all prompts, by the node before and Block
}

// Script returns what is played of a session.
func (v *View) Script() *Script {
	w := &writing{said: map[Digest]Said{}, begun: map[[2]int]int{}}
	w.Conversations = len(v.Conversations)
	last := make([]int, len(v.Conversations)+1) // the number of the last step of each
	for i := range v.Turns {
		t, c := &v.Turns[i], &v.Conversations[v.Turns[i].Conversation-1]
		if t.Stream().State != metrics.Done || len(t.Blocks) == 0 {
			w.LeftOut++
			continue
		}
		step := Step{After: last[c.Number] - 1}
		w.say(&step, t)
		if c.Of != 0 {
			w.OfAgents++
		}
		if last[c.Number] == 0 { // the turn beside which a subagent begins, or the task before
			step.After = len(w.Steps) - 1
			if c.Of != 0 {
				step.After = last[c.Of] - 1
			}
		}
		w.pause(&step, t, c)
		w.Steps, w.turns = append(w.Steps, step), append(w.turns, t)
		last[c.Number] = len(w.Steps)
	}
	w.Turns = len(w.Steps)
	return &w.Script
}

// say sets what is said in a step, and its tokens. step.After is the step before it in its
// conversation, -1 for none.
func (w *writing) say(step *Step, t *Turn) {
	u, blocks, known := &t.Stream().Usage, t.Blocks, 0
	if t.Previous != 0 && step.After >= 0 { // the client sends only what is new
		before := &w.Steps[step.After]
		step.Said = append(slices.Clip(before.Said), w.part(before.Output, true))
		blocks = blocks[len(blocks)-count(blocks, Messages):]
		known = before.Prompt + before.Output
	}
	bytes := 0 // of new parts
	for i := range blocks {
		if s, ok := w.said[blocks[i].Digest]; ok {
			known += s.Tokens
		} else {
			bytes += blocks[i].Bytes
		}
	}
	left := float64(bytes) / 4
	if u.Prompt > 0 {
		left = float64(u.Prompt - known)
	}
	for _, b := range blocks {
		s, ok := w.said[b.Digest]
		if !ok {
			tokens := math.Round(left * float64(b.Bytes) / float64(max(bytes, 1)))
			s = w.part(int(tokens), b.Role == "assistant" || b.Role == "model")
			w.said[b.Digest] = s
		}
		step.Said = append(step.Said, s)
	}
	if step.Output = u.Completion; step.Output < 0 {
		step.Output = len(t.Stream().Chunks)
	}
	if step.Output = max(step.Output, 1); u.Prompt <= 0 || u.Completion < 0 {
		w.Estimated++
	}
	node, shared := 0, true
	for _, s := range step.Said {
		branch := [2]int{node, s.Block}
		next, ok := w.begun[branch]
		if !ok {
			next = len(w.begun) + 1
			w.begun[branch] = next
		}
		if node, shared = next, shared && ok; shared {
			step.Shared += s.Tokens
		}
		step.Prompt += s.Tokens
	}
	w.Prompt, w.Shared, w.Output = w.Prompt+step.Prompt, w.Shared+step.Shared, w.Output+step.Output
}

// part returns a part that is none before.
func (w *writing) part(tokens int, model bool) Said {
	w.blocks++
	return Said{Block: w.blocks, Tokens: max(tokens, 1), Model: model}
}

// pause sets how long a step of conversation c waits.
func (w *writing) pause(step *Step, t *Turn, c *Conversation) {
	if step.After < 0 {
		return
	}
	before := w.turns[step.After]
	step.Pause = max(time.Duration(t.Stream().Marks.Start-answerEnd(before.Stream())), 0)
	waited := time.Duration(0) // for a person
	switch {
	case before.Conversation == t.Conversation:
		waited = before.Time(You)
	case c.Of == 0:
		waited = step.Pause
	}
	if waited > MostWait {
		step.Pause = max(step.Pause-waited, 0) + MostWait
		w.Shortened++
	}
	w.Pauses += step.Pause
}

// Play is a Script that somebody plays again and again. One with a Script alone has not begun.
type Play struct {
	*Script
	Round int             // how often all steps were played
	ends  []metrics.Stamp // of the steps of this round
}

// Step returns the step that is next. first reports that it begins a round.
func (p *Play) Step() (step *Step, first bool) { return &p.Steps[len(p.ends)], len(p.ends) == 0 }

// Due returns the time at which it may begin; NoStamp: at once.
func (p *Play) Due() metrics.Stamp {
	step, _ := p.Step()
	if step.After < 0 {
		return metrics.NoStamp
	}
	return p.ends[step.After] + metrics.Stamp(step.Pause)
}

// Ended goes on to the next step: this one has ended at that time.
func (p *Play) Ended(at metrics.Stamp) {
	if p.ends = append(p.ends, at); len(p.ends) == len(p.Steps) {
		p.ends = nil
		p.Round++
	}
}
