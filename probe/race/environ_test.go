package race

import (
	"slices"
	"testing"

	"tokscope/probe/secret"
)

// TestEnviron: a command gets no key, by the name of its variable or by its value, and what
// it needs to talk to the machine.
func TestEnviron(t *testing.T) {
	scrub := secret.NewScrubber(secret.NewSecret("0123456789abcdef"))
	kept := []string{"PATH=/bin", "HOME=/root", "DBUS_SESSION_BUS_ADDRESS=unix:path=/run/bus", "SSH_AUTH_SOCK=/tmp/s", "XDG_SESSION_ID=3", "KEYBOARD=us", "MAX_TOKENS_LEFT=9", "PWD=/srv"}
	keys := []string{"GROQ_API_KEY=x", "HF_TOKEN=x", "AWS_SECRET_ACCESS_KEY=x", "db_password=x", "PGPASSWD=x", "CLIENT_SECRET=x", "COOKIE=x", "GOOGLE_APPLICATION_CREDENTIALS=x", "API_KEYS=x", "MINE=Bearer 0123456789abcdef"}
	if got := environ(slices.Concat(keys, kept), scrub); !slices.Equal(got, kept) {
		t.Errorf("%q", got)
	}
}
