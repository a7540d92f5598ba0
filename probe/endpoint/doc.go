// Package endpoint resolves where a request goes. It knows the forms of a
// base URL, the providers and their variables, and the profiles of the
// configuration file. It also knows the servers that listen on loopback, and
// keeps keys secret.
//
// It reads the environment only through a function it is given. Only Models,
// Locate, Fingerprint and Discover open network connections, and Discover
// only to loopback addresses. It never prints a key: see package secret.
//
// Where to add what:
//   - a provider: one line in the table of providers.go
//   - a local server: one line in ports.go (its port) and one in marks.go (its
//     fingerprint)
//   - a flag of a pasted curl command: a case in pasted.go; how a shell quotes: a
//     rule in quoting.go; a command as a file in testdata/curl
//   - a setting: see package config
//   - a shape of key that must never be shown: one line in patterns.go of package
//     secret
package endpoint
