// Package journey holds the tests that use tokscope as a person does: the
// built program in a virtual terminal, on the embedded endpoint and on servers
// that misbehave. It also keeps the rule of who may import whom.
package journey
