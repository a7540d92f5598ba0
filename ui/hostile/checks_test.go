package hostile

import (
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

// TestChecksSee holds the checks of the matrix themselves: each must see what it
// is there for, and nothing else.
func TestChecksSee(t *testing.T) {
	for name, form := range keyForms {
		if name == "first" || name == "second" {
			continue // half a key is only looked for where a row joins the halves
		}
		testkit.That(t, leaks("before "+form(apiKey)+" behind") != "", "the key in the form %s is not seen", name)
	}
	for _, text := range []string{"", "[redacted]", "Zq7hT3pW9", strings.Repeat("%zz&#x;\\u12", 1000)} {
		if s := leaks(text); s != "" {
			t.Errorf("%.40q holds a key: %s", text, s)
		}
	}
	for _, bad := range []string{"\x00", "\x1b", "\r", "\x7f", "\u0085", "\u009b", "\x9b", "\xff", "\u061c", "\u200b",
		"\u200e", "\u2028", "\u202e", "\u2066", "\ufeff", "\U000e0041"} {
		testkit.That(t, foreign("a"+bad+"b") != "", "%q is not seen", bad)
	}
	if s := foreign("plain\ntext · µs ▁▂█ \uFFFD 漢字"); s != "" {
		t.Errorf("harmless text is foreign: %s", s)
	}
	for i, how := range []struct {
		sampled bool
		base    uint64
	}{{false, 0}, {true, 0}, {true, heapAfterGC()}} {
		grew := watch(how.sampled, how.base)
		kept := make([]byte, 64<<20)
		time.Sleep(10 * time.Millisecond)
		n := grew()
		testkit.That(t, n >= 60<<20, "case %d: 64 MiB are seen as %d bytes", i, n)
		kept[0] = 1
	}
	debug.FreeOSMemory()
}

// TestProblemsAreFound runs good answers with wrong expectations: every check of
// a row must report its own.
func TestProblemsAreFound(t *testing.T) {
	for name, r := range map[string]row{
		"class":   want("class", stream(whole), "reset", "", 0),
		"exit":    want("exit", stream(whole), "", "", 1),
		"missing": want("words", stream(whole), "", "words that nothing says", 0),
		"holds":   want("without", stream(whole), "", "", 0, without("127.0.0.1")),
		"the heap": want("heap", next(stream(""), repeats(says(strings.Repeat("word ", 100<<10)), 3), sends(ending)), "", "",
			0, heap(1)),
	} {
		for format, flags := range formats {
			wrong := r.runAlone(t, format, flags)
			testkit.That(t, len(wrong) != 0 && strings.Contains(strings.Join(wrong, "\n"), name),
				"%s, %s: found %q", name, format, wrong)
		}
	}
}

// TestGoroutinesAreFound holds the check of what a run leaves behind, and that it
// sees no goroutine of others.
func TestGoroutinesAreFound(t *testing.T) {
	release, others := make(chan struct{}), make(chan struct{})
	go func() { <-others }()
	if left := inOwnGoroutines(func() {
		began := make(chan struct{})
		go func() { close(began) }()
		<-began
	}); left != "" {
		t.Errorf("goroutines that ended or are not its own are left: %s", left)
	}
	goWithin = 50 * time.Millisecond
	defer func() { goWithin = patience }()
	r := want("leaves", func(c conn) { go func() { <-release }(); stream(whole)(c) }, "", "", 0)
	wrong, _ := r.run(t, "text", nil, 0)
	if len(wrong) != 1 || !strings.Contains(wrong[0], "goroutines are left") || !strings.Contains(wrong[0],
		"TestGoroutinesAreFound") {
		t.Errorf("a goroutine that a row left behind: found %q", wrong)
	}
	close(release)
	close(others)
}
