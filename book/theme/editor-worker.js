// The worker of the editor: compiles, translates, runs and checks kernels, away from the page's own thread. It is ended from
// outside when a kernel or a compiler does not end by itself.
//
// The page first sends `{ start }`: the compiled module of editor.wasm, the headers of kernels by name, the address of the
// compiler's folder, and the compiler's modules, if an earlier worker has compiled them. Then each `{ id, task, … }` is
// answered by `{ id, answer }` or `{ id, error }`, in their order:
//
//   { task: "compile", file, text, architecture }   { ptx, log } or { refused, log } or { log }
//   { task: "prepare" }                             {}: the compiler is there
//   { task: "ask", question }                       what editor.wasm answers
//
// `{ id, begun: true }` comes when the work itself begins, after the compiler is there; `{ progress }` and `{ modules }` come in
// between. An error with `isLast` means that this worker cannot compile any more.
"use strict";

const LARGE_TYPE = { headers: { "Content-Type": "application/wasm" } };

/** The archive of headers that the compiler's package asks for, and kernels do not need: an empty tar file. */
const EMPTY_ARCHIVE_BYTES = 1024;

const FLAGS = [
    "clang", "-cc1", "-triple", "nvptx64-nvidia-cuda", "-fcuda-is-device", "-emit-llvm", "-x", "cuda", "-std=c++17", "-O3",
    "-ffp-contract=fast", "-debug-info-kind=line-tables-only", "-dwarf-version=2", "-target-feature", "+ptx81",
    "-internal-isystem", "header", "-include", "cuda_runtime.h", "-fdeclspec", "-ferror-limit", "20",
    // What LLVM's target for PTX would choose; this clang is built without it.
    "-mllvm", "-unroll-runtime", "-mllvm", "-unroll-allow-partial", "-mllvm", "-unroll-partial-threshold=75",
    "-mllvm", "-inline-threshold=2500",
    // Shared memory that nobody writes stays, so that the check of uninitialized reads finds the read.
    "-mllvm", "-opt-disable=globalopt",
    // As compilers/cuda-cpp: an endless loop stays one, and a variable that certainly has no value is an error.
    "-fno-finite-loops", "-Wall", "-Werror=uninitialized", "-Wno-error=sometimes-uninitialized",
];

let parts;
let editor;
let clang;

const instantiate = () => {
    editor = coalescedInstance(parts.module).exports;
};

/** The answer of editor.wasm. What a stopped instance holds is not to be trusted any more. */
function ask(question) {
    const bytes = new TextEncoder().encode(JSON.stringify(question));
    let text;
    try {
        const room = editor.question_room(bytes.length);
        new Uint8Array(editor.memory.buffer, room, bytes.length).set(bytes);
        const answer = editor.ask();
        text = new TextDecoder().decode(new Uint8Array(editor.memory.buffer, answer, editor.answer_bytes()));
    } catch (error) {
        instantiate();
        throw new Error(`the emulator stopped: ${error.message}`);
    }
    const answer = JSON.parse(text);
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
}

// ---- the compiler's download

const DAMAGED = "the compiler's file is damaged: reload the page, and try again";

/** Bytes of brotli as bytes, by editor.wasm: browsers offer it for whole answers of a server only. */
function unpacked(bytes) {
    const room = editor.unpack_room(bytes.length);
    new Uint8Array(editor.memory.buffer, room, bytes.length).set(bytes);
    const start = editor.unpack(bytes.length);
    if (start === 0) throw new Error(DAMAGED);
    return new Uint8Array(editor.memory.buffer, start, editor.unpacked_bytes()).slice();
}

/** The browser's store of the compiler; undefined where it has none, or refuses it. */
async function store(version) {
    try {
        const [family, name] = ["coalesced-compiler-", `coalesced-compiler-${version}`];
        const others = (await caches.keys()).filter((each) => each.startsWith(family) && each !== name);
        await Promise.all(others.map((each) => caches.delete(each)));
        return await caches.open(name);
    } catch {
        return undefined;
    }
}

/** A file of the compiler, which must be there. */
async function fetched(name) {
    let response;
    try {
        response = await parts.fetch(new URL(name, parts.compiler));
    } catch {
        throw new Error("the compiler could not be downloaded: is there a network? Run again tries it anew");
    }
    if (!response.ok) {
        throw new Error("the compiler is not beside these pages, or not yet: `cargo run -p book` says why");
    }
    return response;
}

/** The compiler's file in pieces as it is sent, with the progress of its download, and put into the store at its end. */
async function* sent(list) {
    const kept = await store(list.version);
    const address = new URL(`${list.sent}?${list.version}`, parts.compiler).href;
    const found = await kept?.match(address).catch(() => undefined);
    const reader = (found ?? (await fetched(list.sent))).body.getReader();
    const pieces = [];
    let bytes = 0;
    for (;;) {
        const { done, value } = await reader.read().catch(() => {
            throw new Error("the download of the compiler broke off: is there a network? Run again starts it anew");
        });
        if (done) break;
        bytes += value.length;
        pieces.push(value);
        if (!found) postMessage({ progress: { bytes, of: list.bytes } });
        yield value;
    }
    if (bytes !== list.bytes) {
        await kept?.delete(address);
        throw new Error("the download of the compiler is incomplete: Run again starts it anew");
    }
    // A full store is no reason to fail: the next visit downloads it again.
    if (!found) await kept?.put(address, new Response(new Blob(pieces))).catch(() => {});
}

/** The compiler's large file as an answer that the browser compiles while it comes; `failed` hears why it does not come. */
function largeFile(list, failed) {
    editor.unpack_reset();
    const pieces = sent(list);
    const isPacked = list.sent !== list.large;
    const next = async () => {
        for (;;) {
            const { done, value } = await pieces.next();
            if (done && isPacked && editor.unpack_end() !== 1) throw new Error(DAMAGED);
            if (done) return null;
            const bytes = isPacked ? unpacked(value) : value;
            if (bytes.length > 0) return bytes;
        }
    };
    const pull = async (stream) => {
        try {
            const bytes = await next();
            if (bytes !== null) return stream.enqueue(bytes);
            editor.unpack_reset();
            stream.close();
        } catch (error) {
            failed(error);
            throw error;
        }
    };
    return new Response(new ReadableStream({ pull }), LARGE_TYPE);
}

/**
 * The package asks for its own files by `fetch`, and compiles what comes: both are given what an earlier worker has compiled
 * already. Its functions take them when it is imported.
 */
async function load() {
    const list = await (await fetched("compiler.json")).json();
    const compile = WebAssembly.compileStreaming;
    // The package compiles each file before it asks for the next one, from an answer without an address.
    let name;
    // Of several errors the first is the cause.
    let failure;
    const failed = (error) => {
        failure ??= error;
    };
    globalThis.fetch = async (address) => {
        name = `${address}`.split("/").pop();
        if (name === list.large && !parts.modules[name]) return largeFile(list, failed);
        if (name.endsWith(".wasm") && !parts.modules[name]) return fetched(name);
        return new Response(new Uint8Array(EMPTY_ARCHIVE_BYTES));
    };
    WebAssembly.compileStreaming = async (response) => {
        const known = name;
        try {
            return (parts.modules[known] ??= await compile.call(WebAssembly, response));
        } catch (error) {
            failed(error);
            throw error;
        }
    };
    const { runLLVM } = await import(new URL("bundle.js", parts.compiler).href);
    // The first call fetches the files.
    await runLLVM(["clang", "-cc1", "-version"], {}, { stdout() {}, stderr() {}, fetchProgress() {} }).catch((error) => {
        throw failure ?? error;
    });
    postMessage({ modules: parts.modules });
    return runLLVM;
}

// ---- tasks

/** Names such as `coalesced/bits.h` as folders in folders. */
function tree(files) {
    const root = {};
    for (const [path, text] of Object.entries(files)) {
        const folders = path.split("/");
        const name = folders.pop();
        folders.reduce((folder, next) => (folder[next] ??= {}), root)[name] = text;
    }
    return root;
}

/** The compiler, which is loaded once. */
function prepared() {
    clang ??= load().catch((error) => {
        // The package remembers its first attempt: only a new worker can try again.
        throw Object.assign(error, { isLast: true });
    });
    return clang;
}

/** Text that comes in pieces of a few bytes: clang does not buffer what it writes. */
class Gathered {
    bytes = new Uint8Array(1 << 16);
    length = 0;

    /** Takes a piece, or null for the end of a line. */
    take = (piece) => {
        const { length } = this;
        this.length += piece?.length ?? 0;
        if (this.length > this.bytes.length) {
            const { bytes } = this;
            this.bytes = new Uint8Array(2 * this.length);
            this.bytes.set(bytes);
        }
        if (piece) this.bytes.set(piece, length);
    };

    text() {
        return new TextDecoder().decode(this.bytes.subarray(0, this.length));
    }
}

/** What clang says, without the number of its messages, and without notes about lines of the headers. */
const said = (messages) => messages.text()
    .replace(/^.* generated when compiling for .*\n?/gm, "")
    .replace(/^header\/.*: note: .*\n(?: .*\n?)*/gm, "");

async function compile({ id, file, text, architecture }) {
    const run = await prepared();
    postMessage({ id, begun: true });
    const [ir, messages] = [new Gathered(), new Gathered()];
    // Not into a file: the package copies a whole file for each piece, 20 seconds in all for a loop of 64 turns.
    const flags = [...FLAGS, "-target-cpu", `sm_${architecture}`, file, "-o", "-"];
    try {
        await run(flags, { [file]: text, header: tree(parts.headers) }, { stdout: ir.take, stderr: messages.take });
    } catch (error) {
        const log = said(messages);
        if (/error: /.test(log)) return { log };
        throw new Error(`clang stopped: ${log.trim() || error.message}`);
    }
    return { log: said(messages), ...ask({ ask: "translate", ir: ir.text() }) };
}

const TASKS = {
    compile,
    async prepare() {
        await prepared();
        return {};
    },
    ask({ id, question }) {
        postMessage({ id, begun: true });
        return ask(question);
    },
};

let last = Promise.resolve();

onmessage = ({ data }) => {
    if (data.start) {
        parts = { ...data.start, fetch: globalThis.fetch.bind(globalThis) };
        instantiate();
        return;
    }
    const act = async () => {
        try {
            postMessage({ id: data.id, answer: await TASKS[data.task](data) });
        } catch (error) {
            postMessage({ id: data.id, error: error.message, isLast: error.isLast });
        }
    };
    last = last.then(act);
};
