package keys

import "slices"

func always(word string) func(State) string { return func(State) string { return word } }

func when(ok func(State) bool, word string) func(State) string {
	return func(s State) string {
		if ok(s) {
			return word
		}
		return ""
	}
}

func either(is func(State) bool, yes, no string) func(State) string {
	return func(s State) string {
		if is(s) {
			return yes
		}
		return no
	}
}

func rankIf(is func(State) bool, rank int) func(State) int {
	return func(s State) int {
		if is(s) {
			return rank
		}
		return 0
	}
}

func running(s State) bool { return s.Running }
func hasRun(s State) bool  { return s.Ended }

// table is the whole keyboard. Ranks leave room between them on purpose.
var table = slices.Concat(baseTable, loadTable, laneTable, explainTable, askTable)

// baseTable is the keyboard of Live, of the dialogs, and of everywhere.
var baseTable = []Binding{
	{In: Live, Do: Run, Keys: []string{"space", "enter"}, Show: "space", Rank: 10,
		Word: func(s State) string {
			switch {
			case s.Running:
				return ""
			case s.Ended:
				return "again"
			}
			return "run"
		}, Help: "send the request, or send it again; enter does the same"},
	{In: Live, Do: Stop, Keys: []string{"x", "esc"}, Show: "x", Rank: 11,
		Word: when(running, "stop"), Help: "stop the request and keep what arrived; esc does the same"},
	{In: Live, Do: EditPrompt, Keys: []string{"p"}, Show: "p", Rank: 20,
		Word: always("prompt"), Help: "edit the prompt, or take a preset"},
	{In: Live, Do: PickEndpoint, Keys: []string{"e"}, Show: "e", Rank: 21,
		Word: always("endpoint"), Help: "choose the endpoint: profiles, providers, servers found here, any URL"},
	{In: Live, Do: ToLoad, Keys: []string{"tab", "2"}, Show: "tab", Rank: 22,
		Word: when(func(s State) bool { return s.Loads }, "load"), Help: "to the Load screen: many users at once; 2 does the same"},
	{In: Live, Do: ToExplain, Keys: []string{"4", "shift+tab"}, Show: "4", Rank: 23,
		Word: when(func(s State) bool { return s.Explains }, "explain"), Help: "to the Explain screen: the embedded engine laid open, and the tour"},
	{In: Live, Do: PickModel, Keys: []string{"m"}, Show: "m", Rank: 33,
		Word: always("model"), Help: "choose one of the endpoint's models"},
	{In: Live, Do: Shorter, Keys: []string{"["}, Show: "[", Rank: 0,
		Help: "ask for a shorter output next time"},
	{In: Live, Do: Longer, Keys: []string{"]"}, Show: "]", Rank: 0,
		Help: "ask for a longer output next time"},
	{In: Live, Do: PickLength, Keys: []string{"l"}, Show: "l", Rank: 24,
		Word: always("length"), Help: "choose the output length from a list"},
	{In: Live, Do: Reuse, Keys: []string{"c"}, Show: "c", Rank: 45,
		Word: always("connection"), Help: "connection of the next request: auto, cold (a new one) or warm (one that stands)"},
	{In: Live, Do: Freeze, Keys: []string{"f"}, Show: "f", Rank: 30,
		Word: func(s State) string {
			switch {
			case s.Frozen:
				return "unfreeze"
			case s.Running:
				return "freeze"
			}
			return ""
		}, Help: "freeze the picture while the stream goes on behind it"},
	{In: Live, Do: Definitions, Keys: []string{"d"}, Show: "d", Rank: 31, RankNow: rankIf(func(s State) bool { return s.Defs }, 13), // the way back from a mode
		Word: either(func(s State) bool { return s.Defs }, "back", "definitions"), Help: "what each figure means, beside it"},
	{In: Live, Do: NextLens, Keys: []string{"w"}, Show: "w", Rank: 35,
		Word: always("lens"), Help: "the workload lens: what chat, voice, agent, batch need and get here; then off"},
	{In: Live, Do: AgentTask, Keys: []string{"b"}, Show: "b", Rank: 36,
		Word: when(func(s State) bool { return s.Agent }, "task"), Help: "the task of the agent lens: how many steps of how many tokens"},
	{In: Live, Do: Pace, Keys: []string{"r"}, Show: "r", Rank: 50,
		Word: always("pace"), Help: "the human pace compared with: reading, aloud, speech, skimming"},
	{In: Live, Do: Units, Keys: []string{"u"}, Show: "u", Rank: 51,
		Word: always("units"), Help: "units of speed: tok/s, words a minute, ms a token"},
	{In: Live, Do: PickTheme, Keys: []string{"t"}, Show: "t", Rank: 52,
		Word: always("theme"), Help: "choose a theme; the screen shows it while you look"},
	{In: Live, Do: Copy, Keys: []string{"y"}, Show: "y", Rank: 43,
		Word: when(hasRun, "copy"), Help: "copy a summary of this run for a ticket, and write it to a file"},
	{In: Live, Do: Save, Keys: []string{"s"}, Show: "s", Rank: 32,
		Word: when(hasRun, "save"), Help: "write the session's results to a file"},
	{In: Live, Do: Mouse, Keys: []string{"k"}, Show: "k", Rank: 60,
		Word: either(func(s State) bool { return s.Mouse }, "mouse off", "mouse on"),
		Help: "give the mouse back to the terminal, so that text can be selected, or take it again"},
	{In: Live, Do: Up, Keys: []string{"up"}, Show: "↑", ASCII: "up", Help: "scroll the text up"},
	{In: Live, Do: Down, Keys: []string{"down"}, Show: "↓", ASCII: "down", Foot: "↑↓", FootASCII: "up/down", Rank: 46,
		Word: when(func(s State) bool { return s.Scroll }, "scroll"), Help: "scroll the text down"},
	{In: Live, Do: PageUp, Keys: []string{"pgup"}, Show: "PgUp", Help: "scroll a page up"},
	{In: Live, Do: PageDown, Keys: []string{"pgdown"}, Show: "PgDn", Help: "scroll a page down"},
	{In: Live, Do: Home, Keys: []string{"home"}, Show: "Home", Help: "to the beginning of the text"},
	{In: Live, Do: End, Keys: []string{"end"}, Show: "End", Help: "to the end, and follow it again"},
	{In: Live, Do: Help, Keys: []string{"?", "f1"}, Show: "?", Help: "this help"},
	{In: Live, Do: Quit, Keys: []string{"q"}, Show: "q", Rank: 12,
		Word: always("quit"), Help: "quit; the summary stays in the scrollback"},

	{In: Editor, Do: Accept, Keys: []string{"ctrl+s", "ctrl+enter"}, Show: "ctrl+s", Rank: 10,
		Word: always("run"), Help: "run this prompt; ctrl+enter too, where the terminal tells it apart"},
	{In: Editor, Do: NextPreset, Keys: []string{"tab"}, Show: "tab", Rank: 12,
		Word: always("preset"), Help: "the next preset; your own text comes round again"},
	{In: Editor, Do: PrevPreset, Keys: []string{"shift+tab"}, Show: "shift+tab", Help: "the preset before"},
	{In: Editor, Do: NextLength, Keys: []string{"ctrl+t"}, Show: "ctrl+t", Rank: 13,
		Word: when(func(s State) bool { return s.Lengths }, "lengths"), Help: "of a load: to the lengths of prompts and answers, then back to the text; enter goes on too"},
	{In: Editor, Do: Undo, Keys: []string{"ctrl+_", "ctrl+/"}, Show: "ctrl+/", Rank: 30,
		Word: always("undo"), Help: "take back the last change"},
	{In: Editor, Do: Clear, Keys: []string{"ctrl+x"}, Show: "ctrl+x", Rank: 31,
		Word: always("clear"), Help: "remove all text (undo brings it back)"},
	{In: Editor, Do: Close, Keys: []string{"esc"}, Show: "esc", Rank: 11,
		Word: always("back"), Help: "back without running; the text is kept"},

	{In: Editor, Do: NewLine, Keys: []string{"enter"}, Show: "enter", Help: "a new line"},
	{In: Editor, Do: Up, Keys: []string{"up", "ctrl+p"}, Show: "↑", ASCII: "up", Help: "a row up"},
	{In: Editor, Do: Down, Keys: []string{"down", "ctrl+n"}, Show: "↓", ASCII: "down", Help: "a row down"},
	{In: Editor, Do: Left, Keys: []string{"left", "ctrl+b"}, Show: "←", ASCII: "left", Help: "a character left"},
	{In: Editor, Do: Right, Keys: []string{"right", "ctrl+f"}, Show: "→", ASCII: "right", Help: "a character right"},
	{In: Editor, Do: WordLeft, Keys: []string{"ctrl+left", "alt+left", "alt+b"}, Show: "ctrl+←", ASCII: "ctrl+left", Help: "a word left"},
	{In: Editor, Do: WordRight, Keys: []string{"ctrl+right", "alt+right", "alt+f"}, Show: "ctrl+→", ASCII: "ctrl+right", Help: "a word right"},
	{In: Editor, Do: LineStart, Keys: []string{"home", "ctrl+a"}, Show: "Home", Help: "to the start of the row"},
	{In: Editor, Do: LineEnd, Keys: []string{"end", "ctrl+e"}, Show: "End", Help: "to the end of the row"},
	{In: Editor, Do: Home, Keys: []string{"ctrl+home", "alt+<"}, Show: "ctrl+Home", Help: "to the start of the text"},
	{In: Editor, Do: End, Keys: []string{"ctrl+end", "alt+>"}, Show: "ctrl+End", Help: "to the end of the text"},
	{In: Editor, Do: PageUp, Keys: []string{"pgup"}, Show: "PgUp", Help: "a page up"},
	{In: Editor, Do: PageDown, Keys: []string{"pgdown"}, Show: "PgDn", Help: "a page down"},
	{In: Editor, Do: DeleteBack, Keys: []string{"backspace", "shift+backspace", "ctrl+h"}, Show: "backspace", Help: "remove the character before"},
	{In: Editor, Do: DeleteForward, Keys: []string{"delete", "ctrl+d"}, Show: "delete", Help: "remove the character after"},
	{In: Editor, Do: DeleteWord, Keys: []string{"ctrl+w", "alt+backspace", "ctrl+backspace"}, Show: "ctrl+w", Help: "remove the word before"},
	{In: Editor, Do: DeleteToStart, Keys: []string{"ctrl+u"}, Show: "ctrl+u", Help: "remove to the start of the line"},
	{In: Editor, Do: DeleteToEnd, Keys: []string{"ctrl+k"}, Show: "ctrl+k", Help: "remove to the end of the line"},

	{In: List, Do: Up, Keys: []string{"up", "ctrl+p"}, Show: "↑", ASCII: "up", Help: "one up"},
	{In: List, Do: Down, Keys: []string{"down", "ctrl+n"}, Show: "↓", ASCII: "down", Foot: "↑↓", FootASCII: "up/down", Rank: 12,
		Word: always("move"), Help: "one down"},
	{In: List, Do: PageUp, Keys: []string{"pgup"}, Show: "PgUp", Help: "a page up"},
	{In: List, Do: PageDown, Keys: []string{"pgdown"}, Show: "PgDn", Help: "a page down"},
	{In: List, Do: Home, Keys: []string{"home"}, Show: "Home", Help: "to the first"},
	{In: List, Do: End, Keys: []string{"end"}, Show: "End", Help: "to the last"},
	{In: List, Do: Accept, Keys: []string{"enter"}, Show: "enter", Rank: 10,
		Word: always("choose"), Help: "take it"},
	{In: List, Do: DeleteBack, Keys: []string{"backspace", "shift+backspace", "ctrl+h"}, Show: "backspace", Help: "remove the last character of the filter"},
	{In: List, Do: DeleteWord, Keys: []string{"ctrl+w", "alt+backspace", "ctrl+backspace"}, Show: "ctrl+w", Help: "remove the last word of the filter"},
	{In: List, Do: Clear, Keys: []string{"ctrl+u"}, Show: "ctrl+u", Rank: 30,
		Word: when(func(s State) bool { return s.Filter }, "clear"), Help: "empty the filter"},
	{In: List, Do: Close, Keys: []string{"esc"}, Show: "esc", Rank: 11,
		Word: always("back"), Help: "leave everything as it was"},

	{In: Reader, Do: Up, Keys: []string{"up", "k"}, Show: "↑", ASCII: "up", Help: "a line up"},
	{In: Reader, Do: Down, Keys: []string{"down", "j"}, Show: "↓", ASCII: "down", Foot: "↑↓", FootASCII: "up/down", Rank: 12,
		Word: when(func(s State) bool { return s.Scroll }, "scroll"), Help: "a line down"},
	{In: Reader, Do: PageUp, Keys: []string{"pgup"}, Show: "PgUp", Help: "a page up"},
	{In: Reader, Do: PageDown, Keys: []string{"pgdown", "space"}, Show: "PgDn", Help: "a page down; space does the same"},
	{In: Reader, Do: Home, Keys: []string{"home"}, Show: "Home", Help: "to the top"},
	{In: Reader, Do: End, Keys: []string{"end"}, Show: "End", Help: "to the end"},
	{In: Reader, Do: Close, Keys: []string{"esc", "?", "f1", "q", "enter"}, Show: "esc", Rank: 11,
		Word: always("back"), Help: "back to the screen; ? and q too"},

	{In: Global, Do: Quit, Keys: []string{"ctrl+c"}, Show: "ctrl+c", Help: "quit"},
	{In: Global, Do: Suspend, Keys: []string{"ctrl+z"}, Show: "ctrl+z", Help: "put the program in the background; gaps that span it are marked"},
	{In: Global, Do: Redraw, Keys: []string{"ctrl+l"}, Show: "ctrl+l", Help: "draw the screen anew"},
}
