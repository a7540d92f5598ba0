//go:build !windows

package main

import (
	"time"

	"tokscope/ui/svg"
	"tokscope/ui/uitest/vterm"
)

// move is what a person does, and what the screen says then.
type move struct {
	keys  []string
	words []string
	wait  time.Duration // until the figures are there
}

// play carries out moves.
func play(x *vterm.Term, moves ...move) error {
	for _, m := range moves {
		if err := x.Keys(m.keys...); err != nil {
			return err
		}
		if err := x.Until(patience, m.words...); err != nil {
			return err
		}
		time.Sleep(m.wait)
	}
	return nil
}

// length is the move that gives a running load prompts of n tokens.
func length(n, says string) []move {
	return []move{
		{[]string{"p"}, []string{"prompt", "ctrl+t"}, 0},
		// ctrl+t, ctrl+u
		{[]string{"\x14", "\x15", n, "<ctrl+r>"}, []string{"new requests send this", says}, 9 * time.Second},
	}
}

// steeredPictures show a load of 8 users whose prompt, model and rate change
// while it runs: the speeds over the length of the prompt, the marks over time,
// the list of requests, and the slowest of them in the scope.
func steeredPictures(program, dir string) error {
	x, err := start(program, dir, 120, 40, []string{"--record=false", "--input-tokens", "500", "--max-tokens", "40"})
	if err != nil {
		return err
	}
	defer x.Close()
	moves := []move{
		{nil, []string{"done"}, 0},
		{[]string{"2"}, []string{"1 user:"}, 0},
		{[]string{"<right>", "<right>", "<right>"}, []string{"8 users:"}, 10 * time.Second},
	}
	for _, n := range [][2]string{{"1500", "prompt"}, {"4000", "prompt"}, {"10000", "prompt"}} {
		moves = append(moves, length(n[0], n[1])...)
	}
	moves = append(moves, move{[]string{"v", "v", "v", "v", "v"}, []string{"over prompt length", "R²"}, time.Second})
	if err := play(x, moves...); err != nil {
		return err
	}
	if err := save(x, "lengths", svg.Dark); err != nil {
		return err
	}
	if err := play(x,
		move{[]string{"m"}, []string{"esc back"}, 0},
		move{[]string{"gpt-oss-120b@2xh", "<enter>"}, []string{"new requests go there"}, 9 * time.Second},
		move{[]string{"v", "v", "v", "v"}, []string{"over requests a second"}, 0},
		move{[]string{"<right>"}, []string{"req/s"}, 12 * time.Second},
		move{[]string{"v", "v", "v", "v", "v", "v"}, []string{"over time", "a change"}, time.Second},
	); err != nil {
		return err
	}
	if err := save(x, "steered", svg.Dark); err != nil {
		return err
	}
	if err := play(x,
		move{[]string{"/"}, []string{"filter"}, 0},
		move{[]string{"ttft>100 sort:-ttft", "<enter>"}, []string{"requests", "TTFT"}, time.Second},
	); err != nil {
		return err
	}
	if err := save(x, "requests", svg.Dark); err != nil {
		return err
	}
	if err := play(x, move{[]string{"<enter>"}, []string{"of the load", "longest"}, time.Second}); err != nil {
		return err
	}
	return save(x, "slowest", svg.Dark)
}
