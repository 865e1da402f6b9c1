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

  // Tables are sorted by a click on a heading; what is missing stays last.
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((th, column) => {
      const button = make("button");
      button.type = "button";
      button.append(...th.childNodes);
      th.append(button);
      button.addEventListener("click", () => {
        const up = th.getAttribute("aria-sort") === "descending" || (!th.hasAttribute("aria-sort") && th.classList.contains("key"));
        heads.forEach(h => h.removeAttribute("aria-sort"));
        th.setAttribute("aria-sort", up ? "ascending" : "descending");
        const key = row => {
          const cell = row.cells[column], v = cell.getAttribute("data-v");
          return cell.tagName === "TH" ? cell.textContent : v === null ? null : Number(v);
        };
        const rows = [...table.tBodies[0].rows].map((row, i) => ({ row, i, k: key(row) }));
        rows.sort((a, b) => {
          if (a.k === null || b.k === null) return (a.k === null) - (b.k === null) || a.i - b.i;
          const c = typeof a.k === "string" ? a.k.localeCompare(b.k) : a.k - b.k;
          return (up ? c : -c) || a.i - b.i;
        });
        table.tBodies[0].append(...rows.map(r => r.row));
      });
    });
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
    for (const n of names) {
      const o = make("option", "", n + " (" + (counts.get(n) || 0) + ")");
      o.value = n;
      $("f-" + f).append(o);
    }
  }
  const list = $("list"), status = $("count"), more = $("more");
  const page = 50;
  let found = [], shown = 0;
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
    found = [];
    data.replies.forEach((r, i) => {
      if (want.every(([f, v]) => of[f](r) === v) && words.every(w => text(i).includes(w))) found.push(r);
    });
    shown = 0;
    list.replaceChildren();
    show();
  };
  const show = () => {
    const next = found.slice(shown, shown + page);
    list.append(...next.map(entry));
    shown += next.length;
    status.textContent = found.length === 0 ? "No reply matches." : "Showing " + shown + " of " + found.length + " replies that match, of " + data.replies.length + " on this page.";
    more.hidden = shown >= found.length;
  };
  const entry = r => {
    const q = data.instances[r.instance];
    const d = make("details", "item"), s = make("summary");
    s.append(make("span", "tag " + (r.right ? "right" : "not"), r.outcome), make("span", "", q.level + " " + q.category),
      make("span", "", data.arms[r.arm]), make("span", "id", q.id + (r.sample ? " sample " + r.sample : "")));
    d.append(s);
    d.addEventListener("toggle", () => { if (d.open && d.childElementCount === 1) d.append(body(r, q)); });
    return d;
  };
  const block = (title, content, wrap) => {
    const b = make("div");
    const pre = make("pre", wrap ? "wrap" : "", content);
    pre.dir = "ltr";
    pre.tabIndex = 0;
    b.append(make("h4", "", title), pre);
    return b;
  };
  const body = (r, q) => {
    const e = make("div");
    const two = make("div", "two");
    const left = make("div"), right = make("div");
    left.append(block("Question", q.question, true), block("Reference answer", q.answer, true), block("Answer understood" + (r.reason ? " (" + r.reason + ")" : ""), r.answer, true));
    right.append(block("Reply (finish: " + r.finish + "; tokens: " + r.tokens[0] + " in, " + r.tokens[1] + " out, " + r.tokens[2] + " of them reasoning)", r.reply === "" ? "(empty)" : r.reply, true));
    if (r.message) right.append(block("Message", r.message, true));
    if (r.why) right.append(block("Why", r.why, true));
    two.append(left, right);
    e.append(two);
    if (r.reasoning) {
      const more = make("details");
      more.append(make("summary", "", "Reasoning"), block("", r.reasoning, true));
      e.append(more);
    }
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
  for (const f of filters) $("f-" + f).addEventListener("change", search);
  more.addEventListener("click", show);
  $("browser").hidden = false;
  search();
})();
