// The reader's files of all exercises, whichever page they are on, kept in this browser: what an export writes, and an import
// brings back.
//
// The page carries the texts that exercises begin with, `<script class="exercise-set">…</script>`: without them a file of
// another page would lack the task at its top.
globalThis.courseEditor ??= {};

courseEditor.kernels = (() => {
    "use strict";

    const ENDING = ".cu";

    const keyOf = (file) => `exercise-${file}`;

    /** Whether the browser has the reader's own text of a file. */
    const isKept = (file) => courseEditor.store.read(keyOf(file)) !== null;

    /** A file in two parts: the task as a comment, which the page shows anyhow, and the code. */
    function parted(text) {
        const card = text.match(/^(?:\/\/.*\n)*\n*/)[0];
        return { card, code: text.slice(card.length) };
    }

    let set;

    /** What each exercise begins with, in the order of the book: `{ "11_map.cu": "// …" }`. */
    async function initial() {
        set ??= coalesced.carried(document.querySelector("script.exercise-set")).then((bytes) =>
            JSON.parse(new TextDecoder().decode(bytes)));
        return set.catch((error) => {
            set = undefined;
            throw error;
        });
    }

    /** The code of a file as it is kept; where the browser keeps nothing, as an open editor has it. Null if it is unedited. */
    function edited(file, original) {
        const editor = document.querySelector(`[data-exercise="${file.slice(0, -ENDING.length)}"] .editor-area`);
        const code = courseEditor.store.read(keyOf(file)) ?? editor?.value ?? original;
        return code === original ? null : code;
    }

    /** All edited files: `[["11_map.cu", "…"], …]`. */
    async function all() {
        return Object.entries(await initial()).flatMap(([file, text]) => {
            const { card, code: original } = parted(text);
            const code = edited(file, original);
            return code === null ? [] : [[file, card + code]];
        });
    }

    /** Replaces a file, also in its editor if that is open. Returns whether the browser keeps it. */
    function put(file, text) {
        const isWritten = courseEditor.store.write(keyOf(file), parted(text).code);
        document.dispatchEvent(new CustomEvent("exercise-file", { detail: { name: file, text } }));
        return isWritten;
    }

    /** The name that a browser has numbered, `11_map (1).cu`, as it was. */
    const plain = (name) => name.replace(/ ?\(\d+\)(?=\.cu$)/, "");

    /**
     * Sorts files, `[["11_map (1).cu", "…"], …]`, by what they are to the reader's own: `taken`, where nothing was edited here;
     * `same`; `different`, where both were edited; `repeated`, which have the name of one before them; and `unknown`, which are
     * the files of no exercise.
     */
    async function compared(files) {
        const set = await initial();
        const sorted = { taken: [], same: [], different: [], repeated: [], unknown: [] };
        const seen = new Set();
        for (const [name, read] of files) {
            const file = plain(name);
            const text = read.replaceAll("\r\n", "\n");
            if (!Object.hasOwn(set, file) || seen.has(file)) {
                sorted[seen.has(file) ? "repeated" : "unknown"].push([name, text]);
                continue;
            }
            seen.add(file);
            const original = parted(set[file]).code;
            const mine = edited(file, original);
            const theirs = parted(text).code;
            const kind = theirs === (mine ?? original) ? "same" : mine === null ? "taken" : "different";
            sorted[kind].push([file, text]);
        }
        return sorted;
    }

    return { ENDING, isKept, parted, all, put, compared };
})();
