// Package keys is the one table of what the keyboard does. The footer and the
// help overlay are written from it, so neither can promise a key that does not
// work.
//
// Where to add what: a key is one line in table.go (load.go for the Load
// screen, its lanes and questions; explain.go for Explain); what it does is a
// line in the handler table of the package that owns its context (ui/handle.go
// for Live, ui/loadkeys.go for Load and Lane, ui/explainkeys.go for Explain, the
// dialog's own file for the others).
package keys

// Intent is what a person wants, whatever key or click said so.
type Intent uint8

const (
	None Intent = iota

	// Everywhere.
	Quit
	Suspend
	Redraw

	// On the Live screen.
	Run
	Stop
	EditPrompt
	PickModel
	PickEndpoint
	Shorter
	Longer
	PickLength
	Reuse
	Freeze
	Definitions
	PickTheme
	Pace
	Units
	NextLens
	AgentTask
	Copy
	Save
	Mouse
	Help

	// On the Load screen, beside some of the above.
	ToLoad
	ToLive
	Fewer
	More
	OneFewer
	OneMore
	TypeUsers
	Hold
	NextChart
	Scale
	Objectives
	OpenLane
	PrevLane
	NextLane

	// On the Explain screen, beside some of the above.
	ToExplain
	Pause
	StepOnce
	StepBack
	StepOn
	PageBack
	PageOn
	Newest
	Slower
	Faster
	PrevKnob
	NextKnob
	TurnDown
	TurnUp
	Choices
	NextPanel
	Closer
	Farther
	MoreUsers
	FewerUsers
	NextWatched
	PrevWatched
	Tour
	GoOn
	NextLesson
	PrevLesson

	// Moving, in Live and in dialogs.
	Up
	Down
	PageUp
	PageDown
	Home
	End

	// In dialogs.
	Close
	Accept
	NextPreset
	PrevPreset
	Clear
	Undo
	NextLength

	// Editing text.
	Left
	Right
	WordLeft
	WordRight
	LineStart
	LineEnd
	NewLine
	DeleteBack
	DeleteForward
	DeleteWord
	DeleteToStart
	DeleteToEnd
)

// Context is where a key is pressed. A key has at most one meaning in a
// context; keys of Global mean the same in all of them.
type Context uint8

const (
	Global Context = iota
	Live
	Load    // many users
	Lane    // Live, showing one user of a load
	Explain // the embedded engine laid open
	Editor  // the prompt editor: every printable key is text
	List    // pickers: every printable key filters
	Reader  // overlays that are only read: help
	Ask     // a question that is answered by yes or no
	contexts
)

// String names the context as the help overlay does.
func (c Context) String() string {
	return [...]string{"everywhere", "live", "load", "a lane in live", "explain", "prompt editor", "pickers", "help", "questions"}[c]
}

// State is what the words in the footer depend on.
type State struct {
	Running bool // a request is under way
	Ended   bool // a request of the session has ended
	Frozen  bool
	Mouse   bool // mouse capture is on
	Scroll  bool // the text is longer than its box
	Defs    bool // definitions are shown
	Filter  bool // a picker's filter holds text
	Agent   bool // the lens shows an agent's task
	Lengths bool // the editor has fields for the lengths of prompts and answers

	Loads   bool // there is a Load screen
	Loading bool // a load runs
	Loaded  bool // a load has begun, now or before
	Holding bool // no new request of it begins
	Leaving bool // users of it are on their way out
	Lanes   bool // it has users
	Typing  bool // a number of users is being typed
	Log     bool // its charts are logarithmic

	Explains bool   // there is an Explain screen
	Halted   bool   // the engine's time stands
	Past     bool   // the cursor stands on an older step than the newest
	Panels   bool   // not all panels have room
	Watched  bool   // a user is watched, and there are others
	Touring  bool   // the tour is on
	Turn     string // what the next stage of its lesson does, "" when there is none
	MoreNext bool   // a lesson comes after this one
	MoreBack bool   // one comes before
	Narrow   bool   // there is little room for words
}

// Binding is one line of the table.
type Binding struct {
	In   Context
	Do   Intent
	Keys []string // as Bubble Tea names them
	Show string   // how footer and help write the key
	// ASCII replaces Show where only ASCII can be drawn; "" when Show is ASCII.
	ASCII string
	// Foot and FootASCII replace them in the footer, where one entry stands for
	// a key and its opposite.
	Foot, FootASCII string
	// Word is the footer's word for what the key does now; "" when it does
	// nothing now. A nil Word keeps the key out of the footer.
	Word func(State) string
	// Rank orders the footer: lower ranks stay when room is short.
	Rank int
	// RankNow, where it is set and gives one, is the rank in a state.
	RankNow func(State) int
	// Help is the help overlay's sentence.
	Help string
}

// Name returns the key as text.
func (b *Binding) Name(ascii bool) string {
	if ascii && b.ASCII != "" {
		return b.ASCII
	}
	return b.Show
}

func (b *Binding) footName(ascii bool) string {
	switch {
	case b.Foot == "":
		return b.Name(ascii)
	case ascii:
		return b.FootASCII
	}
	return b.Foot
}

// Find returns the binding of key in context c, Global included; nil when the
// key means nothing there.
func Find(c Context, key string) *Binding {
	if b := index[c][key]; b != nil {
		return b
	}
	return index[Global][key]
}

// Lookup returns what key does in context c in state s: None when it means
// nothing there, or nothing now.
func Lookup(c Context, key string, s State) Intent {
	b := Find(c, key)
	if b == nil || b.Word != nil && b.Word(s) == "" {
		return None
	}
	return b.Do
}

// In returns the bindings of one context in the table's order.
func In(c Context) []*Binding {
	var out []*Binding
	for i := range table {
		if table[i].In == c {
			out = append(out, &table[i])
		}
	}
	return out
}

// NameOf is how the key that does this in context c is written, "" when there is none.
func NameOf(c Context, do Intent, ascii bool) string {
	for i := range table {
		if b := &table[i]; b.In == c && b.Do == do {
			return b.Name(ascii)
		}
	}
	return ""
}

// Contexts returns all contexts in the order in which help lists them.
func Contexts() []Context {
	return []Context{Live, Load, Lane, Explain, Editor, List, Global, Reader, Ask}
}

var index = func() (ix [contexts]map[string]*Binding) {
	for c := range ix {
		ix[c] = make(map[string]*Binding)
	}
	for i := range table {
		b := &table[i]
		for _, k := range b.Keys {
			ix[b.In][k] = b
		}
	}
	return ix
}()
