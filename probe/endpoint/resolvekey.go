package endpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"tokscope/probe/secret"
)

// envKey reads the key of a variable. An empty variable counts as unset. One
// without a valid key is skipped with a warning.
func (r *Resolver) envKey(name string, t *Target) (secret.Secret, bool) {
	k, err := cleanKey(r.env(name))
	if err != nil {
		t.Warnings = append(t.Warnings, fmt.Sprintf("%s is not used: %s", name, err))
		return secret.Secret{}, false
	}
	return secret.NewSecret(k), k != ""
}

// profileKey sets the key of a profile.
func (r *Resolver) profileKey(t *Target, name string, p Profile) error {
	switch {
	case t.Auth == AuthNone, r.Flags.APIKeyFile != "", r.Flags.APIKeyEnv != "":
		// No key is sent, or flags override it later: the command would run for nothing.
	case p.APIKeyEnv != "":
		k, err := cleanKey(r.env(p.APIKeyEnv))
		if err != nil {
			return Refuse(fmt.Sprintf("profile %s: the key in %s cannot be used: %s", name, p.APIKeyEnv, err),
				"set the variable to the key alone")
		}
		if k == "" {
			return Refuse(fmt.Sprintf("profile %s: its key is expected in %s, which is not set", name, p.APIKeyEnv),
				"export it, or change api_key_env")
		}
		t.Key, t.KeyFrom = secret.NewSecret(k), "env "+p.APIKeyEnv
	case p.APIKeyFile != "":
		return r.fileKey(t, Home(p.APIKeyFile, r.env), "api_key_file")
	case !p.APIKeyCmd.Empty():
		k, err := r.cmdKey(name, p.APIKeyCmd)
		if err != nil {
			return Refuse(fmt.Sprintf("profile %s: api_key_cmd gave no key: %s", name, err),
				"run the command by hand and look at what it says")
		}
		t.Key, t.KeyFrom = k, "api_key_cmd"
	}
	return nil
}

// cmdKey runs the command of a profile once and remembers the key.
func (r *Resolver) cmdKey(profile string, c Command) (secret.Secret, error) {
	r.asking.Lock()
	defer r.asking.Unlock()
	if k, ok := r.cmds[profile]; ok {
		return k, nil
	}
	s, err := c.run(r.ctx())
	if err != nil {
		return secret.Secret{}, err
	}
	r.cmds = cloned(r.cmds)
	r.cmds[profile] = secret.NewSecret(s)
	return r.cmds[profile], nil
}

func (r *Resolver) ctx() context.Context {
	if r.Ctx != nil {
		return r.Ctx
	}
	return context.Background()
}

// flagKey sets the key of the command line.
func (r *Resolver) flagKey(t *Target) error {
	f := r.Flags
	switch {
	case f.APIKeyFile != "" && f.APIKeyEnv != "":
		return Refuse("both --api-key-file and --api-key-env are given", "keep one of them")
	case f.APIKeyEnv != "":
		if !envName(f.APIKeyEnv) {
			return Refuse("--api-key-env was not given the name of a variable",
				"give the name of the variable, never the key itself")
		}
		k, err := cleanKey(r.env(f.APIKeyEnv))
		if err == nil && k == "" {
			err = errors.New("it is not set")
		}
		if err != nil && looksLikeKey(f.APIKeyEnv) && f.APIKeyEnv != strings.ToUpper(f.APIKeyEnv) {
			return Refuse(fmt.Sprintf("--api-key-env was given %d characters that name no variable and look like a key",
				len(f.APIKeyEnv)), "give the name of the variable, never the key itself")
		}
		if err != nil {
			return Refuse(fmt.Sprintf("the key in %s cannot be used: %s", f.APIKeyEnv, err), "set the variable to the key alone")
		}
		t.giveKey(secret.NewSecret(k), "env "+f.APIKeyEnv)
	case f.APIKeyFile == "-":
		return r.stdinKey(t)
	case f.APIKeyFile != "":
		return r.fileKey(t, f.APIKeyFile, "--api-key-file")
	}
	return nil
}

// giveKey makes t send a key that the person named, also where it sent none.
func (t *Target) giveKey(k secret.Secret, from string) {
	t.Key, t.KeyFrom = k, from
	if t.Auth == AuthNone {
		t.Auth = AuthBearer
	}
}

func (r *Resolver) fileKey(t *Target, name, what string) error {
	k, warn, err := readKeyFile(name)
	if err != nil && looksLikeKey(name) {
		return Refuse(fmt.Sprintf("%s was given %d characters that name no file and look like a key", what, len(name)),
			"give the name of a file that holds the key")
	}
	if err != nil {
		return Refuse(fmt.Sprintf("%s %s gave no key: %s", what, name, err),
			"put the key alone into the first line of the file")
	}
	if warn != "" {
		t.Warnings = append(t.Warnings, warn)
	}
	t.giveKey(secret.NewSecret(k), "file")
	return nil
}

// await returns what read gives, or the error of the resolver's context once that has
// ended: a terminal may never deliver a line, and a FIFO without a writer waits already
// when it is opened. The reading goroutine then lives until the process ends.
func (r *Resolver) await(read func() (string, error)) (string, error) {
	done := make(chan struct{})
	var got string
	var failed error
	go func() {
		defer close(done)
		got, failed = read()
	}()
	select {
	case <-done:
		return got, failed
	case <-r.ctx().Done():
		return "", r.ctx().Err()
	}
}

// stdinKey reads the key of the standard input, once.
func (r *Resolver) stdinKey(t *Target) error {
	r.asking.Lock()
	defer r.asking.Unlock()
	if r.stdin == nil {
		in := r.Stdin
		if in == nil {
			in = os.Stdin
		}
		key, err := r.await(func() (string, error) { return readKey(in) })
		if r.ctx().Err() != nil {
			err = errors.New("stopped")
		}
		if err != nil {
			return Refuse("the standard input gave no key: "+err.Error(),
				"pipe the key alone: pass show groq | tokscope --api-key-file - groq")
		}
		s := secret.NewSecret(key)
		r.stdin = &s
	}
	t.giveKey(*r.stdin, "stdin")
	return nil
}

// Home replaces ~/ at the start of a configured path.
func Home(p string, env func(string) string) string {
	h := cmp.Or(env("HOME"), env("USERPROFILE"))
	if len(p) > 1 && p[0] == '~' && (p[1] == '/' || p[1] == '\\') && h != "" {
		return h + p[1:]
	}
	return p
}
