package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ein/internal/lists"
	"ein/internal/words"
	"ein/lang/diag"
)

// Kind is a kind of values that flags can have.
type Kind[T any] struct {
	Name   string // in the help
	Parse  func(string) (T, error)
	Text   func(T) string // of the default; "" is none
	Values []T            // all there are, to complete; nil when they cannot be listed
}

// Flag declares a flag of a verb. Its default is the value of to.
func (k Kind[T]) Flag(cmd *cobra.Command, to *T, name, usage string) {
	cmd.Flags().Var(k.Value(to), name, usage)
	k.complete(cmd, name)
}

// Value makes a flag value of the kind that sets to.
func (k Kind[T]) Value(to *T) pflag.Value { return &value[T]{k, to} }

func (k Kind[T]) complete(cmd *cobra.Command, flag string) {
	if k.Values != nil {
		Complete(cmd, flag, texts(k.Values)...)
	}
}

// value is the pflag.Value of a Kind.
type value[T any] struct {
	Kind[T]
	to *T
}

func (v *value[T]) String() string { return v.Text(*v.to) }
func (v *value[T]) Type() string   { return v.Name }

func (v *value[T]) Set(s string) error {
	x, err := v.Parse(s)
	if err == nil {
		*v.to = x
	}
	return err
}

// Complete offers fixed values for a flag. It fails only for flags that do not exist.
func Complete(cmd *cobra.Command, flag string, values ...string) {
	must(cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
}

// CompleteLater is Complete for values that take a while to find.
func CompleteLater(cmd *cobra.Command, flag string, values func() []string) {
	must(cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return values(), cobra.ShellCompDirectiveNoFileComp
	}))
}

// Required marks flags that have to be given.
func Required(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		must(cmd.MarkFlagRequired(name))
	}
}

func must(err error) {
	if err != nil {
		panic("BUG: ein: " + err.Error())
	}
}

func texts[T any](list []T) []string {
	return lists.Map(list, func(x T) string { return fmt.Sprint(x) })
}

// Join returns a list of values as text.
func Join[T any](list []T, sep string) string { return strings.Join(texts(list), sep) }

// find returns the value of a list that has a name.
func find[T any](list []T, name string) (T, error) {
	names := texts(list)
	if i := slices.Index(names, name); i >= 0 {
		return list[i], nil
	}
	var none T
	const few = 8
	if near, ok := diag.Suggest(name, names); ok && len(names) > few {
		return none, fmt.Errorf("there is no %q; did you mean %s?", name, near)
	}
	return none, fmt.Errorf("expected one of %s", strings.Join(names, ", "))
}

// One returns a kind of a few values, by what they print as.
func One[T any](values ...T) Kind[T] {
	return Kind[T]{
		Name: "name", Values: values, Text: func(x T) string { return fmt.Sprint(x) },
		Parse: func(s string) (T, error) { return find(values, s) },
	}
}

// Some declares a flag that takes several of a few values, separated by commas, each once.
func Some[T comparable](cmd *cobra.Command, to *[]T, name string, values []T, usage string) {
	cmd.Flags().Var(&some[T]{to: to, known: values}, name, usage)
	Complete(cmd, name, texts(values)...)
}

// some is the pflag.Value of Some; given says that the flag was used, after which values add up.
type some[T comparable] struct {
	to    *[]T
	known []T
	given bool
}

func (v *some[T]) String() string { return Join(*v.to, ",") }
func (v *some[T]) Type() string   { return "names" }

// Set adds the values in s, with commas between. The first use of the flag replaces the default;
// a value that is given twice is an error, as it is more likely a slip than a wish.
func (v *some[T]) Set(s string) error {
	if !v.given {
		*v.to, v.given = nil, true // the default
	}
	for name := range strings.SplitSeq(s, ",") {
		x, err := find(v.known, strings.TrimSpace(name))
		switch {
		case err != nil:
			return err
		case slices.Contains(*v.to, x):
			return fmt.Errorf("%s is there twice", name)
		}
		*v.to = append(*v.to, x)
	}
	return nil
}

// or0 returns a number as text, "" for 0.
func or0(n uint64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatUint(n, 10)
}

// Size is a number of bytes such as 64MiB.
var Size = Kind[uint64]{
	Name: "size",
	Text: func(b uint64) string {
		for _, u := range words.ByteUnits {
			if b >= u.Size && b%u.Size == 0 {
				return or0(b/u.Size) + u.Name
			}
		}
		return or0(b)
	},
	Parse: words.ParseBytes,
}

// Count is a number such as 1e9, from 1.
var Count = Kind[uint64]{Name: "number", Text: or0, Parse: words.ParseCount}

// Seed is any number of 64 bits.
var Seed = Kind[uint64]{
	Name: "number", Text: func(n uint64) string { return strconv.FormatUint(n, 10) },
	Parse: func(s string) (uint64, error) {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("expected a whole number from 0 to %d", uint64(math.MaxUint64))
		}
		return n, nil
	},
}

// Duration is a time such as 2s, which is positive.
var Duration = Kind[time.Duration]{
	Name: "duration",
	Text: func(d time.Duration) string {
		if d == 0 {
			return ""
		}
		return d.String()
	},
	Parse: words.ParseDuration,
}

// Pause is a time such as 2s, or 0 for none.
var Pause = Kind[time.Duration]{
	Name: "duration", Text: time.Duration.String,
	Parse: func(s string) (time.Duration, error) {
		if d, err := time.ParseDuration(s); err == nil && d == 0 {
			return 0, nil
		}
		return words.ParseDuration(s)
	},
}

// Int returns a whole number from low to high.
func Int[T int | int64](low, high T) Kind[T] {
	return Kind[T]{
		Name: "number", Text: func(n T) string { return fmt.Sprint(n) },
		Parse: func(s string) (T, error) {
			n, err := strconv.ParseInt(s, 10, 64)
			switch {
			case err == nil && T(n) >= low && T(n) <= high:
				return T(n), nil
			case int64(low) == math.MinInt64:
				return 0, errors.New("expected a whole number")
			case high == math.MaxInt:
				return 0, fmt.Errorf("expected %d or more", low)
			}
			return 0, fmt.Errorf("expected %d to %d", low, high)
		},
	}
}

// Real returns a number for which ok holds.
func Real(want string, ok func(float64) bool) Kind[float64] {
	return Kind[float64]{
		Name: "number", Text: func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) },
		Parse: func(s string) (float64, error) {
			x, err := strconv.ParseFloat(s, 64)
			if err != nil || math.IsInf(x, 0) || !ok(x) {
				return 0, errors.New("expected " + want)
			}
			return x, nil
		},
	}
}

// Level is the significance level of a test. Some intervals have the confidence 1 - 2 alpha.
var Level = Real("a number above 0 and below 0.5, as in 0.05", func(x float64) bool { return x > 0 && x < 0.5 })

// Share is a number between 0 and 1.
var Share = Real("a number between 0 and 1, as in 0.05", func(x float64) bool { return x > 0 && x < 1 })

// Opt makes a kind of values that may be left out, which differs from giving their zero.
func Opt[T any](k Kind[T]) Kind[*T] {
	return Kind[*T]{
		Name: k.Name, Text: func(*T) string { return "" },
		Parse: func(s string) (*T, error) {
			x, err := k.Parse(s)
			return &x, err
		},
	}
}

// ColorFlag declares --color for all verbs.
func (a *App) ColorFlag(root *cobra.Command) {
	k := One(ColorAuto, ColorAlways, ColorNever)
	k.Name, a.Color = "when", ColorAuto
	root.PersistentFlags().Var(k.Value(&a.Color), "color", "colour in diagnostics: auto, always or never")
	k.complete(root, "color")
}

// JSONFlag declares --json for verbs whose JSON has one form.
func (a *App) JSONFlag(cmd *cobra.Command, usage string) {
	cmd.Flags().BoolVar(&a.JSON, "json", false, usage)
}

// MemoryFlag declares --max-memory. Its default is the value of to.
func MemoryFlag(cmd *cobra.Command, to *uint64, of string) {
	Size.Flag(cmd, to, "max-memory", "maximum memory"+of+", in bytes or with KiB, MiB, GiB; at most 1024GiB")
}

// headingKey is the annotation of a flag with the title above it in the help.
const headingKey = "ein heading"

// Headings groups the flags of a verb in its help. The function that it returns puts the flags
// declared since the last call under a title.
func Headings(cmd *cobra.Command) func(title string) {
	var titles []string
	cmd.SetUsageFunc(func(cmd *cobra.Command) error {
		var b strings.Builder
		fmt.Fprintf(&b, "Usage:\n  %s\n\nExamples:\n%s\n", cmd.UseLine(), cmd.Example)
		for _, title := range append(titles, "Other flags") {
			part := pflag.NewFlagSet("", pflag.ContinueOnError)
			cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
				if of := f.Annotations[headingKey]; slices.Contains(of, title) || of == nil && title == "Other flags" {
					part.AddFlag(f)
				}
			})
			fmt.Fprintf(&b, "\n%s:\n%s", title, part.FlagUsages())
		}
		fmt.Fprintf(&b, "\nGlobal Flags:\n%s", cmd.InheritedFlags().FlagUsages())
		_, err := io.WriteString(cmd.OutOrStderr(), b.String())
		return err
	})
	return func(title string) {
		titles = append(titles, title)
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Annotations[headingKey] == nil {
				must(cmd.Flags().SetAnnotation(f.Name, headingKey, []string{title}))
			}
		})
	}
}
