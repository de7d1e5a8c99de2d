// Warp shuffle: each lane reads a register of another lane.
"use strict";

(() => {
    const { LANES, ALL_LANES, isActive, eachLane, svg, text, line, picture } = coalesced.drawing;

    const MODES = { idx: "__shfl_sync", up: "__shfl_up_sync", down: "__shfl_down_sync", bfly: "__shfl_xor_sync" };

    const MASKS = {
        all: ["all lanes", ALL_LANES],
        half: ["lanes 0 to 15", 0x0000ffff],
        even: ["even lanes", 0x55555555],
        most: ["all but lane 31", 0x7fffffff],
    };

    /** What lane 0, 1, 2 … holds before the shuffle: 10, 11, 12 … */
    const valueOf = (lane) => 10 + lane;

    const hex = (mask) => `0x${mask.toString(16).padStart(8, "0")}`;

    const request = (state) => ({
        ask: "shuffle",
        mode: state.mode,
        operand: state.operand,
        width: state.width,
        active: MASKS[state.mask][1],
    });

    /** What becomes of a lane: it reads another, keeps its value, reads one that takes no part, or takes no part. */
    const fates = ({ lanes }, { active }) => lanes.map(({ source, in_range: inRange }) => {
        if (source === null) return "idle";
        if (!inRange) return "keeps";
        return isActive(active, source) ? "reads" : "undefined";
    });

    /** "0 to 15, 20" */
    const ranges = (lanes) => {
        const runs = [];
        for (const lane of lanes) {
            const last = runs.at(-1);
            if (last && lane === last[1] + 1) last[1] = lane;
            else runs.push([lane, lane]);
        }
        return runs.map(([first, last]) => (first === last ? `${first}` : `${first} to ${last}`)).join(", ");
    };

    const answer = (state, response, asked) => {
        const call = `${MODES[state.mode]}(${hex(asked.active)}, value, ${state.operand}, ${state.width})`;
        const fate = fates(response, asked);
        const lanesThat = (wanted) => eachLane((lane) => lane).filter((lane) => fate[lane] === wanted);
        const sentences = [
            ["keeps", (lanes) => `Out of range, so each keeps its own value: lane ${lanes}.`],
            ["undefined", (lanes) => `Reads a lane that is not in the mask, an undefined value: lane ${lanes}.`],
            ["idle", (lanes) => `Not in the mask, takes no part: lane ${lanes}.`],
        ];
        const example = lanesThat("reads")[0];
        const reads = example === undefined ? "No lane reads another one."
            : `Lane ${example} reads lane ${response.lanes[example].source} and gets ${valueOf(response.lanes[example].source)}.`;
        const others = sentences.filter(([wanted]) => lanesThat(wanted).length > 0);
        return [`${call}:`, reads, ...others.map(([wanted, words]) => words(ranges(lanesThat(wanted))))].join(" ");
    };

    const details = (state, response) => {
        const pairs = response.lanes.map(({ source }, lane) => (source === null ? null : `${lane} ← ${source}`));
        return `Lane ← the lane whose value it gets: ${pairs.filter(Boolean).join(", ")}`;
    };

    const CELL = 20;
    const LEFT = 60;
    const UPPER = 26;
    const LOWER = 164;

    /** A row of cells, each with its lane's number above or below it, and what the lane holds. */
    const values = (top, numbers, held, mask) => eachLane((lane) => {
        const [x, takesPart] = [LEFT + lane * CELL, isActive(mask, lane)];
        const cell = svg("rect", { x: x + 1, y: top, width: CELL - 2, height: 18, class: takesPart ? "lane" : "lane idle" });
        const number = text(x + CELL / 2, numbers, lane, "number tiny");
        return [cell, number, ...(takesPart ? [text(x + CELL / 2, top + 13, held(lane), "number value")] : [])];
    }).flat();

    const draw = (state, response, asked, label) => {
        const middle = (lane) => LEFT + (lane + 0.5) * CELL;
        const fate = fates(response, asked);
        const parts = [
            text(0, UPPER - 6, "lane", "name"),
            text(0, UPPER + 13, "holds", "name"),
            text(0, LOWER + 13, "gets", "name"),
            text(0, LOWER + 33, "from lane", "name"),
        ];
        for (let lane = state.width; lane < LANES; lane += state.width) {
            parts.push(line(LEFT + lane * CELL, 4, LEFT + lane * CELL, LOWER + 40, "gap"));
        }
        response.lanes.forEach(({ source }, lane) => {
            if (source === null) return;
            const [x, y] = [middle(lane), LOWER - 3];
            parts.push(line(middle(source), UPPER + 19, x, y, fate[lane] === "reads" ? "arrow" : "arrow broken"));
            parts.push(svg("path", { d: `M${x} ${y}l-4 -7h8z`, class: "head" }));
            parts.push(text(x, LOWER + 33, fate[lane] === "undefined" ? "?" : source, "number"));
        });
        const gets = (lane) => (fate[lane] === "undefined" ? "?" : valueOf(response.lanes[lane].source));
        const { active } = asked;
        parts.push(...values(UPPER, UPPER - 6, valueOf, active), ...values(LOWER, LOWER + 50, gets, active));
        const note = "dashed: out of range, a lane keeps its own value; ?: the source is not in the mask";
        parts.push(text(0, LOWER + 50, "lane", "name"), text(LEFT, LOWER + 70, note, "note"));
        return picture(LEFT + LANES * CELL, LOWER + 78, label, parts);
    };

    coalesced.explorer("shuffle", {
        title: "Explorer: warp shuffle",
        start: { mode: "down", operand: 16, width: 32, mask: "all" },
        controls: [
            { name: "mode", label: "Mode", choices: [["idx", "idx: from lane …"], ["up", "up: from … lanes below"],
                ["down", "down: from … lanes above"], ["bfly", "xor (bfly): from lane number xor …"]] },
            { name: "operand", label: "Lane or distance (…)", min: 0, max: 31 },
            { name: "width", label: "Width", choices: [1, 2, 4, 8, 16, 32].map((width) => [width, String(width)]) },
            { name: "mask", label: "Mask", choices: Object.entries(MASKS).map(([name, [label]]) => [name, label]) },
        ],
        presets: [
            ["first step of a sum", {}],
            ["its last step", { operand: 1 }],
            ["sum for everybody, first step", { mode: "bfly" }],
            ["lane 0 tells all", { mode: "idx", operand: 0 }],
            ["from the neighbor below", { mode: "up", operand: 1 }],
            ["two halves by themselves", { operand: 8, width: 16 }],
            ["a mask that is too small", { mask: "half", operand: 8 }],
        ],
        request,
        answer,
        details,
        draw,
    });
})();
