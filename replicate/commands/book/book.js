// Search, filters and enlarged pictures. Without scripts every page is complete; nothing is fetched from a network.
"use strict";
(() => {
  const root = document.currentScript.dataset.root;

  const field = document.getElementById("search"), found = document.getElementById("found");
  let loading = null;
  const index = () => loading ??= new Promise((done) => {
    const script = document.createElement("script");
    script.src = root + "search.js";
    script.onload = () => done(window.BOOK_INDEX.map((line) => [...line, `${line[0]} ${line[1]} ${line[3]}`.toLowerCase()]));
    document.head.append(script);
  });
  const SHORT = { thm: "theorem", "thm.": "theorem", "lem.": "lemma", "cor.": "corollary", "prop.": "proposition", errata: "erratum" };
  const EMPTY = new Set(["of", "in", "the", "from", "eq", "eq.", "equation"]);
  const score = ([kind, title, , , text], words) => {
    const low = title.toLowerCase();
    let points = kind === "claim" || kind === "page" ? 1 : 0;
    for (const word of words) {
      if (!text.includes(word)) return -1;
      points += low.split(/[^\p{L}\p{N}-]+/u).includes(word) ? 6 : low.includes(word) ? 3 : 1;
    }
    const source = low.split(" · ").pop(), typed = words.join(" ");
    points += source === typed ? 4 : source.startsWith(typed) || typed.startsWith(source) ? 2 : 0;
    for (let i = 1; i < words.length; i++) {
      const pair = `${words[i - 1]} ${words[i]}`;
      points += low.includes(pair) ? 5 : text.includes(pair) ? 4 : 0;
    }
    return points;
  };
  const search = async () => {
    const typed = field.value.toLowerCase().split(/[\s,:]+/).filter((word) => word && !EMPTY.has(word));
    const words = typed.map((word) => SHORT[word] ?? word);
    const lines = await index();
    const best = !words.length ? [] : lines.map((line) => [score(line, words), line]).filter(([points]) => points >= 0)
      .sort((a, b) => b[0] - a[0]).slice(0, 30);
    found.replaceChildren(...best.map(([, [kind, title, address, text]]) => {
      const item = document.createElement("li"), link = document.createElement("a");
      const name = document.createElement("b"), more = document.createElement("small");
      link.href = root + address;
      name.textContent = title;
      more.textContent = `${kind}${text ? ` · ${text}` : ""}`;
      link.append(name, more);
      item.append(link);
      return item;
    }));
    if (words.length && !best.length) found.textContent = "Nothing was found.";
    found.hidden = !words.length;
  };
  field.addEventListener("input", search);
  field.addEventListener("focus", index);
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
    if (event.key === "/" && !typing) { event.preventDefault(); field.focus(); }
    if (event.key === "Escape") { found.hidden = true; }
    const links = [...found.querySelectorAll("a")], here = links.indexOf(document.activeElement);
    if (found.hidden || !links.length || !(document.activeElement === field || here >= 0)) return;
    if (event.key === "ArrowDown") { event.preventDefault(); (links[here + 1] ?? links[0]).focus(); }
    if (event.key === "ArrowUp") { event.preventDefault(); (links[here - 1] ?? field).focus(); }
    if (event.key === "Enter" && here < 0) { location.href = links[0].href; }
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest("search")) found.hidden = true;
  });

  const form = document.querySelector("form.filters");
  if (form) {
    const rows = [...document.querySelectorAll(".register tbody tr")];
    const texts = rows.map((row) => row.textContent.toLowerCase());
    const filter = () => {
      const chosen = Object.fromEntries(new FormData(form));
      const words = (chosen.text ?? "").toLowerCase().split(/\s+/).filter(Boolean);
      let count = 0;
      rows.forEach((row, i) => {
        row.hidden = !["paper", "verdict", "grade"].every((name) => !chosen[name] || row.dataset[name] === chosen[name])
          || !words.every((word) => texts[i].includes(word));
        count += !row.hidden;
      });
      for (const part of document.querySelectorAll(".of-paper")) part.hidden = !part.querySelector("tbody tr:not([hidden])");
      form.querySelector("output").value = `${count} of ${rows.length}`;
    };
    for (const [name, value] of new URLSearchParams(location.search)) {
      if (form.elements[name]) form.elements[name].value = value;
    }
    form.addEventListener("input", filter);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    filter();
    if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.zoom");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const dialog = document.createElement("dialog"), picture = link.querySelector("img").cloneNode();
    dialog.className = "enlarged";
    picture.loading = "eager";
    dialog.append(picture);
    document.body.append(dialog);
    for (const event of ["click", "close"]) dialog.addEventListener(event, () => dialog.remove());
    dialog.showModal();
  });

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    closed.forEach((part) => { part.open = true; });
  });
  addEventListener("afterprint", () => closed.forEach((part) => { part.open = false; }));
})();
