// The server, spoken to in the words of the protocol library that the editor's client
// is made of: what the extension relies on.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import test from "node:test";

const require = createRequire(import.meta.url);
const protocol = require("vscode-languageserver-protocol/node");

const here = fileURLToPath(new URL(".", import.meta.url));
const extension = JSON.parse(readFileSync(path.join(here, "..", "package.json"), "utf8"));
const dir = mkdtempSync(path.join(tmpdir(), "ein-vscode-"));
const command = path.join(dir, process.platform === "win32" ? "ein.exe" : "ein");
test.after(() => rmSync(dir, { recursive: true, force: true }));
execFileSync("go", ["build", "-o", command, "./cmd/ein"], { cwd: path.join(here, "..", "..", ".."), stdio: "inherit" });

// settings is the section of the extension as the editor sends it: with every key.
const settings = { path: command, inputs: {}, profile: "full", trace: { server: "off" } };

// connected calls do with a connection to an initialized server and what it has sent.
async function connected(capabilities, work) {
  const server = spawn(command, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = new Promise((resolve) => server.on("exit", resolve));
  const connection = protocol.createProtocolConnection(
    new protocol.StreamMessageReader(server.stdout),
    new protocol.StreamMessageWriter(server.stdin),
  );
  const messages = [];
  const diagnostics = [];
  let wake = () => {};
  connection.onNotification(protocol.ShowMessageNotification.type, (m) => messages.push(m.message));
  connection.onNotification(protocol.PublishDiagnosticsNotification.type, (p) => {
    diagnostics.push(p);
    wake();
  });
  const asked = new Promise((resolve) => {
    connection.onRequest(protocol.ConfigurationRequest.type, (p) => {
      resolve(p);
      return p.items.map(() => settings);
    });
  });
  connection.onRequest(protocol.RegistrationRequest.type, () => {});
  connection.listen();
  const published = async (version) => {
    for (;;) {
      const found = diagnostics.find((p) => p.version === version);
      if (found) {
        return found.diagnostics;
      }
      await new Promise((resolve) => (wake = resolve));
    }
  };
  const { capabilities: can } = await connection.sendRequest(protocol.InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    workspaceFolders: null,
    capabilities,
    initializationOptions: { inputs: settings.inputs, profile: settings.profile },
  });
  await connection.sendNotification(protocol.InitializedNotification.type, {});
  await work({ connection, can, messages, published, asked });
  await connection.sendRequest(protocol.ShutdownRequest.type);
  await connection.sendNotification(protocol.ExitNotification.type);
  assert.equal(await exited, 0);
  connection.dispose();
}

const client = {
  workspace: { configuration: true, didChangeConfiguration: { dynamicRegistration: true } },
  textDocument: {
    publishDiagnostics: { versionSupport: true },
    completion: { completionItem: { snippetSupport: true } },
    codeLens: { dynamicRegistration: true },
  },
};

const uri = pathToFileURL(path.join(dir, "program.ein")).toString();
const textDocument = { uri };

function open(connection, text) {
  return connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "ein", version: 1, text },
  });
}

test("the commands of the server are not those of the extension", async () => {
  await connected(client, async ({ can }) => {
    const own = extension.contributes.commands.map((c) => c.command);
    for (const c of can.executeCommandProvider.commands) {
      assert.ok(!own.includes(c), `${c} is registered twice`);
    }
  });
});

test("the settings of the extension are those of the server", async () => {
  const keys = Object.keys(extension.contributes.configuration.properties);
  assert.deepEqual(keys.sort(), ["ein.inputs", "ein.path", "ein.profile", "ein.trace.server"]);
  await connected(client, async ({ connection, messages, asked, published }) => {
    assert.equal((await asked).items[0].section, "ein");
    await open(connection, "A = 1\n");
    await published(1);
    assert.deepEqual(messages, []);
  });
});

test("diagnostics, completion, and a lens that is run", async () => {
  const capabilities = { ...client, experimental: { ein: { commandResults: true } } };
  await connected(capabilities, async ({ connection, messages, published }) => {
    await open(connection, "Graph = edges([[0, 1], [1, 2]], 3)\nN = sum(Grap)\n");
    const [wrong] = await published(1);
    assert.equal(wrong.code, "E0201");
    await connection.sendNotification(protocol.DidChangeTextDocumentNotification.type, {
      textDocument: { uri, version: 2 },
      contentChanges: [{ range: { start: { line: 1, character: 12 }, end: { line: 1, character: 12 } }, text: "h" }],
    });
    assert.deepEqual(await published(2), []);
    const list = await connection.sendRequest(protocol.CompletionRequest.type, { textDocument, position: { line: 1, character: 12 } });
    assert.equal(list.items[0].label, "Graph");
    const lenses = await connection.sendRequest(protocol.CodeLensRequest.type, { textDocument });
    assert.deepEqual(lenses.map((l) => l.command.command), ["ein.run", "ein.cost", "ein.explain"]);
    for (const { command } of lenses) {
      const text = await connection.sendRequest(protocol.ExecuteCommandRequest.type, command);
      assert.equal(typeof text, "string"); // which is what the extension shows
      if (command.command === "ein.run") {
        assert.match(text, /N/);
        assert.match(text, /2/);
      }
    }
    const page = await connection.sendRequest(protocol.ExecuteCommandRequest.type, { command: "ein.explainCode", arguments: ["E0201"] });
    assert.match(page, /E0201/);
    assert.deepEqual(messages, []); // and is not shown twice
  });
});

test("a client that shows no results is shown them", async () => {
  await connected(client, async ({ connection, messages, published }) => {
    await open(connection, "N = 1 + 1\n");
    await published(1);
    const shown = new Promise((resolve) => connection.onNotification(protocol.ShowMessageNotification.type, (m) => resolve(m.message)));
    const text = await connection.sendRequest(protocol.ExecuteCommandRequest.type, { command: "ein.run", arguments: [uri] });
    assert.equal(await shown, text.trim());
    assert.deepEqual(messages, []);
  });
});
