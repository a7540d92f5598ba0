package cli

import (
	"cmp"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"tokscope/metrics/condition"
	"tokscope/metrics/racestat"
	"tokscope/ui/say"
)

// pairFlags are the flags of a race in pairs, which blocks have no use for.
var pairFlags = []string{"pairs", "duration", "max-total-tokens", "all-pairs", "parallel", "vary"}

// blockFlags are those that only a race in blocks has a use for.
var blockFlags = []string{"blocks", "requests"}

// swapFlags adds the flags of a race between settings to cmd.
func (o *Race) swapFlags(cmd *cobra.Command) {
	fs, s := cmd.Flags(), &o.swap
	fs.StringVar(&o.swapLine, "swap", "",
		"command that restarts the server of the one target before each block, with {lane} for the setting; "+
			"split at blanks, quotes group, no shell")
	fs.StringSliceVar(&o.Contest.Settings, "lanes", nil, "settings to compare with --swap, such as off,on: 2 to 6")
	s.Within = racestat.RestartWithin
	fs.IntVar(&s.Blocks, "blocks", racestat.DefaultBlocks, "blocks of each setting; their number is fixed before")
	fs.IntVar(&s.Requests, "requests", racestat.DefaultRequests,
		"requests of a block: more tell nothing of how one start of the server differs from the next")
	cmd.MarkFlagsRequiredTogether("swap", "lanes")
	exclude(cmd, "swap", pairFlags...)
}

// tellWaits says on stderr, once a block, that the server before does not end, where no
// line of progress says it. stop ends it.
func (o *Race) tellWaits(j *Job, r Racer) (stop func()) {
	if o.Plan.Swap == nil || o.Quiet || j.ErrTerminal && !j.OutTerminal {
		return func() {}
	}
	told := 0
	return regularly(func(time.Time) {
		v := r.RaceView()
		if waits := say.SwapWaits(&v); waits != "" && v.Block.N != told {
			told = v.Block.N
			Warn(j.Err, waits)
		}
	})
}

// takeSwap is take of a race between settings.
func (o *Race) takeSwap() (err error) {
	s := &o.swap
	if o.Several = false; len(o.Contest.Targets) != 1 {
		return Usage("--swap restarts one server: give one target, such as http://127.0.0.1:8080")
	}
	if s.Command, err = splitWords(o.swapLine); err != nil {
		return Usage("--swap: %v", err)
	}
	if err = s.Check(o.Contest.Settings); err != nil {
		return Usage("--swap: %v", err)
	}
	o.Plan.Swap = s
	for _, c := range o.Plan.Conditions {
		if c.Unit != condition.Ratio || !slices.Contains(racestat.Swapped[:], c.Figure) {
			return Usage("--fail-if %q: blocks judge the ratio of ttft and of tpot alone, such as 'tpot of %s > 1.1x %s'",
				c, o.Contest.Settings[1], o.Contest.Settings[0])
		}
	}
	lanes, _, _ := o.Contest.Lanes() // checked above
	return cmp.Or(within("--band", o.Band, 0, 50), o.checkConditions(lanes), o.Common.take(o.Contest.Targets))
}
