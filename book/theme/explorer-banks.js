// Bank conflicts: 32 lanes ask for words of shared memory, each of which lies in one of 32 banks.
"use strict";

(() => {
    const { count, firstLanes, isActive, eachLane, svg, text, line, laneRow, picture } = coalesced.drawing;
    const BANKS = 32;
    const WORD = 4;

    /** The distance of neighboring lanes, in words. */
    const distance = (state) => (state.pattern === "column" ? state.row + state.padding : state.stride);

    const request = (state) => ({
        ask: "shared",
        addresses: eachLane((lane) => lane * distance(state) * WORD),
        active: firstLanes(state.lanes),
        bytes: state.bytes,
        store: state.access === "store",
    });

    const answer = (state, { wavefronts, conflicts }) => {
        const verb = state.lanes === 1 ? `${state.access}s` : state.access;
        const what = `${count(state.lanes, "lane")} ${verb} ${state.bytes} bytes each, ` +
            `${count(distance(state), "word")} apart.`;
        const takes = `The ${state.access} takes ${count(wavefronts, "wavefront")}`;
        if (conflicts === 0) return `${what} ${takes}: no bank conflict.`;
        return `${what} ${takes}: ${count(conflicts, "bank conflict")}, since without them it would be ` +
            `${count(wavefronts - conflicts, "wavefront")}.`;
    };

    /** What each bank is asked for: its different words, each with the lanes that want it. */
    const wantedOf = ({ addresses, active, bytes }) => {
        const banks = Array.from({ length: BANKS }, () => new Map());
        addresses.forEach((address, lane) => {
            if (!isActive(active, lane)) return;
            for (let word = address / WORD; word < (address + bytes) / WORD; word += 1) {
                const words = banks[word % BANKS];
                words.set(word, [...(words.get(word) ?? []), lane]);
            }
        });
        return banks;
    };

    const CELL = 20;
    const LEFT = 44;
    const BANK_TOP = 130;

    /** From each lane to the middle of the banks that hold its words. */
    const wires = ({ addresses, active, bytes }, middle) => addresses.flatMap((address, lane) => {
        if (!isActive(active, lane)) return [];
        const [first, words] = [(address / WORD) % BANKS, bytes / WORD];
        return [line(middle(lane), 30, middle(first + (words - 1) / 2), BANK_TOP, "wire")];
    });

    const draw = (state, { wavefronts, conflicts }, asked, label) => {
        const banks = wantedOf(asked);
        const most = Math.max(...banks.map((words) => words.size));
        const height = most > 16 ? 4 : most > 12 ? 9 : 16;
        const parts = [text(0, 25, "lane", "name"), text(0, BANK_TOP + 13, "bank", "name")];
        const middle = (place) => LEFT + (place + 0.5) * CELL;
        banks.forEach((words, bank) => {
            parts.push(text(middle(bank), BANK_TOP + 13, bank, "number"));
            [...words].forEach(([word, lanes], turn) => {
                const top = BANK_TOP + 22 + turn * (height + 2);
                // an access of 16 bytes per lane takes four turns at best
                const kind = turn < wavefronts - conflicts ? "word" : "word again";
                parts.push(svg("rect", { x: middle(bank) - 9, y: top, width: CELL - 2, height, class: kind },
                    svg("title", {}, `bank ${bank}, word ${word}, for lane ${lanes.join(", ")}`)));
                const who = lanes.length > 1 ? `×${lanes.length}` : lanes[0];
                if (height > 12) parts.push(text(middle(bank), top + 12, who, "number"));
            });
        });
        parts.push(...wires(asked, middle), ...laneRow(LEFT, 12, CELL, asked.active));
        const bottom = BANK_TOP + 22 + most * (height + 2);
        const words = height > 12
            ? "below each bank: a box for each different word of it, with the lane that wants it (×4: four lanes)"
            : "below each bank: a box for each different word of it";
        parts.push(text(LEFT, bottom + 18, words, "note"));
        return picture(LEFT + BANKS * CELL, bottom + 26, label, parts);
    };

    const wordsOfAccess = (state) => state.bytes / WORD;

    coalesced.explorer("banks", {
        title: "Explorer: bank conflicts in shared memory",
        start: { pattern: "stride", stride: 1, row: 32, padding: 0, bytes: 4, access: "load", lanes: 32 },
        controls: [
            { name: "pattern", label: "The lanes want",
                choices: [["stride", "words at a stride"], ["column", "a column of a tile"]] },
            { name: "stride", label: "Stride (words)", min: 0, max: 64, step: wordsOfAccess,
                when: (s) => s.pattern === "stride" },
            { name: "row", label: "Row of the tile (words)", min: 4, max: 64, step: wordsOfAccess,
                when: (s) => s.pattern === "column" },
            { name: "padding", label: "Padding of a row (words)", min: 0, max: 8, step: wordsOfAccess,
                when: (s) => s.pattern === "column" },
            { name: "bytes", label: "Bytes per lane",
                choices: [[4, "4 (float)"], [8, "8 (double, float2)"], [16, "16 (float4)"]] },
            { name: "access", label: "Access", choices: [["load", "load"], ["store", "store"]] },
            { name: "lanes", label: "Active lanes", min: 1, max: 32 },
        ],
        presets: [
            ["neighboring words", { stride: 1 }],
            ["one word for all", { stride: 0 }],
            ["every second word", { stride: 2 }],
            ["column of a 32-wide tile", { pattern: "column", row: 32 }],
            ["with one word of padding", { pattern: "column", row: 32, padding: 1 }],
            ["stage 2's copy, in rows", { stride: 4, access: "store" }],
            ["the same, fixed", { access: "store" }],
            ["float4 load", { stride: 4, bytes: 16 }],
        ],
        request,
        answer,
        draw,
    });
})();
