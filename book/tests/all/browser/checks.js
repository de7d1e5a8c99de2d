// What tests ask a page. Every answer is a list of what is wrong, in words, unless it says otherwise.
"use strict";

const checks = (() => {
    const describe = (element) => {
        const name = [element.localName, ...element.classList].join(".");
        return `${name} "${element.textContent.trim().slice(0, 40)}"`;
    };

    const isVisible = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });

    /** Whether the style sheets of the theme are there: mdBook enables one, and the browser loads it only then. */
    const isStyled = () =>
        [...document.querySelectorAll("link[rel=stylesheet]")].every((link) => link.disabled || link.sheet);

    /** The middle of the first element of a selector, in the window, [x, y]: it is scrolled there. */
    const middle = (selector) => {
        const element = document.querySelector(selector);
        if (!element) throw new Error(`no ${selector}`);
        element.scrollIntoView({ block: "center", behavior: "instant" });
        const box = element.getBoundingClientRect();
        if (box.width === 0) throw new Error(`${selector} is not shown`);
        return [box.x + box.width / 2, box.y + box.height / 2];
    };

    const scrollsByItself = (element) => {
        for (let box = element; box && box.localName !== "main"; box = box.parentElement) {
            if (/auto|scroll/.test(getComputedStyle(box).overflowX)) return true;
        }
        return false;
    };

    /** What makes the page scroll sideways, or lies where nobody can scroll to: mdBook clips what is too wide. */
    const tooWide = () => {
        const width = document.documentElement.clientWidth;
        const found = document.documentElement.scrollWidth > innerWidth ? ["the page scrolls sideways"] : [];
        for (const element of document.querySelectorAll("main *")) {
            const box = element.getBoundingClientRect();
            const isOutside = box.width > 0 && (box.right > width + 1 || box.left < -1);
            if (isOutside && isVisible(element) && !scrollsByItself(element.parentElement)) {
                const [left, right] = [Math.round(box.left), Math.round(box.right)];
                found.push(`${describe(element)} reaches from ${left} to ${right} of ${width}`);
            }
        }
        return found;
    };

    /** What a figure writes outside of its picture, where a scrolling place clips it. */
    const outside = () => [...document.querySelectorAll("main figure svg")].filter(isVisible).flatMap((svg) => {
        const picture = svg.getBoundingClientRect();
        const isOutside = ({ left, right, top, bottom }) => left < picture.left - 1 || right > picture.right + 1
            || top < picture.top - 1 || bottom > picture.bottom + 1;
        const texts = [...svg.querySelectorAll("text")].filter(({ textContent }) => textContent.trim());
        const found = texts.filter((text) => isOutside(text.getBoundingClientRect()));
        return found.map((text) => `${describe(text)} leaves "${svg.querySelector("title")?.textContent}"`);
    });

    /** A computed color as red, green, blue and opacity, each up to 1. */
    const color = (text) => {
        const numbers = (text.match(/[\d.]+(?:e-?\d+)?/g) || []).map(Number);
        if (text.startsWith("color(")) return [...numbers.slice(0, 3), numbers[3] ?? 1];
        return [...numbers.slice(0, 3).map((number) => number / 255), numbers[3] ?? 1];
    };

    const over = (front, back) => front.map((part, i) => (i < 3 ? part * front[3] + back[i] * (1 - front[3]) : 1));

    const luminance = ([red, green, blue]) => {
        const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
    };

    /** Contrast as WCAG 2 defines it: 1 to 21. */
    const contrast = (one, other) => {
        const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
        return (light + 0.05) / (dark + 0.05);
    };

    /** The color of the page behind an element; `known` keeps those of others, which must not change meanwhile. */
    const paper = (element, known = new Map()) => {
        if (!element) return [1, 1, 1, 1];
        if (!known.has(element)) {
            const own = color(getComputedStyle(element).backgroundColor);
            const behind = paper(element.parentElement, known);
            known.set(element, own.length === 4 ? over(own, behind) : behind);
        }
        return known.get(element);
    };

    const figures = () => [...document.querySelectorAll("main figure svg, main .player svg, main .explorer svg")]
        .filter(isVisible);

    const PARTS = "rect, path, line, circle, ellipse, polygon, polyline, text";
    const parts = (figure) =>
        [...figure.querySelectorAll(PARTS)].filter((part) => isVisible(part) && !part.closest("defs"));

    /** A part's paint over a ground, or nothing where it has none. */
    const paint = (style, kind, ground) => {
        if (style[kind] === "none") return null;
        const painted = color(style[kind]);
        painted[3] *= Number(style.opacity) * Number(style[`${kind}Opacity`]);
        return over(painted, ground);
    };

    /** What is painted below the middle of a text, by the parts before it. */
    const below = (text, before, ground) => {
        const box = text.getBoundingClientRect();
        const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
        for (const part of before) {
            if (!/rect|circle|polygon/.test(part.localName)) continue;
            const area = part.getBoundingClientRect();
            const holds = area.left <= x && x <= area.right && area.top <= y && y <= area.bottom;
            if (holds) ground = paint(getComputedStyle(part), "fill", ground) || ground;
        }
        return ground;
    };

    /** Parts of figures that can hardly be seen: text below 4.5, shapes without a fill or a stroke of 3. */
    const faint = () => figures().flatMap((figure) => {
        const ground = paper(figure);
        const all = parts(figure);
        return all.flatMap((part, i) => {
            const style = getComputedStyle(part);
            const isText = part.localName === "text";
            const back = isText ? below(part, all.slice(0, i), ground) : ground;
            const kinds = isText ? ["fill"] : ["fill", "stroke"];
            const painted = kinds.map((kind) => paint(style, kind, back)).filter(Boolean);
            const best = Math.max(0, ...painted.map((one) => contrast(one, back)));
            const isEmpty = isText ? !part.textContent.trim() : painted.length === 0;
            if (isEmpty || part.closest(".grid") || best >= (isText ? 4.5 : 3)) return [];
            return [`${describe(part)} has a contrast of ${best.toFixed(1)}`];
        });
    });

    /** The colors of each figure's parts, a text a figure: not a list of faults. */
    const colors = () => figures().map((figure) => parts(figure).map((part) => {
        const style = getComputedStyle(part);
        return `${style.fill}/${style.stroke}`;
    }).join(" "));

    /** Goes to every explorer and player of the page until it is live: what is far away is not. */
    const wake = async () => {
        const isLive = ({ dataset }) => dataset.ready === "true" || dataset.playerState === "ready";
        for (let begin = Date.now(); ;) {
            const places = document.querySelectorAll(".explorer, .player, .editable, .exercise-desk");
            // What is folded away, or of the language that is not chosen, is asleep until it is shown.
            const isFolded = (place) => place.closest("details:not([open])") !== null;
            const shown = [...places].filter((place) => place.checkVisibility() && !isFolded(place));
            const asleep = shown.filter((place) => !isLive(place));
            if (asleep.length === 0) return null;
            if (Date.now() > begin + 10000) throw new Error(`not live after 10 s: ${asleep.map(describe)}`);
            asleep[0].scrollIntoView({ behavior: "instant" });
            await new Promise((done) => setTimeout(done, 20));
        }
    };

    /** What a reader can set in a place: not a list of faults. */
    const controls = (place) =>
        [...document.querySelectorAll(`${place} :is(select, input[type=range])`)].filter(isVisible);

    /** The key that changes a control's value by more than a little. */
    const keyFor = (control) => {
        if (control.localName === "select") {
            return control.selectedIndex === control.length - 1 ? "ArrowUp" : "ArrowDown";
        }
        return Number(control.value) <= Number(control.min) ? "PageUp" : "PageDown";
    };

    return { wake, controls, isStyled, isVisible, keyFor, middle, tooWide, outside, faint, colors, describe, color, contrast, over, paper };
})();
