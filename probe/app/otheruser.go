package app

import (
	"context"
	"math/rand/v2"

	"tokscope/metrics"
	"tokscope/probe/client"
)

// otherAnswer is the length of another user's answer, in tokens: its prompt is
// what the running stream feels.
const otherAnswer = 8

// OtherUser sends a request of another user with a prompt of about that many
// tokens. It does so on the embedded endpoint alone, and reports whether it
// did. The request is neither a run of the session nor in its recording.
func (s *Live) OtherUser(promptTokens int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.target.Kind != metrics.EndpointEmbedded || s.closed {
		return false
	}
	if s.others == nil {
		s.others = client.New(client.Options{})
	}
	s.others.StartQuiet(context.Background(), s.target, metrics.Workload{
		Name: "another user", Prompt: "Sum up these notes.", InputTokens: promptTokens, MaxTokens: otherAnswer,
		Nonce: client.Nonce(rand.Uint32()),
	})
	return true
}

// leave ends the requests of other users, for good.
func (s *Live) leave() {
	s.mu.Lock()
	e := s.others
	s.others, s.closed = nil, true
	s.mu.Unlock()
	if e != nil {
		e.Close()
	}
}
