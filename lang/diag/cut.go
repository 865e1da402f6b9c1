package diag

// Middle returns s in at most so many characters, 5 or more. It cuts a longer text in the middle,
// since long names that begin alike often differ at the end.
func Middle(s string, most int) string {
	if len(s) <= most {
		return s
	}
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	left := most/2 - 1
	right := most - len("...") - left
	return string(r[:left]) + "..." + string(r[len(r)-right:])
}
