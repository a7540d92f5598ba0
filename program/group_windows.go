package program

import "os/exec"

// Group does nothing: Windows has no groups of processes.
func Group(*exec.Cmd) {}
