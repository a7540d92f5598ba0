package sanitize

// Notice returns what tells a terminal something in the background: a notification
// where it has them (OSC 9), and the bell. text may come from outside.
func Notice(text string) string { return "\x1b]9;tokscope: " + Line(text, 200) + "\x1b\\\a" }
