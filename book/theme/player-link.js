// A step of the kernel player as a link: the part of the address after `#` names what is stepped, and the step. It can be sent
// to others, and stays when the page is loaded again.
globalThis.kernelPlayer ??= {};

kernelPlayer.link = (() => {
    "use strict";

    const NAMES = ["kernel", "language", "size", "block", "number", "warp", "step"];

    /** Browsers refuse more than some changes of the address per second, and a slider makes many. */
    const REST_MILLISECONDS = 300;

    /** What the address names in the player of a stage, an object of texts; null where it names no step of it. */
    function read(stage) {
        const fields = new URLSearchParams(location.hash.slice(1));
        if (fields.get("player") !== stage) return null;
        return Object.fromEntries(NAMES.map((name) => [name, fields.get(name) ?? ""]));
    }

    let waiting;

    /** Puts a step into the address, without another entry in the browser's history. */
    function write(stage, step) {
        clearTimeout(waiting);
        waiting = setTimeout(() => {
            const fields = new URLSearchParams([["player", stage], ...NAMES.map((name) => [name, step[name]])]);
            history.replaceState(history.state, "", `#${fields}`);
        }, REST_MILLISECONDS);
    }

    return { read, write };
})();
