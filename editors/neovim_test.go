package editors

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// program has an error with a fix, names to complete and rename, and a line
// that is not in canonical form.
const program = `// Who controls whom?
Owns = edges([["holding","north"],["north","harbor"]])
Controls = rech(Owns, "holding")
Count   =  sum( Controls )
:print Controls, Count
`

// workplace is a folder with the command and the program.
func workplace(t *testing.T) (dir, file string) {
	t.Helper()
	dir = t.TempDir()
	command := filepath.Join(dir, "ein")
	if out, err := exec.Command("go", "build", "-o", command, "../cmd/ein").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file = filepath.Join(dir, "owners.ein")
	if err := os.WriteFile(file, []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir, file
}

// TestNeovim opens a program in a real editor and does what its user would.
func TestNeovim(t *testing.T) {
	if _, err := exec.LookPath("nvim"); err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	dir, file := workplace(t)
	seen := filepath.Join(dir, "seen.json")
	cmd := exec.CommandContext(t.Context(), "nvim", "--headless", "-i", "NONE", "-n", "-u", "neovim/start.lua", "-c", "luafile neovim/drive.lua")
	cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "EIN_FILE="+file, "EIN_SEEN="+seen,
		"XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_STATE_HOME="+dir, "XDG_CACHE_HOME="+dir)
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	b, err := os.ReadFile(seen)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	var got struct {
		Error       string
		Filetype    string
		Diagnostics []struct {
			Line          int
			Code, Message string
		}
		Actions            []string
		Fixed              string
		Hover              string
		Definition         json.RawMessage
		References         int
		Completion         []string
		Renamed, Formatted []string
		Signature, Typing  string
		Parameter          int
		Run                string
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	t.Logf("%s", b)
	if got.Error != "" {
		t.Fatalf("%s\n%s", got.Error, said)
	}
	if got.Filetype != "ein" {
		t.Errorf("file type %q", got.Filetype)
	}
	if len(got.Diagnostics) == 0 || got.Diagnostics[0].Line != 3 || !strings.Contains(got.Diagnostics[0].Message, "rech") {
		t.Errorf("diagnostics %+v", got.Diagnostics)
	}
	if got.Fixed != `Controls = reach(Owns, "holding")` {
		t.Errorf("fixed: %s, by one of %q", got.Fixed, got.Actions)
	}
	if !strings.Contains(got.Hover, "reach(A, i)") {
		t.Errorf("hover: %s", got.Hover)
	}
	if !strings.Contains(string(got.Definition), `"line":1`) || got.References != 2 {
		t.Errorf("definition %s, %d references", got.Definition, got.References)
	}
	if !slices.Contains(got.Completion, "Controls") {
		t.Errorf("completion %q", got.Completion)
	}
	want := []string{
		"// Who controls whom?",
		`Owns = edges([["holding","north"],["north","harbor"]])`,
		`Held = reach(Owns, "holding")`,
		"Count   =  sum( Held )",
		":print Held, Count",
	}
	if !slices.Equal(got.Renamed, want) {
		t.Errorf("renamed: %q", got.Renamed)
	}
	want[3] = "Count = sum(Held)"
	if !slices.Equal(got.Formatted, want) {
		t.Errorf("formatted: %q", got.Formatted)
	}
	if got.Signature != "reach(A, i)" || got.Parameter != 1 {
		t.Errorf("signature %s, parameter %d", got.Signature, got.Parameter)
	}
	if !strings.Contains(got.Typing, "Held: Tensor[3] bool") {
		t.Errorf("hover below a statement that is being typed: %s", got.Typing)
	}
	if !strings.Contains(got.Run, "Count = 3") {
		t.Errorf("run: %s", got.Run)
	}
}
