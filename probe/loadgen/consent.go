package loadgen

import "tokscope/metrics/loadstat"

// consent holds the limits of a guarded load that a person must lift before
// it grows past FreeUsers and continues past FreeTokens. It has no lock: its
// owner is the load, under the load's mutex.
type consent struct {
	config   *Config // of the load
	given    bool
	question loadstat.Question // zero without an open question
	users    int               // waiting for the answer; 0: none
	tokens   bool              // requests wait for the answer
}

// allow returns how many of n users may run now. It asks for consent to the
// others.
func (q *consent) allow(n int) int {
	q.users = 0
	if !q.given && n > FreeUsers {
		q.users = n
		q.question, _ = NeedsConsent(q.config.Target, Estimate(*q.config, n, 0))
		return FreeUsers
	}
	if !q.tokens {
		q.question = loadstat.Question{}
	}
	return n
}

// capacity returns most, or at most FreeUsers before consent.
func (q *consent) capacity(most int) int {
	if q.given {
		return most
	}
	return min(most, FreeUsers)
}

// askUsers asks for more users of an open loop, unless a question is open.
func (q *consent) askUsers() {
	if !q.given && q.question == (loadstat.Question{}) {
		q.users = 0
		q.question, _ = NeedsConsent(q.config.Target, Estimate(*q.config, FreeUsers+1, 0))
	}
}

// holds reports whether the next request must wait for consent, and asks
// then. tokens are those used and reserved, including that request. used are
// those used so far, users is the number of users of the load.
func (q *consent) holds(tokens float64, used float64, users int) bool {
	if q.given || tokens <= FreeTokens {
		return false
	}
	q.tokens = true
	f := Estimate(*q.config, max(users, 1), 0)
	f.Users = max(f.Users, 1)
	_, more := NeedsConsent(q.config.Target, f)
	q.question = loadstat.Question{Endpoint: q.config.Target.Name, Forecast: f, Used: used, Free: FreeTokens, Brief: !more}
	return true
}

// give answers the question with yes. It returns the number of users that
// waited for it.
func (q *consent) give() int {
	q.given, q.question, q.tokens = true, loadstat.Question{}, false
	return q.users
}
