package ui

// wakeUp does nothing: Windows does not stop programs.
func wakeUp() {}
