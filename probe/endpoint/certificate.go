package endpoint

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"tokscope/probe/secret"
)

// Certificate reads the client certificate of t, with those in between, and its key. It
// returns nil where t has none. The errors are *metrics.Fault, and hold no part of a
// file. One that has ended or not begun is refused: a server would say less about it.
func (t *Target) Certificate() (*tls.Certificate, error) {
	if t.Cert == "" {
		return nil, nil
	}
	certs, err := os.ReadFile(t.Cert)
	if err != nil {
		return nil, unreadable("the client certificate", t.Cert, err,
			"check --cert, or cert in the profile: it takes a file alone, without its password")
	}
	key, keys := t.Cert, certs
	if t.CertKey != "" {
		key = t.CertKey
		if keys, err = os.ReadFile(key); err != nil {
			return nil, unreadable("the private key", key, err,
				"check --key, or cert_key in the profile: it is the file of a client certificate's key; "+
					"a key of the API is given with --api-key-file")
		}
	}
	switch {
	case !bytes.Contains(certs, []byte("-----BEGIN CERTIFICATE-----")):
		return nil, Refuse(t.Cert+" holds no certificate in PEM form",
			"of a .p12 or .pfx file, openssl pkcs12 -nodes -in FILE -out client.pem makes one for --cert, with the key in it")
	case bytes.Contains(keys, []byte("ENCRYPTED")):
		return nil, Refuse("the private key in "+key+" is encrypted, and tokscope asks for no passphrase",
			"write it without one to a file that only you can read: (umask 077; openssl pkey -in FILE -out client.key)")
	case !bytes.Contains(keys, []byte("PRIVATE KEY-----")):
		return nil, Refuse(key+" holds no private key in PEM form", "name its file with --key, or cert_key in the profile")
	}
	cert, err := tls.X509KeyPair(certs, keys)
	if err != nil {
		return nil, Refuse(fmt.Sprintf("the client certificate %s and the key in %s are no pair: %v", t.Cert, key, err),
			"give the key that the certificate was made for; in the file of --cert the client's own certificate comes first")
	}
	from, to, now := cert.Leaf.NotBefore, cert.Leaf.NotAfter, time.Now()
	if now.Before(from) || now.After(to) {
		return nil, Refuse("the client certificate "+t.Cert+" is valid from "+from.UTC().Format(time.DateOnly)+" to "+
			to.UTC().Format(time.DateOnly), "get a new one, or check this machine's clock")
	}
	return &cert, nil
}

// Roots returns the system's certificate authorities and those in the file of CACert; nil
// (the system's) without one. The errors are *metrics.Fault.
func (t *Target) Roots() (*x509.CertPool, error) {
	if t.CACert == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(t.CACert)
	if err != nil {
		return nil, unreadable("the certificate authority", t.CACert, err, "check --cacert, or cacert in the profile")
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, Refuse(t.CACert+" holds no certificate",
			"give a file in PEM form with --cacert, or cacert in the profile")
	}
	return pool, nil
}

// unreadable returns the fault of a file that gave err. What may be a password behind
// its name, as curl takes one, or a key in its place is not repeated.
func unreadable(what, file string, err error, next string) error {
	if i := strings.LastIndexByte(file, ':'); i > 1 && errors.Is(err, fs.ErrNotExist) {
		file = file[:i+1] + secret.Redacted
	}
	if looksLikeKey(file) {
		file = secret.Redacted
	}
	return Refuse(what+" "+file+" cannot be read: "+Reason(err), next)
}
