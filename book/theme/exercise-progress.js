// The progress of the exercises, kept in this browser, and exchanged with `cargo learn` as its file `progress.toml`.
globalThis.courseEditor ??= {};

courseEditor.progress = (() => {
    "use strict";

    const KEY = "progress";
    const FILE = "progress.toml";
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

    /** Gives the reader a file. */
    function save(name, text) {
        const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
        const link = kernelPlayer.draw.element("a", { href: address, download: name });
        link.click();
        setTimeout(() => URL.revokeObjectURL(address), 1000);
    }

    async function exported() {
        const write = { language: "cuda", files: files() };
        const { toml } = await courseEditor.workshop.ask({ ask: "progress", write });
        save(FILE, toml);
        return `${FILE} is saved: put it into your folder of exercises, with the files that you saved here.`;
    }

    /** Takes what a file of progress has; what was solved here stays solved. Kernels are taken as what was written. */
    async function imported(chosen) {
        const taken = [];
        for (const file of chosen) {
            const text = await file.text();
            if (file.name.endsWith(".toml")) {
                const { files: read } = await courseEditor.workshop.ask({ ask: "progress", read: text });
                const merged = Object.entries(read).map(([name, { solved = null, hints, revealed }]) => {
                    const here = of(name);
                    const both = { solved: solved ?? here.solved, hints: Math.max(hints, here.hints), revealed: revealed || here.revealed };
                    return [name, both];
                });
                put({ ...files(), ...Object.fromEntries(merged) });
            } else if (file.name.endsWith(".cu")) {
                document.dispatchEvent(new CustomEvent("exercise-file", { detail: { name: file.name, text } }));
            } else {
                throw new Error(`${file.name} is neither ${FILE} nor a kernel in CUDA C++ (.cu)`);
            }
            taken.push(file.name);
        }
        return `Taken: ${taken.join(", ")}.`;
    }

    const SHELL = `
    <div class="exercise-progress" role="group" aria-label="Your progress">
      <p><span class="exercise-count"></span> It is kept in this browser.
        <button type="button" data-exercise-export>Export for cargo learn</button>
        <label class="exercise-import">Import progress.toml or kernels <input type="file" multiple accept=".toml,.cu"></label>
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
            part(".exercise-said").textContent = await job().catch(failed);
        };
        part("button").addEventListener("click", () => act(exported));
        part("input").addEventListener("change", ({ target }) => act(() => imported(target.files)));
        listeners.push(show);
        show();
        return root;
    }

    return { of, change, save, box, listen: (heard) => listeners.push(heard) };
})();
