package ui

// restoreOnQuit does nothing: Windows has no SIGQUIT.
func restoreOnQuit(func() error) (end func()) { return func() {} }
