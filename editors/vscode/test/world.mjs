// The packaged extension in a real Visual Studio Code: its server, as the npm package
// code-server has it, and a headless Chromium. Arguments: the folder with both
// packages, the browser, the command ein, an empty folder.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const [world, browserPath, command, dir] = process.argv.slice(2);
const { chromium } = createRequire(path.join(world, "package.json"))("playwright-core");
const main = path.join(world, "node_modules/code-server/lib/vscode/out/server-main.js");
const vsix = fileURLToPath(new URL("../dist/ein.vsix", import.meta.url));
const at = (name) => path.join(dir, name);
const common = ["--accept-server-license-terms", "--server-data-dir", at("data"), "--extensions-dir", at("extensions")];

for (const d of ["work/.vscode", "data/data/User"]) {
  mkdirSync(at(d), { recursive: true });
}
const settings = (path) => writeFileSync(at("work/.vscode/settings.json"), JSON.stringify({ "ein.path": path }));
settings("ein-that-is-not-there");
const program = `// Who controls whom?
Owns = edges([["holding","north"],["north","harbor"]])
Controls = reach(Owns, "holding")
Count = sum(Controls)
:print Controls, Count
`;
writeFileSync(at("work/owners.ein"), program);
writeFileSync(at("work/flow.ein"), "input Flow: graph\n:print sum(Flow)\n");
writeFileSync(at("work/flow.csv"), "a,b\nb,c\n");

execFileSync("node", [main, ...common, "--install-extension", vsix], { stdio: ["ignore", "ignore", "ignore"] });
const server = spawn("node", [main, ...common, "--host", "127.0.0.1", "--port", "0", "--without-connection-token",
  "--telemetry-level", "off", "--disable-workspace-trust"]);
const port = await new Promise((resolve, reject) => {
  let said = "";
  server.stdout.on("data", (b) => {
    const m = /agent listening on (\d+)/.exec((said += b));
    if (m) {
      resolve(m[1]);
    }
  });
  server.on("exit", (code) => reject(new Error(`the server of VS Code exits with ${code}: ${said}`)));
});
const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1300, height: 1400 } });
page.setDefaultTimeout(120_000);

const step = (what) => console.log(`${process.uptime().toFixed(1)}s ${what}`);
const press = (key) => page.keyboard.press(key);
// palette runs a command by its title.
const palette = async (title) => {
  await press("F1");
  await page.locator(".quick-input-widget input.input").fill(`>${title}`);
  await page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first().click();
};
// shown waits until the output has a text.
const shown = (text) => page.locator(".output-view .view-lines", { hasText: text }).waitFor();
// problems is the count in the status bar.
const problems = (label) => page.locator(`#status\\.problems a[aria-label="${label}"]`).waitFor();

try {
  await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(at("work"))}`);
  await page.locator(".explorer-folders-view .monaco-list-row", { hasText: "owners.ein" }).dblclick();

  step("without the command: one message, which leads to how to get it");
  const toast = page.locator(".notification-toast", { hasText: '"ein-that-is-not-there" is not found' });
  await toast.waitFor();
  await page.waitForTimeout(2000); // for a second one, which there must not be
  assert.equal(await page.locator(".notification-toast").count(), 1);
  await toast.getByText("How to install it").click();
  await page.frameLocator("iframe.webview.ready").first().frameLocator("iframe").getByText("Install the command").waitFor();
  await page.locator(".tab", { hasText: "owners.ein" }).click();

  step("with it: the lenses, and Run");
  settings(command);
  const lens = page.locator(".codelens-decoration a");
  await lens.getByText("Run", { exact: true }).click();
  await shown("Count = 3");

  step("results are not checked as programs");
  await lens.getByText("Explain", { exact: true }).click();
  await shown("outputs");
  await page.waitForTimeout(2000); // longer than the server waits after a change
  await problems("No Problems");

  step("the palette and the key");
  await page.locator(".editor-instance .view-lines").first().click();
  await palette("View: Clear Output");
  await palette("Ein: Cost");
  await shown("ein cost owners.ein");
  await page.locator(".editor-instance .view-lines").first().click();
  await press("Control+Shift+Enter");
  await shown("ein run owners.ein");

  step("the value of a statement behind it");
  await page.locator(".view-line", { hasText: "Count" }).first().click();
  await press("Control+Enter");
  await page.locator(".view-line", { hasText: "sum(Controls) = 3" }).waitFor();

  step("the definition of a function of the language");
  await page.locator(".view-line span", { hasText: /^reach$/ }).first().click();
  await press("F12");
  await page.locator(".tab.active", { hasText: "functions.md" }).waitFor();
  await page.locator(".view-line", { hasText: "reach(A, i)" }).first().waitFor();
  await page.locator(".tab", { hasText: "owners.ein" }).click();
  await page.locator(".view-line", { hasText: "Count" }).first().click();

  step("an input is bound");
  await page.locator(".explorer-folders-view .monaco-list-row", { hasText: "flow.ein" }).dblclick();
  await page.locator(".tab.active", { hasText: "flow.ein" }).waitFor();
  await page.locator(".view-line span", { hasText: /^Flow$/ }).first().click();
  await press("Control+.");
  await page.locator(".action-widget .monaco-list-row", { hasText: "bind `Flow` to flow.csv in ein.toml" }).waitFor();
  await press("Enter"); // it is the first
  await page.locator(".explorer-folders-view .monaco-list-row", { hasText: "ein.toml" }).waitFor();
  await press("Control+Shift+Enter");
  await shown("sum(Flow) = 2");
  await page.locator(".tab", { hasText: "owners.ein" }).click();

  step("an error is a problem");
  await press("Control+End");
  await page.keyboard.type("X = rech(Owns, 0)");
  await problems("Errors: 1");

  step("and none once the program is closed");
  await press("Control+S");
  await palette("View: Close All Editors");
  await problems("No Problems");
} catch (e) {
  await page.screenshot({ path: at("failed.png") });
  throw e;
} finally {
  await browser.close();
  server.removeAllListeners("exit");
  server.kill();
}
