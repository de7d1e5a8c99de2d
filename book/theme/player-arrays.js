// The arrays of a launch by their names: an address in memory is `y[17]` to a reader. Names are those of the kernel's
// parameters in its source, addresses those that the launch passes.
globalThis.kernelPlayer ??= {};

kernelPlayer.arrays = (() => {
    "use strict";

    /** Bytes of an element, by the type that a pointer points to; others have 4. */
    const ELEMENTS = [
        [/(float|int|uint)4|f32x4|Float4|Vec4/i, 16],
        [/(float|int|uint)2|f32x2|Float2|double|long|[fiu]64|size_t/i, 8],
        [/half|short|[iu]16/, 2],
        [/char|[iu]8\b|bool/, 1],
    ];

    const elementBytes = (type) => (ELEMENTS.find(([pattern]) => pattern.test(type)) || [null, 4])[1];

    /** The bytes of the entry's parameters in PTX, in order. */
    function parameterBytes(ptx, entry) {
        const begin = ptx.search(new RegExp(`\\.entry\\s+${entry.replace(/\$/g, "\\$")}\\s*\\(`));
        const list = begin < 0 ? "" : ptx.slice(ptx.indexOf("(", begin) + 1, ptx.indexOf(")", begin));
        return [...list.matchAll(/\.param\s+\.[busf](\d+)/g)].map(([, bits]) => Number(bits) / 8);
    }

    /** `{ name, type }` of a parameter in CUDA C++ or in Rust. */
    function parameter(text) {
        const words = text.replace(/\/\/.*|__restrict__|\bmut (?=\w+:)/g, "").trim();
        const rust = words.match(/^(\w+)\s*:\s*(.+)$/s);
        if (rust) return { name: rust[1], type: rust[2] };
        const name = words.match(/(\w+)$/)?.[1] ?? "";
        return { name, type: words.slice(0, words.length - name.length) };
    }

    /** The parameters of the first function of the source that takes as many, with its pointers where PTX has 8 bytes. */
    function declared(source, bytes) {
        const code = source.replace(/\/\/.*/g, "").replace(/\\\n/g, "\n");
        for (const [, list] of code.matchAll(/\w\s*(?:<[^<>()]*>)?\(([^()]*)\)/g)) {
            const parameters = list.replace(/,\s*$/, "").split(",").map(parameter);
            const fits = parameters.length === bytes.length &&
                parameters.every(({ name, type }, at) => name && type.trim() && /\*/.test(type) === (bytes[at] === 8));
            if (fits) return parameters;
        }
        return null;
    }

    const word = (hex, at) => BigInt(`0x${hex.slice(2 * at, 2 * at + 16).match(/../g).reverse().join("")}`);

    /** The arrays that a resolved scene passes: `{ name, first, end, element }`, bytes of memory and of an element. */
    function of(scene, source) {
        const bytes = parameterBytes(scene.ptx, scene.entry);
        const parameters = declared(source, bytes);
        if (parameters === null) return [];
        const arrays = [];
        let at = 0;
        bytes.forEach((size, number) => {
            at = Math.ceil(at / size) * size;
            if (size === 8) {
                const first = Number(word(scene.parameters, at));
                const memory = scene.memory.find(({ address }) => address === first);
                const { name, type } = parameters[number];
                const end = first + (memory ? memory.contents.length / 2 : 0);
                if (memory) arrays.push({ name, first, end, element: elementBytes(type) });
            }
            at += size;
        });
        return arrays;
    }

    const arrayAt = (arrays, address) => arrays.find(({ first, end }) => first <= address && address < end);

    const indexAt = ({ first, element }, address) => Math.floor((address - first) / element);

    /** `y[17]`, or nothing for an address outside of all arrays. */
    function nameAt(arrays, address) {
        const array = arrayAt(arrays, address);
        return array ? `${array.name}[${indexAt(array, address)}]` : null;
    }

    const MOST_RANGES = 4;

    /** What the lanes of an access want, `y[0–31]`; null where they want no elements of one array alone. */
    function wanted(arrays, access) {
        const lanes = kernelPlayer.model.activeLanes(access.active);
        const array = arrayAt(arrays, access.addresses[lanes[0]]);
        const isInside = (lane) => arrayAt(arrays, access.addresses[lane]) === array;
        if (!array || access.space !== "global" || !lanes.every(isInside)) return null;
        const indices = new Set();
        for (const lane of lanes) {
            const address = access.addresses[lane];
            const last = indexAt(array, address + access.bytes - 1);
            for (let index = indexAt(array, address); index <= last; index += 1) indices.add(index);
        }
        const ranges = kernelPlayer.model.ranges([...indices].sort((one, other) => one - other)).split(", ");
        const shown = ranges.length > MOST_RANGES ? [...ranges.slice(0, MOST_RANGES - 1), "…", ranges.at(-1)] : ranges;
        return `${array.name}[${shown.join(", ")}]`;
    }

    return { of, nameAt, wanted };
})();
