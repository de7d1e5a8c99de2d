// What was changed in a text, line by line, as a unified diff.
globalThis.courseEditor ??= {};

courseEditor.diff = (() => {
    "use strict";

    const CONTEXT = 3;

    /** Lengths of the longest common subsequences of the ends of two lists of lines. */
    function lengths(old, now) {
        const table = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
        for (let i = old.length - 1; i >= 0; i -= 1) {
            for (let j = now.length - 1; j >= 0; j -= 1) {
                table[i][j] = old[i] === now[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
            }
        }
        return table;
    }

    /** All lines in their order, each with a sign: blank, `-` or `+`. */
    function lines(before, after) {
        const [old, now] = [before.split("\n"), after.split("\n")];
        const common = lengths(old, now);
        const found = [];
        let [i, j] = [0, 0];
        while (i < old.length || j < now.length) {
            if (i < old.length && j < now.length && old[i] === now[j]) {
                found.push([" ", old[i]]);
                i += 1;
                j += 1;
            } else if (j === now.length || (i < old.length && common[i + 1][j] >= common[i][j + 1])) {
                found.push(["-", old[i]]);
                i += 1;
            } else {
                found.push(["+", now[j]]);
                j += 1;
            }
        }
        return found;
    }

    /** The changed lines with the lines around them; empty where nothing was changed. */
    function unified(before, after) {
        const all = lines(before, after);
        const isNear = all.map((_, place) =>
            all.slice(Math.max(0, place - CONTEXT), place + CONTEXT + 1).some(([sign]) => sign !== " "));
        const parts = [];
        all.forEach(([sign, text], place) => {
            if (!isNear[place]) return;
            if (place > 0 && !isNear[place - 1]) parts.push("@@");
            parts.push(sign + text);
        });
        return parts.join("\n");
    }

    return { unified };
})();
