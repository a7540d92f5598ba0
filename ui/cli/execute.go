package cli

import (
	"context"
	"image/color"
	"os"

	"charm.land/fang/v2"
	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"
)

// Execute runs the command that the program's arguments name, and prints its
// error on stderr. fang provides help, version, completion and man page.
// Execute keeps fang from writing any query to the terminal.
//
// fang asks the terminal for its background before it prints a help, and
// before it returns, even without an error. Without an answer this takes two
// seconds for each of stdin and stdout. So fang only sets the commands up
// here, and errors do not pass through it. Its help finds no terminal to ask;
// its colors are the terminal's own and need no answer.
func Execute(ctx context.Context, root *cobra.Command, version string) error {
	setUp := &cobra.Command{Use: "set-up", Hidden: true, Run: func(*cobra.Command, []string) {}}
	root.AddCommand(setUp)
	root.SetArgs([]string{setUp.Use})
	err := fang.Execute(ctx, root, fang.WithVersion(version), fang.WithColorSchemeFunc(scheme))
	root.RemoveCommand(setUp)
	root.SetArgs(os.Args[1:])
	if err == nil {
		help := root.HelpFunc()
		root.SetHelpFunc(func(c *cobra.Command, args []string) { unasked(func() { help(c, args) }) })
		err = root.ExecuteContext(ctx)
	}
	if err != nil {
		PrintError(root.ErrOrStderr(), err)
	}
	return err
}

// unasked runs f with a stdin that is no terminal. Code that would ask the
// terminal then uses its default. Nothing else may read stdin meanwhile.
func unasked(f func()) {
	if none, err := os.Open(os.DevNull); err == nil {
		stdin := os.Stdin
		os.Stdin = none
		defer func() { os.Stdin = stdin; _ = none.Close() }()
	}
	f()
}

// scheme returns the colors of a help: text in the terminal's foreground, and
// colors of its palette. They are legible on light and dark backgrounds.
func scheme(lipgloss.LightDarkFunc) fang.ColorScheme {
	plain := color.Color(lipgloss.NoColor{})
	return fang.ColorScheme{
		Base: plain, Description: plain, Argument: plain, Codeblock: plain, Help: plain,
		Title: lipgloss.Magenta, Program: lipgloss.Cyan, Command: lipgloss.Cyan,
		Flag: lipgloss.Green, QuotedString: lipgloss.Yellow,
		DimmedArgument: lipgloss.BrightBlack, Comment: lipgloss.BrightBlack,
		FlagDefault: lipgloss.BrightBlack, Dash: lipgloss.BrightBlack,
		ErrorHeader: [2]color.Color{lipgloss.Black, lipgloss.Red}, ErrorDetails: lipgloss.Red,
	}
}
