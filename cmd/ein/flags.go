package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ein/lang/check"
	"ein/lang/describe"
)

// byteSize is a flag such as 64MiB.
type byteSize uint64

var byteUnits = []struct {
	name string
	size uint64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// String is the size in the largest unit that divides it.
func (b *byteSize) String() string {
	for _, u := range byteUnits {
		if n := uint64(*b); n >= u.size && n%u.size == 0 {
			return strconv.FormatUint(n/u.size, 10) + u.name
		}
	}
	return strconv.FormatUint(uint64(*b), 10)
}

// Type names the value in the help.
func (b *byteSize) Type() string { return "size" }

// Set implements the flag.
func (b *byteSize) Set(s string) error {
	unit := uint64(1)
	for _, u := range byteUnits {
		if number, ok := strings.CutSuffix(s, u.name); ok {
			s, unit = number, u.size
			break
		}
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	x *= float64(unit)
	if err != nil || !(x >= 1 && x < 1<<63) {
		return errors.New("expected a number of bytes, or one with KiB, MiB or GiB")
	}
	*b = byteSize(x)
	return nil
}

// count is a flag such as 1e9.
type count uint64

func (c *count) String() string { return strconv.FormatUint(uint64(*c), 10) }

// Type names the value in the help.
func (c *count) Type() string { return "number" }

// Set implements the flag.
func (c *count) Set(s string) error {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x >= 1 && x < 1<<63) || x != math.Trunc(x) {
		return errors.New("expected a whole number from 1, such as 1000 or 1e9")
	}
	*c = count(x)
	return nil
}

// jsonForm is the flag --json: the version of the form that is printed, 0 for
// text. Without a value it is 1, for ever.
type jsonForm int

func (j *jsonForm) String() string {
	if *j == 0 {
		return "" // so that the help shows no default
	}
	return strconv.Itoa(int(*j))
}

// Type names the value in the help.
func (j *jsonForm) Type() string { return "version" }

// Set implements the flag.
func (j *jsonForm) Set(s string) error {
	if s == "2" {
		*j = 2
		return nil
	}
	on, err := strconv.ParseBool(s)
	if err != nil {
		return errors.New("expected version 1 or 2")
	}
	*j = 0
	if on {
		*j = 1
	}
	return nil
}

// duration is a flag such as 2s; unlike pflag's it refuses what is not positive.
type duration time.Duration

func (d *duration) String() string {
	if *d == 0 {
		return "" // so that the help shows no default
	}
	return time.Duration(*d).String()
}

// Type names the value in the help.
func (d *duration) Type() string { return "duration" }

// Set implements the flag.
func (d *duration) Set(s string) error {
	x, err := time.ParseDuration(s)
	if err != nil || x <= 0 {
		return errors.New("expected a duration such as 2s, 500ms or 1m30s")
	}
	*d = duration(x)
	return nil
}

// profile is a flag: what a program may contain.
type profile check.Profile

var profiles = []string{check.Full.String(), check.Core.String()}

func (p *profile) String() string { return check.Profile(*p).String() }

// Type names the value in the help.
func (p *profile) Type() string { return "name" }

// Set implements the flag.
func (p *profile) Set(s string) error {
	i := slices.Index(profiles, s)
	if i < 0 {
		return fmt.Errorf("expected %s", strings.Join(profiles, " or "))
	}
	*p = profile([]check.Profile{check.Full, check.Core}[i])
	return nil
}

func profileFlag(cmd *cobra.Command, p *profile) {
	cmd.Flags().Var(p, "profile", "what a program may contain: full, or core without def, input and labels")
	complete(cmd, "profile", profiles...)
}

// formatBytes is a size for people.
func formatBytes(n uint64) string { return describe.Bytes(n) }

// formatCount is a number with its digits in groups of three.
func formatCount(n uint64) string { return describe.Count(n) }
