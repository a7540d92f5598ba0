package live

import (
	"slices"

	"tokscope/ui/keys"
)

// afterStop is the place of the keys of auto in the list.
const afterStop = 2

// bindings are the keys of the screen. The ranks leave room between them on
// purpose.
func (s *Screen) bindings() []keys.Binding {
	return slices.Insert([]keys.Binding{
		{Do: "run", Keys: []string{"space"}, Show: "space", Rank: 10, RankNow: keys.RankIf(s.list.shown, 16),
			Word: func() string {
				switch {
				case s.running():
					return ""
				case s.auto.stage == triggerPaused:
					return "go on"
				case s.auto.rests():
					return "now"
				case s.hasRun() && s.other() == "":
					return "again"
				}
				return "run"
			}, Act: s.again, Help: "send the request, or send it again; between runs of auto: the next one now"},
		{Do: keys.Stop, Keys: []string{"x"}, Show: "x", Rank: 11,
			Word: keys.When(func() bool { return s.running() || s.auto.active() }, "stop"),
			Act:  keys.Do(s.stop), Help: "stop the request and auto; what arrived is kept"},
		{Do: keys.Close, Keys: []string{"esc"}, Show: "esc", Rank: 14,
			RankNow: keys.RankIf(s.list.shown, 8), Word: s.list.backWord, Act: keys.Do(s.goBack),
			Help: "remove the filter of the list; back from the maximized panel, the definitions, the cursor, a frozen screen"},
		{Do: keys.EditPrompt, Keys: []string{"p"}, Show: "p", Rank: 20,
			Word: keys.Always("prompt"), Act: keys.Do(s.openEditor), Help: "edit the prompt, or choose a preset"},
		{Do: keys.PickEndpoint, Keys: []string{"e"}, Show: "e", Rank: 21,
			Word: keys.Always("endpoint"), Help: "choose the endpoint: profiles, providers, servers found here, any URL"},
		// the header names the screen too
		{Do: keys.PickModel, Keys: []string{"m"}, Show: "m", Rank: 40,
			Word: keys.Always("model"), Help: "choose one of the endpoint's models"},
		{Do: "shorter output", Keys: []string{"["}, Show: "[", Act: s.shorter, Help: "ask for a shorter output next time"},
		{Do: "longer output", Keys: []string{"]"}, Show: "]", Act: s.longer, Help: "ask for a longer output next time"},
		{Do: "output length", Keys: []string{"L"}, Show: "L", Rank: 48,
			Word: keys.Always("length"), Act: keys.Do(s.pickLength), Help: "choose the output length from a list"},
		{Do: "zoom", Keys: []string{"z"}, Show: "z", Rank: 24,
			Word: keys.Always("zoom"), Act: keys.Do(s.nextZoom), Help: "zoom: follow, whole run, wait, around the cursor"},
		{Do: keys.Maximize, Keys: []string{"Z"}, Show: "Z", Rank: 39, RankNow: keys.RankIf(s.maximized, 17),
			Word: keys.Either(s.maximized, "restore", "maximize"), Act: keys.Do(s.toggleMax),
			Help: "let the panel in focus fill the screen, or restore all; a click on a panel focuses it"},
		{Do: keys.NextPanel, Keys: []string{"v"}, Show: "v", Rank: 36, RankNow: s.list.panelRank,
			Word: keys.Either(s.maximized, "panel", "figures"), Act: keys.Do(s.nextMax),
			Help: "every figure in one panel; then the next panel that fills the screen"},
		{Do: "cursor back", Keys: []string{"left"}, Show: "←", ASCII: "left", Foot: "←→", FootASCII: "left/right", Rank: 25,
			Word: keys.When(s.hasChunks, "cursor"), Act: keys.Do(s.cursorLeft),
			Help: "the chunk before; a click on scope or text does the same"},
		{Do: "cursor on", Keys: []string{"right"}, Show: "→", ASCII: "right",
			Act: keys.Do(s.cursorRight), Help: "the next chunk; beyond the newest: no cursor"},
		{Do: "cursor a page back", Keys: []string{"shift+left"}, Show: "shift+←",
			ASCII: "shift+left", Act: keys.Do(s.cursorFarLeft), Help: "ten chunks back"},
		{Do: "cursor a page forward", Keys: []string{"shift+right"}, Show: "shift+→",
			ASCII: "shift+right", Act: keys.Do(s.cursorFarRight), Help: "ten chunks forward"},
		{Do: "scale", Keys: []string{"l"}, Show: "l", Rank: 37,
			Word: keys.Either(func() bool { return s.pic.scope.linear }, "log", "linear"),
			Act:  keys.Do(s.toggleLinear), Help: "gaps logarithmic, or linear around the median"},
		{Do: "pin", Keys: []string{"="}, Show: "=", Rank: 38,
			Word: func() string {
				switch {
				case !s.hasRun():
					return ""
				case s.look.Pinned != nil:
					return "unpin"
				}
				return "pin"
			}, Act: keys.Do(s.togglePin), Help: "pin the run as the reference, or unpin it"},
		{Do: "connection", Keys: []string{"c"}, Show: "c", Rank: 45,
			Word: keys.Always("connection"), Act: s.nextConnection,
			Help: "the next connection: auto, cold (opens a new one) or warm (reuses one)"},
		{Do: "freeze", Keys: []string{"f"}, Show: "f", Rank: 30,
			Word: func() string {
				switch {
				case s.view.Frozen:
					return "unfreeze"
				case s.running():
					return "freeze"
				}
				return ""
			}, Act: keys.Do(s.toggleFreeze), Help: "freeze the screen; the stream goes on"},
		// the key that leaves a mode
		{Do: "definitions", Keys: []string{"d"}, Show: "d", Rank: 31,
			RankNow: keys.RankIf(func() bool { return s.look.Definitions }, 12),
			Word:    keys.Either(func() bool { return s.look.Definitions }, "back", "definitions"),
			Act:     keys.Do(s.toggleDefinitions), Help: "show the definition of each figure"},
		{Do: "definition lab", Keys: []string{"D"}, Show: "D", Rank: 34,
			Word: keys.When(s.hasRun, "lab"), Act: s.openDefinitions,
			Help: "this run under the definitions of other tools: what vLLM's client, AIPerf, GuideLLM and others would say"},
		{Do: keys.NextLens, Keys: []string{"w"}, Show: "w", Rank: 35,
			Word: keys.Always("lens"), Act: s.nextLens, Help: "the next workload lens: chat, voice, agent, batch, off"},
		{Do: keys.AgentTask, Keys: []string{"b"}, Show: "b", Rank: 29,
			Word: keys.When(s.agent, "task"), Act: keys.Do(s.pickTask),
			Help: "set the task of the agent lens: steps, and tokens a step"},
		{Do: "pace", Keys: []string{"r"}, Show: "r", Rank: 50,
			Word: keys.Always("pace"), Act: s.nextPace, Help: "the next human pace: reading, fiction, aloud, speech, skimming"},
		{Do: "units", Keys: []string{"U"}, Show: "U", Rank: 51,
			Word: keys.Always("units"), Act: s.nextUnits, Help: "the next unit of speed: tok/s, words per minute, ms per token"},
		{Do: "copy", Keys: []string{"y"}, Show: "y", Rank: 33,
			Word: keys.When(s.hasRun, "copy"), Act: s.copyRun,
			Help: "copy a summary of this run for a ticket, and write it to a file"},
		{Do: "copy request", Keys: []string{"Y"}, Show: "Y", Act: s.copyRequest,
			Help: "copy the request as curl, with the key as a variable"},
		{Do: keys.Save, Keys: []string{"s"}, Show: "s", Rank: 32,
			Word: keys.When(s.hasRun, "save"), Act: s.save, Help: "write the session's results to a file"},
		{Do: "open run", Keys: []string{"enter"}, Show: "enter", Rank: 5,
			Word: keys.When(s.list.openable, "open"), Act: s.list.open,
			Help: "show the selected run of the list in the scope; what streams goes on"},
		{Do: "filter", Keys: []string{"/"}, Show: "/", Rank: 23, RankNow: keys.RankIf(s.list.shown, 7),
			Word: func() string {
				switch {
				case !s.hasRun():
					return ""
				case s.list.shown():
					return "filter"
				}
				return "list"
			}, Act: keys.Do(s.list.ask),
			Help: "list the runs of the session, filter and sort them: ttft>500 status:5xx sort:-ttft"},
		{Do: keys.Up, Keys: []string{"up"}, Show: "↑", ASCII: "up",
			Act: keys.Do(func() { s.list.move(-1) }), Help: "scroll the text up; in the list the run above"},
		{Do: keys.Down, Keys: []string{"down"}, Show: "↓", ASCII: "down", Foot: "↑↓",
			FootASCII: "up/down", Rank: 46, RankNow: keys.RankIf(s.list.shown, 6),
			Word: s.list.rowWord, Act: keys.Do(func() { s.list.move(1) }),
			Help: "scroll the text down; in the list the run below"},
		{Do: keys.PageUp, Keys: []string{"pgup"}, Show: "PgUp",
			Act: keys.Do(func() { s.list.page(-1) }), Help: "scroll a page up"},
		{Do: keys.PageDown, Keys: []string{"pgdown"}, Show: "PgDn",
			Act: keys.Do(func() { s.list.page(1) }), Help: "scroll a page down"},
		{Do: keys.Home, Keys: []string{"home"}, Show: "Home",
			Act: keys.Do(func() { s.list.edge(-1) }), Help: "to the beginning of the text, or of the list"},
		{Do: keys.End, Keys: []string{"end"}, Show: "End",
			Act: keys.Do(func() { s.list.edge(1) }), Help: "to the end, and follow it again"},
	}, afterStop, s.auto.bindings()...)
}

// bindings are the keys of a lane.
func (s *Lane) bindings() []keys.Binding {
	return []keys.Binding{
		{Do: keys.Close, Keys: []string{"esc"}, Show: "esc", Rank: 10,
			Word: s.backWord, Act: s.close, Help: "leave the maximized panel; then back to all users or lanes"},
		{Do: keys.NextLane, Keys: []string{"n"}, Show: "n", Foot: "n/N", FootASCII: "n/N", Rank: 11,
			Word: s.unitWord, Act: keys.Do(s.next), Help: "the next user or lane"},
		{Do: keys.PrevLane, Keys: []string{"N"}, Show: "N", Act: keys.Do(s.previous), Help: "the previous user or lane"},
		{Do: "cursor back", Keys: []string{"left"}, Show: "←", ASCII: "left", Foot: "←→", FootASCII: "left/right", Rank: 25,
			Word: keys.When(s.hasChunks, "cursor"), Act: keys.Do(s.cursorLeft),
			Help: "the chunk before; a click on scope or text does the same"},
		{Do: "cursor on", Keys: []string{"right"}, Show: "→", ASCII: "right",
			Act: keys.Do(s.cursorRight), Help: "the next chunk; beyond the newest: no cursor"},
		{Do: "cursor a page back", Keys: []string{"shift+left"}, Show: "shift+←",
			ASCII: "shift+left", Act: keys.Do(s.cursorFarLeft), Help: "ten chunks back"},
		{Do: "cursor a page forward", Keys: []string{"shift+right"}, Show: "shift+→",
			ASCII: "shift+right", Act: keys.Do(s.cursorFarRight), Help: "ten chunks forward"},
		{Do: "zoom", Keys: []string{"z"}, Show: "z", Rank: 24,
			Word: keys.Always("zoom"), Act: keys.Do(s.nextZoom), Help: "zoom: follow, whole run, wait, around the cursor"},
		{Do: keys.Maximize, Keys: []string{"Z"}, Show: "Z", Rank: 39, RankNow: keys.RankIf(s.maximized, 17),
			Word: keys.Either(s.maximized, "restore", "maximize"), Act: keys.Do(s.toggleMax),
			Help: "let the panel in focus fill the screen, or restore all; a click on a panel focuses it"},
		{Do: keys.NextPanel, Keys: []string{"v"}, Show: "v", Rank: 43, RankNow: keys.RankIf(s.maximized, 15),
			Word: keys.Either(s.maximized, "panel", "figures"), Act: keys.Do(s.nextMax),
			Help: "every figure in one panel; then the next panel that fills the screen"},
		{Do: "scale", Keys: []string{"l"}, Show: "l", Rank: 37,
			Word: keys.Either(func() bool { return s.pic.scope.linear }, "log", "linear"),
			Act:  keys.Do(s.toggleLinear), Help: "gaps logarithmic, or linear around the median"},
		{Do: "freeze", Keys: []string{"f"}, Show: "f", Rank: 30,
			Word: func() string {
				switch {
				case s.view.Frozen:
					return "unfreeze"
				case s.past():
					return ""
				}
				return "freeze"
			}, Act: keys.Do(s.toggleFreeze), Help: "freeze the screen; the stream goes on"},
		{Do: "definitions", Keys: []string{"d"}, Show: "d", Rank: 42,
			Word: keys.Either(func() bool { return s.look.Definitions }, "figures", "definitions"),
			Act:  keys.Do(s.toggleDefinitions), Help: "show the definition of each figure"},
		{Do: "pin", Keys: []string{"="}, Show: "=", Rank: 38, Word: s.pinWord,
			Act: keys.Do(s.pin), Help: "pin an ended run or request as the reference, or unpin it"},
		{Do: "copy", Keys: []string{"y"}, Show: "y", Rank: 33, Word: keys.When(s.past, "copy"),
			Act: s.copyRun, Help: "copy a summary of an ended run or request for a ticket, and write it to a file"},
		{Do: "definition lab", Keys: []string{"D"}, Show: "D", Rank: 34, Word: keys.When(s.past, "lab"),
			Act: s.openDefinitions, Help: "an ended run or request under the definitions of other tools"},
		{Do: keys.NextLens, Keys: []string{"w"}, Show: "w", Rank: 35, Word: keys.Always("lens"),
			Act: s.nextLens, Help: "the next workload lens: chat, voice, agent, batch, off"},
		{Do: keys.AgentTask, Keys: []string{"b"}, Show: "b", Rank: 36,
			Word: keys.When(s.agent, "task"), Act: keys.Do(s.pickTask),
			Help: "set the task of the agent lens: steps, and tokens a step"},
		{Do: "pace", Keys: []string{"r"}, Show: "r", Rank: 50,
			Word: keys.Always("pace"), Act: s.nextPace, Help: "the next human pace"},
		{Do: "units", Keys: []string{"U"}, Show: "U", Rank: 51,
			Word: keys.Always("units"), Act: s.nextUnits, Help: "the next unit of speed"},
		{Do: keys.Up, Keys: []string{"up"}, Show: "↑", ASCII: "up", Act: keys.Do(s.up), Help: "scroll the text up"},
		{Do: keys.Down, Keys: []string{"down"}, Show: "↓", ASCII: "down", Foot: "↑↓", FootASCII: "up/down", Rank: 46,
			Word: keys.When(s.pic.Scrollable, "scroll"), Act: keys.Do(s.down), Help: "scroll the text down"},
		{Do: keys.PageUp, Keys: []string{"pgup"}, Show: "PgUp", Act: keys.Do(s.pageUp), Help: "scroll a page up"},
		{Do: keys.PageDown, Keys: []string{"pgdown"}, Show: "PgDn", Act: keys.Do(s.pageDown), Help: "scroll a page down"},
		{Do: keys.Home, Keys: []string{"home"}, Show: "Home", Act: keys.Do(s.pic.Home), Help: "to the beginning of the text"},
		{Do: keys.End, Keys: []string{"end"}, Show: "End", Act: keys.Do(s.pic.End), Help: "to the end, and follow it again"},
	}
}
