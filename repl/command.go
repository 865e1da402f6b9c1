package repl

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"ein/internal/lists"
	"ein/internal/table"
	"ein/internal/words"
	"ein/lang/diag"
)

// argument says what a command takes, for completion.
type argument uint8

const (
	none argument = iota
	statementArg
	nameArg
	functionArg
	fileArg
	commandArg
	modeArg
)

// command is one of the session's own commands.
type command struct {
	name, args string
	takes      argument
	needs      bool // it has to have an argument
	help       string
	run        func(s *Session, ctx context.Context, arg string) Reply
}

// commands in the order of :help. It is a function because :help reads it.
func commands() []command {
	return []command{
		{"help", "[COMMAND|NAME]", commandArg, false, "list the commands, or describe one, a function, a diagnostic or a topic; `:help topics` lists these", (*Session).help},
		{"load", "FILE [NAME=DATA]...", fileArg, true, "add the statements of a program, its inputs bound to data files", (*Session).load},
		{"save", "FILE", fileArg, true, "write the session as a program that ein run accepts", (*Session).save},
		{"input", "NAME[: KIND] DATA", fileArg, true, "declare an input (a graph, matrix, vector or scalar, or NAME(COLUMNS)) and bind it to a data file", (*Session).input},
		{"tensors", "", none, false, "list the names with their shapes and definitions", (*Session).tensorList},
		{"relations", "", none, false, "list the relations with their columns, and how many facts and rules they have", (*Session).relationList},
		{"type", "EXPRESSION", statementArg, true, "show the shape and kind of a value without computing it", (*Session).typeOf},
		{"doc", "[NAME]", functionArg, false, "list the functions, or describe what has a name", (*Session).doc},
		{"cost", "STATEMENT|NAME", statementArg, true, "show the maximum cost of a statement, or of recomputing a name", (*Session).cost},
		{"explain", "STATEMENT|NAME|CODE", statementArg, true, "show the plan of a statement, or what the code of a diagnostic means", (*Session).explain},
		{"dis", "STATEMENT|NAME", statementArg, true, "list the bytecode", (*Session).dis},
		{"time", "STATEMENT", statementArg, true, "run a statement and show the time, operations and memory it took", (*Session).time},
		{"full", "EXPRESSION", statementArg, true, "show a large value in full", (*Session).full},
		{"plot", "EXPRESSION [FILE.svg]", statementArg, true, "draw a matrix, vector or graph here, or as a picture in a file", (*Session).plot},
		{"output", "EXPRESSION FILE [SETTING]...", statementArg, true, "write a value, or the rows of a query, to a file, in the format of its ending: .csv, .tsv, .json, .md, .npy, .dot, .graphml, .svg or .txt", (*Session).output},
		{"mode", "[FORMAT] [SETTING]...", modeArg, false, "show results as table, json, csv, tsv or markdown; with sort=value, top=20, precision=2 or labels=no", (*Session).setMode},
		{"why", "EXPRESSION", statementArg, true, "prove an atom of a relation; explain has_path(A, i, j), tc, reach, desc, anc, dist, wpath or wdist by paths, an element by its equation, a name by what it was given", (*Session).why},
		{"reset", "", none, false, "forget everything", (*Session).resetAll},
		{"history", "", none, false, "list what was entered", (*Session).showHistory},
		{"quit", "", none, false, "leave; Ctrl-D does too", (*Session).quit},
	}
}

// named is the command of that name, or nil.
func named(name string) *command {
	list := commands()
	if i := slices.IndexFunc(list, func(c command) bool { return c.name == name }); i >= 0 {
		return &list[i]
	}
	return nil
}

// isCommand reports whether an entry is a command, not statements.
func isCommand(entry string) bool {
	name, _, ok := splitCommand(entry)
	return ok && name != "print"
}

var wordPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_]*`) })

// splitCommand splits ":name argument".
func splitCommand(entry string) (name, arg string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(entry), ":")
	if !ok {
		return "", "", false
	}
	name = wordPattern().FindString(rest)
	return name, strings.TrimSpace(rest[len(name):]), true
}

// meantCommand returns the command that an entry names without its colon, "" if it is none.
func meantCommand(entry string) string {
	word := strings.TrimSuffix(strings.TrimSpace(entry), "()")
	if word == "exit" {
		return "quit"
	}
	if named(word) != nil {
		return word
	}
	return ""
}

// command runs a command of the session, after a check of its argument that all commands share.
func (s *Session) command(ctx context.Context, entry string) Reply {
	name, arg, _ := splitCommand(entry)
	c := named(name)
	switch {
	case c == nil:
		return s.unknownCommand(name)
	case c.needs && arg == "":
		return failure("`:%s` needs an argument: `:%s %s`", name, name, c.args)
	case c.takes == none && arg != "":
		return failure("`:%s` takes no argument, found `%s`", name, words.Shorten(arg, 40))
	}
	return c.run(s, ctx, arg)
}

// unknownCommand refuses a command and suggests one with a similar name or, for a letter, those
// that begin with it.
func (s *Session) unknownCommand(name string) Reply {
	names := lists.Map(commands(), func(c command) string { return c.name })
	hint := "`:help` lists the commands."
	if name == "def" || name == "repeat" {
		hint = "`" + name + "` begins a statement, and has no colon."
	} else if near, ok := diag.Suggest(name, names); ok {
		hint = "Did you mean `:" + near + "`? " + hint
	} else if name != "" {
		var like []string
		for _, n := range names {
			if strings.HasPrefix(n, name) {
				like = append(like, "`:"+n+"`")
			}
		}
		if like != nil {
			hint = "Did you mean " + strings.Join(like, " or ") + "? " + hint
		}
	}
	return refusal("", "", fmt.Sprintf("there is no command `:%s`", name), hint)
}

// failure is the reply to a command that cannot be done.
func failure(format string, args ...any) Reply {
	return refusal("", "", fmt.Sprintf(format, args...), "")
}

// refusal is a reply about a file, or about nothing that has a place.
func refusal(code diag.Code, file, message, hint string) Reply {
	return (&state{}).refuse(diag.List{diag.Finding(code, diag.Error, file, 0, 0, message, hint)})
}

const helpText = `Type statements of Ein; a bare expression is computed and shown, and _ is its
value in the next entry. A statement goes on in the next line while a bracket is
open, or after an operator or a comma.

`

const helpKeys = `
Tab completes, Up and Down walk through the history, Ctrl-R searches it, and
Alt-Enter adds a line to an entry. Ctrl-C stops what is running or clears the
line, Ctrl-D leaves.
`

// help lists the commands or explains one of them; for any other word it is doc.
func (s *Session) help(ctx context.Context, arg string) Reply {
	if arg != "" {
		name := strings.TrimPrefix(arg, ":")
		c := named(name)
		if c == nil && name != arg {
			return s.unknownCommand(name)
		} else if c == nil {
			return s.doc(ctx, arg)
		}
		return Reply{Out: strings.TrimSpace(":"+name+" "+c.args) + "\n  " + c.help + "\n"}
	}
	rows := lists.Map(commands(), func(c command) []string { return []string{":" + c.name + " " + c.args, c.help} })
	return Reply{Out: helpText + strings.Join(table.Align("  ", rows), "") + helpKeys}
}

func (s *Session) resetAll(context.Context, string) Reply {
	s.reset()
	return Reply{Note: "everything is forgotten\n"}
}

func (s *Session) showHistory(context.Context, string) Reply {
	var b strings.Builder
	for i, h := range s.history[:len(s.history)-1] {
		fmt.Fprintf(&b, "%4d  %s\n", i+1, strings.ReplaceAll(h, "\n", "\n      "))
	}
	return Reply{Out: b.String()}
}

func (s *Session) quit(context.Context, string) Reply { return Reply{Quit: true} }
