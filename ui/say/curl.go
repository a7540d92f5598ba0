package say

import "strings"

// PastedReads is the question before a pasted command for host reads variables, NAME,
// and files, @PATH.
func PastedReads(reads []string, host string) string {
	return "The pasted command reads " + strings.Join(reads, ", ") + " on this machine, for its request to " + host +
		". Read that, and use the command?"
}
