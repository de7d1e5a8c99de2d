// Coalescing: 32 lanes ask for elements of global memory, which comes in sectors of 32 bytes.
"use strict";

(() => {
    const { count, firstLanes, isActive, eachLane, svg, text, line, laneRow, picture } = coalesced.drawing;
    const SECTOR = 32;

    const request = (state) => ({
        ask: "global",
        addresses: eachLane((lane) => state.offset + lane * state.stride * state.bytes),
        active: firstLanes(state.lanes),
        bytes: state.bytes,
    });

    const answer = (state, { sectors, bytes_asked: asked }) => {
        const moved = sectors * SECTOR;
        const lanes = `${count(state.lanes, "lane")} ${state.lanes === 1 ? "loads" : "load"}`;
        const what = `${lanes} ${count(state.bytes, "byte")} each, ${count(asked, "byte")} together. ` +
            `The memory moves ${count(sectors, "sector")}, ${count(moved, "byte")}`;
        if (asked > moved) return `${what}: lanes share what is moved.`;
        if (asked === moved) return `${what}: as much as is asked for.`;
        return `${what}: ${Math.round((100 * asked) / moved)}\u00a0% of what is moved is asked for.`;
    };

    /** The sectors that hold something asked for, by their first address, each with the lanes' places in it. */
    const touched = ({ addresses, active, bytes }) => {
        const sectors = new Map();
        addresses.forEach((address, lane) => {
            if (!isActive(active, lane)) return;
            // elements lie at multiples of their size, and so never in two sectors
            const first = address - (address % SECTOR);
            sectors.set(first, [...(sectors.get(first) ?? []), { lane, at: address % SECTOR, bytes }]);
        });
        return [...sectors].sort(([one], [other]) => one - other);
    };

    const LEFT = 60;
    const WIDTH = 640;
    const TOP = 120;

    /** One sector: its 32 bytes, those asked for filled, and its first address where there is room for it. */
    const sectorParts = ([first, wants], x, width) => {
        const scale = (width - 4) / SECTOR;
        const lanes = wants.map((want) => want.lane).join(", ");
        const title = svg("title", {}, `bytes ${first} to ${first + SECTOR - 1}, for lane ${lanes}`);
        const parts = [svg("rect", { x: x + 2, y: TOP, width: width - 4, height: 26, class: "sector" }, title)];
        for (const { lane, at, bytes } of wants) {
            const left = x + 2 + at * scale;
            const cell = LEFT + (lane + 0.5) * (WIDTH / 32);
            parts.push(svg("rect", { x: left, y: TOP, width: bytes * scale, height: 26, class: "asked" }));
            parts.push(line(cell, 30, left + (bytes * scale) / 2, TOP, "wire"));
        }
        return width < 36 ? parts : [...parts, text(x + width / 2, TOP + 42, first, "number")];
    };

    const draw = (state, response, asked, label) => {
        const sectors = touched(asked);
        const width = Math.min(WIDTH / 4, WIDTH / sectors.length);
        const parts = [text(0, 25, "lane", "name"), text(0, TOP + 17, "sectors", "name")];
        sectors.forEach((sector, place) => {
            const x = LEFT + place * width;
            const isGap = place > 0 && sector[0] !== sectors[place - 1][0] + SECTOR;
            if (isGap) parts.push(line(x, TOP - 5, x, TOP + 31, "gap"));
            parts.push(...sectorParts(sector, x, width));
        });
        parts.push(...laneRow(LEFT, 12, WIDTH / 32, asked.active));
        const note = "filled: bytes asked for; below: first address of a sector; dashes: sectors between are not moved";
        parts.push(text(LEFT, TOP + 62, note, "note"));
        return picture(LEFT + WIDTH, TOP + 70, label, parts);
    };

    coalesced.explorer("coalescing", {
        title: "Explorer: coalesced access to global memory",
        start: { stride: 1, offset: 0, bytes: 4, lanes: 32 },
        controls: [
            { name: "stride", label: "Stride (elements)", min: 0, max: 64 },
            { name: "offset", label: "Offset (bytes)", min: 0, max: 128, step: (state) => state.bytes },
            { name: "bytes", label: "Bytes per element",
                choices: [[1, "1 (char)"], [2, "2 (half)"], [4, "4 (float)"], [8, "8 (double)"], [16, "16 (float4)"]] },
            { name: "lanes", label: "Active lanes", min: 1, max: 32 },
        ],
        presets: [
            ["neighboring floats", {}],
            ["the same, one float on", { offset: 4 }],
            ["one float for all", { stride: 0 }],
            ["every second float", { stride: 2 }],
            ["one field of a four-float structure", { stride: 4 }],
            ["the whole structure as a float4", { bytes: 16 }],
            ["stage 2's copy, in rows", { stride: 24 }],
            ["the same, fixed", { stride: 6 }],
            ["column of a matrix", { stride: 64 }],
            ["neighboring bytes", { bytes: 1 }],
        ],
        request,
        answer,
        draw,
    });
})();
