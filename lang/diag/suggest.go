package diag

import "strings"

// suggestLength bounds the names that Suggest compares: the distance of two
// names costs the product of their lengths.
const suggestLength = 64

// Suggest returns the candidate that name is most likely a misspelling of. Case
// counts for little; of equally near candidates the first wins.
func Suggest(name string, candidates []string) (string, bool) {
	if name == "" || len(name) > suggestLength {
		return "", false
	}
	// A third of the letters may be wrong, at least one; in units of half a
	// letter, so that a difference in case alone can cost less than one.
	best, limit := "", 2*max(1, (len(name)+1)/3)+1
	for _, c := range candidates {
		if c == "" || c == name || len(c) > suggestLength || 2*max(len(c)-len(name), len(name)-len(c)) > limit {
			continue
		}
		d := 2 * distance(strings.ToLower(name), strings.ToLower(c))
		if d >= 2*max(len(name), len(c)) {
			continue // nothing in common
		}
		if !strings.EqualFold(name, c) {
			d++
		}
		if d <= limit && (best == "" || d < limit) {
			best, limit = c, d
		}
	}
	return best, best != ""
}

// distance is the number of insertions, deletions, replacements and swaps of
// neighbours that turn a into b.
func distance(a, b string) int {
	var rows [3][suggestLength + 1]int
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		row, up, up2 := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(up[j]+1, row[j-1]+1, up[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], up2[j-2]+1)
			}
		}
	}
	return rows[len(a)%3][len(b)]
}
