package race

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"tokscope/metrics/racestat"
	"tokscope/probe/endpoint"
	"tokscope/probe/secret"
)

// patterns tell what may hold a key. Most races need none of them.
var patterns = sync.OnceValue(func() (p struct{ harmless, keyWord, place, run, login, given *regexp.Regexp }) {
	// Names, or parts of names, that only sound like those of keys.
	p.harmless = regexp.MustCompile(`(?i)^(?:old)?pwd$|ssh_auth_sock|xauthority|author(?:_|$)|askpass|bypass|compass|` +
		`keyboard|keymap|keyring|tokeniz|(?:max|min|num|special)(?:_[a-z]+)*_tokens|` +
		`(?:xdg|dbus|desktop|term|shell|gdm)_?session|session_manager`)
	// The last part of a word that endpoint.SecretName does not know.
	p.keyWord = regexp.MustCompile(`(?i)(?:tokens|pass|passphrase|pwd|(?:^|_)pat)[0-9]*(?:_|$)`)
	// Values that are a path or an address: a word of one, as in hf-mirror.com, may look
	// like a key, but has no run of the length of a key's.
	p.place = regexp.MustCompile(`^(?:[./~]|[A-Za-z]:\\|[A-Za-z0-9+.-]+://)[^\s\x40?]*$`)
	p.run = regexp.MustCompile(`[A-Za-z0-9]{20}`)
	// The name and the password before the host of an address.
	p.login = regexp.MustCompile(`://[^/\s@]*:\S*@|^[^/\\\s@:]+:[^/\\\s@]+@[^/\\\s@]+$`)
	// A name with its value within a word of a command: API_KEY=x, --api-key x.
	p.given = regexp.MustCompile(`([A-Za-z_][\w-]*)=("[^"]*"|'[^']*'|\S+)|` +
		`(--?[A-Za-z][\w-]*)\s+("[^"]*"|'[^']*'|[^\s-]\S*)`)
	return p
})

// namesKey reports whether a variable or a flag of that name may hold a key.
func namesKey(name string) bool {
	name = patterns().harmless.ReplaceAllString(strings.ReplaceAll(name, "-", "_"), "_")
	return patterns().keyWord.MatchString(name) || endpoint.SecretName(name)
}

// holdsKey reports whether a value has a known key in it, what looks like one, or a login.
func holdsKey(value string, scrub *secret.Scrubber) bool {
	return scrub.Hit([]byte(value)) || patterns().login.MatchString(value) ||
		secret.RemovePatterns(value) != value && (!patterns().place.MatchString(value) || patterns().run.MatchString(value))
}

// environ returns an environment without the variables that hold a key, by their name or
// by their value.
func environ(all []string, scrub *secret.Scrubber) []string {
	return slices.DeleteFunc(all, func(v string) bool {
		name, value, _ := strings.Cut(v, "=")
		return !strings.EqualFold(name, "PATH") && (namesKey(name) || holdsKey(value, scrub))
	})
}

// shownWords returns the words of a command without the values of flags and variables that
// may hold a key.
func shownWords(words []string, scrub *secret.Scrubber) []string {
	out := make([]string, len(words))
	flag := "" // the word before, where a value may follow it
	for i, word := range words {
		name, _, assigned := strings.Cut(word, "=")
		switch {
		case flag != "" && namesKey(flag) && !strings.HasPrefix(word, "-") && word != racestat.LaneWord:
			out[i] = secret.Redacted
		case assigned && strings.HasPrefix(name, "-") && !strings.ContainsAny(name, " \t") && namesKey(name):
			out[i] = name + "=" + secret.Redacted
		default:
			out[i] = scrub.String(hideGiven(word))
		}
		flag = ""
		if strings.HasPrefix(word, "-") && !assigned {
			flag = word
		}
	}
	return out
}

// hideGiven replaces the values that patterns find in a text and that may be keys.
func hideGiven(text string) string {
	var b strings.Builder
	at := 0
	for at < len(text) {
		m := patterns().given.FindStringSubmatchIndex(text[at:])
		if m == nil {
			break
		}
		name, from, to := m[2:4], m[4], m[5]
		if m[2] < 0 {
			name, from, to = m[6:8], m[8], m[9]
		}
		end := name[1] // a value that stays may be a name itself
		b.WriteString(text[at : at+end])
		if value := text[at+from : at+to]; namesKey(text[at+name[0]:at+name[1]]) && value != racestat.LaneWord {
			b.WriteString(text[at+end:at+from] + secret.Redacted)
			end = to
		}
		at += end
	}
	return b.String() + text[at:]
}
