// The kernel player's table of counters: what is in it, and how two runs stand side by side.
globalThis.kernelPlayer ??= {};

kernelPlayer.counters = (() => {
    "use strict";

    const SECTOR_BYTES = 32;
    const WARP = 32;

    /** A value in a run, with the counters that it is made of. */
    const made = (fields, of) => Object.assign(of, { fields });

    const MOVED = ["global_load_sectors", "global_store_sectors", "global_atomic_sectors"];
    const moved = made(MOVED, (run) => SECTOR_BYTES * MOVED.reduce((sum, field) => sum + run.counters[field], 0));

    const count = (field) => made([field], (run) => run.counters[field]);
    const each = (part, whole) => made([part, whole], (run) => run.counters[part] / run.counters[whole]);

    const whole = (value) => Math.round(value).toLocaleString("en");
    const threeDigits = (value) => Number(value.toPrecision(3)).toLocaleString("en", { maximumFractionDigits: 3 });
    const percent = (value) => `${threeDigits(100 * value)} %`;

    // Name, where the book explains it, its value in a run `{ counters, needed_bytes }`, and how it is written. The bytes that a
    // launch needs are 0 where they are not known.
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
        [
            "traffic ratio",
            "emulator.html#global-memory",
            made(MOVED, (run) => (run.needed_bytes > 0 ? moved(run) / run.needed_bytes : 0)),
            threeDigits,
        ],
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

    /** Why ptxas gives a GPU other counts than the PTX has, one reason each; none for kernels in Rust. */
    const reasons = ({ differs }, fields) => fields.map((field) => differs[field]).filter(Boolean);

    /** What the marks in the table of these runs mean. */
    const footnotes = (runs) => {
        const all = runs.flatMap((run) =>
            ROWS.flatMap(([, , of]) => (of(run) > 0 ? reasons(run, of.fields ?? []) : [])));
        return [...new Set(all)].map((reason) => `~ counted in the PTX: ${reason}.`);
    };

    /**
     * The rows of one run, or of two: `{ name, link, cells }`; `~` where ptxas changes a count. A row that is zero in each of them is left out.
     * With two runs the cells are: before, now, change.
     */
    function rows(run, before) {
        const runs = before ? [before, run] : [run];
        return ROWS.map(([name, link, of, text]) => {
            const values = runs.map(of);
            const marks = runs.map((each) => (reasons(each, of.fields ?? []).length > 0 ? "~" : ""));
            const written = (value) => (value > 0 ? text(value) : value === 0 ? "0" : "–");
            const cells = values.map((value, number) => (value > 0 ? marks[number] : "") + written(value));
            if (before) cells.push(change(...values));
            return { name, link, cells, isZero: !values.some((value) => value > 0) };
        }).filter((row) => !row.isZero);
    }

    return { rows, change, footnotes };
})();
