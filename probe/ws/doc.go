// Package ws reads and writes the frames of RFC 6455, WebSocket. It has no clock and no
// connection of its own.
//
// Reader takes bytes in arbitrary pieces, so that it can run within a connection's read,
// where stamps are taken, and beside a copy of the bytes. Append makes a frame.
// Compression (RFC 7692) is read and never offered.
package ws
