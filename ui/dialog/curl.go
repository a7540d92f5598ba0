package dialog

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"tokscope/metrics"
	"tokscope/ui/format"
)

// UseCurl reports that a pasted curl command was chosen: where it goes, and what it
// reads there, NAME and @PATH.
type UseCurl struct {
	Text     string
	Endpoint metrics.Endpoint
	Reads    []string
}

// curlMost bounds a pasted command, in bytes.
const curlMost = 1 << 20

// commands matches what begins like a command, or has several lines: it may hold a key.
var commands = regexp.MustCompile(
	`(?i)^\s*(?:[$%>]\s+)?(?:curl(?:\.exe)?\s|(?:export|set)\s+\w+=|Invoke-\S|i[wr][rm]\s)|[\r\n]`)

// masked returns typed text as it may be shown: a command without its arguments.
func masked(text string) string {
	if !commands.MatchString(text) {
		return text
	}
	rest, curl := strings.CutPrefix(strings.TrimSpace(text), "curl ")
	n := utf8.RuneCountInString(rest)
	shown := strings.Repeat("·", min(n, 24)) + " " + format.Plural(n, "character", "characters")
	if curl {
		return "curl " + shown
	}
	return shown
}
