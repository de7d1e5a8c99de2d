// The emulator in the page: unpacks what the book's build put there, and asks.
//
// `coalesced.carried(element)` gives the bytes of an element of data: what it holds, or what the file holds that it names.
// `coalesced.unpack(text)` gives the bytes of base64 of gzip. `coalesced.emulator()` gives, once a page, an object whose
// `ask(question)` answers as book/pages/emulator/src/lib.rs says; it rejects where the browser has no WebAssembly.
"use strict";

globalThis.coalesced = (() => {
    async function unpack(text) {
        const packed = Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0));
        const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
        return new Uint8Array(await new Response(stream).arrayBuffer());
    }

    // Files that are on their way or here, by name: a promise of their text, and what keeps it.
    const files = new Map();
    const keep = new Map();

    /** A script, not `fetch`: a page opened from disk may read no other files. */
    function load(file) {
        if (!files.has(file)) {
            files.set(file, new Promise((done, fail) => {
                keep.set(file, done);
                const refuse = () => {
                    files.delete(file);
                    fail(new Error(`${file} could not be loaded, and this browser has not kept it: is there a network?`));
                };
                const script = Object.assign(document.createElement("script"), { src: file, onerror: refuse });
                document.head.append(script);
            }));
        }
        return files.get(file);
    }

    async function carried(element) {
        const { file } = element.dataset;
        return coalesced.unpack(file ? await load(file) : element.textContent);
    }

    class Emulator {
        #module;
        #exports;

        constructor(module) {
            this.#module = module;
            this.#start();
        }

        #start() {
            ({ exports: this.#exports } = coalescedInstance(this.#module));
        }

        // An answer with an error, and a stop of the emulator itself, are thrown as `Error`.
        ask(question) {
            const answer = JSON.parse(this.#send(JSON.stringify(question)));
            if (answer.error !== undefined) {
                throw new Error(answer.error);
            }
            return answer;
        }

        #send(question) {
            const bytes = new TextEncoder().encode(question);
            try {
                const room = this.#exports.question_room(bytes.length);
                // Growing memory replaces its buffer: take it again each time.
                new Uint8Array(this.#exports.memory.buffer, room, bytes.length).set(bytes);
                const answer = this.#exports.ask();
                const length = this.#exports.answer_bytes();
                return new TextDecoder().decode(new Uint8Array(this.#exports.memory.buffer, answer, length));
            } catch (error) {
                // What a stopped instance holds is not to be trusted any more.
                this.#start();
                throw new Error(`the emulator stopped: ${error.message}`);
            }
        }
    }

    async function start() {
        const packed = document.querySelector("script.emulator-wasm");
        if (packed === null) {
            throw new Error("this page carries no emulator");
        }
        return new Emulator(await WebAssembly.compile(await carried(packed)));
    }

    let started;
    return {
        unpack,
        carried,
        carry: (file, text) => keep.get(file)?.(text),
        emulator: () => (started ??= start()),
    };
})();
