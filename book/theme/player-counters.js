// The kernel player's table of counters: what is in it, and how two runs stand side by side.
globalThis.kernelPlayer ??= {};

kernelPlayer.counters = (() => {
    "use strict";

    const SECTOR_BYTES = 32;
    const WARP = 32;

    const moved = (run) =>
        SECTOR_BYTES *
        (run.counters.global_load_sectors + run.counters.global_store_sectors + run.counters.global_atomic_sectors);

    const count = (field) => (run) => run.counters[field];
    const each = (part, whole) => (run) => run.counters[part] / run.counters[whole];

    const whole = (value) => Math.round(value).toLocaleString("en");
    const threeDigits = (value) => Number(value.toPrecision(3)).toLocaleString("en", { maximumFractionDigits: 3 });
    const percent = (value) => `${threeDigits(100 * value)} %`;

    // Name, where the book explains it, its value in a run `{ counters, needed_bytes }`, and how it is written.
    const ROWS = [
        ["warp instructions", "emulator.html#instructions", count("warp_instructions"), whole],
        [
            "lanes busy",
            "emulator.html#instructions",
            (run) => run.counters.thread_instructions / (WARP * run.counters.warp_instructions),
            percent,
        ],
        ["global load requests", "glossary.html#request", count("global_load_requests"), whole],
        ["their sectors", "glossary.html#sector", count("global_load_sectors"), whole],
        [
            "sectors per load request",
            "emulator.html#global-memory",
            each("global_load_sectors", "global_load_requests"),
            threeDigits,
        ],
        ["global store requests", "glossary.html#request", count("global_store_requests"), whole],
        ["their sectors", "glossary.html#sector", count("global_store_sectors"), whole],
        [
            "sectors per store request",
            "emulator.html#global-memory",
            each("global_store_sectors", "global_store_requests"),
            threeDigits,
        ],
        ["global atomic requests", "glossary.html#atomic", count("global_atomic_requests"), whole],
        ["their sectors", "emulator.html#global-memory", count("global_atomic_sectors"), whole],
        ["bytes moved", "emulator.html#global-memory", moved, whole],
        ["bytes needed", "emulator.html#global-memory", (run) => run.needed_bytes, whole],
        ["moved over needed", "emulator.html#global-memory", (run) => moved(run) / run.needed_bytes, threeDigits],
        ["shared load wavefronts", "glossary.html#wavefront", count("shared_load_wavefronts"), whole],
        ["of these, conflicts", "glossary.html#bank-conflict", count("shared_load_conflicts"), whole],
        ["shared store wavefronts", "glossary.html#wavefront", count("shared_store_wavefronts"), whole],
        ["of these, conflicts", "glossary.html#bank-conflict", count("shared_store_conflicts"), whole],
        ["shared atomic wavefronts", "glossary.html#wavefront", count("shared_atomic_wavefronts"), whole],
        ["of these, conflicts", "glossary.html#bank-conflict", count("shared_atomic_conflicts"), whole],
        ["constant load requests", "glossary.html#constant-memory", count("constant_load_requests"), whole],
        [
            "addresses per request",
            "emulator.html#constant-memory",
            each("constant_load_addresses", "constant_load_requests"),
            threeDigits,
        ],
        ["local load requests", "glossary.html#request", count("local_load_requests"), whole],
        ["local store requests", "glossary.html#request", count("local_store_requests"), whole],
        ["barriers", "glossary.html#barrier", count("barriers"), whole],
        ["shuffles", "glossary.html#shuffle", count("shuffles"), whole],
        ["votes", "emulator.html#instructions", count("votes"), whole],
        ["branches", "emulator.html#instructions", count("branches"), whole],
        ["divergent branches", "glossary.html#divergence", count("divergent_branches"), whole],
    ];

    /** The change from one number to another: `÷ 4`, `× 1.5`, `=`, `≈`; a dash where either counts nothing. */
    function change(before, now) {
        if (!(before > 0 && now > 0)) return "–";
        if (before === now) return "=";
        const ratio = threeDigits(Math.max(now / before, before / now));
        if (ratio === "1") return "≈";
        return `${now > before ? "×" : "÷"} ${ratio}`;
    }

    /**
     * The rows of one run, or of two: `{ name, link, cells }`. A row that is zero in each of them is left out.
     * With two runs the cells are: before, now, change.
     */
    function rows(run, before) {
        const runs = before ? [before, run] : [run];
        return ROWS.map(([name, link, of, text]) => {
            const values = runs.map(of);
            const cells = values.map((value) => (value > 0 ? text(value) : value === 0 ? "0" : "–"));
            if (before) cells.push(change(...values));
            return { name, link, cells, isZero: !values.some((value) => value > 0) };
        }).filter((row) => !row.isZero);
    }

    return { rows, change };
})();
