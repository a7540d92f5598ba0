package keys

func touring(s State) bool { return s.Touring }

// onTour is the rank of a key while the tour is on.
func onTour(rank int) func(State) int { return rankIf(touring, rank) }

// leaving is the rank of the way back: out of the tour, and out of the past.
func leaving(s State) int {
	switch {
	case touring(s):
		return 5
	case s.Past:
		return 16
	}
	return 0
}

// stepping is the rank of the single step: it leads on from a pause.
func stepping(s State) int {
	switch {
	case touring(s):
		return 14
	case s.Halted:
		return 20
	}
	return 0
}

// explainTable is the keyboard of the Explain screen. While the tour is on, its
// keys lead: enter goes on, through the stages of a lesson and then to the next.
var explainTable = []Binding{
	{In: Explain, Do: GoOn, Keys: []string{"enter"}, Show: "enter", Rank: 20, RankNow: onTour(2),
		Word: func(s State) string {
			switch {
			case !s.Touring:
				return "choices"
			case s.Turn != "":
				return s.Turn
			case s.MoreNext && s.Narrow:
				return "next"
			case s.MoreNext:
				return "next lesson"
			}
			return ""
		}, Help: "on the tour what the footer says: the next stage of the lesson, then the next lesson; else the choices of the knob"},
	{In: Explain, Do: NextLesson, Keys: []string{"n"}, Show: "n", Rank: 11, RankNow: onTour(3),
		Word: func(s State) string {
			switch {
			case !s.Touring || !s.MoreNext:
				return ""
			case s.Narrow:
				return "next"
			}
			return "next lesson"
		}, Help: "on the tour: the next lesson"},
	{In: Explain, Do: PrevLesson, Keys: []string{"p"}, Show: "p", Rank: 12, RankNow: onTour(4),
		Word: when(func(s State) bool { return s.Touring && s.MoreBack }, "back"), Help: "on the tour: the lesson before"},
	{In: Explain, Do: Close, Keys: []string{"esc"}, Show: "esc", Rank: 23, RankNow: leaving,
		Word: func(s State) string {
			switch {
			case s.Past:
				return "newest"
			case s.Touring && s.Narrow:
				return "leave"
			case s.Touring:
				return "leave the tour"
			}
			return "live"
		}, Help: "back to the newest step; then out of the tour, the knobs stay; then to Live"},
	{In: Explain, Do: Tour, Keys: []string{"t"}, Show: "t", Rank: 10, RankNow: onTour(22),
		Word: either(touring, "lessons", "tour"), Help: "the tour, at the lesson where you were; on the tour the list of lessons"},
	{In: Explain, Do: Pause, Keys: []string{"space"}, Show: "space", Rank: 11,
		Word: either(func(s State) bool { return s.Halted }, "go on", "pause"), Help: "stop the engine's time, or let it go on"},
	{In: Explain, Do: Quit, Keys: []string{"q"}, Show: "q", Rank: 13, RankNow: onTour(6), Word: always("quit"), Help: "quit"},
	{In: Explain, Do: StepOnce, Keys: []string{"."}, Show: ".", Rank: 25, RankNow: stepping,
		Word: always("one step"), Help: "let exactly one more step of the engine happen, then stop"},
	{In: Explain, Do: NextPanel, Keys: []string{"c"}, Show: "c", Rank: 14, RankNow: onTour(7),
		Word: when(func(s State) bool { return s.Panels }, "panel"), Help: "the next panel, where not all have room"},
	{In: Explain, Do: PrevKnob, Keys: []string{"up"}, Show: "↑", ASCII: "up", Help: "select the knob before"},
	{In: Explain, Do: NextKnob, Keys: []string{"down"}, Show: "↓", ASCII: "down", Foot: "↑↓", FootASCII: "up/down", Rank: 18,
		Word: always("knob"), Help: "select the next knob"},
	{In: Explain, Do: TurnDown, Keys: []string{"["}, Show: "[", Foot: "[ ]", FootASCII: "[ ]", Rank: 19,
		Word: always("turn it"), Help: "turn the selected knob back, from the next step on; positions that do not fit are skipped"},
	{In: Explain, Do: TurnUp, Keys: []string{"]"}, Show: "]", Help: "turn the selected knob on"},
	{In: Explain, Do: Choices, Keys: []string{"l"}, Show: "l", Rank: 20,
		Word: when(touring, "choices"), Help: "all positions of the selected knob, and why some cannot be taken"},
	{In: Explain, Do: StepBack, Keys: []string{"left"}, Show: "←", ASCII: "left", Foot: "←/→", FootASCII: "left/right", Rank: 15, RankNow: onTour(16),
		Word: always("steps"), Help: "the cursor a step back, into what has happened; the wheel does the same"},
	{In: Explain, Do: StepOn, Keys: []string{"right"}, Show: "→", ASCII: "right", Help: "the cursor a step on"},
	{In: Explain, Do: PageBack, Keys: []string{"shift+left", "pgup"}, Show: "PgUp", Help: "the cursor a page back; shift+left does the same"},
	{In: Explain, Do: PageOn, Keys: []string{"shift+right", "pgdown"}, Show: "PgDn", Help: "the cursor a page on"},
	{In: Explain, Do: Closer, Keys: []string{"z"}, Show: "z", Foot: "z/Z", FootASCII: "z/Z", Rank: 27,
		Word: always("zoom"), Help: "the timeline closer"},
	{In: Explain, Do: Farther, Keys: []string{"Z"}, Show: "Z", Help: "the timeline from farther away"},
	{In: Explain, Do: Newest, Keys: []string{"end"}, Show: "End", Help: "follow the newest step again"},
	{In: Explain, Do: Slower, Keys: []string{"-"}, Show: "-", Foot: "-/+", FootASCII: "-/+", Rank: 24,
		Word: always("time"), Help: "slow motion: the engine's time runs slower"},
	{In: Explain, Do: Faster, Keys: []string{"+", "="}, Show: "+", Help: "faster, up to real time"},
	{In: Explain, Do: MoreUsers, Keys: []string{"u"}, Show: "u", Foot: "u/U", FootASCII: "u/U", Rank: 25,
		Word: always("users"), Help: "more users"},
	{In: Explain, Do: FewerUsers, Keys: []string{"U"}, Show: "U", Help: "fewer users"},
	{In: Explain, Do: NextLens, Keys: []string{"w"}, Show: "w", Rank: 21, RankNow: onTour(26),
		Word: always("lens"), Help: "the workload lens: what chat, voice, agent, batch need and this engine gives them; then off"},
	{In: Explain, Do: AgentTask, Keys: []string{"b"}, Show: "b", Rank: 27,
		Word: when(func(s State) bool { return s.Agent }, "task"), Help: "the task of the agent lens: how many steps of how many tokens"},
	{In: Explain, Do: NextWatched, Keys: []string{"v"}, Show: "v", Rank: 29,
		Word: when(func(s State) bool { return s.Watched }, "watch"), Help: "watch the next user"},
	{In: Explain, Do: PrevWatched, Keys: []string{"V"}, Show: "V", Help: "watch the user before"},
	{In: Explain, Do: ToLive, Keys: []string{"1", "tab"}, Show: "tab", Help: "to the Live screen; 1 does the same"},
	{In: Explain, Do: ToLoad, Keys: []string{"2", "shift+tab"}, Show: "2", Rank: 28,
		Word: when(func(s State) bool { return s.Loads }, "load"), Help: "to the Load screen"},
	{In: Explain, Do: PickTheme, Keys: []string{"T"}, Show: "T", Rank: 52, Word: always("theme"), Help: "choose a theme"},
	{In: Explain, Do: Mouse, Keys: []string{"k"}, Show: "k", Rank: 60,
		Word: either(func(s State) bool { return s.Mouse }, "mouse off", "mouse on"), Help: "give the mouse back to the terminal, or take it: click on a step, a knob, the tour"},
	{In: Explain, Do: Help, Keys: []string{"?", "f1"}, Show: "?", Help: "this help"},
}
