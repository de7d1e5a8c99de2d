// The kernel player's model: masks, listings, registers and the search for the next stop. It knows no document, so that
// the tests of the book can call it in the page as `kernelPlayer.model`.
globalThis.kernelPlayer ??= {};

kernelPlayer.model = (() => {
    "use strict";

    const LANES = 32;
    const EVERY_LANE = Array.from({ length: LANES }, (_, lane) => lane);

    const isActive = (mask, lane) => ((mask >>> lane) & 1) === 1;
    const activeLanes = (mask) => EVERY_LANE.filter((lane) => isActive(mask, lane));

    /** `0–15, 31`; the numbers ascend. */
    function ranges(numbers) {
        const runs = [];
        for (const number of numbers) {
            const run = runs.at(-1);
            if (run && run.last + 1 === number) run.last = number;
            else runs.push({ first: number, last: number });
        }
        return runs.map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`)).join(", ");
    }

    // ---- scenes

    /** The scene of a choice with texts and contents in place of their keys, as the emulator wants it. */
    function resolve(data, choice) {
        const filled = (part) => ("contents" in part ? { ...part, contents: data.contents[part.contents] } : part);
        const fields = Object.entries(choice.scene).map(([name, value]) => {
            const isList = Array.isArray(value) && value.every((part) => typeof part === "object");
            return [name, isList ? value.map(filled) : value];
        });
        return { ...Object.fromEntries(fields), ptx: data.ptx[choice.scene.ptx] };
    }

    /** `2`, or `8 × 4` for a grid or block of several dimensions. */
    function extent(shape) {
        const used = shape.findLastIndex((length) => length > 1);
        return shape.slice(0, used + 1).join(" × ") || "1";
    }

    // ---- PTX

    /** The words of an instruction without its guard: `@%p1 bra $L__BB0_2;` is `bra $L__BB0_2;` */
    const unguarded = (instruction) => instruction.replace(/^[{\s]*(@!?%\w+\s+)?/, "");

    /** `ld.global.nc.f32` */
    const opcode = (instruction) => (unguarded(instruction).match(/^[a-z][\w.:]*/) || [""])[0];

    /** The registers that an instruction names, in their order, each once. Special ones (`%tid.x`) are left out. */
    const namedRegisters = (instruction) => [...new Set(instruction.match(/%[a-z_]+\d+\b/gi) || [])];

    /** The type of what an opcode writes: its first type, `f32` of `cvt.rn.f32.s32`; empty where it has none. */
    const writtenType = (name) => (name.match(/\.(pred|[busf](?:8|16|32|64|128))\b/) || ["", ""])[1];

    /** `{ '%f': 'f32', … }` from lines such as `.reg .f32 %f<608>;` */
    function declaredTypes(lines) {
        const types = {};
        for (const line of lines) {
            const found = line.match(/^\s*\.reg\s+\.(\w+)\s+(%\w+)</);
            if (found) types[found[2]] = found[1];
        }
        return types;
    }

    /**
     * The PTX of one entry, without its `.loc` lines: the line of the source is shown beside it.
     * `rows` are `{ number, text }`, numbers counting from 1 in the whole text; `rowOf` finds a row by number.
     */
    function ptxListing(ptx, entry) {
        const lines = ptx.split("\n");
        const start = lines.findIndex(
            (line) => line.includes(".entry") && line.match(/\.entry\s+([\w$]+)/)?.[1] === entry,
        );
        const end = start < 0 ? -1 : lines.findIndex((line, index) => index > start && line.startsWith("}"));
        const rows = [];
        for (let index = Math.max(start, 0); index < (end < 0 ? lines.length : end + 1); index += 1) {
            if (!/^\s*\.loc\b/.test(lines[index])) rows.push({ number: index + 1, text: lines[index] });
        }
        return { lines, rows, rowOf: rowFinder(rows), types: declaredTypes(rows.map((row) => row.text)) };
    }

    function sourceListing(source) {
        const rows = source
            .replace(/\n$/, "")
            .split("\n")
            .map((text, index) => ({ number: index + 1, text }));
        return { rows, rowOf: rowFinder(rows) };
    }

    function rowFinder(rows) {
        const places = new Map(rows.map((row, index) => [row.number, index]));
        return (number) => places.get(number);
    }

    // ---- values

    /** The value of a lane in a record of what a step wrote. */
    function laneValue(written, lane) {
        if (written.kind === "pred") return isActive(written.values[0], lane);
        return written.values.length === 1 ? written.values[0] : written.values[lane];
    }

    const bits = new DataView(new ArrayBuffer(8));

    function float32(word) {
        bits.setUint32(0, word);
        return bits.getFloat32(0);
    }

    function float64(word) {
        bits.setBigUint64(0, word);
        return bits.getFloat64(0);
    }

    /** Seven digits tell most f32 apart, and fit into a cell. */
    function floatText(value) {
        if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "−∞";
        if (Object.is(value, -0)) return "-0";
        const short = String(Number(value.toPrecision(7)));
        return short.length <= 11 ? short : value.toExponential(5);
    }

    const hex = (word) => `0x${word.toString(16)}`;

    /**
     * A value in words. `type` is a PTX type (`f32`, `s32`, `u64`, `b32`, `pred`). Words of no type (`b32`) are numbers
     * while they are small, else hexadecimal, as is a 64-bit word that looks like an address; one in an array is `&y[17]`.
     */
    function valueText(kind, type, value, arrays = []) {
        if (value === null || value === undefined) return "–";
        if (kind === "pred") return value ? "true" : "false";
        if (kind !== "b64") return wordText(type, value >>> 0);
        const place = /^[bu]/.test(type) && kernelPlayer.arrays.nameAt(arrays, Number(value));
        return place ? `&${place}` : wideText(type, BigInt(value));
    }

    function wordText(type, word) {
        if (type === "f32") return floatText(float32(word));
        if (/^s/.test(type)) return String(word | 0);
        if (/^u/.test(type)) return String(word);
        const isSmall = Math.abs(word | 0) < 0x10000;
        return type !== "hex" && isSmall ? String(word | 0) : hex(word);
    }

    function wideText(type, word) {
        if (/^f/.test(type)) return floatText(float64(word));
        const signed = /^s/.test(type) ? BigInt.asIntN(64, word) : word;
        const isSmall = signed < 0x100000000n && signed > -0x100000000n;
        return type !== "hex" && isSmall ? String(signed) : hex(word);
    }

    /** The type by which to show what an instruction wrote into a register. */
    function shownType(instruction, register, types) {
        const type = writtenType(opcode(instruction));
        return !type || type.startsWith("b") ? types[register.replace(/\d+$/, "")] || type : type;
    }

    // ---- the steps of one warp

    const STOPS = {
        access: (step) => step.accesses.some((access) => access.space !== "parameter"),
        barrier: (step, text) => /^(bar|barrier)\./.test(opcode(text)),
        shuffle: (step, text) => /^shfl\./.test(opcode(text)),
        line: (step, text, from) => step.source !== null && step.source !== from.source,
    };

    /** One warp's way through a block. Positions count its own steps from 0. */
    class WarpTrace {
        constructor(steps, listing) {
            this.steps = steps;
            this.listing = listing;
            this.writers = new Map();
            steps.forEach((step, position) => {
                for (const { register } of step.written) {
                    if (!this.writers.has(register)) this.writers.set(register, []);
                    this.writers.get(register).push(position);
                }
            });
        }

        /** The text of the instruction at a position. */
        instruction(position) {
            return (this.listing.lines[this.steps[position].line - 1] || "").trim().replace(/\s+/g, " ");
        }

        /** The lanes that take the branch of the step at a position, or null where it is no branch with a condition. */
        takenBy(position) {
            const condition = this.instruction(position).match(/^@(!?)(%\w+) bra\b/);
            const held = condition && this.register(condition[2], position);
            if (!held) return null;
            const isTaken = (lane) => held.values[lane] === (condition[1] === "");
            return activeLanes(this.steps[position].active).filter(isTaken);
        }

        /** The type by which to show what the step at a position writes into a register. */
        typeWritten(position, register) {
            return shownType(this.instruction(position), register, this.listing.types);
        }

        /** All registers that this warp ever writes, in the order of letters and then of numbers. */
        registers() {
            return [...this.writers.keys()].sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
        }

        /** The next position after `from` with a memory `access`, a `barrier`, a `shuffle`, or another `line` of the source; or -1. */
        nextStop(from, kind) {
            const { steps } = this;
            for (let position = from + 1; position < steps.length; position += 1) {
                if (STOPS[kind](steps[position], this.instruction(position), steps[from])) return position;
            }
            return -1;
        }

        /**
         * A register after the step at `position`: the value of each lane, null where a lane has not written it, with its
         * kind, type, and the position of its last writer. Null before the first write.
         */
        register(name, position) {
            const before = (this.writers.get(name) || []).filter((writer) => writer <= position);
            if (before.length === 0) return null;
            const values = new Array(LANES).fill(null);
            let missing = LANES;
            for (let place = before.length - 1; place >= 0 && missing > 0; place -= 1) {
                const step = this.steps[before[place]];
                const written = step.written.find((each) => each.register === name);
                for (const lane of activeLanes(step.active)) {
                    if (values[lane] !== null) continue;
                    values[lane] = laneValue(written, lane);
                    missing -= 1;
                }
            }
            const writer = before.at(-1);
            const { kind } = this.steps[writer].written.find((each) => each.register === name);
            return { values, kind, writer, type: this.typeWritten(writer, name) };
        }
    }

    /** The steps of a block by warp: a Map from the warp's number to `{ steps, order }`, order being places in the block. */
    function byWarp(steps) {
        const warps = new Map();
        steps.forEach((step, place) => {
            if (!warps.has(step.warp)) warps.set(step.warp, { steps: [], order: [] });
            warps.get(step.warp).steps.push(step);
            warps.get(step.warp).order.push(place);
        });
        return new Map([...warps].sort(([one], [other]) => one - other));
    }

    return {
        LANES,
        EVERY_LANE,
        isActive,
        activeLanes,
        ranges,
        resolve,
        extent,
        opcode,
        namedRegisters,
        writtenType,
        ptxListing,
        sourceListing,
        laneValue,
        valueText,
        shownType,
        WarpTrace,
        byWarp,
        hex,
    };
})();
