// The page of a report in a headless Chromium. Arguments: the folder with
// playwright-core, the browser, the page.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [world, executablePath, file] = process.argv.slice(2);
const { chromium } = createRequire(path.join(world, "package.json"))("playwright-core");
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
page.setDefaultTimeout(30_000);
const failures = [];
page.on("pageerror", (e) => failures.push(e.message));
page.on("console", (m) => m.type() === "error" && failures.push(m.text()));
await page.goto(pathToFileURL(file).href);

const levels = page.getByRole("region", { name: "Accuracy by level", exact: true });
const rows = levels.locator("tbody tr");
const count = await rows.count();
const column = (n) => rows.evaluateAll((list, n) => list.map((r) => r.cells[n].getAttribute("data-v")).filter((v) => v !== null).map(Number), n);
const names = () => rows.evaluateAll((list) => list.map((r) => r.cells[0].textContent));

// A click on a heading sorts, another one the other way.
const heading = levels.locator("thead th").nth(1);
await heading.getByRole("button").click();
const down = await column(1);
assert.equal(await heading.getAttribute("aria-sort"), "descending");
assert.deepEqual(down, [...down].sort((a, b) => b - a));
assert.ok(new Set(down).size > 1);
await heading.getByRole("button").click();
assert.equal(await heading.getAttribute("aria-sort"), "ascending");
assert.deepEqual(await column(1), [...down].sort((a, b) => a - b));

// Words hide the other rows, and groups fold.
const find = page.getByRole("searchbox", { name: "Rows of Accuracy by level", exact: true });
await find.fill("thinking");
assert.ok((await names()).length > 0 && (await names()).every((n) => n.includes("thinking")), String(await names()));
await find.fill("");
assert.equal(await rows.count(), count);
await page.getByRole("combobox", { name: "Groups of Accuracy by level", exact: true }).selectOption({ index: 1 });
const groups = levels.locator("tr.group button");
const all = await rows.count();
await groups.first().click();
assert.equal(await groups.first().getAttribute("aria-expanded"), "false");
assert.ok((await rows.count()) < all);

// A value that is pointed at says more: digits, interval, n.
const cell = levels.locator("td[data-v]").first();
assert.match(await cell.getAttribute("title"), /\d.*n = \d+/s);
await cell.hover();
assert.match(await page.locator("figure svg.wide path title").first().textContent(), /: .*\d/);

// Two models on one question.
const pick = (name, value) => page.locator(`#f-${name}`).selectOption(value);
const arms = (await page.locator("#f-arm option").evaluateAll((list) => list.map((o) => o.value))).filter((v) => v.includes("direct"));
await pick("arm", arms[0]);
await pick("versus", arms[1]);
await pick("pair", "A wrong, B right");
const items = page.locator("#list details.item");
assert.ok((await items.count()) > 0);
for (const item of await items.all()) {
  assert.deepEqual(await item.locator("summary .tag").evaluateAll((list) => list.map((t) => t.classList.contains("right"))), [false, true]);
}
assert.equal(await page.locator("summary a, summary button").count(), 0);
await items.first().locator("summary").click();
// The body is made by the event toggle, which comes after the click.
const replies = items.first().getByText("Reply (finish:");
await replies.nth(1).waitFor();
assert.equal(await replies.count(), 2);
const link = await items.first().locator("a.permalink").getAttribute("href");
await page.goto(pathToFileURL(file).href + link);
await page.reload();
assert.equal(await items.count(), 1);
assert.ok(await items.first().evaluate((e) => e.open));

// On a telephone the page does not scroll sideways; tables do, and say so.
for (const width of [390, 320]) {
  await page.setViewportSize({ width, height: 844 });
  await page.goto(pathToFileURL(file).href);
  const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide[0] <= wide[1], `at ${width} px the page is ${wide[0]} wide`);
  const outside = await page.evaluate(() => [...document.querySelectorAll("main *")].filter((e) => !e.closest(".scroll") && e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 120)));
  assert.deepEqual(outside, []);
  assert.ok(await levels.evaluate((e) => e.scrollWidth > e.clientWidth));
  assert.ok(await levels.evaluate((e) => e.nextElementSibling.className === "cut" && e.nextElementSibling.checkVisibility()));
  assert.ok(await page.locator("figure svg.narrow").first().isVisible());
}
assert.deepEqual(failures, []);
await browser.close();
