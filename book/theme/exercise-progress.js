// The progress of the exercises, kept in this browser, and exchanged in one file with the kernels: a zip with the files of
// `cargo learn`, and with `log.json` if the reader keeps a log of minutes.
globalThis.courseEditor ??= {};

courseEditor.progress = (() => {
    "use strict";

    const KEY = "progress";
    const FILE = "progress.toml";
    const LOG = "log.json";
    const ARCHIVE = "coalesced-progress.zip";
    const NOT_KEPT = "This browser does not keep it: its storage is full or refused.";
    const EMPTY = { solved: null, hints: 0, revealed: false };

    const listeners = [];

    /** The progress of all files, by their names: `12_guard.cu`. */
    function files() {
        try {
            return JSON.parse(courseEditor.store.read(KEY)) ?? {};
        } catch {
            return {};
        }
    }

    const of = (file) => ({ ...EMPTY, ...files()[file] });

    /** Changes the progress of a file. Returns whether the browser keeps it. */
    function change(file, fields) {
        return put({ ...files(), [file]: { ...of(file), ...fields } });
    }

    function put(all) {
        const isKept = courseEditor.store.write(KEY, JSON.stringify(all));
        listeners.forEach((heard) => heard());
        return isKept;
    }

    courseEditor.store.watch(KEY, () => listeners.forEach((heard) => heard()));

    /** Gives the reader a file: a text or a blob. */
    function save(name, content) {
        const address = URL.createObjectURL(new Blob([content], { type: content.type ?? "text/plain" }));
        const link = kernelPlayer.draw.element("a", { href: address, download: name });
        link.click();
        setTimeout(() => URL.revokeObjectURL(address), 1000);
    }

    const counted = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;

    /** Saves all edited kernels, the progress, and the log if it is on, in one file. */
    async function exported() {
        const write = { language: "cuda", files: files() };
        const { toml } = await courseEditor.workshop.ask({ ask: "progress", write });
        const kernels = await courseEditor.kernels.all();
        const log = courseEditor.log.exported();
        const about = [[FILE, toml], ...(log === null ? [] : [[LOG, log]])];
        save(ARCHIVE, courseEditor.zip.packed([...kernels, ...about]));
        const names = about.map(([name]) => name);
        return `${ARCHIVE} is saved, with ${[counted(kernels.length, "edited kernel"), ...names].join(", ")}. Hand it in as it is, `
            + "or unpack it into your folder of exercises.";
    }

    const baseOf = (path) => path.split("/").pop();
    const isKernel = (path) => path.endsWith(courseEditor.kernels.ENDING);
    /** As macOS adds them to a zip: `__MACOSX/._11_map.cu`. */
    const isHidden = (path) => baseOf(path).startsWith(".");
    const isWanted = (path) => !isHidden(path) && (isKernel(path) || baseOf(path) === FILE);
    const depth = ([path]) => path.split("/").length;

    /** The texts in the chosen files, by their names without folders: the newest first, and those nearest to the top of a zip. */
    async function textsIn(chosen) {
        const texts = [];
        const ignored = [];
        for (const file of chosen.sort((one, other) => other.lastModified - one.lastModified)) {
            if (file.name.endsWith(".zip")) {
                const inside = await courseEditor.zip.unpacked(await file.arrayBuffer(), isWanted).catch((error) => {
                    throw new Error(`${file.name}: ${error.message}`);
                });
                inside.texts.sort((one, other) => depth(one) - depth(other));
                texts.push(...inside.texts);
                ignored.push(...inside.others.filter((path) => !isHidden(path)));
            } else if (isKernel(file.name) || file.name.endsWith(".toml")) {
                texts.push([file.name, await file.text()]);
            } else {
                throw new Error(`${file.name} is neither an export (.zip), nor ${FILE}, nor a kernel in CUDA C++ (.cu)`);
            }
        }
        return { texts: texts.map(([path, text]) => [baseOf(path), text]), ignored };
    }

    /** Adds a progress to the one here: what was solved in one of them is solved. */
    function merge(read) {
        const merged = Object.entries(read).map(([name, { solved = null, hints, revealed }]) => {
            const here = of(name);
            const both = { solved: solved ?? here.solved, hints: Math.max(hints, here.hints), revealed: revealed || here.revealed };
            return [name, both];
        });
        return put({ ...files(), ...Object.fromEntries(merged) });
    }

    /** Replaces kernels, and returns what to say if the browser keeps nothing. */
    function replace(kernels) {
        const areKept = kernels.map(([file, text]) => courseEditor.kernels.put(file, text));
        return areKept.includes(false) ? NOT_KEPT : "";
    }

    /** Takes an export, files of progress and kernels. All are read first: after an error nothing is changed. */
    async function imported(chosen) {
        const { texts, ignored } = await textsIn(chosen);
        const progress = [];
        for (const [name, text] of texts.filter(([name]) => !isKernel(name))) {
            const { files: read } = await courseEditor.workshop.ask({ ask: "progress", read: text }).catch((error) => {
                throw new Error(`${name}: ${error.message}`);
            });
            progress.push(read);
        }
        const { taken, same, different, repeated, unknown } = await courseEditor.kernels.compared(texts.filter(([name]) => isKernel(name)));
        const areKept = progress.map(merge);
        const refused = replace(taken) || (areKept.includes(false) ? NOT_KEPT : "");
        const list = (kernels) => kernels.map(([file]) => file).join(", ");
        const names = [...taken.map(([file]) => file), ...(progress.length > 0 ? [FILE] : [])];
        const words = [`Taken: ${names.join(", ") || "nothing"}.`];
        if (same.length > 0) words.push(`As here already: ${list(same)}.`);
        if (unknown.length > 0) words.push(`The files of no exercise: ${list(unknown)}.`);
        if (repeated.length > 0) words.push(`Older, or in a deeper folder, than another of its name: ${list(repeated)}.`);
        if (ignored.length > 0) words.push(`Left out: ${ignored.join(", ")}.`);
        if (refused) words.push(refused);
        if (different.length > 0) words.push(`You have edited these here, and they stay as they are: ${list(different)}.`);
        const { element } = kernelPlayer.draw;
        return element("span", {}, words.join(" "), ...(different.length > 0 ? [" ", offer(different)] : []));
    }

    /** A button that replaces the reader's own kernels. */
    function offer(kernels) {
        const { element } = kernelPlayer.draw;
        const words = kernels.length === 1 ? "replace mine by the file's" : "replace mine by those of the file";
        const button = element("button", { type: "button", "data-exercise-replace": "" }, words);
        button.addEventListener("click", () => {
            button.replaceWith(replace(kernels) || "They are replaced.");
        });
        return button;
    }

    const SHELL = `
    <div class="exercise-progress" role="group" aria-label="Your progress">
      <p><span class="exercise-count"></span> It is kept in this browser.
        <button type="button" data-exercise-export>Export all in one file</button>
        <label class="exercise-import">Import such a file, ${FILE} or kernels <input type="file" multiple accept=".zip,.toml,.cu"></label>
        <span class="exercise-said" role="status"></span></p>
    </div>`;

    /** A box with the number of solved exercises, and with both directions of the exchange. */
    function box(total) {
        const root = kernelPlayer.draw.parsed(SHELL);
        const part = (selector) => root.querySelector(selector);
        const show = () => {
            const solved = Object.entries(files()).filter(([name, entry]) => name.endsWith(".cu") && entry.solved).length;
            part(".exercise-count").textContent = `You have solved ${solved} of ${total} exercises.`;
        };
        const act = async (job) => {
            const failed = (error) => `This could not be done: ${error.message}.`;
            part(".exercise-said").replaceChildren(await job().catch(failed));
        };
        part("[data-exercise-export]").addEventListener("click", () => act(exported));
        part("input").addEventListener("change", async ({ target }) => {
            await act(() => imported([...target.files]));
            // The same file, changed, can be chosen once more.
            target.value = "";
        });
        root.append(courseEditor.log.box());
        listeners.push(show);
        show();
        return root;
    }

    return { of, change, save, box, listen: (heard) => listeners.push(heard) };
})();
