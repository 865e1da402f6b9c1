"use strict";
(() => {
  const $ = id => document.getElementById(id);
  const make = (tag, cls, text) => {
    const e = document.createElement(tag);
    if (cls) e.className = cls;
    if (text !== undefined) e.textContent = text;
    return e;
  };

  // The theme: that of the system until it is chosen.
  const root = document.documentElement, theme = $("theme");
  const themes = ["auto", "light", "dark"];
  const setTheme = t => {
    if (t === "auto") root.removeAttribute("data-theme"); else root.setAttribute("data-theme", t);
    theme.textContent = "Theme: " + t;
  };
  let chosen = "auto";
  try { chosen = localStorage.getItem("ein-report-theme") || "auto"; } catch (e) { /* not allowed for files in some browsers */ }
  if (!themes.includes(chosen)) chosen = "auto";
  setTheme(chosen);
  theme.hidden = false;
  theme.addEventListener("click", () => {
    chosen = themes[(themes.indexOf(chosen) + 1) % themes.length];
    setTheme(chosen);
    try { localStorage.setItem("ein-report-theme", chosen); } catch (e) { /* as above */ }
  });

  // Tables are sorted by a click on a heading; what is missing stays last. Above each one,
  // rows are chosen by their words and put into groups that fold, and it is saved as CSV.
  const option = (select, value, text) => {
    const o = make("option", "", text === undefined ? value : text);
    o.value = value;
    select.append(o);
  };
  const button = (text, click) => {
    const b = make("button", "", text);
    b.type = "button";
    b.addEventListener("click", click);
    return b;
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0], rows = [...body.rows];
    const words = row => [...row.cells].filter(c => c.tagName === "TH").map(c => c.textContent).join(" ").toLowerCase();
    const find = make("input"), by = make("select"), folded = new Set();
    let order = rows;
    // Hidden are rows whose words are not wanted, and those of a folded group.
    const lay = () => {
      const wanted = find.value.toLowerCase().split(",").map(w => w.trim()).filter(w => w);
      const shown = order.filter(row => wanted.length === 0 || wanted.some(w => words(row).includes(w)));
      if (by.value === "") return body.replaceChildren(...shown);
      const groups = new Map();
      for (const row of shown) {
        const k = row.cells[Number(by.value)].textContent;
        if (!groups.has(k)) groups.set(k, []);
        groups.get(k).push(row);
      }
      body.replaceChildren();
      for (const [k, list] of groups) {
        const head = make("tr", "group"), th = make("th"), closed = folded.has(k);
        th.colSpan = heads.length;
        const b = button((closed ? "▸ " : "▾ ") + k + " (" + list.length + ")", () => { closed ? folded.delete(k) : folded.add(k); lay(); });
        b.setAttribute("aria-expanded", String(!closed));
        th.append(b);
        head.append(th);
        body.append(head, ...(closed ? [] : list));
      }
    };
    heads.forEach((th, column) => {
      const b = button("", () => {
        const up = th.getAttribute("aria-sort") === "descending" || (!th.hasAttribute("aria-sort") && th.classList.contains("key"));
        heads.forEach(h => h.removeAttribute("aria-sort"));
        th.setAttribute("aria-sort", up ? "ascending" : "descending");
        const key = row => {
          const cell = row.cells[column], v = cell.getAttribute("data-v");
          return cell.tagName === "TH" ? cell.textContent : v === null ? null : Number(v);
        };
        const keyed = rows.map((row, i) => ({ row, i, k: key(row) }));
        keyed.sort((a, b) => {
          if (a.k === null || b.k === null) return (a.k === null) - (b.k === null) || a.i - b.i;
          const c = typeof a.k === "string" ? a.k.localeCompare(b.k) : a.k - b.k;
          return (up ? c : -c) || a.i - b.i;
        });
        order = keyed.map(r => r.row);
        lay();
      });
      b.append(...th.childNodes);
      th.append(b);
    });
    const region = table.parentElement, tools = make("div", "tools"), title = region.getAttribute("aria-label");
    if (rows.length > 2) {
      find.type = "search";
      find.placeholder = "rows with these words, …";
      find.setAttribute("aria-label", "Rows of " + title);
      find.addEventListener("input", lay);
      by.setAttribute("aria-label", "Groups of " + title);
      option(by, "", "no groups");
      heads.forEach((th, i) => { if (th.classList.contains("key")) option(by, String(i), "by " + th.textContent); });
      by.addEventListener("change", lay);
      tools.append(find, by);
    }
    tools.append(button("CSV", () => {
      const text = s => /[",\n]/.test(s) ? '"' + s.replaceAll('"', '""') + '"' : s;
      const plain = s => text(/^[=+\-@\t\r]/.test(s) ? "'" + s : s); // or a spreadsheet would run it
      const parts = ["", "-low", "-high", "-n"];
      const lines = [heads.flatMap(th => th.classList.contains("key") ? [plain(th.textContent)] : parts.map(p => plain((th.getAttribute("data-id") || th.textContent) + p.replace("-", "_"))))];
      for (const row of body.rows) {
        if (row.className === "group") continue;
        lines.push([...row.cells].flatMap(c => c.tagName === "TH" ? [plain(c.textContent)] : ["data-v", "data-low", "data-high", "data-n"].map(a => c.getAttribute(a) || "")));
      }
      const a = make("a");
      a.href = URL.createObjectURL(new Blob([lines.map(l => l.join(",") + "\n").join("")], { type: "text/csv" }));
      a.download = title.replace(/[^A-Za-z0-9]+/g, "-").toLowerCase() + ".csv";
      a.click();
      setTimeout(() => URL.revokeObjectURL(a.href), 1000);
    }));
    region.before(tools);
    const cut = make("p", "cut", "The table goes on to the right →");
    region.after(cut);
    const measure = () => { cut.hidden = region.scrollLeft + region.clientWidth >= region.scrollWidth - 2; };
    region.addEventListener("scroll", measure, { passive: true });
    new ResizeObserver(measure).observe(region);
    measure();
  }

  // The browser of replies.
  const source = $("data");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  const filters = ["arm", "mode", "level", "category", "outcome"];
  const of = {
    arm: r => data.arms[r.arm],
    mode: r => data.modes[r.arm],
    level: r => data.instances[r.instance].level,
    category: r => data.instances[r.instance].category,
    outcome: r => r.outcome,
  };
  for (const f of filters) {
    const counts = new Map();
    for (const r of data.replies) counts.set(of[f](r), (counts.get(of[f](r)) || 0) + 1);
    const names = f === "arm" ? data.arms : [...counts.keys()].sort();
    for (const n of names) option($("f-" + f), n, n + " (" + (counts.get(n) || 0) + ")");
  }
  data.arms.forEach(n => option($("f-versus"), n));
  const relations = { "A right, B wrong": (a, b) => a && !b, "A wrong, B right": (a, b) => !a && b, "they differ": (a, b) => a !== b, "both right": (a, b) => a && b, "both wrong": (a, b) => !a && !b };
  Object.keys(relations).forEach(n => option($("f-pair"), n));
  const orders = {
    "by category": (a, b) => of.category(a).localeCompare(of.category(b)),
    "longest reply first": (a, b) => b.reply.length - a.reply.length,
    "most tokens first": (a, b) => b.tokens[1] - a.tokens[1],
    "wrong first": (a, b) => a.right - b.right,
    "right first": (a, b) => b.right - a.right,
    "by nodes": (a, b) => data.instances[a.instance].n - data.instances[b.instance].n,
  };
  Object.keys(orders).forEach(n => option($("f-sort"), n));
  // The reply of an arm to the question, and sample, of another.
  const asked = r => r.arm + "\n" + data.instances[r.instance].base + "\n" + (r.sample || 0);
  const byAsked = new Map(data.replies.map(r => [asked(r), r]));
  const beside = (r, arm) => byAsked.get(asked({ arm, instance: r.instance, sample: r.sample }));
  const list = $("list"), status = $("count"), more = $("more");
  const page = 50;
  let found = [], shown = 0, versus = -1;
  // What is searched is put together once, when it is first needed.
  const texts = new Array(data.replies.length);
  const text = i => {
    if (texts[i] === undefined) {
      const r = data.replies[i], q = data.instances[r.instance];
      texts[i] = [q.id, q.category, q.question, q.answer, r.reply, r.answer, r.why || "", r.message || ""].join("\n").toLowerCase();
    }
    return texts[i];
  };
  const search = () => {
    const words = $("f-text").value.toLowerCase().split(/\s+/).filter(w => w);
    const want = filters.map(f => [f, $("f-" + f).value]).filter(w => w[1] !== "");
    versus = $("f-arm").value === "" ? -1 : data.arms.indexOf($("f-versus").value);
    $("f-versus").disabled = $("f-arm").value === "";
    $("f-pair").disabled = versus < 0;
    const related = relations[$("f-pair").value];
    found = [];
    data.replies.forEach((r, i) => {
      if (!want.every(([f, v]) => of[f](r) === v) || !words.every(w => text(i).includes(w))) return;
      if (versus >= 0) {
        const other = beside(r, versus);
        if (!other || related && !related(r.right, other.right)) return;
      }
      found.push(r);
    });
    if (orders[$("f-sort").value]) found.sort(orders[$("f-sort").value]);
    reset();
  };
  const reset = () => {
    shown = 0;
    list.replaceChildren();
    show();
  };
  const show = () => {
    const next = found.slice(shown, shown + page);
    list.append(...next.map(entry));
    shown += next.length;
    status.textContent = found.length === 0 ? "No reply matches." : "Showing " + shown + " of " + found.length + (versus < 0 ? " replies" : " questions answered by both") + " that match, of " + data.replies.length + " replies on this page.";
    more.hidden = shown >= found.length;
  };
  const verdict = r => make("span", "tag " + (r.right ? "right" : "not"), r.outcome);
  const entry = r => {
    const q = data.instances[r.instance], other = versus < 0 ? null : beside(r, versus);
    const d = make("details", "item"), s = make("summary");
    s.append(verdict(r));
    if (other) s.append(make("span", "soft", "B:"), verdict(other));
    s.append(make("span", "", q.level + " " + q.category), make("span", "", data.arms[r.arm] + (other ? " and " + data.arms[other.arm] : "")),
      make("span", "id", q.id + (r.sample ? " sample " + r.sample : "")));
    d.append(s);
    d.addEventListener("toggle", () => { if (d.open && d.childElementCount === 1) d.append(link(r, q), body(r, q, other)); });
    return d;
  };
  const link = (r, q) => {
    const a = make("a", "permalink", "link to this reply");
    a.href = "#reply-" + r.arm + "-" + q.id + "-" + (r.sample || 0);
    return a;
  };
  // A link to a reply shows it alone.
  const linked = () => {
    const m = /^#reply-(\d+)-(.+)-(\d+)$/.exec(decodeURIComponent(location.hash));
    const r = m && data.replies.find(r => r.arm === Number(m[1]) && data.instances[r.instance].id === m[2] && (r.sample || 0) === Number(m[3]));
    if (!m) return false;
    found = r ? [r] : [];
    versus = -1;
    reset();
    if (r) list.firstChild.open = true;
    else status.textContent = "The reply of the link is not on this page.";
    $("replies").scrollIntoView();
    return true;
  };
  const block = (title, content, wrap) => {
    const b = make("div");
    const pre = make("pre", wrap ? "wrap" : "", content);
    pre.dir = "ltr";
    pre.tabIndex = 0;
    b.append(make("h4", "", title), pre);
    return b;
  };
  const answered = r => {
    const right = make("div");
    right.append(block("Answer understood" + (r.reason ? " (" + r.reason + ")" : ""), r.answer, true), block("Reply (finish: " + r.finish + "; tokens: " + r.tokens[0] + " in, " + r.tokens[1] + " out, " + r.tokens[2] + " of them reasoning)", r.reply === "" ? "(empty)" : r.reply, true));
    if (r.message) right.append(block("Message", r.message, true));
    if (r.why) right.append(block("Why", r.why, true));
    for (const [name, text] of [["Turns before the reply", r.turns], ["Reasoning", r.reasoning]]) {
      if (!text) continue;
      const more = make("details");
      more.append(make("summary", "", name), block("", text, true));
      right.append(more);
    }
    return right;
  };
  const body = (r, q, other) => {
    const e = make("div");
    const two = make("div", "two"), left = make("div");
    left.append(block("Question", q.question, true), block("Reference answer", q.answer, true));
    if (other) {
      e.append(left);
      for (const x of [r, other]) {
        const side = answered(x), h = make("h4", "", data.arms[x.arm] + ": ");
        h.append(verdict(x));
        side.prepend(h);
        two.append(side);
      }
    } else two.append(left, answered(r));
    e.append(two);
    const graphs = make("div", "two");
    [q.edges, q.edges2].forEach((edges, i) => {
      if (!edges) return;
      const b = make("div");
      b.append(make("h4", "", "Graph" + (q.edges2 ? " " + (i + 1) : "") + ": " + q.n + " nodes, " + edges.length + " edges, density " + q.density));
      b.append(draw(q, edges, (r.graphs || [])[i]));
      const arrow = q.directed ? " → " : " – ";
      b.append(block("Edges", edges.map(x => q.nodes[x[0]] + arrow + q.nodes[x[1]]).join(", ") || "none", true));
      graphs.append(b);
    });
    e.append(graphs);
    const programs = make("div", "two");
    if (r.program) programs.append(block("Program of the model", r.program));
    programs.append(block("Ein program of the instance", q.ein), block("Python program of the instance", q.python));
    e.append(programs);
    return e;
  };

  // A graph on a circle. Larger ones would only be a tangle.
  const svg = (tag, attributes) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const k in attributes) e.setAttribute(k, attributes[k]);
    return e;
  };
  const draw = (q, edges, diff) => {
    if (q.n > 24) return make("p", "soft", "Too large to draw.");
    const w = 340, h = 280, r = 96;
    const s = svg("svg", { class: "graph", viewBox: "0 0 " + w + " " + h, role: "img", "aria-label": "drawing of the graph; its edges are listed below" });
    const at = q.nodes.map((_, i) => {
      const a = 2 * Math.PI * i / q.n - Math.PI / 2;
      return [w / 2 + r * Math.cos(a), h / 2 + r * Math.sin(a), Math.cos(a), Math.sin(a)];
    });
    const has = (list, x) => (list || []).some(y => y[0] === x[0] && y[1] === x[1]);
    const line = (x, cls) => {
      const a = at[x[0]], b = at[x[1]];
      if (!a || !b) return;
      const dx = b[0] - a[0], dy = b[1] - a[1], l = Math.hypot(dx, dy) || 1;
      const bend = q.directed ? 10 : 0;
      const mx = (a[0] + b[0]) / 2 - dy / l * bend, my = (a[1] + b[1]) / 2 + dx / l * bend;
      const ux = b[0] - mx, uy = b[1] - my, u = Math.hypot(ux, uy) || 1;
      const ex = b[0] - ux / u * 7, ey = b[1] - uy / u * 7;
      s.append(svg("path", { class: cls, d: "M" + a[0] + " " + a[1] + "Q" + mx + " " + my + " " + ex + " " + ey }));
      if (!q.directed) return;
      const px = -uy / u, py = ux / u, bx = ex - ux / u * 7, by = ey - uy / u * 7;
      s.append(svg("path", { class: "tip", d: "M" + ex + " " + ey + "L" + (bx + px * 3) + " " + (by + py * 3) + "L" + (bx - px * 3) + " " + (by - py * 3) + "Z" }));
    };
    for (const x of edges) line(x, diff && has(diff.dropped, x) ? "dropped" : diff && has(diff.reversed, x) ? "reversed" : "edge");
    for (const x of (diff && diff.added) || []) line(x, "added");
    q.nodes.forEach((n, i) => {
      const p = at[i];
      s.append(svg("circle", { class: "node", cx: p[0], cy: p[1], r: 5 }));
      const t = svg("text", { x: p[0] + 11 * p[2], y: p[1] + 13 * p[3] + 4, "text-anchor": p[2] > 0.3 ? "start" : p[2] < -0.3 ? "end" : "middle" });
      t.textContent = n;
      s.append(t);
    });
    const b = make("div");
    b.append(s);
    if (diff) b.append(make("p", "soft", "Of the model's graph: dropped edges are dashed, added ones blue, reversed ones pink."));
    return b;
  };

  let timer;
  $("f-text").addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(search, 150); });
  for (const f of [...filters, "versus", "pair", "sort"]) $("f-" + f).addEventListener("change", search);
  addEventListener("hashchange", linked);
  more.addEventListener("click", show);
  $("browser").hidden = false;
  search();
  linked();
})();
