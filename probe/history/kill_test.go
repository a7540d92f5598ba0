package history

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
)

// long: run the long tests.
var long = testkit.Long()

// childEnv makes the test binary a process that appends to the store in that
// folder, and prints the ID of each entry once it was acknowledged.
const childEnv = "TOKSCOPE_HISTORY_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		appendForever(dir, os.Getenv(childEnv+"_NUMBER"))
	}
	os.Exit(m.Run())
}

// appendForever appends entries of the process with that number until it is killed.
// Now and then it also writes the index, and removes entries that nobody waits for,
// which rewrites the file.
func appendForever(dir, number string) {
	s, err := Open(dir)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	s.Now = func() time.Time { return t0 }
	var first int
	_, _ = fmt.Sscan(number, &first)
	for n := 0; ; n++ {
		e := sample(first*100_000+n, t0.Add(time.Duration(first*100_000+n)*time.Second), "groq", 270)
		if err := s.Append(e); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(e.ID)
		switch {
		case n%7 == 3:
			err = indexed(s)
		case n%13 == 5:
			junk := e
			junk.Series.Endpoint, junk.ID = "junk", idAt(e.At, first*100_000+n+50_000)
			if err = s.Append(junk); err == nil {
				_, err = s.Remove(history.Query{Filter: "endpoint:junk"})
			}
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
}

// TestKilledProcessesLoseNothing has two processes append to one store, and kills
// both with SIGKILL at random moments, again and again. Every entry that one of
// them was told is written is there, once.
func TestKilledProcessesLoseNothing(t *testing.T) {
	rounds := 3
	if testing.Short() {
		rounds = 1
	}
	if long {
		rounds = 300
	}
	random := testkit.Rand(t, 1)
	all := 0
	for rounds > 0 { // a store of its own for some rounds: each rewriting takes longer
		n := min(rounds, 20)
		all += killed(t, random, n)
		rounds -= n
	}
	t.Logf("%d entries were acknowledged, and are there once", all)
}

// killed kills the writers of a new store in each of the rounds, and returns the
// number of entries that were acknowledged.
func killed(t *testing.T, random *rand.Rand, rounds int) int {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "history")
	acknowledged := map[string]bool{}
	for round := range rounds {
		type child struct {
			cmd *exec.Cmd
			ids chan []string
		}
		var children []child
		for k := range 2 {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childEnv+"="+dir, fmt.Sprintf("%s_NUMBER=%d", childEnv, 2*round+k))
			out := testkit.Must(cmd.StdoutPipe())(t)
			testkit.OK(t, cmd.Start())
			t.Cleanup(func() { _ = cmd.Process.Kill() })
			c := child{cmd, make(chan []string, 1)}
			until := 20 + random.IntN(60)
			go func() { // kills the child after so many acknowledgements
				var ids []string
				in := bufio.NewScanner(out)
				for in.Scan() {
					ids = append(ids, in.Text())
					if len(ids) == until {
						_ = cmd.Process.Kill()
					}
				}
				_, _ = io.Copy(io.Discard, out)
				c.ids <- ids
			}()
			children = append(children, c)
		}
		for _, c := range children {
			ids := <-c.ids
			_ = c.cmd.Wait()
			for _, id := range ids {
				_, ok := parseID(id)
				testkit.Given(t, ok, "a process says: %s", id)
				acknowledged[id] = true
			}
		}
	}
	s := openedAt(t, dir, t0)
	v := view(t, s, history.Query{Filter: "endpoint:groq"})
	found := map[string]int{}
	for _, e := range v.Entries {
		found[e.ID]++
	}
	for id := range acknowledged {
		testkit.Is(t, found[id], 1, "the acknowledged entry", id, "is there … times")
	}
	for id, n := range found {
		testkit.Is(t, n, 1, "entry", id, "is there … times")
	}
	testkit.That(t, len(acknowledged) >= 40*rounds,
		"only %d entries were acknowledged: nothing was tried", len(acknowledged))
	// A lock does not outlive its process.
	add(t, s, sample(1, t0, "after", 1))
	return len(acknowledged)
}
