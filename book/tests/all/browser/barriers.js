// What keeps readers out of a page: text that is hard to see, boxes that keys do not reach, controls without a name, links
// that color alone tells. What axe-core calls serious, for what this book has.
"use strict";

Object.assign(checks, (() => {
    const { color, contrast, describe, isVisible, over, paper } = checks;
    const all = (selector) => [...document.querySelectorAll(selector)].filter(isVisible);

    const ownText = (element) =>
        [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join("").trim();

    /** Text from 24 px on, and bold text from 18.66 px on, may have less contrast (WCAG 2, large scale). */
    const least = (style) => {
        const [size, weight] = [parseFloat(style.fontSize), Number(style.fontWeight)];
        return size >= 24 || (size >= 18.66 && weight >= 700) ? 3 : 4.5;
    };

    /** Words with too little contrast, once for each pair of colors and kind of element. Figures have checks.faint(). */
    const faintWords = () => {
        const [found, grounds] = [new Map(), new Map()];
        for (const element of all("body *:not(svg *, script, style, option, .hidden)")) {
            if (!ownText(element) || element.closest("[disabled], [aria-hidden=true], .sidebar-resize-handle")) continue;
            const style = getComputedStyle(element);
            const back = paper(element, grounds);
            const reached = contrast(over(color(style.color), back), back);
            if (reached >= least(style) - 0.005) continue;
            const key = `${element.localName}.${element.className} ${style.color} on ${back.map((part) => Math.round(255 * part))}`;
            if (!found.has(key)) found.set(key, `${describe(element)} has a contrast of ${reached.toFixed(2)}`);
        }
        return [...found.values()];
    };

    const KEYS = "a[href], button, input, select, textarea, summary, [tabindex]";

    /** Boxes that scroll, with nothing in them that keys reach. */
    const unreachable = () => all("body *").filter((box) => {
        const style = getComputedStyle(box);
        const scrolls = (extent, flow) => extent > 1 && /auto|scroll/.test(flow);
        const isWide = scrolls(box.scrollWidth - box.clientWidth, style.overflowX);
        const isHigh = scrolls(box.scrollHeight - box.clientHeight, style.overflowY);
        return (isWide || isHigh) && !box.matches(KEYS) && !box.querySelector(KEYS);
    }).map((box) => `keys do not reach ${describe(box)}`);

    const nameOf = (element) => {
        const labels = (element.getAttribute("aria-labelledby") || "").split(" ").filter(Boolean);
        const parts = [
            element.getAttribute("aria-label"),
            ...labels.map((id) => document.getElementById(id)?.textContent),
            ...[...(element.labels || [])].map((label) => label.textContent),
            element.localName === "svg" ? element.querySelector("title")?.textContent : null,
            element.matches("a, button, summary, [role=button], [role=tab]") ? element.textContent : null,
            element.matches("a, button, summary") ? element.title : null,
            element.alt,
        ];
        return parts.filter(Boolean).join(" ").trim();
    };

    /** Controls and pictures without a name. */
    const nameless = () => all("a[href], button, input, select, textarea, [role=img], [role=tab], img, iframe")
        .filter((element) => !element.matches("[type=hidden], [hidden]") && !nameOf(element))
        .map((element) => `${describe(element)} has no name`);

    /** States on elements that have none. */
    const misplaced = () => all("[aria-expanded], [aria-pressed], [aria-selected]")
        .filter((element) => !element.matches("button, summary, select, a[href], [role]"))
        .map((element) => `${describe(element)} has a state, and no role that has one`);

    const badLists = () => all("ul, ol")
        .filter((list) => [...list.children].some((child) => !child.matches("li, script, template")))
        .map((list) => `${describe(list)} holds what is no item`);

    /** Links within sentences that are neither underlined nor three times as light or dark as the words around. */
    const hiddenLinks = () => all("main :is(p, li, td, dd) a[href]:not(.header)").filter((link) => {
        const around = link.parentElement;
        if (getComputedStyle(link).textDecorationLine.includes("underline")) return false;
        if (around.textContent.trim() === link.textContent.trim()) return false;
        const [one, other] = [link, around].map((element) => color(getComputedStyle(element).color));
        return contrast(one, other) < 3;
    }).map((link) => `${describe(link)} is a link by color alone`);

    const barriers = () =>
        [faintWords, unreachable, nameless, misplaced, badLists, hiddenLinks].flatMap((check) => check());
    return { barriers };
})());
