// The extension starts the language server and shows what it says. What Ein knows
// of a program it knows in the server.
import { execFile } from "node:child_process";
import * as path from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import {
  LanguageClient,
  type LanguageClientOptions,
  type ServerOptions,
  type StaticFeature,
} from "vscode-languageclient/node";

let client: LanguageClient | undefined;
let output: vscode.OutputChannel;
let readme: vscode.Uri;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  // Results are no programs: the channel has no language.
  output = vscode.window.createOutputChannel("Ein");
  readme = vscode.Uri.joinPath(context.extensionUri, "readme.md"); // as the package has it
  context.subscriptions.push(
    output,
    vscode.commands.registerCommand("ein.runProgram", () => ask("ein.run")),
    vscode.commands.registerCommand("ein.costProgram", () => ask("ein.cost")),
    vscode.commands.registerCommand("ein.explainProgram", () => ask("ein.explain")),
    vscode.commands.registerCommand("ein.runStatementHere", () => ask("ein.runStatement", "here")),
    vscode.commands.registerCommand("ein.restartServer", restart),
    vscode.commands.registerCommand("ein.showOutput", () => output.show()),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration(async (e) => {
      if (e.affectsConfiguration("ein.path")) {
        await restart();
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await stop();
}

// ask has the server do something with the program in front of the user. Its
// commands are there once it runs.
async function ask(command: string, here?: "here"): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId !== "ein") {
    await vscode.window.showInformationMessage("Open a program in Ein first.");
  } else if (client === undefined) {
    await start();
  } else {
    const { line, character } = editor.selection.active;
    await vscode.commands.executeCommand(command, editor.document.uri.toString(), ...(here ? [{ line, character }] : []));
  }
}

async function restart(): Promise<void> {
  await stop();
  await start();
}

async function stop(): Promise<void> {
  const old = client;
  client = undefined;
  await old?.dispose();
}

async function start(): Promise<void> {
  const command = vscode.workspace.getConfiguration("ein").get<string>("path") || "ein";
  try {
    await promisify(execFile)(command, ["version"]);
  } catch (e) {
    void missing(command, e);
    return;
  }
  const server: ServerOptions = { command, args: ["lsp"] };
  const options: LanguageClientOptions = {
    documentSelector: ["file", "untitled"].map((scheme) => ({ scheme, language: "ein" })),
    // Until the server has asked for the settings, which it does at once.
    initializationOptions: {
      inputs: vscode.workspace.getConfiguration("ein").get("inputs"),
      profile: vscode.workspace.getConfiguration("ein").get("profile"),
      trusted: vscode.workspace.isTrusted,
    },
    middleware: {
      // What a lens or a menu runs answers with a text to show. What other commands do
      // shows in the program.
      executeCommand: async (name, args, next) => {
        const result: unknown = await next(name, args);
        if (typeof result === "string" && !["ein.runStatement", "ein.bind"].includes(name)) {
          output.appendLine(`${title(name, args)}\n${result}`);
          output.show(true);
        }
        return result;
      },
    },
  };
  client = new LanguageClient("ein", "Ein", server, options);
  client.registerFeature(showsResults);
  try {
    await client.start();
  } catch {
    client = undefined; // which has told the user
  }
}

// missing says that there is no server to start, and how to get one.
async function missing(command: string, reason: unknown): Promise<void> {
  const [how, settings] = ["How to install it", "Open the settings"];
  const code = (reason as NodeJS.ErrnoException).code;
  const choice = await vscode.window.showErrorMessage(
    `Ein needs its command to check and run programs, and "${command}" ` +
      (code === "ENOENT" ? "is not found." : `cannot be run: ${reason instanceof Error ? reason.message : String(reason)}`),
    how,
    settings,
  );
  if (choice === how) {
    await vscode.commands.executeCommand("markdown.showPreview", readme);
  } else if (choice === settings) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "ein.path");
  }
}

// showsResults tells the server that it need not show the output of a command.
const showsResults: StaticFeature = {
  fillClientCapabilities: (capabilities) => {
    capabilities.experimental = { ...capabilities.experimental, ein: { commandResults: true } };
  },
  initialize: () => {},
  getState: () => ({ kind: "static" }),
  clear: () => {},
};

// title is a line that tells one output from the next.
function title(name: string, args: unknown[]): string {
  const uri = args.find((a): a is string => typeof a === "string");
  const file = uri === undefined ? "" : " " + path.basename(vscode.Uri.parse(uri).path);
  return `> ${name.replace(".", " ")}${file}`;
}
