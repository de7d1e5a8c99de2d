// What the kernel player draws: elements, listings with a marked line, lanes and their values.
globalThis.kernelPlayer ??= {};

kernelPlayer.draw = (() => {
    "use strict";

    /** An element with attributes and children; children that are absent (null) are left out. */
    function element(tag, attributes = {}, ...children) {
        return furnish(document.createElement(tag), attributes, children);
    }

    /** The same, for a part of a picture. */
    function svg(tag, attributes = {}, ...children) {
        return furnish(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
    }

    function furnish(made, attributes, children) {
        for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
        made.append(...children.filter((child) => child !== null));
        return made;
    }

    /** The one element that a text of HTML stands for. For texts of the player's own only: nothing is escaped. */
    function parsed(html) {
        const template = document.createElement("template");
        template.innerHTML = html.trim();
        return template.content.firstElementChild;
    }

    // ---- listings

    /** A listing in a box of its own that scrolls by itself. `mark(number)` marks a line, and shows it in the box. */
    function listing(label, rows, rowOf, language) {
        const numbers = element("pre", { class: "player-numbers", "aria-hidden": "true" });
        numbers.append(...pieces(rows.map((row) => row.number)));
        numbers.style.minWidth = `${`${rows.at(-1).number}`.length}ch`;
        const code = element("code", { class: language ? `language-${language}` : "" });
        // mdBook's own highlighter, where it is loaded and knows the language, wants one text.
        const isHighlighted = Boolean(language && window.hljs?.highlightBlock);
        const texts = rows.map((row) => row.text);
        code.append(...(isHighlighted ? [texts.join("\n")] : pieces(texts)));
        if (isHighlighted) window.hljs.highlightBlock(code);
        const marker = element("div", { class: "player-marker", hidden: true });
        const inner = element("div", { class: "player-listing-inner" }, numbers, element("pre", {}, code), marker);
        const box = element(
            "div",
            { class: "player-listing", tabindex: "0", role: "region", "aria-label": label },
            inner,
        );
        const mark = (number) => {
            const row = rowOf(number);
            marker.hidden = row === undefined;
            if (row === undefined) return;
            marker.style.top = `calc(100% * ${row} / ${rows.length})`;
            marker.style.height = `calc(100% / ${rows.length})`;
            reveal(box, inner.offsetHeight * (row / rows.length), inner.offsetHeight / rows.length);
        };
        return { box, mark };
    }

    const MOST_LINES = 1000;
    const PIECE_LINES = 100;

    /** Many lines in pieces, of which the browser lays out those that are seen: an unrolled kernel has thousands. */
    function pieces(lines) {
        if (lines.length <= MOST_LINES) return [lines.join("\n")];
        const made = [];
        for (let first = 0; first < lines.length; first += PIECE_LINES) {
            const part = lines.slice(first, first + PIECE_LINES);
            const piece = element("span", { class: "player-piece" }, part.join("\n"));
            piece.style.setProperty("--lines", part.length);
            made.push(piece);
        }
        return made;
    }

    /** Scrolls a box, and never the page, when the line is outside of its middle part. */
    function reveal(box, top, height) {
        const margin = Math.min(box.clientHeight / 5, 3 * height);
        const isSeen = top >= box.scrollTop + margin && top + height <= box.scrollTop + box.clientHeight - margin;
        if (!isSeen) box.scrollTop = top - (box.clientHeight - height) / 2;
    }

    // ---- lanes and values

    /** 32 cells in a row: filled where the lane is active, hatched where it is not. */
    function laneRow(active) {
        const { EVERY_LANE, isActive, activeLanes, ranges } = kernelPlayer.model;
        const words = ranges(activeLanes(active));
        const cells = EVERY_LANE.map((lane) =>
            element(
                "span",
                {
                    class: isActive(active, lane) ? "active" : "inactive",
                    title: `lane ${lane}${isActive(active, lane) ? "" : ", inactive"}`,
                },
                lane % 4 === 0 || lane === 31 ? `${lane}` : "",
            ),
        );
        return element(
            "div",
            { class: "player-lane-row", role: "img", "aria-label": `active lanes: ${words || "none"}` },
            ...cells,
        );
    }

    /**
     * One value a lane; a single line where all lanes that have one agree. `texts` has 32 entries; a lane outside of
     * `active` is hatched.
     */
    function laneValues(texts, active) {
        const { isActive, activeLanes, LANES } = kernelPlayer.model;
        const lanes = activeLanes(active);
        const first = texts[lanes[0]];
        if (lanes.length > 1 && lanes.every((lane) => texts[lane] === first)) {
            const who = lanes.length === LANES ? "in all lanes" : `in each of the ${lanes.length} lanes`;
            return element("p", { class: "player-agreed" }, element("code", {}, first), ` ${who}`);
        }
        const cells = texts.map((text, lane) =>
            element(
                "li",
                { class: isActive(active, lane) ? "active" : "inactive" },
                element("small", {}, `${lane}`),
                element("code", {}, text),
            ),
        );
        return element("ol", { class: "player-values", start: "0" }, ...cells);
    }

    return { element, svg, parsed, listing, laneRow, laneValues };
})();
