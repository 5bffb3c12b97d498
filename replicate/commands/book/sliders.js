/* Sliders of a claim: FORMULAS stands above, the page's own data in its form. */
(() => {
  const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  const raised = (n) => String(n).replace("-", "⁻").replace(/\d/g, (d) => digits[d]);
  const show = (value) => {
    if (!Number.isFinite(value)) return value > 0 ? "∞" : "none";
    const three = Number(value.toPrecision(3)), size = Math.abs(three);
    if (size !== 0 && (size < 1e-4 || size >= 1e7)) {
      const [factor, power] = three.toExponential().split("e");
      return `${factor === "1" ? "" : `${factor}·`}10${raised(Number(power))}`;
    }
    return size < 100 ? String(three) : Math.round(three).toLocaleString("en-US");
  };
  const count = (value) => {
    const power = Math.log2(value);
    return value > 1e7 && Number.isInteger(power) ? `2${raised(power)}` : show(value);
  };
  const argument = (value) => {
    const power = Math.log2(value);
    return value > 1e7 && Number.isInteger(power) ? `2**${power}` : String(value);
  };

  const judged = (learner, bound, at, uniform) => {
    const above = learner.relation === ">=", off = 1 - 1e-9;
    if (above) {
      if (at.high < off * bound) return "refuted here: the regret is less than the bound";
      if (at.low < off * bound) return "not decided: the interval reaches across the bound";
      return `holds here: at least ${show(at.low / bound)} times the bound`;
    }
    if (at.low > bound) return "refuted here: the regret exceeds the bound";
    if (bound >= uniform) return "vacuous here: even uniform play keeps the bound";
    if (at.high > bound) return "not decided: the interval reaches across the bound";
    return `holds here: at most ${show(at.high / bound)} of the bound`;
  };

  const answer = (claim, learner, own) => {
    const formulas = FORMULAS[learner.key] ?? {}, n = learner.sizes.length;
    const row = learner.stored.find((stored) => learner.sizes.every((size, i) => stored[i] === own[size.name]));
    const at = row && { mean: row[n], low: row[n + 1], high: row[n + 2], bound: row[n + 3], uniform: row[n + 4] };
    let bound = at?.bound, outside = "";
    try {
      outside = formulas.scope?.(own) ?? "";
      if (formulas.bound) bound = formulas.bound(own);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      [bound, outside] = [undefined, outside || error.message];
    }
    const uniform = formulas.uniform ? formulas.uniform(own) : at?.uniform;
    const options = learner.sizes.map((size) => `${size.option} ${argument(own[size.name])}`).join(" ");
    const command = `.venv/bin/python -m replicate ask ${claim} ${options}`;
    let verdict;
    if (outside) verdict = `outside the theorem's assumptions: ${outside}`;
    else if (bound === undefined) verdict = "not computed here: the command below does it";
    else if (at) verdict = judged(learner, bound, at, uniform);
    else if (learner.relation === "<=" && uniform !== undefined && bound >= uniform) {
      verdict = "vacuous here: even uniform play keeps the bound";
    } else verdict = "not measured here: the command below does it";
    return { bound, at, uniform, verdict, command, outside };
  };
  globalThis.answer = answer;

  const element = (name, attributes = {}, ...children) => {
    const made = Object.assign(document.createElement(name), attributes);
    made.append(...children);
    return made;
  };

  const start = (form) => {
    const { claim, learners } = JSON.parse(form.querySelector("script").textContent);
    const choice = element("select", { name: "learner" }, ...learners.map((learner, i) =>
      element("option", { value: i, textContent: learner.label })));
    const rows = element("div", { className: "rows" }), result = element("dl"), code = element("code");
    result.setAttribute("aria-live", "polite");
    const bars = element("div", { className: "bars" });
    bars.setAttribute("aria-hidden", "true");
    if (learners.length > 1) form.append(element("label", {}, "Learner ", choice));
    form.append(rows, bars, result, element("pre", {}, code));

    const state = {};
    const draw = () => {
      const learner = learners[choice.value || 0], own = {};
      for (const size of learner.sizes) own[size.name] = size.values[state[size.name]];
      for (const size of learner.sizes) {
        const slider = rows.querySelector(`[name="${size.name}"]`);
        slider.setAttribute("aria-valuetext", count(own[size.name]));
        slider.nextElementSibling.value = count(own[size.name]);
      }
      const { bound, at, uniform, verdict, command, outside } = answer(claim, learner, own);
      const half = at && (at.high - at.low) / 2;
      const measured = !at ? "not played here" : `${show(at.mean)}${learner.exact ? " exactly" : ` ± ${show(half)}`}`;
      const said = [
        ["Verdict", verdict],
        [learner.relation === ">=" ? "Bound, from below" : "Bound", bound === undefined ? "none" : show(bound)],
        [`Measured, ${learner.quantity}`, measured], ["Uniform play", uniform === undefined ? "not computed" : show(uniform)],
        ["On", learner.losses],
      ];
      result.replaceChildren(...said.flatMap(([term, text]) =>
        [element("dt", { textContent: term }), element("dd", { textContent: text })]));
      const numbers = [["bound", outside ? undefined : bound], ["measured", at?.mean], ["uniform play", uniform]]
        .filter(([, value]) => value > 0);
      const logs = numbers.map(([, value]) => Math.log10(value));
      const low = Math.floor(Math.min(0, ...logs)) - 0.5, high = Math.max(1, ...logs);
      bars.replaceChildren(...numbers.map(([name, value], i) => {
        const bar = element("i");
        bar.style.width = `${Math.max(1, 100 * (logs[i] - low) / (high - low))}%`;
        bar.className = name.split(" ")[0];
        return element("div", {}, element("span", { textContent: `${name} ${show(value)}` }), bar);
      }));
      code.textContent = command;
    };
    const build = () => {
      const learner = learners[choice.value || 0];
      rows.replaceChildren(...learner.sizes.map((size) => {
        state[size.name] = size.values.indexOf(size.own);
        const slider = element("input", { type: "range", name: size.name, min: 0, max: size.values.length - 1, step: 1 });
        slider.value = state[size.name];
        slider.addEventListener("input", () => { state[size.name] = Number(slider.value); draw(); });
        return element("label", {}, element("span", { textContent: size.label }), slider, element("output"));
      }));
      draw();
    };
    choice.addEventListener("input", build);
    form.addEventListener("submit", (event) => event.preventDefault());
    build();
    form.hidden = false;
    form.parentElement.querySelector("details.asked")?.removeAttribute("open");
  };

  const decide = (form) => {
    const data = JSON.parse(form.querySelector("script").textContent);
    const rows = element("div", { className: "rows" }), result = element("p"), code = element("code");
    result.setAttribute("aria-live", "polite");
    const selects = data.questions.map((question) => element("select", {}, ...question.options.map((text, i) =>
      element("option", { value: i, textContent: text }))));
    const sliders = data.sizes.map((size) => element("input", { type: "range", min: 0, max: size.values.length - 1, step: 1,
      value: Math.floor((size.values.length - 1) / 2) }));
    const outputs = data.sizes.map(() => element("output"));
    rows.append(...data.questions.map((question, i) => element("label", {}, element("span", { textContent: question.label }), selects[i])),
      ...data.sizes.map((size, i) => element("label", {}, element("span", { textContent: size.label }), sliders[i], outputs[i])));
    form.append(rows, result, element("pre", {}, code));
    const draw = () => {
      const chosen = selects.map((select) => Number(select.value)), at = sliders.map((slider) => Number(slider.value));
      const counts = [...data.questions.map((question) => question.options.length), ...data.sizes.map((size) => size.values.length)];
      const [k, rounds, level] = data.sizes.map((size, i) => size.values[at[i]]);
      data.sizes.forEach((size, i) => {
        outputs[i].value = count(size.values[at[i]]);
        sliders[i].setAttribute("aria-valuetext", count(size.values[at[i]]));
      });
      const [number, regret, half, uniform, bound] = data.cells[[...chosen, ...at].reduce((index, part, i) => index * counts[i] + part, 0)];
      const most = rounds * (1 - 1 / k), [feedback, losses, local] = data.options.map((options, i) => options[chosen[i]]);
      const [name, label] = data.learners[number] ?? [];
      const free = losses === "iid" || losses === "shifting" ? ` (bounds at gap ${data.gap})` : "";
      const proved = bound == null || bound >= uniform ? "" : `; guaranteed at most ${show(bound)}`;
      result.textContent = number < 0
        ? "No learner of the register has a guarantee for that."
        : regret != null
          ? regret + half < uniform
            ? `${label} (${name}): regret ${show(regret)} ± ${show(half)}, where uniform play has ${show(uniform)}${proved}.`
            : regret < 0.9 * uniform
              ? `Not decided by these few games: ${label} (${name}) has regret ${show(regret)} ± ${show(half)}, uniform play ${show(uniform)}.`
              : `In these games nobody beats uniform play, which has regret ${show(uniform)}: more rounds, or a larger ε.`
          : bound >= most
            ? `Not raced. No proved bound is below what uniform play may lose, ${show(most)}${free}: the least is that of ${label}, ${show(bound)}.`
            : `Not raced; by its bound ${label} (${name}): regret at most ${show(bound)}, where uniform play may lose ${show(most)}${free}.`;
      const switches = losses === "shifting" || losses === "switching" ? " --switches 3" : "";
      code.textContent = `.venv/bin/python -m replicate advise --feedback ${feedback} --losses ${losses} --actions ${k} --rounds ${rounds} --epsilon ${level}${switches}${local ? " --local" : ""}`;
    };
    for (const part of [...selects, ...sliders]) part.addEventListener("input", draw);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    draw();
  };

  if (typeof document === "undefined") return;
  document.querySelectorAll("form.sizes").forEach(start);
  document.querySelectorAll("form.decision").forEach(decide);
})();
