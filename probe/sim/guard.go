package sim

import (
	"net/http"
	"time"
)

// answers serves Options.Answers to requests whose Host and Origin headers are allowed.
func (s *Server) answers(w http.ResponseWriter, r *http.Request) {
	if err := accessError(&s.access, r); err != nil {
		err.write(w)
		return
	}
	s.o.Answers.ServeHTTP(w, r)
}

// SleepExactly sleeps for a short time more exactly than the runtime does. It holds
// its thread meanwhile.
func SleepExactly(d time.Duration) {
	tightenTimer() // of the thread that sleeps
	sleepExactly(d)
}
