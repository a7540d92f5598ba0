package testkit

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	_ "pgregory.net/rapid" // registers the flag before init sets it
)

// Variable is the environment variable that selects the seed: a number from 1,
// or "random", which draws a new one for every property and every Seed. Empty
// keeps the fixed seed. Pass -count=1 with it: go test reuses results otherwise.
const Variable = "TOKSCOPE_TEST_SEED"

// Values of the flag: the seed without a choice, and none, so that each property
// draws its own.
const (
	name   = "rapid.seed"
	fixed  = "16"
	random = "0"
)

func init() {
	if err := choose(flag.CommandLine, os.Getenv(Variable)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

// choose sets the seed in flags as asked. An empty asked leaves a seed that is
// set already, such as that of RAPID_SEED.
func choose(flags *flag.FlagSet, asked string) error {
	seed := fixed
	switch asked {
	case "":
		if flags.Lookup(name).Value.String() != random {
			return nil
		}
	case "random":
		seed = random
	default:
		if n, err := strconv.ParseUint(asked, 0, 64); err != nil || n == 0 {
			return fmt.Errorf("%s=%s is neither a number from 1 nor random", Variable, asked)
		}
		seed = asked
	}
	return flags.Set(name, seed)
}

// Seed returns the seed of a test, never 0, and logs how to use it again.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed, _ := strconv.ParseUint(flag.Lookup(name).Value.String(), 10, 64)
	for seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-%s=%d", name, seed)
	return seed
}

// Rand returns the numbers that follow from the seed of a test, one sequence for
// each stream. It logs the seed as Seed does.
func Rand(t testing.TB, stream uint64) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(stream, Seed(t)))
}
