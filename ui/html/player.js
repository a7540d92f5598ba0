"use strict";
// Plays each request of the page in its own time: what had arrived at a moment is shown, and the
// line in its chart stands there. Times are µs since the request was sent.
JSON.parse(document.getElementById("tracks").textContent).forEach((track, n) => {
  const section = document.querySelectorAll(".chart")[n], at = track.at, end = at[at.length - 1];
  const make = (tag, to, text) => {
    const e = to.appendChild(document.createElement(tag));
    if (text) e.textContent = text;
    return e;
  };
  const ms = (us) => us < 0 ? "unknown" :
    us >= 1e6 ? +(us / 1e6).toPrecision(3) + " s" : +(us / 1e3).toPrecision(3) + " ms";
  let now = end, speed = 1, last = 0, playing = false, shown = -1;

  section.classList.add("plays");
  const bar = make("div", section), play = make("button", bar, "Play"), range = make("input", bar);
  const rate = make("select", bar), out = make("output", section), said = make("p", section);
  bar.className = "bar";
  said.className = "said";
  said.tabIndex = 0;
  section.insertBefore(bar, section.querySelector("figure").nextSibling);
  play.type = "button";
  Object.assign(range, {type: "range", min: 0, max: end, step: 1, value: end});
  range.setAttribute("aria-label", "time in the answer");
  rate.setAttribute("aria-label", "speed");
  [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10].forEach((s) => {
    const o = make("option", rate, s + "×");
    o.value = s;
    o.selected = s === 1;
  });
  const parts = at.map((_, i) => {
    const e = make(track.text ? "span" : "i", said, track.text && track.text[i]);
    e.className = (track.kind ? track.kind[i] : "content") + " r" + track.heat[i];
    e.hidden = true;
    return e;
  });

  const heads = [...section.querySelectorAll("svg")].map((svg) => {
    const head = svg.querySelector(".head"), d = svg.dataset;
    const drag = (e) => {
      const box = svg.getBoundingClientRect(), x = (e.clientX - box.left) / box.width * svg.viewBox.baseVal.width;
      stop();
      go((x - d.x) / d.w * d.to * 1e3);
    };
    svg.addEventListener("pointerdown", (e) => { svg.setPointerCapture(e.pointerId); drag(e); });
    svg.addEventListener("pointermove", (e) => { if (e.buttons) drag(e); });
    return () => {
      const x = +d.x + now / 1e3 / d.to * d.w;
      head.setAttribute("x1", x);
      head.setAttribute("x2", x);
    };
  });

  // upTo is the number of parts that had arrived at t.
  const upTo = (t) => {
    let low = 0, high = at.length;
    while (low < high) {
      const mid = low + high >> 1;
      if (at[mid] <= t) low = mid + 1; else high = mid;
    }
    return low;
  };
  function go(t) {
    now = Math.min(Math.max(t, 0), end);
    const count = upTo(now);
    if (shown < 0) shown = 0;
    if (shown > 0) parts[shown - 1].classList.remove("now");
    for (; shown < count; shown++) parts[shown].hidden = false;
    for (; shown > count; shown--) parts[shown - 1].hidden = true;
    if (count > 0) {
      parts[count - 1].classList.add("now");
      if (playing) said.scrollTop = parts[count - 1].offsetTop - said.offsetTop - said.clientHeight / 2;
    }
    range.value = now;
    const chunk = Math.min(count * track.each, track.of);
    out.textContent = ms(now) + (count === 0 ? ", waiting for the first chunk" :
      ", chunk " + chunk + " of " + track.of + (count > 1 ? ", gap before it " + ms(track.gap[count - 1]) : ""));
    range.setAttribute("aria-valuetext", out.textContent);
    heads.forEach((draw) => draw());
  }
  function stop() { playing = false; play.textContent = "Play"; }
  function tick(stamp) {
    if (!playing) return;
    if (last) go(now + (stamp - last) * 1e3 * speed);
    last = stamp;
    if (now >= end) stop(); else requestAnimationFrame(tick);
  }
  function toggle() {
    if (playing) return stop();
    if (now >= end) go(0);
    playing = true;
    last = 0;
    play.textContent = "Pause";
    requestAnimationFrame(tick);
  }
  play.addEventListener("click", toggle);
  range.addEventListener("input", () => { stop(); go(+range.value); });
  rate.addEventListener("change", () => { speed = +rate.value; });
  range.addEventListener("keydown", (e) => {
    const count = upTo(now), step = {ArrowRight: count, ArrowUp: count, ArrowLeft: count - 2, ArrowDown: count - 2}[e.key];
    if (e.key === " ") toggle();
    else if (step === undefined) return;
    else { stop(); go(step < 0 ? 0 : at[Math.min(step, at.length - 1)]); }
    e.preventDefault();
  });
  go(end);
});
