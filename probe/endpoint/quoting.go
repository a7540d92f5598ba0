package endpoint

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// argument is an argument of a pasted command, as the shell would give it to curl. In
// its text \x00NAME\x00 stands for a variable.
type argument struct {
	text string
	at   int // offset in the command
}

// quoting reads a pasted command by the rules of a shell. It runs nothing, reads
// nothing and fills in nothing.
type quoting struct {
	s     string
	i     int // what is read next
	out   []argument
	input *argument // what a heredoc gives to the standard input; nil without one

	word   strings.Builder
	at     int            // where the argument begins, -1 between two
	inside []rule         // of the quote that is open; nil outside of quotes
	opened int            // where it was opened
	ending *regexp.Regexp // the end of an announced heredoc; nil without one
	body   []rule         // of its text
	same   bool           // what is put has the length of what was read, with ignored after it
}

// ignored fills the place of what cmd.exe has taken out.
const ignored = "\x01"

// rule says what text means where it matches. Most rules put the groups of match.
type rule struct {
	match *regexp.Regexp
	do    action
}

type action func(q *quoting, m []string) error

// Parts of rules.
const (
	lineEnd    = `\r?\n`
	goesOn     = `[ \t]*(?:` + lineEnd + `|$)` // blanks come from pages
	identifier = `([A-Za-z_][A-Za-z0-9_]*)`
	percent    = `%([A-Za-z_][A-Za-z0-9_]{2,})%` // %E4% is part of an address
	any1       = `((?s:.))`
)

// shells are the rules of the shells outside of quotes, and of the C runtime of
// Windows, which makes arguments of what cmd.exe passes on.
type shells struct{ posix, cmd, runtime, powerShell []rule }

var rulesOf = sync.OnceValue(func() (s shells) {
	on := func(pattern string, do action) rule { return rule{regexp.MustCompile(`^(?:` + pattern + `)`), do} }
	no := func(pattern, what, next string) rule {
		return on(pattern, func(q *quoting, _ []string) error { return fail(q.i, what, next) })
	}
	rest := []rule{on(any1, put)}
	operators := []rule{
		no(`\|`, "| would pass the answer to another program", "leave it and what follows out"),
		no(`>`, "> would write the answer to a file", "leave it and what follows out"),
		no(`<`, "< would read a file", "put the text into the command"),
		no(`&`, "& begins another command", "put an address that holds & into quotes"),
	}
	bare := slices.Concat([]rule{
		on(`[ \t]+`, end), on(lineEnd, lineOver), on(`;\s*$`, end),
		no(`['"]`, "this quote is not closed", "copy the whole command"),
		no(`[“”„‘’]`, "a typographic quote quotes nothing in a shell", `write ' or "`),
		no(`[;()]`, "another command begins or ends here", "paste one command, and put texts into quotes"),
	}, operators, rest)
	runs := no("`|\\$\\(", "a shell would run a command here", "put what it prints in its place")

	dollars := []rule{on(`\$`+identifier, refer), on(`\$\{`+identifier+`\}`, refer), runs,
		no(`\$\{`, "of ${…} only ${NAME} is filled in", "write ${NAME}, or the text itself"),
		no(`\$[0-9@*#?$!-]`, "only the shell knows what this stands for", `write \$ for a dollar`)}
	soft := slices.Concat([]rule{on("([^\"$`\\\\]+)", put), on(`"`, closes), on(`\\`+lineEnd, put),
		on("\\\\([\"$`\\\\])", put)}, dollars, rest)
	here := slices.Concat([]rule{on("([^$`\\\\]+)", put), on(`\\`+lineEnd, put), on("\\\\([$`\\\\])", put)}, dollars, rest)
	s.posix = slices.Concat([]rule{on(`([A-Za-z0-9_./:@%+,=-]+)`, put), on(`\\`+goesOn, nothing), on(`\\`+any1, put),
		on(`'([^']*)'`, put), on(`\$'((?:[^'\\]|\\(?s:.))*)'`, ansi), on(`\$?"`, opens(soft)),
		on(`<<(-?)[ \t]*['"\\]([A-Za-z0-9_]+)['"]?`, announces(rest)),
		on(`<<(-?)[ \t]*([A-Za-z0-9_]+)`, announces(here)),
	}, dollars, bare)

	quoted := []rule{on(`([^"%]+)`, put), on(percent, refer), on(`(")`, closes), on(any1, put)}
	s.cmd = slices.Concat([]rule{on(`\^[ \t]*`+lineEnd+any1+`?`, put), on(`\^`+any1+`?`, put), on(percent, refer),
		on(`(")`, opens(quoted)), on(lineEnd, lineOver)}, operators, rest)
	skip := on(ignored, nothing)
	const edge = `((?:\\` + ignored + `?)*)"`
	text := []rule{skip, on(`"`+ignored+`?(")`, put), on(edge, backslashes(closes)), on(any1, put)}
	s.runtime = slices.Concat([]rule{on(`[ \t]+`, end), skip, on(edge, backslashes(opens(text)))}, rest)

	ticks := []rule{on("`"+goesOn, nothing),
		no("`[A-Za-z0-9]", "this escape of PowerShell is none that a request needs", "write the character"),
		on("`"+any1, put), on(`\$(?i:env):`+identifier, refer), on(`\$\{(?i:env):`+identifier+`\}`, refer), runs,
		no(`\$[A-Za-z_{]`, "this is a variable of PowerShell, not of the environment", "write $env:NAME")}
	single := []rule{on(`([^']+)`, put), on(`'(')`, put), on(`'`, closes)}
	// A \" ends such a text, but where text follows it was meant as a quote in a body.
	double := slices.Concat([]rule{on("([^\"$`\\\\]+)", put), on(`"(")`, put),
		on(`(\\+)"(?:[ \t]|`+lineEnd+`|$)`, ends), on(`(\\+")`, put), on(`"`, closes)}, ticks, rest)
	s.powerShell = slices.Concat([]rule{on(`@'[ \t]*`+lineEnd+`((?s:.*?))`+lineEnd+`'@`, put), on(`'`, opens(single)),
		on(`"`, opens(double))}, ticks, bare)
	return s
})

// signs show the shell that a command was written for, where it is no POSIX one: how its
// first line goes on, and what stands before any single quote.
var signs = sync.OnceValue(func() (s struct{ cmd, powerShell *regexp.Regexp }) {
	const first = `\A(?:[^'\n]|'[^'\n]*')*[ \t]`
	s.cmd = regexp.MustCompile(first + `\^[ \t]*\r?\n|\A[^']*(?:\s\^"|` + percent + `)|\A\s*curl\.exe`)
	s.powerShell = regexp.MustCompile(first + "`[ \\t]*\\r?\\n|\\A[^']*\\$\\{?(?i:env):|\\A\\s*curl\\.exe .*'")
	return s
})

// split splits command.
func split(command string) (q *quoting, err error) {
	q = &quoting{s: command, at: -1}
	switch {
	case signs().powerShell.MatchString(command):
		err = q.read(rulesOf().powerShell)
		for i := range q.out { // older versions want a backslash before each quote of an argument
			if text := &q.out[i].text; strings.Count(*text, `"`) == strings.Count(*text, `\"`) {
				as := &quoting{s: *text}
				if as.read(rulesOf().runtime[1:]) == nil { // without its blanks
					*text = as.out[0].text
				}
			}
		}
	case signs().cmd.MatchString(command):
		q.same = true
		if err = q.read(rulesOf().cmd); err == nil {
			q = &quoting{s: q.out[0].text, at: -1}
			err = q.read(rulesOf().runtime)
		}
	default:
		err = q.read(rulesOf().posix)
	}
	return q, err
}

// read follows rules to the end of the text.
func (q *quoting) read(outside []rule) error {
	for q.i < len(q.s) {
		rules := outside
		if q.inside != nil {
			rules = q.inside
		}
		for i := range rules {
			if m := rules[i].match.FindStringSubmatch(q.s[q.i:]); m != nil {
				if err := rules[i].do(q, m); err != nil {
					return err
				}
				q.i += len(m[0])
				break
			}
		}
		if q.same {
			q.word.WriteString(strings.Repeat(ignored, max(q.i-q.word.Len(), 0)))
		}
	}
	if q.inside != nil {
		return fail(q.opened, "this quote is not closed", "copy the whole command")
	}
	return end(q, nil)
}

func nothing(*quoting, []string) error { return nil }

// put puts the groups of m into the argument, and begins one with them.
func put(q *quoting, m []string) error {
	if q.at < 0 {
		q.at = q.i
	}
	q.word.WriteString(strings.Join(m[1:], ""))
	return nil
}

// end ends the argument, if one has begun.
func end(q *quoting, _ []string) error {
	if q.at >= 0 {
		q.out = append(q.out, argument{q.word.String(), q.at})
		q.word.Reset()
		q.at = -1
	}
	return nil
}

// opens begins a quote with those rules.
func opens(inside []rule) action {
	return func(q *quoting, m []string) error {
		q.inside, q.opened = inside, q.i
		return put(q, m)
	}
}

func closes(q *quoting, m []string) error {
	q.inside = nil
	return put(q, m)
}

func ends(q *quoting, m []string) error {
	_ = closes(q, m)
	m[0] = m[1] + `"` // what follows is read next
	return nil
}

// refer puts the sign of a variable.
func refer(q *quoting, m []string) error { return put(q, []string{"", "\x00" + m[1] + "\x00"}) }

// backslashes halves the backslashes before a quote. An odd one makes the quote text,
// else the quote does what edge does.
func backslashes(edge action) action {
	return func(q *quoting, m []string) error {
		n := strings.Count(m[1], `\`)
		if _ = put(q, []string{"", strings.Repeat(`\`, n/2)}); n%2 == 1 {
			return put(q, []string{"", `"`})
		}
		return edge(q, m[:1])
	}
}

// jsonOf makes the escapes of $'…' those of JSON.
var jsonOf = strings.NewReplacer(`\\`, `\\`, `\'`, `'`, `\"`, `\"`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

// ansi puts the text of $'…', in which browsers write line ends and what is not ASCII.
func ansi(q *quoting, m []string) error {
	var text string
	if json.Unmarshal([]byte(`"`+jsonOf.Replace(m[1])+`"`), &text) != nil || strings.Contains(text, "\x00") {
		return fail(q.i, "an escape in $'…' is none that a request needs", "write the character itself")
	}
	return put(q, []string{"", text})
}

// announces ends the argument before a heredoc with those rules.
func announces(body []rule) action {
	return func(q *quoting, m []string) error {
		q.ending, q.body = regexp.MustCompile(`(?m)^`+strings.Repeat(`\t*`, len(m[1]))+m[2]+`\r?$`), body
		return end(q, nil)
	}
}

// lineOver ends the command with its line, and with the text that it has announced. Nothing
// may follow.
func lineOver(q *quoting, m []string) error {
	_ = end(q, nil)
	from := q.i + len(m[0])
	if q.ending != nil {
		at := q.ending.FindStringIndex(q.s[from:])
		if at == nil {
			return fail(q.i, "the text of << does not end", "copy the whole command")
		}
		body := &quoting{s: q.s[:from+at[0]], i: from, at: from}
		if err := body.read(q.body); err != nil {
			return err
		}
		q.ending, q.input = nil, &body.out[0]
		from += at[1]
	}
	rest := strings.TrimLeft(q.s[from:], " \t\r\n")
	at := len(q.s) - len(rest)
	switch {
	case len(q.out) > 0 && strings.HasPrefix(rest, "-"):
		return fail(at, "the command has ended with the line before",
			"continue that line: \\ in sh, ^ in cmd, ` in PowerShell")
	case len(q.out) > 0 && rest != "":
		return fail(at, "a second command begins here", "paste one command")
	}
	q.i = at - len(m[0]) // read adds what has matched
	return nil
}
