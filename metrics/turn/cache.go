package turn

import (
	"time"

	"tokscope/metrics"
)

// Cache is what the prompt cache did for a turn, as far as the server tells.
type Cache struct {
	Share metrics.Value `json:"cached_share"`         // prompt tokens from the cache / prompt tokens, 0..1
	Lost  *Lost         `json:"cache_lost,omitempty"` // nil: it was not lost
}

// Lost says that a turn had less than half of the share from the cache that the turn before
// it in the conversation had, of the prompt that both have, on the same model, and with no
// fewer messages. Before is the last one whose share is known.
type Lost struct {
	Before int           `json:"before"` // id of the request of that turn
	Share  float64       `json:"share_before"`
	After  time.Duration // from the end of its answer to the start of this turn: caches forget
	// The first block that differs from that turn is number Block, from 1, of the Of of its
	// part. Block 0: all that it had are the same. Known is false where the client sent only
	// new ones.
	Part  Part `json:"part,omitempty"`
	Block int  `json:"block,omitempty"`
	Of    int  `json:"blocks,omitempty"`
	Known bool `json:"block_known"`
	// Tokens of the prompt before that were read again:
	//
	//	min(prompt before, prompt) − cached
	Tokens int `json:"tokens_read_again"`
	// Cost is an estimate, ms: the wait less what it would have been with the cache,
	//
	//	wait − m · (prompt − min(prompt before, prompt))
	//
	// and at least 0. m is the median of wait / uncached prompt tokens of the other turns on
	// this model that lost nothing, N their number. Unknown with fewer than three.
	Cost metrics.Value `json:"cost_ms"`
}

// leastRates is the least number of turns for the estimate of what a lost cache cost.
const leastRates = 3

// caches sets Cache of all turns.
func (v *View) caches() {
	told := map[int]*Turn{} // the last turn of a conversation whose share is known
	rates := map[string][]float64{}
	for i := range v.Turns {
		t := &v.Turns[i]
		u := &t.Stream().Usage
		if t.Cache.Share = metrics.Unknown(metrics.WhyNotReported); u.Cached < 0 || u.Prompt <= 0 {
			continue
		}
		t.Cache.Share = metrics.Finite(min(float64(u.Cached)/float64(u.Prompt), 1), 0)
		t.Cache.Lost = t.lost(told[t.Conversation])
		told[t.Conversation] = t
		if read := u.Prompt - u.Cached; t.Cache.Lost == nil && read > 0 && len(t.Stream().Chunks) > 0 {
			rates[t.Model] = append(rates[t.Model], ms(t.Time(Wait))/float64(read))
		}
	}
	for i := range v.Turns {
		t := &v.Turns[i]
		lost := t.Cache.Lost
		if lost == nil {
			continue
		}
		n := len(rates[t.Model])
		if lost.Cost = metrics.Unknown(metrics.Needs(leastRates)); n < leastRates {
			continue
		}
		u := &t.Stream().Usage
		added := u.Prompt - u.Cached - lost.Tokens // tokens that the turn before did not have
		m := metrics.Median(rates[t.Model], metrics.WhyNotReported).V
		lost.Cost = metrics.Finite(max(ms(t.Time(Wait))-m*float64(added), 0), n)
	}
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }

// lost compares t with the turn before, nil for none.
func (t *Turn) lost(before *Turn) *Lost {
	if before == nil || before.Model != t.Model {
		return nil
	}
	u := &t.Stream().Usage
	both := min(before.Stream().Usage.Prompt, u.Prompt) // what is new cannot come from the cache
	known := t.Previous == 0 && before.Previous == 0
	if float64(u.Cached) >= before.Cache.Share.V/2*float64(both) ||
		known && count(t.Blocks, Messages) < count(before.Blocks, Messages) {
		return nil
	}
	lost := &Lost{Before: before.Stream().ID, Share: before.Cache.Share.V, Known: known, Tokens: both - u.Cached,
		After: time.Duration(t.Stream().Marks.Start - answerEnd(before.Stream()))}
	if i := common(before.Blocks, t.Blocks); known && i < len(before.Blocks) {
		lost.Part = before.Blocks[i].Part // one that the other has not is before what follows
		if i < len(t.Blocks) {
			lost.Part = min(lost.Part, t.Blocks[i].Part)
		}
		lost.Block = count(t.Blocks[:i], lost.Part) + 1
		lost.Of = max(count(t.Blocks, lost.Part), count(before.Blocks, lost.Part))
	}
	return lost
}

// count returns the number of blocks of a part.
func count(blocks []Block, of Part) (n int) {
	for i := range blocks {
		if blocks[i].Part == of {
			n++
		}
	}
	return n
}
