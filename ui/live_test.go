package ui

import (
	"image/color"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/prompts"
)

func TestLiveFlows(t *testing.T) {
	flows(t, `
== A request runs from the key to its end.
> demo | llama-3.1-8b | ? help | space run | !stop | !copy
space > x stop | !space run
stream:30 > space again | s save | word | requests:1 | is:sent chat 0 200 | sent:`+prompts.Default().Prompt+`
space > requests:2

== A stop keeps what arrived.
on live 80x24
space sent chunk:"the beginning" wait:100ms x > the beginning | calls:stop

== A rest costs nothing, before a run and after it.
wait:1s idle:5s
space stream:20 wait:10s idle:20s // the text has faded

# No frame is drawn for what streams meanwhile.
== f holds the picture while the stream goes on.
space sent chunk:"before " wait:100ms f > before | frozen | f unfreeze | x stop
chunk:"later " wait:100ms chunk:"later " idle:300ms > !later
finish drain > f unfreeze | space again | !x stop
f > later | !frozen

== The prompt is edited and run. Text that is pasted brings no escape sequence.
on live 80x24
p > chat | long answer | ctrl+r run
ctrl+x "Why is q quick?" enter set:pasted esc > custom
p > Why is q quick? | lines[2J
ctrl+r > sent:Why is q quick?/two/lines[2J | !ctrl+r

== ctrl+r, ctrl+enter and alt+enter run the prompt; ctrl+s keeps it without a request.
p " more" ctrl+s > requests:0
space > requests:1 | sent: more
x p " on" ctrl+r > requests:2 | sent: more on
x p " it" ctrl+enter > requests:3 | sent: more on it
x p " goes" alt+enter > requests:4 | sent: more on it goes

== A preset brings its length, c a connection.
c c p tab ctrl+r > is:sent 1k in 1000 200 | is:connection warm

== An endpoint and a model of it are chosen.
e > needs a key: OPENAI_API_KEY | llama.cpp
"work" enter > model | llama-3.1-70b
"70b" enter > is:endpoint work | is:model llama-3.1-70b | work | llama-3.1-70b | via proxy | space run

== esc goes from the models back to the endpoints, and chooses nothing.
e enter > first listed model
esc > type a URL
esc > space run | !calls:select

== An endpoint that is refused is explained, without its escape sequences.
set:refused m enter > refused: ␛]0;owned
wait:10s > !refused

== The header does not show outcome and model of a run for an endpoint that was chosen since.
space stream:5 wait:300ms > head:✓ demo  llama-3.1-8b
e "groq" enter enter > head:groq | !head:✓ | !head:llama

== The length of the answer is set.
] > next run: up to 400 tokens
[ [ L end enter space > is:sent chat 0 0

== The preview of a theme is taken back by esc, and kept by enter.
t down > !is:theme scope
esc > is:theme scope
t down enter > !is:theme scope

== The help lists the keys and scrolls; q leaves it, and then the program.
on live 80x24
? > send the request | more below | ↑↓ scroll
end > redraw the screen
q > is:quit false | space run
q > is:quit true

== ctrl+c quits in every dialog.
on live 80x24
p ctrl+c > is:quit true
set:not-quit esc e ctrl+c > is:quit true
set:not-quit esc m ctrl+c > is:quit true
set:not-quit esc L ctrl+c > is:quit true
set:not-quit esc t ctrl+c > is:quit true
set:not-quit esc ? ctrl+c > is:quit true
set:not-quit esc d ctrl+c > is:quit true

== y copies the summary, Y the request, to the clipboard and to a file; s saves.
space stream:12 y > effect:setClipboard | copied; saved to | saved:figures: TTFT 
Y > saved:curl 
wait:5s > !clipboard
s > saved 

== Nothing goes to the clipboard unasked.
y space stream:12 s ? esc p esc > !effect:setClipboard

== The mouse clicks on keys, on the endpoint, beside a dialog; k gives it back.
click:"space run" > requests:1
click:"x stop" click:"? help" > send the request
click:demo > !send the request
click:llama-3.1-8b > first listed model
esc > is:mouse true
k > is:mouse false

== ctrl+z suspends, ctrl+l redraws; after it the terminal is asked again; ctrl+c quits.
on live 80x24
ctrl+z > effect:Suspend
set:resumed > effect:BackgroundColor
ctrl+l > effect:clearScreen
ctrl+c > is:quit true

== A resume without a suspend, as after SIGSTOP, works like every other.
on live 80x24
set:resumed ctrl+z set:resumed set:resumed > is:suspended 1

== U cycles through the units of speed. The figures belong to the same stream.
space stream:60 > speed tok/s | 238 wpm
U > speed wpm | !speed tok/s
U > speed ms/token
U > speed tok/s

== D shows a finished run as other tools define it; esc goes back to it.
D > !as other tools define it // nothing has run
space stream:60 D > run 1 as other tools define it | vLLM 0.33 | AIPerf 0.13 | tokscope | events
up esc > speed tok/s

== The seconds before a retry are counted down in a few frames, and none once they are over.
space sent fail:30s > wait  30 s left
calm:10300ms > wait  20 s left
wait:21s > wait  over: space sends the request again | requests:1
idle:1m

== A picture that cannot be saved says why. A dialog takes S as text.
on live 80x24
set:disk-full S > no picture: the disk is full
t S > theme | S | is:pictures 1

== Z maximizes the panel that was clicked.
answer click:"word word" Z > ╭ stream 1 ─ | !╭ scope

== From 100 columns on the footer names the list of runs as soon as there is one.
on live 100x30 120x40 200x50
> !foot:/ list
answer > foot:/ list
space sent advance:100ms chunk:"word " drain > foot:/ list | foot:x stop

== At the design size the footer has the zoom, the cursor, the definitions and the file.
answer > foot:space again | foot:p prompt | foot:e endpoint | foot:z zoom | foot:←→ cursor | foot:d definitions
	| foot:s save

== After a request the footer shows the lag of the panel, not the lag since.
answer set:lag wait:300ms > lag 200 µs | !700 µs

== The runs of the session are listed, filtered, opened while another one streams.
/ enter > !╭ runs // nothing to list yet
run:50ms run:900ms run:40ms run:300ms > session ─ 4 runs
/ > runs   4 ended | all runs
esc > !╭ runs ─
/ "ttft>80 sort:-ttft" > 2 of 4 // tried while it is typed
enter > ╭ runs ─ / ttft>80 sort:-ttft
space sent advance:100ms chunk:"the fifth answers " wait:300ms > ╭ runs ─ / ttft>80 // streams on behind the list
enter >  run 2  | word7 of 900ms | run 5 streams
left > word7 // its chunks can be looked at
= > 2=   900 ms | run 2 is pinned: TTFT 900 ms
y > copied
D > run 2 as other tools define it
esc esc esc > ╭ runs ─ / ttft>80 // from the lab, from the cursor, to the list
enter n >  run 4  | pinned #2
chunk:"and goes on" advance:7ms finish wait:300ms > !run 5 streams
esc > 3 of 5 | is:pinned 2 // the fifth matches, and is in the list
esc > ╭ runs ─ 5 ended
esc > the fifth answers and goes on | vs #2 | !calls:stop | requests:5
`)
}

func TestLensFlows(t *testing.T) {
	flows(t, `
== The lens is one key away.
> !lens ─ | !b task
space sent w > lens ─ chat | ≤ 450 ms | used so far | as fast as a 238 wpm reader
advance:700ms wait:1s > ✗ TTFT
stream:40 > ✓ longest gap
w > lens ─ voice | ≤ 260 ms | !b task
w > lens ─ agent | 20 steps of 300 tokens take | b task
w > lens ─ batch | ≤ 24 h
w > lens off | !lens ─

== The agent's task can be typed.
b > !the agent's task // no lens, no task
space stream:40 w w w b > the agent's task | 20 x 300 | 50 x 50
"seven" > steps 1 to 10000
enter > the agent's task
ctrl+u "7x40" enter > 7 steps of 40 tokens take
b > 7 x 40 | current
home down enter > 50 steps of 50 tokens take
b esc > 50 steps of 50 tokens take

== The lens fits the window.
on live 80x24
space stream:40 w > lens: chat, a person reads |  chat  | ≥ 5.3 tok/s
size:40x12 w > in a larger window | !≤ | !≥

== The lens has the same keys on Explain and on Live, and is the same lens.
on explain
4 wait:2s > !lens ─ | !b task
w > lens ─ chat | mean of 10 | 44.5 ms ≤ 450 ms
w w > lens ─ agent | 20 steps of 300 tokens take
b > the agent's task
"7x40" enter > 7 steps of 40 tokens take
1 space stream:40 > lens ─ agent | 7 steps of 40 tokens take
w 4 wait:1s > lens ─ batch | 130 tok/s
w > lens off | !lens ─

== The lens fits Explain.
on explain 80x24
4 w wait:1s > lens: chat, a person reads | ≥ 5.3 tok/s
size:200x50 w > lens ─ voice ─ mean of 10 requests | right: predicted
size:40x12 w > in a larger window | !≤ | !≥
`)
}

func TestTheClockBeatsAtItsRate(t *testing.T) {
	for _, c := range []struct {
		o        Options
		min, max int
	}{
		{Options{}, 28, 34},
		{Options{FPS: 15}, 14, 18},
		{Options{ReducedMotion: true}, 4, 6},
	} {
		play(t, "live", 120, 40, c.o, func(r *harness) {
			r.do("space sent drain")
			n := r.updates
			r.wait(time.Second)
			if got := r.updates - n; got < c.min || got > c.max {
				t.Errorf("%+v: %d frames a second", c.o, got)
			}
			r.press("x")
		})
	}
}

func TestTheThemeFollowsTheTerminal(t *testing.T) {
	play(t, "live", 80, 24, colours, func(r *harness) {
		if !r.m.surface.palette.Theme().Dark {
			t.Error("it does not start dark")
		}
		r.send(tea.BackgroundColorMsg{Color: color.White})
		if p := r.m.surface.palette; p.Theme().Dark || strings.Contains(p.SGR(themes.Text), ";48;") {
			t.Errorf("on a light terminal: %q, ink %q", p.Theme().Name, p.SGR(themes.Text))
		}
		r.do(`t "midnight" enter`)
		ground := strings.Contains(r.m.surface.palette.SGR(themes.Text), ";48;2;")
		if !ground || !strings.Contains(r.m.written(), ";48;2;") {
			t.Error("a dark theme on a light terminal brings no ground")
		}
	})
}

func TestAFloodOfTheWheelIsOneFrame(t *testing.T) {
	play(t, "live", 120, 40, colours, func(r *harness) {
		r.press("?")
		n := r.updates
		for range 500 {
			r.update(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
		}
		if got := r.updates - n; got > 2 {
			t.Errorf("%d updates for a flood", got)
		}
		r.do("wait:200ms > redraw the screen")
	})
}

// TestEveryPaceIsReached checks that r goes round the paces.
func TestEveryPaceIsReached(t *testing.T) {
	play(t, "live", 120, 40, colours, func(r *harness) {
		r.do("space stream:60")
		seen := map[string]bool{}
		for range metrics.Paces {
			for _, p := range metrics.Paces {
				seen[p.Name] = seen[p.Name] || strings.Contains(r.screen(), p.Name+" ")
			}
			r.press("r")
		}
		if slices.ContainsFunc(metrics.Paces, func(p metrics.Pace) bool { return !seen[p.Name] }) {
			t.Errorf("of the paces were seen: %v", seen)
		}
		r.do("> 238 wpm") // round
	})
}
