package testkit

import "os"

// LongVariable is the environment variable that asks for the long simulations and
// soaks: minutes of CPU, in place of the short form that every run of the tests plays.
const LongVariable = "TOKSCOPE_LONG"

// Long reports whether the long simulations are asked for.
func Long() bool { return os.Getenv(LongVariable) != "" }
