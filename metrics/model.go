package metrics

import "strings"

// ModelAnswer says how the model that answered relates to the one asked for.
type ModelAnswer uint8

const (
	// ModelAsIs: they are the same, or one of them is not known.
	ModelAsIs ModelAnswer = iota
	// ModelAlias: another name of what was asked for, such as a dated version.
	ModelAlias
	// ModelOther: another model.
	ModelOther
)

// Codes of the notes about the model that answered.
const (
	NoteModelAlias = "model_alias"
	NoteOtherModel = "other_model"
)

// CompareModels compares the name of a model that was asked for with the name in
// the answer. It ignores case, a path or organization before the name, the end
// ".gguf", and the tag "latest". The name of an alias continues the other with
// a date or version of at least three digits. "" is a name that is not known.
func CompareModels(asked, answered string) ModelAnswer {
	if asked == "" || answered == "" || strings.EqualFold(asked, answered) {
		return ModelAsIs
	}
	a, b := modelBase(asked), modelBase(answered)
	if a == b || versionOf(a, b) || versionOf(b, a) {
		return ModelAlias
	}
	return ModelOther
}

// modelBase returns the part of a model's name that names the model.
func modelBase(name string) string {
	name = strings.ToLower(name)
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.TrimSuffix(name, ".gguf")
	name = strings.TrimSuffix(name, "latest")
	return strings.TrimRight(name, "-:@")
}

// versionOf reports whether long is short with a date or version behind it.
func versionOf(short, long string) bool {
	rest, ok := strings.CutPrefix(long, short)
	if !ok || short == "" || len(rest) < 4 || !strings.ContainsRune("-:@", rune(rest[0])) {
		return false
	}
	digits := 0
	for _, c := range rest[1:] {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c != '-':
			return false
		}
	}
	return digits >= 3
}
