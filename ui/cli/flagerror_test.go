package cli

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

// TestRefused plays testdata/refused.txt: command lines, each with what its refusal says.
// They are refused before anything runs, with the exit code of usage and the next step, and
// no error of Go's own parsers or of cobra reaches a person. In an argument "~" is a blank
// and "␛" the control character.
func TestRefused(t *testing.T) {
	runs := errors.New("it runs")
	var actions Actions
	for _, f := range reflect.ValueOf(&actions).Elem().Fields() {
		if kind := f.Type(); kind.Kind() == reflect.Func && kind.NumOut() == 1 && kind.Out(0) == reflect.TypeFor[error]() {
			failed := []reflect.Value{reflect.ValueOf(&runs).Elem()}
			f.Set(reflect.MakeFunc(kind, func([]reflect.Value) []reflect.Value { return failed }))
		}
	}
	for _, line := range testkit.Lines(t, "testdata/refused.txt") {
		typed, want, _ := strings.Cut(line.Text, " > ")
		err := execute(t, actions, words(strings.ReplaceAll(typed, "␛", "\x1b"))...)
		says := fmt.Sprint(err)
		if CodeOf(err) != ExitUsage || want == "" || !strings.Contains(says, want) || strings.Contains(says, "strconv") {
			t.Errorf("%s: %s: %v with exit code %d, want %q", line.At, typed, err, CodeOf(err), want)
		}
	}
}

// words are the words of a line, in which "~" is a blank.
func words(line string) []string {
	list := strings.Fields(line)
	for i := range list {
		list[i] = strings.ReplaceAll(list[i], "~", " ")
	}
	return list
}
