//go:build !windows

package journey

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"tokscope/metrics/testkit"
)

// foot is the footer now.
func (x *term) foot() string {
	rows := strings.Split(x.screen(), "\n")
	return rows[len(rows)-1]
}

// lesson is the text of the lesson's panel, at the right of the screen, in one line.
func (x *term) lesson() string {
	var b strings.Builder
	inside := false
	for _, row := range strings.Split(x.screen(), "\n") {
		cells := strings.Split(row, "│")
		switch {
		case strings.Contains(row, "╭ lesson "):
			inside = true
		case strings.HasSuffix(strings.TrimRight(row, " "), "╯") && len(cells) == 1:
			inside = false
		case inside && len(cells) > 2:
			b.WriteString(strings.TrimSpace(cells[len(cells)-2]) + " ")
		}
	}
	return b.String()
}

// stranger presses only keys that the footer shows with their words.
type stranger struct {
	*term
	log []string
}

// follow presses the key of an entry of the footer, "n next lesson", once it is there.
func (s *stranger) follow(entry string) {
	s.t.Helper()
	s.wait("the footer to say "+entry, func() bool { return strings.Contains(s.foot()+" ", " "+entry+" ") })
	key, _, _ := strings.Cut(entry, " ")
	s.log = append(s.log, entry)
	if len(key) > 1 {
		key = "<" + key + ">"
	}
	s.keys(key)
}

// onward goes to the next lesson by the key that the footer names for it.
func (s *stranger) onward() {
	s.t.Helper()
	s.wait("a way to the next lesson", func() bool { return strings.Contains(s.foot(), " next lesson") })
	if strings.Contains(s.foot(), "enter next lesson") {
		s.follow("enter next lesson")
	} else {
		s.follow("n next lesson")
	}
}

// measured waits until the lesson's stage of that name has been measured.
func (s *stranger) measured(stage string) {
	s.t.Helper()
	s.patiently(stage+" to be measured", func() bool {
		text := s.lesson()
		return strings.Contains(text, "▸"+stage) && strings.Contains(text, "✓ measured")
	})
}

// patiently waits while the screen goes on, up to eight times as long as for
// anything else: on a busy machine the engine slows its clock to a twentieth and
// measures anew, so the share that it names may stay, or be none.
func (s *stranger) patiently(what string, ok func() bool) {
	s.t.Helper()
	for left := 8; ; left-- {
		before := s.screen()
		err := s.x.Wait(what, patience, ok)
		if err == nil {
			return
		}
		if left == 1 || s.screen() == before {
			s.t.Fatal(err)
		}
	}
}

// TestAStrangerSeesTheSeesaw: from `go run .`, with only the header and the footer
// as a guide, to lesson 4, where one user is measured against many.
func TestAStrangerSeesTheSeesaw(t *testing.T) {
	t.Parallel()
	s := &stranger{term: start(t, 120, 40, nil)}
	s.until("4 Explain")
	s.keys("4")
	s.follow("T tour")
	s.until("lesson 1 of")
	for n := 2; n <= 4; n++ {
		s.onward()
		s.until(fmt.Sprintf("lesson %d of", n))
	}
	s.until("The seesaw")
	s.measured("1 user")
	s.follow("enter make it 8 users")
	s.measured("8 users")
	s.follow("enter make it 64 users")
	verdict := regexp.MustCompile(`64 users: ([\d.,]+) tok/s per user, ([\d.,]+) tok/s aggregate; one user: ([\d.,]+)`)
	var figures []float64
	s.patiently("the verdict", func() bool {
		m := verdict.FindStringSubmatch(s.lesson())
		for _, f := range m[min(len(m), 1):] {
			v, err := strconv.ParseFloat(strings.ReplaceAll(f, ",", ""), 64)
			must(s.t, err)
			figures = append(figures, v)
		}
		return m != nil
	})
	each, total, alone := figures[0], figures[1], figures[2]
	testkit.That(t, each < alone && total > 4*alone,
		"no seesaw: %v per user of 64 against %v alone, %v aggregate", each, alone, total)
	s.follow("q quit")
	s.exits(0)
	s.restored()
	if !strings.Contains(s.screen(), "The seesaw: holds.") {
		t.Errorf("the verdict does not stay in the scrollback:\n%s", s.screen())
	}
	t.Logf("%d keys: %s", len(s.log), strings.Join(s.log, " · "))
	testkit.That(t, len(s.log) < 20, "%d keys: %q", len(s.log), s.log)
}

// Time of the running engine stops, makes one step, and runs on. The screens
// follow each other, and no user streams behind Live.
func TestTheEngineInOnesHands(t *testing.T) {
	t.Parallel()
	x := start(t, 120, 40, nil, "--max-tokens", "20")
	x.until("done")
	x.do("4 > engine steps | decode for")
	number := func() int { // 0 before the first step
		m := regexp.MustCompile(`╭ step (\d+)`).FindStringSubmatch(x.screen())
		if m == nil {
			return 0
		}
		n, _ := strconv.Atoi(m[1])
		return n
	}
	x.wait("steps to go back to", func() bool { return number() > 3 })
	x.do("<space> > paused | space go on")
	was := number()
	for range 3 { // a step that was under way may come late, once
		was = number()
		x.keys(".")
		x.wait("one more step", func() bool { return number() > was })
	}
	x.do("<space> > running | users")
	x.wait("newer steps", func() bool { return number() > was+3 })
	for _, size := range [][2]int{{40, 12}, {200, 50}, {1, 1}, {80, 24}} {
		x.resize(size[0], size[1])
	}
	x.until("engine steps", "T tour")
	x.do("1 > stream 1 | space again")
	x.do("<space> > stream 2 | done")
	x.do("4 > engine steps")
	x.signal(syscall.SIGTERM)
	x.exits(130)
	x.restored()
}
