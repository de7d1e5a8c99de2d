// What a reader has written, kept in this browser: the texts of kernels, and the progress of exercises.
globalThis.courseEditor ??= {};

courseEditor.store = (() => {
    "use strict";

    const PREFIX = "coalesced-";

    /** The kept text; null where there is none, or where the browser refuses storage. */
    function read(key) {
        try {
            return localStorage.getItem(PREFIX + key);
        } catch {
            return null;
        }
    }

    /** Keeps a text, or forgets it where it is null. Returns whether the browser did it. */
    function write(key, text) {
        try {
            if (text === null) localStorage.removeItem(PREFIX + key);
            else localStorage.setItem(PREFIX + key, text);
            return true;
        } catch {
            return false;
        }
    }

    /** Calls `heard(text)` when another tab changes a key. */
    function watch(key, heard) {
        addEventListener("storage", (event) => {
            if (event.key === PREFIX + key && event.newValue !== event.oldValue) heard(event.newValue);
        });
    }

    return { read, write, watch };
})();
