package keys

func loading(s State) bool { return s.Loading }

// loadTable is the keyboard of the Load screen.
var loadTable = []Binding{
	{In: Load, Do: Fewer, Keys: []string{"left"}, Show: "←", ASCII: "left", Foot: "←/→", FootASCII: "left/right", Rank: 10,
		Word: always("users"), Help: "fewer users, in steps of 1, 2, 4 ... 1024; the slider can be dragged too"},
	{In: Load, Do: More, Keys: []string{"right"}, Show: "→", ASCII: "right", Help: "more users"},
	{In: Load, Do: OneFewer, Keys: []string{"shift+left", "-"}, Show: "shift+←", ASCII: "shift+left", Foot: "shift", FootASCII: "shift", Rank: 41,
		Word: always("fine"), Help: "one user fewer"},
	{In: Load, Do: OneMore, Keys: []string{"shift+right", "+"}, Show: "shift+→", ASCII: "shift+right", Help: "one user more"},
	{In: Load, Do: TypeUsers, Keys: []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, Show: "0-9",
		Help: "type a number of users; it counts after a moment, or with enter"},
	{In: Load, Do: Hold, Keys: []string{"space"}, Show: "space", Rank: 11,
		Word: func(s State) string {
			switch {
			case !s.Loading && s.Loaded:
				return "again"
			case !s.Loading:
				return "begin"
			case s.Holding:
				return "go on"
			}
			return "hold"
		}, Help: "begin; then hold: what runs ends, nothing new begins until space again"},
	{In: Load, Do: Stop, Keys: []string{"x"}, Show: "x", Rank: 12,
		Word: func(s State) string {
			switch {
			case s.Loading && s.Leaving:
				return "cut"
			case s.Loading:
				return "stop"
			}
			return ""
		}, Help: "stop: what runs ends; again while users leave: cut their requests now"},
	{In: Load, Do: NextChart, Keys: []string{"c"}, Show: "c", Rank: 20,
		Word: always("chart"), Help: "the chart shown: per-user and aggregate over users, the frontier, both over time"},
	{In: Load, Do: Scale, Keys: []string{"l"}, Show: "l", Rank: 42,
		Word: either(func(s State) bool { return s.Log }, "linear", "log"), Help: "linear or logarithmic axes"},
	{In: Load, Do: EditPrompt, Keys: []string{"w", "p"}, Show: "w", Rank: 21,
		Word: always("workload"), Help: "what every user sends"},
	{In: Load, Do: Objectives, Keys: []string{"o"}, Show: "o", Rank: 22,
		Word: always("SLO"), Help: "the objectives that goodput is counted by: those of chat, voice, agent, or any that are typed"},
	{In: Load, Do: OpenLane, Keys: []string{"enter"}, Show: "enter", Rank: 23,
		Word: func(s State) string {
			switch {
			case s.Typing:
				return "take it"
			case s.Lanes:
				return "open lane"
			}
			return ""
		}, Help: "look at the selected user's stream in Live"},
	{In: Load, Do: Up, Keys: []string{"up"}, Show: "↑", ASCII: "up", Help: "select the lane above"},
	{In: Load, Do: Down, Keys: []string{"down"}, Show: "↓", ASCII: "down", Foot: "↑↓", FootASCII: "up/down", Rank: 24,
		Word: when(func(s State) bool { return s.Lanes }, "lane"), Help: "select the lane below; in a row of several users the next row"},
	{In: Load, Do: PrevLane, Keys: []string{"["}, Show: "[", Help: "select the user before"},
	{In: Load, Do: NextLane, Keys: []string{"]"}, Show: "]", Help: "select the next user"},
	{In: Load, Do: PageUp, Keys: []string{"pgup"}, Show: "PgUp", Help: "a page of lanes up"},
	{In: Load, Do: PageDown, Keys: []string{"pgdown"}, Show: "PgDn", Help: "a page of lanes down"},
	{In: Load, Do: Home, Keys: []string{"home"}, Show: "Home", Help: "the first lane"},
	{In: Load, Do: End, Keys: []string{"end"}, Show: "End", Help: "the last lane"},
	{In: Load, Do: Save, Keys: []string{"s"}, Show: "s", Rank: 43,
		Word: when(func(s State) bool { return s.Loaded }, "save"), Help: "write the session's results to a file"},
	{In: Load, Do: ToLive, Keys: []string{"esc", "shift+tab"}, Show: "esc", Rank: 25,
		Word: either(func(s State) bool { return s.Typing }, "forget it", "live"), Help: "to the Live screen, the load goes on"},
	{In: Load, Do: ToExplain, Keys: []string{"tab"}, Show: "tab", Rank: 26,
		Word: func(s State) string {
			switch {
			case s.Typing:
				return ""
			case s.Explains:
				return "explain"
			}
			return "live"
		}, Help: "to the Explain screen, the load is stopped; to Live where there is none"},
	{In: Load, Do: PickEndpoint, Keys: []string{"e"}, Show: "e", Rank: 44,
		Word: always("endpoint"), Help: "choose the endpoint; the load is stopped"},
	{In: Load, Do: PickModel, Keys: []string{"m"}, Show: "m", Help: "choose one of the endpoint's models; the load is stopped"},
	{In: Load, Do: PickTheme, Keys: []string{"t"}, Show: "t", Rank: 52,
		Word: always("theme"), Help: "choose a theme"},
	{In: Load, Do: Mouse, Keys: []string{"k"}, Show: "k", Rank: 60,
		Word: either(func(s State) bool { return s.Mouse }, "mouse off", "mouse on"), Help: "give the mouse back to the terminal, or take it: the slider can be dragged"},
	{In: Load, Do: Help, Keys: []string{"?", "f1"}, Show: "?", Help: "this help"},
	{In: Load, Do: Quit, Keys: []string{"q"}, Show: "q", Rank: 13,
		Word: always("quit"), Help: "quit; the summary stays in the scrollback"},
}

// laneTable is the keyboard of the Live screen while it shows a user of a load.
var laneTable = []Binding{
	{In: Lane, Do: Close, Keys: []string{"esc", "x", "tab", "shift+tab", "2"}, Show: "esc", Rank: 10,
		Word: always("back to the load"), Help: "back to the Load screen"},
	{In: Lane, Do: PrevLane, Keys: []string{"left", "["}, Show: "←", ASCII: "left", Foot: "←/→", FootASCII: "left/right", Rank: 11,
		Word: when(loading, "user"), Help: "the user before"},
	{In: Lane, Do: NextLane, Keys: []string{"right", "]"}, Show: "→", ASCII: "right", Help: "the next user"},
	{In: Lane, Do: Freeze, Keys: []string{"f"}, Show: "f", Rank: 30,
		Word: either(func(s State) bool { return s.Frozen }, "unfreeze", "freeze"), Help: "freeze the picture while the stream goes on behind it"},
	{In: Lane, Do: Definitions, Keys: []string{"d"}, Show: "d", Rank: 42,
		Word: either(func(s State) bool { return s.Defs }, "figures", "definitions"), Help: "what each figure means, beside it"},
	{In: Lane, Do: NextLens, Keys: []string{"w"}, Show: "w", Rank: 35, Word: always("lens"), Help: "the workload lens: chat, voice, agent, batch, off"},
	{In: Lane, Do: AgentTask, Keys: []string{"b"}, Show: "b", Rank: 36,
		Word: when(func(s State) bool { return s.Agent }, "task"), Help: "the task of the agent lens: how many steps of how many tokens"},
	{In: Lane, Do: Pace, Keys: []string{"r"}, Show: "r", Rank: 50, Word: always("pace"), Help: "the human pace compared with"},
	{In: Lane, Do: Units, Keys: []string{"u"}, Show: "u", Rank: 51, Word: always("units"), Help: "units of speed"},
	{In: Lane, Do: PickTheme, Keys: []string{"t"}, Show: "t", Rank: 52, Word: always("theme"), Help: "choose a theme"},
	{In: Lane, Do: Mouse, Keys: []string{"k"}, Show: "k", Rank: 60,
		Word: either(func(s State) bool { return s.Mouse }, "mouse off", "mouse on"), Help: "give the mouse back to the terminal, or take it again"},
	{In: Lane, Do: Up, Keys: []string{"up"}, Show: "↑", ASCII: "up", Help: "scroll the text up"},
	{In: Lane, Do: Down, Keys: []string{"down"}, Show: "↓", ASCII: "down", Foot: "↑↓", FootASCII: "up/down", Rank: 46,
		Word: when(func(s State) bool { return s.Scroll }, "scroll"), Help: "scroll the text down"},
	{In: Lane, Do: PageUp, Keys: []string{"pgup"}, Show: "PgUp", Help: "scroll a page up"},
	{In: Lane, Do: PageDown, Keys: []string{"pgdown"}, Show: "PgDn", Help: "scroll a page down"},
	{In: Lane, Do: Home, Keys: []string{"home"}, Show: "Home", Help: "to the beginning of the text"},
	{In: Lane, Do: End, Keys: []string{"end"}, Show: "End", Help: "to the end, and follow it again"},
	{In: Lane, Do: ToExplain, Keys: []string{"4"}, Show: "4", Rank: 47,
		Word: when(func(s State) bool { return s.Explains }, "explain"), Help: "to the Explain screen, the load is stopped"},
	{In: Lane, Do: Help, Keys: []string{"?", "f1"}, Show: "?", Help: "this help"},
	{In: Lane, Do: Quit, Keys: []string{"q"}, Show: "q", Rank: 12, Word: always("quit"), Help: "quit"},
}

// askTable is the keyboard of a question.
var askTable = []Binding{
	{In: Ask, Do: Accept, Keys: []string{"enter", "y"}, Show: "enter", Rank: 10, Word: always("yes"), Help: "yes, go on"},
	{In: Ask, Do: Close, Keys: []string{"esc", "n", "q"}, Show: "esc", Rank: 11, Word: always("no"), Help: "no, leave it as it is"},
}
