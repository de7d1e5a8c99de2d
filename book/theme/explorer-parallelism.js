// Parallelism: how warps and independent instructions fill the clocks of a latency, beside what a GPU was measured to do.
//
// The page brings the measured points (data-points: of additions and of loads, [warps per scheduler, independent, value]);
// the emulator has no clocks, so this explorer does not ask it.
"use strict";

(() => {
    const { count, svg, text, picture } = coalesced.drawing;

    /** Clocks that are drawn. */
    const CLOCKS = 32;

    /** Bytes of a warp's load, and schedulers of a multiprocessor. */
    const LOAD = 512;
    const SCHEDULERS = 4;

    const rate = (bytes) => `${(bytes / 1e12).toFixed(2)} TB/s`;
    const kilobytes = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;

    const isMemory = (state) => state.what === "loads";

    const latency = (state) => (isMemory(state) ? state.memory : state.addition);

    const respond = (state, place) => {
        const points = JSON.parse(place.dataset.points);
        const measured = (isMemory(state) ? points.loads : points.additions)
            .find(([warps, independent]) => warps === state.warps && independent === state.independent)?.[2];
        const inFlight = state.warps * state.independent;
        if (!isMemory(state)) {
            return { inFlight, predicted: Math.min(1, inFlight / state.addition), measured, most: 1 };
        }
        const bytes = inFlight * SCHEDULERS * LOAD;
        const perSecond = (bytes / state.memory) * points.multiprocessors * points.clock;
        return {
            inFlight: bytes, predicted: Math.min(points.most, perSecond), measured, most: points.most,
            needed: (points.most / points.multiprocessors / points.clock) * state.memory,
        };
    };

    const answer = (state, response) => {
        const warps = `${count(state.warps, "warp")} per scheduler`;
        if (isMemory(state)) {
            const enough = response.inFlight >= response.needed ? "enough" : "too few";
            return `${warps}, ${count(state.independent, "load")} of a thread at a time: ${kilobytes(response.inFlight)} in flight ` +
                `in a multiprocessor, and ${kilobytes(response.needed)} are needed at this latency: ${enough}. ` +
                `Predicted ${rate(response.predicted)}, measured ${rate(response.measured)}.`;
        }
        return `${warps} with ${count(state.independent, "chain")}: ${response.inFlight} independent instructions for a latency of ` +
            `${count(state.addition, "clock")}. Predicted ${response.predicted.toFixed(2)} instructions per clock, measured ` +
            `${response.measured.toFixed(2)}.`;
    };

    const LEFT = 96;
    const WIDTH = 560;

    /** A bar from 0 to the most there can be. */
    const bar = (y, name, value, most, words, kind) => [
        text(0, y + 14, name, "name"),
        svg("rect", { x: LEFT, y, width: Math.max(1, (WIDTH * value) / most), height: 18, class: kind }),
        text(LEFT + 6, y + 14, words, "name"),
    ];

    /** The first clocks of a scheduler: which warp issues in each. Nothing is issued before its chain's last result. */
    const slots = (y, state) => {
        const ready = Array.from({ length: state.warps * state.independent }, () => 0);
        const cell = WIDTH / CLOCKS;
        return Array.from({ length: CLOCKS }, (_, clock) => {
            const chain = ready.findIndex((since) => since <= clock);
            if (chain >= 0) ready[chain] = clock + latency(state);
            const x = LEFT + clock * cell;
            const place = svg("rect", { x: x + 1, y, width: cell - 2, height: 20, class: chain < 0 ? "warp free" : "warp" });
            if (chain < 0) return [place];
            return [place, text(x + cell / 2, y + 14, Math.floor(chain / state.independent), "number tiny")];
        }).flat();
    };

    const draw = (state, response, asked, label) => {
        const words = isMemory(state) ? rate : (value) => value.toFixed(2);
        const bars = [
            ...bar(0, "predicted", response.predicted, response.most, words(response.predicted), "limit"),
            ...bar(26, "measured", response.measured, response.most, words(response.measured), "limit"),
        ];
        const most = text(LEFT, 62, `the full width is ${words(response.most)}, the most that was measured`, "note");
        if (isMemory(state)) {
            const scale = Math.max(response.inFlight, response.needed);
            return picture(660, 136, label, [
                ...bars, most,
                ...bar(76, "in flight", response.inFlight, scale, kilobytes(response.inFlight), "limit"),
                ...bar(102, "needed", response.needed, scale, kilobytes(response.needed), "limit"),
            ]);
        }
        return picture(660, 120, label, [
            ...bars, most, text(0, 92, "clocks", "name"), ...slots(78, state),
            text(LEFT, 116, "a cell per clock; its number is the warp that issues; dashed: a lost slot", "note"),
        ]);
    };

    const powers = (...values) => values.map((value) => [value, String(value)]);

    coalesced.explorer("parallelism", {
        title: "Explorer: what hides a latency",
        start: { what: "additions", warps: 1, independent: 1, addition: 4, memory: 684 },
        controls: [
            { name: "what", label: "Instructions", choices: [["additions", "additions"], ["loads", "loads from memory"]] },
            { name: "warps", label: "Warps per scheduler", choices: powers(1, 2, 4, 8, 16) },
            { name: "independent", label: "Independent ones of a thread", choices: powers(1, 2, 4, 8) },
            { name: "addition", label: "Clocks of an addition", min: 1, max: 32, when: (state) => !isMemory(state) },
            { name: "memory", label: "Clocks of a load", min: 100, max: 2000, step: 4, when: isMemory },
        ],
        presets: [
            ["one warp, one chain", {}],
            ["four warps", { warps: 4 }],
            ["four chains", { independent: 4 }],
            ["memory: one load each", { what: "loads", warps: 4 }],
            ["memory: four loads each", { what: "loads", warps: 4, independent: 4 }],
        ],
        request: (state) => ({ ...state }),
        respond,
        answer,
        draw,
    });
})();
