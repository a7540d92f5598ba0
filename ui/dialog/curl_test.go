package dialog

import (
	"errors"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/racestat"
	"tokscope/metrics/testkit"
	"tokscope/ui/keys"
)

const pastedCurl = "curl https://llm.example.com/v1/chat/completions \\\r\n -H 'Authorization: Bearer key-4f1c9a7e' " +
	"-d '{}'"

// commandPicker is the endpoint picker, which knows one command: any but those with -k.
func commandPicker() *Endpoints {
	d := endpoints()
	d.Typed = func(text string) (e metrics.Endpoint, reads []string, err error) {
		if strings.Contains(text, "-k") {
			return e, nil, errors.New("-k would trust any certificate (line 1, character 6): leave it out")
		}
		return offered[1], []string{"GATEWAY_KEY", "@b.json"}, nil
	}
	return d
}

// TestPastedCommandsAreMasked pastes and types a command, here and in another picker: no
// frame shows more of it than its first word.
func TestPastedCommandsAreMasked(t *testing.T) {
	for name, d := range map[string]Dialog{"endpoints": commandPicker(), "palette": palette(),
		"contestants": NewContestants(racestat.Contest{}, offered[0])} {
		for _, text := range []string{pastedCurl, "$ " + pastedCurl, strings.ReplaceAll(pastedCurl, "https", "-k https"),
			"export KEY=key-4f1c9a7e\ncurl x", "Invoke-WebRequest -Headers @{a='key-4f1c9a7e'}"} {
			d.Do(keys.Clear)
			d.Type(text, true)
			if s := drawn(d, 120, 40); strings.Contains(s, "key-4") || strings.Contains(s, "Authori") {
				t.Errorf("%s pasted:\n%s", name, s)
			}
			d.Do(keys.Clear)
			for _, r := range strings.NewReplacer("\r", "", "\n", " ").Replace(text) {
				d.Type(string(r), false)
				if s := drawn(d, 120, 40); strings.Contains(s, "key-4") || strings.Contains(s, "Authori") {
					t.Fatalf("%s typed:\n%s", name, s)
				}
			}
		}
	}
}

// TestPastedCommandIsChosen chooses the row of a command: it answers with all of the
// text, its lines included. The row of one that is refused answers with nothing.
func TestPastedCommandIsChosen(t *testing.T) {
	d := commandPicker()
	d.Type(pastedCurl, true)
	testkit.Has(t, drawn(d, 120, 40), "use https://llm.example.com/v1, model qwen3-32b, reads GATEWAY_KEY, @b.json")
	got, ok := d.Do(keys.Accept).(UseCurl)
	if !ok || got.Text != strings.ReplaceAll(pastedCurl, "\r", "") || got.Endpoint.Name != "work" || len(got.Reads) != 2 {
		t.Errorf("chosen: %+v", got)
	}
	d.Do(keys.Clear)
	d.Type("curl -k https://llm.example.com/v1/chat/completions -d '{}'", true)
	if s := drawn(d, 120, 40); !strings.Contains(s, "(line 1, character 6): leave it out") || d.Do(keys.Accept) != nil {
		t.Errorf("refused:\n%s", s)
	}
}

// TestWhatIsNoNameOrURLIsMasked holds that the endpoint picker shows what is typed only
// while it can be a name, a TARGET or a URL, and says why it takes nothing else.
func TestWhatIsNoNameOrURLIsMasked(t *testing.T) {
	for _, text := range []string{
		"OPENAI_API_KEY=key-4f1c9a7e curl http://h/v1/chat/completions -d '{}'", "OPENAI_API_KEY=key-4f1c9a7e",
		"/usr/bin/curl http://h/v1 -H 'Authorization: Bearer key-4f1c9a7e'",
		`fetch("http://h/v1",{headers:{authorization:"Bearer key-4f1c9a7e"}})`,
		"Authorization: Bearer key-4f1c9a7e", `{"key":"key-4f1c9a7e"}`, strings.Repeat("key-4f1c9a7e", 11),
	} {
		d := endpoints()
		d.Typed = func(string) (e metrics.Endpoint, reads []string, err error) {
			return e, nil, errors.New("no curl command")
		}
		d.Found(offered)
		d.Type(text, true)
		if s := drawn(d, 120, 40); strings.Contains(s, "key-4f") || !strings.Contains(s, "not used: no curl command") {
			t.Errorf("%s:\n%s", text, s)
		}
	}
	d := endpoints()
	for _, text := range []string{"groq", "llama-3.1-8b@h100+cold", "http://h:80/v1?api-version=2024-10-21",
		"unix:/run/llm.sock"} {
		d.Do(keys.Clear)
		d.Type(text, false)
		testkit.Has(t, drawn(d, 120, 40), text)
	}
	d.Typed = func(text string) (e metrics.Endpoint, reads []string, err error) {
		return metrics.Endpoint{URL: text, API: "gemini", Ready: true}, nil, nil
	}
	for _, query := range []string{"?key=key-4f1c9a7e", "?alt=sse&key=key-4f1c9a7e", "?api-key=key-4f1c9a7e",
		"?access_token=key-4f1c9a7e"} {
		d.Do(keys.Clear)
		d.Type("https://h/v1beta"+query, true)
		if s := drawn(d, 120, 40); strings.Contains(s, "key-4f") || !strings.Contains(s, "use gemini at https://h/v1beta") {
			t.Errorf("%s:\n%s", query, s)
		}
	}
	other := palette()
	other.Type("API_KEY=key-4f1c9a7e curl http://h", true)
	testkit.Lacks(t, drawn(other, 120, 40), "key-4f")
}
