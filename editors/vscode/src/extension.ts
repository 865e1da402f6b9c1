// The extension starts the language server and shows what it says. What Ein knows
// of a program it knows in the server.
import * as path from "node:path";
import * as vscode from "vscode";
import {
  LanguageClient,
  type LanguageClientOptions,
  type ServerOptions,
  type StaticFeature,
} from "vscode-languageclient/node";

let client: LanguageClient | undefined;
let output: vscode.OutputChannel;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  output = vscode.window.createOutputChannel("Ein", "ein");
  context.subscriptions.push(
    output,
    vscode.commands.registerCommand("ein.restartServer", restart),
    vscode.commands.registerCommand("ein.showOutput", () => output.show()),
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
  const server: ServerOptions = { command, args: ["lsp"] };
  const options: LanguageClientOptions = {
    documentSelector: [{ language: "ein" }],
    // Until the server has asked for the settings, which it does at once.
    initializationOptions: {
      inputs: vscode.workspace.getConfiguration("ein").get("inputs"),
      profile: vscode.workspace.getConfiguration("ein").get("profile"),
      trusted: vscode.workspace.isTrusted,
    },
    middleware: {
      // What a lens or a menu runs answers with a text to show.
      executeCommand: async (name, args, next) => {
        const result: unknown = await next(name, args);
        if (typeof result === "string") {
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
  } catch (e) {
    client = undefined;
    const settings = "Open the settings";
    const choice = await vscode.window.showErrorMessage(
      `The language server of Ein cannot be started with "${command}": ${e instanceof Error ? e.message : String(e)}. ` +
        "The setting ein.path says where the command is.",
      settings,
    );
    if (choice === settings) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "ein.path");
    }
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
