/* What is wrong with the loaded page, as a list of sentences. */
(async () => {
  const wrong = [];
  const name = (e) => `<${e.tagName.toLowerCase()}> ${(e.textContent || e.outerHTML).trim().replace(/\s+/g, " ").slice(0, 60)}`;

  // Pictures, also those that wait until they are scrolled to.
  for (const image of document.images) {
    image.loading = "eager";
    try { await image.decode(); } catch { wrong.push(`picture does not load: ${image.getAttribute("src")}`); }
    if (!image.alt) wrong.push(`picture without alternative text: ${image.getAttribute("src")}`);
  }

  // Formulas take up room, and nothing of their source is left over.
  for (const formula of document.querySelectorAll("math")) {
    if (!formula.checkVisibility()) continue;
    const box = formula.getBoundingClientRect();
    if (box.width < 2 || box.height < 4) wrong.push(`formula without a box: ${formula.textContent.slice(0, 60)}`);
    let around = formula.parentElement;
    while (around && getComputedStyle(around).overflowX === "visible") around = around.parentElement;
    if (around && box.left + around.scrollLeft < around.getBoundingClientRect().left - 1) wrong.push(`formula cut off at its left: ${formula.textContent.slice(0, 60)}`);
    if (formula.querySelector("merror")) wrong.push(`formula with an error: ${formula.textContent.slice(0, 60)}`);
  }

  // The page does not scroll sideways; what is wider scrolls in a box of its own.
  const wide = document.documentElement.scrollWidth - window.innerWidth;
  if (wide > 0) {
    const culprits = [...document.querySelectorAll("main *, nav *")]
      .filter((e) => e.getBoundingClientRect().right > window.innerWidth + 1)
      .filter((e) => { for (let p = e.parentElement; p; p = p.parentElement) if (getComputedStyle(p).overflowX !== "visible") return false; return true; });
    wrong.push(`page is ${wide} px too wide: ${culprits.slice(0, 3).map(name).join("; ")}`);
  }

  // Text can be read: size, and contrast with what lies behind it (WCAG 2.2, 1.4.3).
  const channels = (text) => { const m = text.match(/[\d.]+/g).map(Number); return [m[0], m[1], m[2], m.length > 3 ? m[3] : 1]; };
  const light = (c) => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const luminance = (c) => 0.2126 * light(c[0]) + 0.7152 * light(c[1]) + 0.0722 * light(c[2]);
  const over = (a, b) => [0, 1, 2].map((i) => a[3] * a[i] + (1 - a[3]) * b[i]).concat(1);
  const behind = (e) => {
    const layers = [];
    for (; e; e = e.parentElement) {
      const colour = channels(getComputedStyle(e).backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] === 1) break;
    }
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
  };
  const pale = new Map(), small = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode, e = text.parentElement;
    if (!text.data.trim() || !e.getClientRects().length) continue;
    const style = getComputedStyle(e), back = behind(e), front = over(channels(style.color), back);
    const [a, b] = [luminance(front), luminance(back)];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) pale.set(`${style.color} on ${back.slice(0, 3).join(" ")}`, `contrast ${contrast.toFixed(2)}: ${name(e)}`);
    if (parseFloat(style.fontSize) < 9 && !e.closest("math")) small.set(style.fontSize, `text of ${style.fontSize}: ${name(e)}`);
  }
  return [...wrong, ...pale.values(), ...small.values()];
})()
