package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ein/lang/describe"
	"ein/lang/diag"
)

var shells = []string{"bash", "zsh", "fish", "powershell"}

func (a *app) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print the completion script of a shell",
		Long:  "Prints a script that makes a shell complete verbs, flags, files, functions and\ncodes after ein.",
		Example: `  source <(ein completion bash)
  ein completion zsh > "${fpath[1]}/_ein"
  ein completion fish > ~/.config/fish/completions/ein.fish`,
		Args:                  cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs:             shells,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return a.wrote(root.GenBashCompletionV2(a.out, true))
			case "zsh":
				return a.wrote(root.GenZshCompletion(a.out))
			case "fish":
				return a.wrote(root.GenFishCompletion(a.out, true))
			}
			return a.wrote(root.GenPowerShellCompletionWithDesc(a.out))
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

// codesOrFiles completes the argument of explain: what begins like a code is
// one.
func codesOrFiles(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	var codes []string
	for _, c := range diag.Codes() {
		if prefix != "" && len(args) == 0 && strings.HasPrefix(string(c), strings.ToUpper(prefix)) {
			title := c.Title()
			codes = append(codes, string(c)+"\t"+title)
		}
	}
	if len(codes) > 0 {
		return codes, cobra.ShellCompDirectiveNoFileComp
	}
	return programFiles(cmd, args, prefix)
}

// functionNames completes the argument of doc.
func functionNames(_ *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, f := range describe.Functions() {
		if strings.HasPrefix(f.Name, prefix) {
			names = append(names, f.Name+"\t"+f.Doc)
		}
	}
	slices.Sort(names)
	return names, cobra.ShellCompDirectiveNoFileComp
}
