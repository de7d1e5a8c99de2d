// The page's side of the editor's worker: starts it when something is to be done, stops it, and hands what it has compiled of
// the compiler to the next one.
//
//   courseEditor.workshop.compile({ file, text, architecture }, heard)   a promise of { ptx, log }, { refused, log } or { log }
//   courseEditor.workshop.ask(question, heard)                           a promise of what editor.wasm answers
//   courseEditor.workshop.prepare()                                      loads a compiler that this browser has kept
//   courseEditor.workshop.isKept()                                       a promise: whether this browser has kept a compiler
//   courseEditor.workshop.stop()                                         ends what goes on: its promises reject
//   courseEditor.workshop.canCompile                                     whether the pages come from a server
//
// `heard(progress)` hears of the download of the compiler: `{ bytes, of }`.
globalThis.courseEditor ??= {};

courseEditor.workshop = (() => {
    "use strict";

    /** How long a compilation or a run may take, without the download of the compiler: a slow machine takes ten. */
    const LIMIT_SECONDS = 60;

    const canCompile = /^https?:$/.test(location.protocol);

    let parts;
    let worker = null;
    let modules = {};
    let last = 0;
    const waiting = new Map();

    const carried = async (name) => {
        const element = document.querySelector(`script.${name}`);
        if (!element) throw new Error("this page carries no editor: build the book with `cargo run -p book`");
        return coalesced.carried(element);
    };

    /** The script of the worker, the headers, and the module, which are loaded once. */
    async function load() {
        const [bytes, wasm] = await Promise.all([carried("editor-parts"), carried("editor-wasm")]);
        const { script, headers } = JSON.parse(new TextDecoder().decode(bytes));
        const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
        return { address, headers, module: await WebAssembly.compile(wasm) };
    }

    async function start() {
        parts ??= load();
        const { address, headers, module } = await parts.catch((error) => {
            parts = undefined;
            throw error;
        });
        if (worker) return worker;
        worker = new Worker(address);
        worker.onmessage = ({ data }) => hear(data);
        worker.onerror = ({ message }) => end(`the editor's worker stopped: ${message || "it ran out of memory"}`);
        const compiler = new URL("compiler/", document.baseURI).href;
        worker.postMessage({ start: { module, headers, compiler, modules } });
        return worker;
    }

    function hear({ id, begun, answer, error, isLast, progress, modules: compiled }) {
        if (compiled) modules = compiled;
        if (progress) waiting.forEach(({ heard }) => heard?.(progress));
        const task = waiting.get(id);
        if (!task) return;
        if (begun) {
            const late = `it took longer than ${LIMIT_SECONDS} s and was stopped. Does a loop end?`;
            clearTimeout(task.timer);
            task.timer = setTimeout(() => end(late), 1000 * LIMIT_SECONDS);
            return;
        }
        clearTimeout(task.timer);
        waiting.delete(id);
        if (error === undefined) task.done(answer);
        else task.fail(new Error(error));
        if (isLast) end(error);
    }

    /** Ends the worker, and with it all that waits. */
    function end(reason) {
        worker?.terminate();
        worker = null;
        const ended = [...waiting.values()];
        waiting.clear();
        for (const { timer, fail } of ended) {
            clearTimeout(timer);
            fail(new Error(reason));
        }
    }

    function send(task, heard) {
        return new Promise((done, fail) => {
            const id = (last += 1);
            waiting.set(id, { done, fail, heard });
            const refuse = (error) => {
                waiting.delete(id);
                fail(error);
            };
            start().then((started) => {
                if (waiting.has(id)) started.postMessage({ id, ...task });
            }, refuse);
        });
    }

    async function isKept() {
        // Pages of an insecure address have no such store.
        const names = (canCompile && (await globalThis.caches?.keys().catch(() => []))) || [];
        return names.some((name) => name.startsWith("coalesced-compiler-"));
    }

    /** Loads the compiler if this browser has kept it: nothing is downloaded before a reader asks. */
    async function prepare() {
        if (!(await isKept())) return;
        // What fails here fails again, and is said, when a reader compiles.
        await send({ task: "prepare" }).catch(() => {});
    }

    return {
        canCompile,
        isKept,
        prepare,
        compile: (kernel, heard) => send({ task: "compile", ...kernel }, heard),
        ask: (question, heard) => send({ task: "ask", question }, heard),
        stop: () => end("stopped"),
        /** Whether a promise was ended by `stop`. */
        isStop: (error) => error.message === "stopped",
    };
})();
