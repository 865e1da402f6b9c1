// The grammar, run by the engine of the editor: against the lexer of the language on
// real programs, and against the scopes expected of one of each kind.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import test from "node:test";

const require = createRequire(import.meta.url);
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

const here = new URL(".", import.meta.url);
const wasm = await readFile(require.resolve("vscode-oniguruma/release/onig.wasm"));
await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (s) => new oniguruma.OnigString(s),
  }),
  loadGrammar: async (scope) => {
    const files = { "source.ein": "../syntaxes/ein.tmLanguage.json", "markdown.ein.codeblock": "../syntaxes/markdown.tmLanguage.json" };
    if (!(scope in files)) {
      return null;
    }
    return textmate.parseRawGrammar(await readFile(new URL(files[scope], here), "utf8"), files[scope]);
  },
});
const grammar = await registry.loadGrammar("source.ein");

// pieces gives the text in pieces with their innermost scopes.
function pieces(text) {
  const list = [];
  let stack = textmate.INITIAL;
  let offset = 0;
  for (const line of text.split("\n")) {
    const { tokens, ruleStack, stoppedEarly } = grammar.tokenizeLine(line, stack);
    assert.equal(stoppedEarly, false);
    for (const t of tokens) {
      list.push({ start: offset + t.startIndex, end: offset + Math.min(t.endIndex, line.length), scopes: t.scopes });
    }
    stack = ruleStack;
    offset += line.length + 1;
  }
  return list;
}

// What the lexer calls a kind begins with one of these.
const prefixes = {
  comment: ["comment."],
  string: ["string."],
  number: ["constant.numeric", "invalid.illegal.number"],
};

const samples = JSON.parse(await readFile(new URL("tokens.json", here), "utf8"));
for (const sample of samples) {
  test(`the lexer agrees on ${sample.name}`, () => {
    const want = new Array(sample.text.length).fill("");
    for (const t of sample.tokens) {
      want.fill(t.kind, t.start, t.end);
    }
    for (const p of pieces(sample.text)) {
      for (let i = p.start; i < p.end; i++) {
        const kind = Object.keys(prefixes).find((k) => p.scopes.some((s) => prefixes[k].some((x) => s.startsWith(x)))) ?? "";
        assert.equal(kind, want[i], `${sample.name}: offset ${i}: ${JSON.stringify(sample.text.slice(p.start, p.end))} is ${p.scopes.at(-1)}`);
      }
    }
  });
}

test("scopes", async () => {
  const text = await readFile(new URL("samples/kinds.ein", here), "utf8");
  const got = pieces(text)
    .filter((p) => p.end > p.start && text.slice(p.start, p.end).trim() !== "" && p.scopes.length > 1)
    .map((p) => `${JSON.stringify(text.slice(p.start, p.end))}  ${p.scopes.slice(1).join(" ")}`)
    .join("\n") + "\n";
  const golden = new URL("kinds.golden", here);
  if (process.env.UPDATE) {
    await writeFile(golden, got);
  }
  assert.equal(got, await readFile(golden, "utf8"), "UPDATE=1 npm test rewrites it");
});

test("the package names what is there", async () => {
  const pkg = JSON.parse(await readFile(new URL("../package.json", here), "utf8"));
  const files = [
    pkg.main,
    ...pkg.contributes.languages.map((l) => l.configuration),
    ...pkg.contributes.grammars.map((g) => g.path),
    ...pkg.contributes.snippets.map((s) => s.path),
  ];
  for (const f of files) {
    await readFile(new URL("../" + f, here));
  }
  for (const f of files.filter((f) => f.endsWith(".json"))) {
    JSON.parse(await readFile(new URL("../" + f, here), "utf8"));
  }
  const source = await readFile(new URL("../src/extension.ts", here), "utf8");
  for (const c of pkg.contributes.commands) {
    assert.ok(source.includes(`"${c.command}"`), `${c.command} has no code`);
  }
});
