package syntax

import "strings"

// The txtar format: a comment, then files, each behind a line `-- name --`.
type (
	archive struct {
		comment string
		files   []archiveFile
	}
	archiveFile struct{ name, data string }
)

func parseArchive(text string) archive {
	var a archive
	part := &a.comment
	for line := range strings.Lines(text) {
		name, ok := strings.CutSuffix(strings.TrimSpace(line), " --")
		if name, is := strings.CutPrefix(name, "-- "); ok && is {
			a.files = append(a.files, archiveFile{name: name})
			part = &a.files[len(a.files)-1].data
			continue
		}
		*part += line
	}
	return a
}

func (a archive) String() string {
	var b strings.Builder
	b.WriteString(a.comment)
	for _, f := range a.files {
		b.WriteString("-- " + f.name + " --\n" + f.data)
	}
	return b.String()
}
