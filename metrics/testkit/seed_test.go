package testkit

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestChoose(t *testing.T) {
	for _, c := range []struct{ before, asked, after string }{
		{"0", "", "16"},
		{"7", "", "7"}, // of RAPID_SEED
		{"0", "random", "0"},
		{"7", "random", "0"},
		{"0", "18446744073709551615", "18446744073709551615"},
		{"7", "9", "9"},
		{"0", "0", ""},
		{"0", "-1", ""},
		{"0", "Random", ""},
		{"0", "18446744073709551616", ""},
	} {
		flags := flag.NewFlagSet("test", flag.ContinueOnError)
		seed := flags.Uint64(name, 0, "")
		if err := flags.Set(name, c.before); err != nil {
			t.Fatal(err)
		}
		err := choose(flags, c.asked)
		if got := fmt.Sprint(*seed); (err == nil) != (c.after != "") || err == nil && got != c.after {
			t.Errorf("%s=%q after %s: seed %s, %v", Variable, c.asked, c.before, got, err)
		}
	}
}

// TestNumbers prints what the seed gives. TestTheSeedIsFixed runs it as another
// process.
func TestNumbers(t *testing.T) {
	drawn := []uint64{Seed(t), Rand(t, 1).Uint64(), Rand(t, 2).Uint64()}
	rapid.Check(t, func(t *rapid.T) { drawn = append(drawn, rapid.Uint64().Draw(t, "number")) })
	if len(drawn) > 3 && drawn[1] == drawn[2] {
		t.Error("two streams of one seed are the same")
	}
	fmt.Println("drawn", drawn)
}

// TestTheSeedIsFixed runs the same numbers again in other processes. Without a
// word they are the same each time, and "random" makes them differ.
func TestTheSeedIsFixed(t *testing.T) {
	if os.Getenv("TESTSEED_CHILD") != "" {
		t.Skip("this is the other process")
	}
	drawn := func(seed string, args ...string) string {
		t.Helper()
		cmd := exec.Command(os.Args[0], append([]string{"-test.run", "^TestNumbers$"}, args...)...)
		cmd.Env = slices.DeleteFunc(os.Environ(),
			func(v string) bool { return strings.HasPrefix(v, "RAPID_") || strings.HasPrefix(v, Variable) })
		cmd.Env = append(cmd.Env, "TESTSEED_CHILD=1", Variable+"="+seed)
		out, err := cmd.CombinedOutput()
		for line := range strings.Lines(string(out)) {
			if strings.HasPrefix(line, "drawn") {
				return line
			}
		}
		t.Fatalf("%v\n%s", err, out)
		return ""
	}
	first := drawn("")
	if again := drawn(""); again != first {
		t.Errorf("two runs draw\n%s%s", first, again)
	}
	if !strings.HasPrefix(first, fmt.Sprintf("drawn [%s ", fixed)) {
		t.Errorf("not the fixed seed: %.80s", first)
	}
	if a, b := drawn("random"), drawn("random"); a == b {
		t.Errorf("two random seeds draw both\n%s", a)
	}
	if a, b := drawn("98", "-rapid.seed=99"), drawn("99"); a != b || a == first {
		t.Errorf("the command line does not win over the variable: it draws\n%s%s", a, b)
	}
}
