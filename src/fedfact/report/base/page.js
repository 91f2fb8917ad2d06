"use strict";
(() => {
  const tip = document.getElementById("tip");
  const button = document.getElementById("theme");
  const reach = 40; // how far from a point, in the picture's units, a pointer may be
  let marked = null;

  button.hidden = false;
  button.addEventListener("click", () => {
    const now = getComputedStyle(document.documentElement).colorScheme;
    const dark = now === "dark" ||
      (now !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
    document.documentElement.style.colorScheme = dark ? "light" : "dark";
  });

  // A point is [x, y, label, text]; a bar has left, top, right and bottom as well.
  const away = (point, x, y) => {
    if (point.length < 8) return Math.hypot(point[0] - x, point[1] - y);
    const [left, top, right, bottom] = point.slice(4);
    return Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));
  };

  const hide = () => {
    tip.hidden = true;
    if (marked) marked.remove();
    marked = null;
  };

  const mark = (svg, point) => {
    if (!marked || marked.parentNode !== svg) {
      if (marked) marked.remove();
      marked = document.createElementNS("http://www.w3.org/2000/svg", "circle");
      marked.setAttribute("r", "5");
      marked.setAttribute("style", "fill: none; stroke: var(--ink); stroke-width: 1.6");
      svg.append(marked);
    }
    marked.setAttribute("cx", point[0]);
    marked.setAttribute("cy", point[1]);
  };

  const show = (near, event) => {
    tip.replaceChildren(...near.map((point) => {
      const line = document.createElement("p");
      const label = document.createElement("b");
      label.textContent = point[2];
      line.append(label, point[3]);
      return line;
    }));
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const left = Math.min(event.clientX + 14, innerWidth - box.width - 8);
    const above = event.clientY - box.height - 14;
    const top = above < 8 ? event.clientY + 18 : above;
    tip.style.transform = `translate(${Math.max(8, left)}px, ${top}px)`;
  };

  for (const panel of document.querySelectorAll(".panel")) {
    const svg = panel.querySelector("svg");
    const points = JSON.parse(panel.dataset.points);
    const ask = (event) => {
      const box = svg.getBoundingClientRect();
      const scale = svg.viewBox.baseVal.width / box.width;
      const x = (event.clientX - box.left) * scale;
      const y = (event.clientY - box.top) * scale;
      const far = points.map((point) => away(point, x, y));
      const least = Math.min(...far);
      if (!(least <= reach)) return hide();
      const nearest = points[far.indexOf(least)];
      // What lies on top of the nearest one is told as well.
      const near = points.filter((point, k) => point === nearest || (far[k] - least < 0.5 &&
        Math.hypot(point[0] - nearest[0], point[1] - nearest[1]) < 2));
      mark(svg, nearest);
      show(near.slice(0, 4), event);
    };
    svg.addEventListener("pointermove", ask);
    svg.addEventListener("pointerdown", ask);
    svg.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse") hide();
    });
  }
  document.addEventListener("pointerdown", (event) => {
    if (!event.target.closest(".panel svg")) hide();
  });
  addEventListener("scroll", hide, { passive: true });
})();
