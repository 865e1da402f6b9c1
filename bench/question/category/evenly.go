package category

// Evenly says how many instances to take of each category, n in all: equally many of each level
// and, within a level, of each category, as far as there are enough. have returns how many there
// are of a category; n = 0 takes all.
func Evenly(names []string, have func(name string) int, n int) map[string]int {
	take := map[string]int{}
	byLevel := map[int][]string{}
	levels := 0
	for _, name := range names {
		if c, ok := Lookup(name); ok {
			byLevel[c.Level] = append(byLevel[c.Level], name)
			levels = max(levels, c.Level)
		}
	}
	// of gives one more to a category of a level, the next in turn.
	of := func(level int) bool {
		list := byLevel[level]
		for range list {
			name := list[0]
			list = append(list[1:], name)
			if take[name] < have(name) {
				take[name]++
				byLevel[level] = list
				return true
			}
		}
		return false
	}
	for taken, more := 0, true; more; {
		more = false
		for level := 1; level <= levels; level++ {
			if (n == 0 || taken < n) && of(level) {
				taken++
				more = true
			}
		}
	}
	return take
}
