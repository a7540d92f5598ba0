package secret

import "regexp"

// pattern is a shape of secret that is removed even if the key is unknown:
// the servers' own keys, other people's, a proxy's.
type pattern struct {
	// need lists words in lower case. Without one of them in the text, the
	// expression is not tried.
	need []string
	re   *regexp.Regexp
	to   string
}

// patterns are applied in this order. None requires an end, because a value
// may be cut at the end of the text.
var patterns = []pattern{
	// user:pass@ in a URL
	{v("@"), regexp.MustCompile(`(://)[^/\s@"'<>]+@`), "${1}" + Redacted + "@"},
	// headers and fields named like a key
	{v("key", "token", "secret", "passw"),
		regexp.MustCompile(`(?i)((?:\b|_)(?:api[-_ ]?key|subscription[-_]key|access[-_]token|auth[-_]token|` +
			`client[-_]secret|secret[-_]key|secret[-_]access[-_]key|password|passwd)` +
			`\\*["']?(?:\s+provided)?\s*(?:[:=]|%3[ad])\s*(?:\[?\\*["'])?)` + value), "${1}" + Redacted},
	{v("authorization"),
		regexp.MustCompile(`(?i)\b((?:proxy-)?authorization\\*["']?\s*[:=]\s*(?:\[?\\*["'])?` +
			`(?:(?:bearer|basic|digest|token)\s+)?)` + value), "${1}" + Redacted},
	{v("cookie"), regexp.MustCompile(`(?i)\b((?:set-)?cookie\\*["']?\s*:\s*\\*["']?)[^\r\n"'\\]+`), "${1}" + Redacted},
	// query parameters
	{v("key=", "sig=", "signature=", "token=", "code="),
		regexp.MustCompile(`(?i)([?&;](?:key|sig|signature|token|code|subscription-key|x-amz-signature|` +
			`x-amz-security-token|x-goog-signature)=)[^&\s"'<>\\]+`), "${1}" + Redacted},
	// schemes of authorization
	{v("bearer", "basic"),
		regexp.MustCompile(`(?i)\b((?:bearer|basic)(?:\s|%20|\+)+\\*["']?)` + value), "${1}" + Redacted},
	// key formats of providers; * and … because servers mask the middle
	{keyStarts,
		regexp.MustCompile(`\b(?:sk|pk|rk|csk|gsk|hf|xai|nvapi|pplx|r8|ghp|gho|ghu|ghs|ghr|github_pat|glpat|fw|tgp|` +
			`psk|vck)[-_][A-Za-z0-9_*.…=+/-]{8,}`), Redacted},
	{v("sk-"), regexp.MustCompile(`\bsk-[A-Za-z0-9_*.…-]{4,}`), Redacted},
	{v("aiza"), regexp.MustCompile(`\bAIza[A-Za-z0-9_*…-]{8,}`), Redacted},
	{v("akia", "asia", "absk"), regexp.MustCompile(`\b(?:AKIA|ASIA|ABSK)[A-Za-z0-9+/=*…]{8,}`), Redacted},
	{v("eyj"), regexp.MustCompile(`\beyJ[A-Za-z0-9_=-]{8,}(?:\.[A-Za-z0-9_=-]*){0,4}`), Redacted},
}

// keyStarts are the prefixes of providers' keys.
var keyStarts = v("sk", "pk", "rk", "hf", "xai", "nvapi", "pplx", "r8", "gh", "glpat", "fw", "tgp", "vck")

// value matches what follows the name of a key, up to a space, quote or
// separator. RemovePatterns skips values that are already redacted.
const value = `[^\s"'<>,;&\\]+`

// plain words after "Bearer" in sentences; they are not keys
var notKeys = map[string]bool{
	"auth": true, "authentication": true, "authorization": true, "token": true, "tokens": true, "scheme": true,
	"header": true, "realm": true, "is": true, "was": true, "or": true, "and": true, "not": true, "required": true,
	"missing": true, "invalid": true, "empty": true, "null": true, "none": true, "undefined": true,
	"true": true, "false": true,
	"key": true, "api": true, "access": true, "credentials": true, "authentication.": true, "token.": true, "auth.": true,
}

func v(s ...string) []string { return s }
