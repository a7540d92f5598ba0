package probetest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// certificate returns the process's certificate for 127.0.0.1 and localhost.
var certificate = sync.OnceValue(func() tls.Certificate {
	c, err := SelfSigned("scripted endpoint", time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour))
	if err != nil {
		panic(err)
	}
	return c
})

// SelfSigned makes a certificate for 127.0.0.1 and localhost that is its own authority.
func SelfSigned(name string, from, to time.Time) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make a key: %w", err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: from, NotAfter: to,
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make a certificate: %w", err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

// ClientCertificate makes a certificate as SelfSigned does, and writes it and its private
// key into files.
func ClientCertificate(t testing.TB, name string, from, to time.Time) (cert, key string) {
	t.Helper()
	pair, bad := SelfSigned(name, from, to)
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if bad == nil && err == nil {
		dir := t.TempDir()
		cert, key = filepath.Join(dir, "client.pem"), filepath.Join(dir, "client.key")
		bad = os.WriteFile(cert, pemOf(pair), 0o600)
		err = os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600)
	}
	if bad != nil || err != nil {
		t.Fatal(bad, err)
	}
	return cert, key
}

// Roots returns the authorities that make the server's certificate valid.
func (*Server) Roots() *x509.CertPool { return rootsOf(pemOf(certificate())) }

func rootsOf(pem []byte) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	return pool
}

func pemOf(c tls.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]})
}
