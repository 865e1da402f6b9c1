package language

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ein/docs"
	"ein/internal/version"
	"ein/lang"
	"ein/lang/describe"
	"ein/lang/diag"

	"ein/cmd/ein/internal/cli"
)

func versionVerb(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version and build of ein",
		Example: "  ein version",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return a.Fail(a.Print(version.Line(lang.Version) + "\n")) },
	}
}

func completionVerb(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a shell completion script",
		Long:  "Prints a script that lets a shell complete the verbs, flags, files, functions and\ndiagnostic codes of ein. In bash it needs the package bash-completion.",
		Example: `  source <(ein completion bash)
  ein completion zsh > "${fpath[1]}/_ein"
  ein completion fish > ~/.config/fish/completions/ein.fish`,
		Args:                  cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs:             []string{"bash", "zsh", "fish", "powershell"},
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			return a.Fail(a.Write("-", func(w io.Writer) error {
				switch args[0] {
				case "bash":
					return root.GenBashCompletionV2(w, true)
				case "zsh":
					var b bytes.Buffer
					if err := root.GenZshCompletion(&b); err != nil {
						return err
					}
					// The file of NAME=FILE begins behind the sign.
					_, err := w.Write(bytes.Replace(b.Bytes(), []byte("_arguments '*:filename:_files'"), []byte("compset -P '[A-Za-z_]*='; _arguments '*:filename:_files'"), 1))
					return err
				case "fish":
					return root.GenFishCompletion(w, true)
				}
				return root.GenPowerShellCompletionWithDesc(w)
			}))
		},
	}
}

// programFiles completes the one program of a verb.
func programFiles(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"ein", "einc"}, cobra.ShellCompDirectiveFilterFileExt
}

// sources completes any number of programs.
func sources(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"ein"}, cobra.ShellCompDirectiveFilterFileExt
}

// codesOrFiles completes the argument of explain: a code if it begins like one, else a file.
func codesOrFiles(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	var codes []string
	for _, c := range diag.Codes() {
		if prefix != "" && len(args) == 0 && strings.HasPrefix(string(c), strings.ToUpper(prefix)) {
			codes = append(codes, string(c)+"\t"+c.Title())
		}
	}
	if len(codes) > 0 {
		return codes, cobra.ShellCompDirectiveNoFileComp
	}
	return programFiles(cmd, args, prefix)
}

// functionNames completes the argument of doc.
func functionNames(_ *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, f := range describe.Functions() {
		if len(args) == 0 && strings.HasPrefix(f.Name, prefix) {
			names = append(names, f.Name+"\t"+f.Doc)
		}
	}
	for _, topic := range docs.Topics() {
		if len(args) == 0 && prefix != "" && strings.HasPrefix(strings.ToLower(topic), prefix) {
			names = append(names, strings.ToLower(topic))
		}
	}
	slices.Sort(names)
	return names, cobra.ShellCompDirectiveNoFileComp
}
