// Instances of the emulator's modules, in pages and in the editor's worker.
//
// `coalescedInstance(module)` gives `{ exports, isFused }`. The browser's fused multiply-add is used if it has one: it is in a
// module of its own, which the first one contains (emulator/simd/src/fused.rs), because a browser refuses modules with instructions that it
// does not know.
"use strict";

globalThis.coalescedInstance = (() => {
    /** The function of the small module, which works in the memory of the large one; null if the browser refuses its instruction. */
    function fused({ memory, fused_module, fused_module_bytes }) {
        const bytes = new Uint8Array(memory.buffer, fused_module(), fused_module_bytes()).slice();
        if (!WebAssembly.validate(bytes)) return null;
        return new WebAssembly.Instance(new WebAssembly.Module(bytes), { main: { memory } }).exports.fused;
    }

    return (module) => {
        const { exports } = new WebAssembly.Instance(module);
        const offered = fused(exports);
        if (offered === null) return { exports, isFused: false };
        const table = exports.__indirect_function_table;
        const index = table.grow(1);
        table.set(index, offered);
        return { exports, isFused: exports.use_fused(index) !== 0 };
    };
})();
