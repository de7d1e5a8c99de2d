// Occupancy: how many warps of a kernel a multiprocessor holds, and what keeps more of them out.
"use strict";

(() => {
    const { count, svg, text, picture } = coalesced.drawing;

    const request = (state) =>
        ({ ask: "occupancy", registers: state.registers, shared_bytes: state.shared, block: state.block });

    const answer = (state, { blocks, warps, most_warps: most, limiter }) => {
        if (blocks === 0) return `No such block fits a multiprocessor: too much of ${limiter}.`;
        const share = Math.round((100 * warps) / most);
        const holds = `A multiprocessor of an H200 holds ${count(blocks, "block")} at a time: ` +
            `${count(warps, "warp")} of ${most}, an occupancy of ${share}\u00a0%.`;
        const why = warps === most ? "It holds no more." : `What keeps more out is its limit of ${limiter}.`;
        const last = state.block % 32;
        const rest = last === 0 ? "" : ` Of each block's last warp, ${count(last, "lane")} of 32 take part.`;
        return `${holds} ${why}${rest}`;
    };

    const LEFT = 126;
    const WIDTH = 480;
    const BAR = 26;

    /** A bar a limit: the blocks that it alone would allow. A bar that goes on beyond the picture has an open end. */
    const limitBars = (limits, blocks) => {
        const most = Math.max(8, 2 * blocks);
        return limits.flatMap((limit, place) => {
            const y = 20 + place * BAR;
            const shown = Math.min(limit.blocks, most);
            const width = (WIDTH * shown) / most;
            const isLimiter = limit.blocks === blocks;
            const kind = isLimiter ? "limit limiter" : "limit";
            const words = `${count(limit.blocks, "block")}${isLimiter ? ": no more" : ""}`;
            const arrow = svg("path", { d: `M${LEFT + width} ${y + 1}l8 8l-8 8`, class: "open" });
            return [
                text(0, y + 14, limit.resource, isLimiter ? "name limiter" : "name"),
                svg("rect", { x: LEFT, y, width: Math.max(width, 1), height: 18, class: kind }),
                ...(limit.blocks > most ? [arrow] : []),
                text(LEFT + width + 14, y + 14, words, isLimiter ? "name limiter" : "name"),
            ];
        });
    };

    /** Places for warps; a block's are numbered with the block. */
    const warpSlots = (top, { blocks, warps, most_warps: most }) => {
        const cell = WIDTH / 32;
        return Array.from({ length: most }, (_, slot) => {
            const [x, y] = [LEFT + (slot % 32) * cell, top + Math.floor(slot / 32) * 24];
            const isTaken = slot < warps;
            const kind = isTaken ? "warp" : "warp free";
            const place = svg("rect", { x: x + 1, y, width: cell - 2, height: 20, class: kind });
            if (!isTaken) return [place];
            return [place, text(x + cell / 2, y + 14, Math.floor(slot / (warps / blocks)), "number tiny")];
        }).flat();
    };

    const draw = (state, response, asked, label) => {
        const top = 40 + response.limits.length * BAR;
        return picture(740, top + 76, label, [
            text(0, 10, "blocks that each limit alone would allow", "note"),
            ...limitBars(response.limits, response.blocks),
            text(0, top + 14, "warps", "name"),
            ...warpSlots(top, response),
            text(LEFT, top + 66, "a cell for each warp that fits; its number is its block's; dashed: free", "note"),
        ]);
    };

    coalesced.explorer("occupancy", {
        title: "Explorer: occupancy of a multiprocessor",
        start: { registers: 32, shared: 0, block: 256 },
        controls: [
            { name: "registers", label: "Registers per thread", min: 1, max: 255 },
            { name: "shared", label: "Shared memory a block (bytes)", min: 0, max: 232448, step: 16 },
            { name: "block", label: "Threads per block", min: 1, max: 1024 },
        ],
        presets: [
            ["few registers, no tile", {}],
            ["64 registers", { registers: 64 }],
            ["one register more: 65", { registers: 65 }],
            ["a tile of 48 KB", { shared: 49152 }],
            ["blocks of one warp", { block: 32 }],
            ["blocks of 33 threads", { block: 33 }],
            ["blocks of 1024, 40 registers", { registers: 40, block: 1024 }],
        ],
        request,
        answer,
        draw,
    });
})();
