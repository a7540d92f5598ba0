// Package tap is a transparent proxy on loopback between a client of an API and its
// upstream. What passes is not changed but for what HTTP asks of a proxy, Host and
// Accept-Encoding; each answer is stamped and measured as if tokscope had asked for it.
//
// Where the upstream breaks off an answer, or the client leaves, the other side sees its
// connection end, and an answer that was not whole never ends well. As for every server of
// net/http, a client that ends its half of a connection has left. A reset of the upstream
// arrives as an early end.
//
//   - proxy.go takes requests, guards the door, and passes them on.
//   - copy.go copies bodies and counts what is read and written.
//   - socket.go passes on WebSockets, frame by frame.
//   - recipe.go is the table of clients: a client is a row. recipeplan.go carries a row out.
//   - child.go runs a client in the terminal of this program; around.go looks whether it goes
//     around the tap.
package tap
