package endpoint

import "regexp"

// pattern is one shape of secret that is removed although nobody told us the
// key: the servers' own keys, other people's, the key of a proxy.
type pattern struct {
	// need are words, in lower case, of which the text must hold one: a cheap
	// test before the expression runs.
	need []string
	re   *regexp.Regexp
	to   string
}

// patterns are applied in this order. A value may be cut at the end of the
// text, so that none of them needs an end.
var patterns = []pattern{
	// user:pass@ in a URL
	{v("@"), regexp.MustCompile(`(://)[^/\s@"'<>]+@`), "${1}" + Redacted + "@"},
	// headers and fields whose name says that a key follows
	{v("key", "token", "secret", "passw"), regexp.MustCompile(`(?i)((?:\b|_)(?:api[-_ ]?key|subscription[-_]key|access[-_]token|auth[-_]token|client[-_]secret|secret[-_]key|secret[-_]access[-_]key|password|passwd)\\*["']?(?:\s+provided)?\s*(?:[:=]|%3[ad])\s*(?:\[?\\*["'])?)` + value), "${1}" + Redacted},
	{v("authorization"), regexp.MustCompile(`(?i)\b((?:proxy-)?authorization\\*["']?\s*[:=]\s*(?:\[?\\*["'])?(?:(?:bearer|basic|digest|token)\s+)?)` + value), "${1}" + Redacted},
	{v("cookie"), regexp.MustCompile(`(?i)\b((?:set-)?cookie\\*["']?\s*:\s*\\*["']?)[^\r\n"'\\]+`), "${1}" + Redacted},
	// parameters of a URL
	{v("key=", "sig=", "signature=", "token=", "code="), regexp.MustCompile(`(?i)([?&;](?:key|sig|signature|token|code|subscription-key|x-amz-signature|x-amz-security-token|x-goog-signature)=)[^&\s"'<>\\]+`), "${1}" + Redacted},
	// schemes of authorization
	{v("bearer", "basic"), regexp.MustCompile(`(?i)\b((?:bearer|basic)(?:\s|%20|\+)+\\*["']?)` + value), "${1}" + Redacted},
	// shapes that providers give their keys; * and … because servers mask the middle
	{keyStarts, regexp.MustCompile(`\b(?:sk|pk|rk|csk|gsk|hf|xai|nvapi|pplx|r8|ghp|gho|ghu|ghs|ghr|github_pat|glpat|fw|tgp|psk|vck)[-_][A-Za-z0-9_*.…=+/-]{8,}`), Redacted},
	{v("sk-"), regexp.MustCompile(`\bsk-[A-Za-z0-9_*.…-]{4,}`), Redacted},
	{v("aiza"), regexp.MustCompile(`\bAIza[A-Za-z0-9_*…-]{8,}`), Redacted},
	{v("akia", "asia", "absk"), regexp.MustCompile(`\b(?:AKIA|ASIA|ABSK)[A-Za-z0-9+/=*…]{8,}`), Redacted},
	{v("eyj"), regexp.MustCompile(`\beyJ[A-Za-z0-9_=-]{8,}(?:\.[A-Za-z0-9_=-]*){0,4}`), Redacted},
}

// keyStarts are what the shapes of providers' keys begin with.
var keyStarts = v("sk", "pk", "rk", "hf", "xai", "nvapi", "pplx", "r8", "gh", "glpat", "fw", "tgp", "vck")

// value is what may follow the name of a key: up to a space, a quote or a
// separator. What has been redacted already is left alone by removePatterns.
const value = `[^\s"'<>,;&\\]+`

// plain words that follow "Bearer" in sentences and are no keys.
var notKeys = map[string]bool{
	"auth": true, "authentication": true, "authorization": true, "token": true, "tokens": true, "scheme": true,
	"header": true, "realm": true, "is": true, "was": true, "or": true, "and": true, "not": true, "required": true,
	"missing": true, "invalid": true, "empty": true, "null": true, "none": true, "undefined": true, "true": true, "false": true,
	"key": true, "api": true, "access": true, "credentials": true, "authentication.": true, "token.": true, "auth.": true,
}
