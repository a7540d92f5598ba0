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

// plainMost bounds a name, TARGET or URL that is shown while it is typed, in bytes.
const plainMost = 120

var (
	// plain matches what can be a name, a TARGET or a URL.
	plain = regexp.MustCompile("^[^\\s\"'`=?]*(?:\\?[^\\s\"'`]*)?$")
	// keyed matches a query with what may be a key, as Gemini's.
	keyed = regexp.MustCompile(`(?i)\?(?:.*[&_-])?(?:key|token|sig|signature|code|secret|auth)=`)
	// commands matches what is like a command or a program that sends a request, or has
	// several lines.
	commands = regexp.MustCompile(
		`(?i)(?:^|[\s/=])curl(?:\.exe)?\s|^\s*(?:export|set)\s+\w+=|Invoke-\S|\bi[wr][rm]\s|\bfetch\(|\bbearer\s|[\r\n]`)
)

// secretive reports whether typed text may hold a key. Where a command can be given, that
// is all that cannot be a name, a TARGET or a URL.
func (l *list) secretive(text string) bool {
	text = strings.TrimLeft(text, " ")
	if l.commands {
		text = strings.TrimRight(text, " ")
		return len(text) > plainMost || !plain.MatchString(text) || keyed.MatchString(text)
	}
	return commands.MatchString(text)
}

// masked returns typed text as it may be shown: what may hold a key as dots, the word
// curl excepted.
func (l *list) masked(text string) string {
	if !l.secretive(text) {
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
