package dialog

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"tokscope/metrics"
	"tokscope/themes"
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

// offerCurl makes a row from a command.
func (d *Endpoints) offerCurl(text string) item {
	e, reads, err := d.Curl(text)
	if err != nil {
		return item{name: "not used: " + err.Error(), dim: true, mark: notReady}
	}
	name := []string{"use " + e.URL}
	if e.Model != "" {
		name = append(name, "model "+e.Model)
	}
	if len(reads) > 0 {
		name = append(name, "reads "+strings.Join(reads, ", "))
	}
	return item{name: strings.Join(name, ", "), value: e, mark: isOffer}
}

// says shows below the rows, as a whole, why a command is not used.
func (d *Endpoints) says(it item) Act {
	if d.busy {
		return nil
	}
	if d.say = ""; it.value == nil {
		d.say, d.role = it.name, themes.Warn
	}
	return nil
}
