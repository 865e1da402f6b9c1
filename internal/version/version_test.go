package version

import (
	"crypto/sha256"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDigest: the digest is that of the file that runs, so no two builds have one
// version.
func TestDigest(t *testing.T) {
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%x", sha256.Sum256(b[:32<<10]))[:12]
	if !strings.HasSuffix(String(), want) || !strings.Contains(Line("1"), "build "+want) {
		t.Errorf("%s and %s do not have the digest %s", String(), Line("1"), want)
	}
	semantic := regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?\+[0-9A-Za-z.-]+$`)
	if !semantic.MatchString(String()) {
		t.Errorf("%s is no semantic version", String())
	}
}
