package ui

// restoreOnQuit does nothing: Windows has no SIGQUIT.
func restoreOnQuit(func() error) (end func()) { return func() {} }

// wakeUp does nothing: Windows does not stop programs.
func wakeUp() {}
