// Package endpoint knows where a request can go: the usual forms of a base
// URL, the providers and their variables, the profiles of the configuration
// file, keys and how to keep them secret, and the servers that listen on
// loopback.
//
// It reads the environment only through a function it is given, opens network
// connections only in Models, Locate, Fingerprint and Discover (Discover: to
// loopback addresses alone), and never prints a key: a Secret redacts itself
// and a Scrubber removes keys from text that came from elsewhere.
//
// Where to add what:
//   - a provider: one line in the table of providers.go
//   - a local server: one line in ports.go (its port) and one in marks.go (how
//     it is recognised)
//   - a setting: a field in config.go and one line in the table of settings.go;
//     docs/config.md must name it (a test says so)
//   - a shape of key that must never be shown: one line in patterns.go
package endpoint
