package model

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"
	"unicode"
)

// A key is never part of a body, an error or a reply. What a server echoes of it is
// replaced.
const keyShown = "[key]"

// shortestSecret is the length of the shortest key that is searched for in what a server says.
// Shorter ones are placeholders of local servers, such as "none", and words of replies.
const shortestSecret = 8

// keyFile reads a key.
func keyFile(name string) (string, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("the key file: %w", err)
	}
	key := strings.TrimSpace(string(b))
	if err := checkKey(key); err != nil {
		return "", fmt.Errorf("the key file %s: %w", name, err)
	}
	return key, nil
}

// exposed says who, besides the provider, may read the key.
func (c *client) exposed() []string {
	var list []string
	u, err := url.Parse(c.url)
	if key, denied := c.key(); err == nil && denied == nil && key != "" && u.Scheme == "http" {
		if ip := net.ParseIP(u.Hostname()); u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
			list = append(list, "the key goes to "+u.Host+" over plain HTTP, where others can read it: use https, or a key that is not secret")
		}
	}
	if info, err := os.Stat(c.opt.KeyFile); c.opt.KeyFile != "" && err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		list = append(list, fmt.Sprintf("others on this machine can read the key file %s (mode %04o): chmod 600 it", c.opt.KeyFile, info.Mode().Perm()))
	}
	return list
}

// checkKey says what is wrong with a key, without showing it.
func checkKey(key string) error {
	if key == "" {
		return errors.New("the key is empty")
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r > unicode.MaxASCII || unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return errors.New("not a key: expected one line of letters, digits and punctuation")
	}
	return nil
}

// secrets returns the key and the values of the user's headers, as far as they can be told from
// words.
func (c *client) secrets(key string) []string {
	list := []string{key}
	for _, values := range c.opt.Headers {
		list = append(list, values...)
	}
	return slices.DeleteFunc(list, func(s string) bool { return len(s) < shortestSecret })
}

// redact removes secrets from texts.
func redact(secrets []string, texts ...*string) {
	for _, s := range texts {
		*s = string(hide(secrets, []byte(*s)))
	}
}

// hide removes secrets from a text, before any part of it is cut out for a message.
func hide(secrets []string, text []byte) []byte {
	for _, secret := range secrets {
		text = bytes.ReplaceAll(text, []byte(secret), []byte(keyShown))
	}
	return text
}
