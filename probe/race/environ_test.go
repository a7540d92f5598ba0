package race

import (
	"slices"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/secret"
)

// TestEnviron: a command gets no key, by the name of its variable or by its value, and what
// it needs to talk to the machine.
func TestEnviron(t *testing.T) {
	scrub := secret.NewScrubber(secret.NewSecret("0123456789abcdef"))
	kept := []string{"PATH=/bin", "HOME=/root", "DBUS_SESSION_BUS_ADDRESS=unix:path=/run/bus", "SSH_AUTH_SOCK=/tmp/s",
		"XDG_SESSION_ID=3", "KEYBOARD=us", "MAX_TOKENS_LEFT=9", "PWD=/srv",
		"PATH=/opt/hf-transformers/bin:/opt/python@3.12", "OLDPWD=/", "TERM=xterm", "TOKENIZERS_PARALLELISM=false",
		"GIT_AUTHOR_NAME=Ann", "SSH_ASKPASS=/bin/ask",
		"HF_ENDPOINT=https://hf-mirror.com", "VIRTUAL_ENV=/opt/sk-learn-env", "VLLM_MAX_NUM_BATCHED_TOKENS=8192",
		"HTTP_PROXY=http://proxy:3128", "NO_PROXY=localhost,10.0.0.1",
		"TERM_SESSION_ID=w0", "FOO_COMPAT=1", `USERPROFILE=C:\Users\ann@corp`}
	keys := []string{"GROQ_API_KEY=x", "HF_TOKEN=x", "AWS_SECRET_ACCESS_KEY=x", "db_password=x", "PGPASSWD=x",
		"CLIENT_SECRET=x", "COOKIE=x", "GOOGLE_APPLICATION_CREDENTIALS=x", "API_KEYS=x", "MINE=Bearer 0123456789abcdef",
		"API_KEY_PROD=x", "HFTOKEN2=x", "OPENAI_API_KEY_BACKUP=x", "OPENAI_KEY_2=x", "AWS_ACCESS_KEY_ID=x",
		"MY_SECRET_VALUE=x", "GH_PAT=x", "PGPASS=x", "MYSQL_PWD=x", "DB_PASS_2=x",
		"HF_TOKENS=x", "SSH_PASSPHRASE=x", "HTTP_AUTH=x", "A=sk-abcdef0123456789", "B=hf_abcdefghijkl",
		"C=https://h/v1/sk-abcdef0123456789abcdef", "KEYBOARD_API_KEY=x",
		"DATABASE_URL=postgres://ann:pa/ss@db/x", "HTTPS_PROXY=http://ann:pass@proxy:3128", "ALL_PROXY=ann:pass@proxy:3128",
		"REPO=https://abcd1234@host/x"}
	got := environ(slices.Concat(keys, kept), scrub)
	testkit.That(t, slices.Equal(got, kept), "%q", got)
}

// TestShownWords: what follows a flag or a name of a key is not shown, however it is written,
// and all else is.
func TestShownWords(t *testing.T) {
	scrub := secret.NewScrubber(secret.NewSecret("0123456789abcdef"))
	for _, c := range []struct{ words, want []string }{
		{[]string{"serve", "--api-key", "hunter2", "--port", "80"}, []string{"serve", "--api-key", "[redacted]", "--port",
			"80"}},
		{[]string{"serve", "--api-key=a b", "--token", "{lane}"}, []string{"serve", "--api-key=[redacted]", "--token",
			"{lane}"}},
		{[]string{"serve", "--no-auth", "--hf-token", "x"}, []string{"serve", "--no-auth", "--hf-token", "[redacted]"}},
		{[]string{"env", "API_KEY=x", "A=1", "./s"}, []string{"env", "API_KEY=[redacted]", "A=1", "./s"}},
		{[]string{"docker", "run", "-e", "HF_TOKEN=x", "img"}, []string{"docker", "run", "-e", "HF_TOKEN=[redacted]", "img"}},
		{[]string{"sh", "-c", "API_KEY='a b' serve --port 80 --env MY_SECRET=y --token=z --password q {lane}"},
			[]string{"sh", "-c", "API_KEY=[redacted] serve --port 80 --env MY_SECRET=[redacted] --token=[redacted] " +
				"--password [redacted] {lane}"}},
		{[]string{"s", "--max-num-batched-tokens", "8192", "--tokenizer", "x", "-ub", "{lane}", "0123456789abcdef"},
			[]string{"s", "--max-num-batched-tokens", "8192", "--tokenizer", "x", "-ub", "{lane}", "[redacted]"}},
	} {
		got := shownWords(c.words, scrub)
		testkit.That(t, slices.Equal(got, c.want), "%q\n got %q\nwant %q", c.words, got, c.want)
	}
}
