package tap

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"tokscope/metrics/pick"
	"tokscope/metrics/turn"
	"tokscope/probe/endpoint"
)

// Plan is what a tap does for one command, or for clients that a person starts.
type Plan struct {
	// Recipe is nil for clients that a person starts.
	Recipe *Recipe
	way    *Way
	own    string   // {ID} or {VERSION} of the way
	base   *url.URL // what the client would ask, without a / at its end
	words  []string
	env    []string // NAME=VALUE
	err    error    // of a file of settings
}

// version is the version of an API at the end of a base URL.
var version = regexp.MustCompile(`/v[0-9]+[a-z0-9]*$`)

// NewPlan returns what to do for the command of words. to is the upstream that the person
// gives, "" for that of the client; env are NAME=VALUE. Without words the plan is for any client. The
// error is a *metrics.Fault where a file or a setting is at fault, else about the command; each with
// the next step.
func NewPlan(ctx context.Context, words []string, to string, env []string) (*Plan, error) {
	p := &Plan{words: words, env: env}
	to = version.ReplaceAllString(strings.TrimRight(to, "/"), "") // as a person may give it for several clients
	if len(words) == 0 {
		return p, p.at(to, "--to")
	}
	name := strings.TrimSuffix(filepath.Base(words[0]), ".exe")
	p.Recipe = pick.First(Recipes, func(r *Recipe) bool { return r.Command == name })
	if p.Recipe == nil {
		return nil, fmt.Errorf("there is no recipe for %s: run tokscope tap --to URL, with the address of its provider, "+
			"and set the client's base URL (often OPENAI_BASE_URL or ANTHROPIC_BASE_URL) to the address that it prints; "+
			"tokscope tap --list shows the clients that are known", name)
	}
	set := func(name string) bool {
		return !slices.Contains([]string{"", "0", "false"}, strings.ToLower(p.get(name)))
	}
	for i := range p.Recipe.Ways {
		p.way = &p.Recipe.Ways[i]
		if len(p.way.If) > 0 && !slices.ContainsFunc(p.way.If, set) || p.way.When != nil && !p.way.When(ctx, p) {
			continue
		}
		if err := cmp.Or(p.goes(to), p.err); err != nil {
			return nil, err
		}
		if !p.way.Own || p.base.String() == p.way.Base {
			break
		}
	}
	return p, nil
}

// goes finds the base URL of the client.
func (p *Plan) goes(to string) error {
	if to != "" {
		return p.at(to+version.FindString(p.way.Base), "--to")
	}
	for _, place := range p.way.From {
		place = strings.ReplaceAll(place, "{ID}", p.own)
		if text := p.value(place); text != "" {
			return p.at(text, place)
		}
	}
	if p.way.Base == "" {
		return endpoint.Refuse(p.Recipe.Title, strings.ReplaceAll(p.way.Lacks, "{ID}", p.own))
	}
	return p.at(p.way.Base, "the recipe")
}

// says returns what the client prints with some arguments, within 10 s.
func (p *Plan) says(ctx context.Context, args ...string) string {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.words[0], args...)
	cmd.Env, cmd.WaitDelay = p.env, time.Second
	said, _ := cmd.CombinedOutput() // one fails where nobody is logged in
	return string(said)
}

// at makes text the base URL of the client. from says where it stands.
func (p *Plan) at(text, from string) error {
	u, err := url.Parse(strings.TrimRight(strings.TrimSpace(text), "/"))
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return endpoint.Refuse("what "+from+" names is no address", "give one such as https://api.example.com/v1")
	case strings.HasSuffix(u.Hostname(), ".amazonaws.com"):
		return endpoint.Refuse(u.Host+" accepts only requests that are signed for its own host", "they cannot be tapped")
	}
	u.RawQuery, u.Fragment = "", ""
	p.base = u
	return nil
}

// Upstream returns where the tap passes requests on to. Their paths stay.
func (p *Plan) Upstream() *url.URL {
	return &url.URL{Scheme: p.base.Scheme, User: p.base.User, Host: p.base.Host}
}

// Socket reports whether the client comes through a socket.
func (p *Plan) Socket() bool { return p.way != nil && strings.Contains(p.way.How, "{SOCKET}") }

// Command returns the words and the environment of the client, for a tap at that address.
func (p *Plan) Command(tap string) (words, env []string) {
	env = slices.Clone(p.env) // of a name that comes again the last holds
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		if all := p.get(name); all != "*" {
			env = append(env, name+"="+strings.TrimPrefix(all+",127.0.0.1,localhost", ","))
		}
	}
	how := strings.Fields(strings.ReplaceAll(p.way.How, "'", ""))
	command := slices.Index(how, p.Recipe.Command)
	words = p.words[:1:1]
	for i, word := range how {
		name, _, _ := strings.Cut(word, "=")
		switch {
		case i > command:
			words = append(words, p.fill(word, tap))
		case i < command && (strings.Contains(word, "{") || p.get(name) == ""):
			env = append(env, p.fill(word, tap))
		}
	}
	return append(words, p.words[1:]...), env
}

// fill puts what is known of the client and the tap into a text of the way.
func (p *Plan) fill(text, tap string) string {
	_, socket, _ := strings.Cut(tap, "unix:")
	return strings.NewReplacer("{url}", tap+p.base.EscapedPath(), "{SOCKET}", cmp.Or(socket, "SOCKET"),
		"{ID}", cmp.Or(p.own, "ID"), "{VERSION}", cmp.Or(p.own, "VERSION")).Replace(text)
}

// Agents returns the clients of the table, with how they are started for a tap at that address;
// p is a plan without a command, or nil: then all ways are told, each before its own upstream, with what differs.
func (p *Plan) Agents(tap string) []turn.Agent {
	return pick.Each(Recipes, func(r *Recipe) turn.Agent {
		a := r.Agent
		for i := range r.Ways {
			q := Plan{way: &r.Ways[i]}
			q.base, _ = url.Parse(q.way.Base)
			if p != nil {
				a.Differs = ""
				if q.way.When != nil || q.way.Own && q.base.Host != p.base.Host || q.way.Base == "" && i+1 < len(r.Ways) {
					continue
				}
				q.base, _ = url.Parse(p.base.String() + version.FindString(q.way.Base))
			}
			if q.way.How != "" {
				a.How = append(a.How, q.fill(q.way.How, tap))
			}
		}
		if len(a.How) == 0 && p == nil {
			a.How = []string{r.Ways[0].Lacks}
		}
		return a
	})
}

// get returns a variable, "" for none.
func (p *Plan) get(name string) string {
	v, _ := pick.Value(p.env, func(v *string) bool { return strings.HasPrefix(*v, name+"=") })
	return strings.TrimPrefix(v, name+"=")
}

// value returns what stands at a place: a variable, or FILE#FIELD, where FIELD is a path of
// names with dots in JSON and TOML, and the name of a variable in a file .env. ~ is the home
// folder; ${NAME:-TEXT} is the variable, or TEXT. It is "" where nothing stands, and where the
// file cannot be read: then p.err says so.
func (p *Plan) value(place string) string {
	file, field, ok := strings.Cut(place, "#")
	if !ok {
		return p.get(place)
	}
	file = os.Expand(file, func(name string) string {
		name, other, _ := strings.Cut(name, ":-")
		return cmp.Or(p.get(name), other)
	})
	if rest, ok := strings.CutPrefix(file, "~"); ok {
		file = cmp.Or(p.get("HOME"), p.get("USERPROFILE")) + rest
	}
	names := strings.Split(field, ".")
	last := names[len(names)-1]
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Contains(text, []byte(last)) {
		return ""
	}
	object := map[string]any{}
	switch filepath.Ext(file) {
	case ".env":
		for line := range strings.Lines(string(text)) {
			name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
			object[strings.TrimSpace(name)] = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	case ".toml":
		err = cmp.Or(err, toml.Unmarshal(text, &object))
	default:
		err = cmp.Or(err, json.Unmarshal(text, &object))
	}
	if err != nil {
		p.err = endpoint.Refuse(file+" cannot be read, so the client's own base URL is not known",
			"give it with tokscope tap --to URL")
	}
	for _, name := range names[:len(names)-1] {
		object, _ = object[name].(map[string]any)
	}
	value, _ := object[last].(string)
	return value
}
