package client

import "fmt"

// Nonce returns the line before a prompt that makes it new to the server from its first
// token on: a repeated one would come from a prefix cache, and its time to first token
// would not measure the prefill.
func Nonce(random uint32) string { return fmt.Sprintf("[request %08x]", random) }
