// Files in one: a zip without compression is written, and one with or without is read.
//
// The format: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, sections 4.3.7 (a file), 4.3.12 (its entry in the
// directory) and 4.3.16 (the end). What needs more than 2 GB or 65,535 files is not written here.
globalThis.courseEditor ??= {};

courseEditor.zip = (() => {
    "use strict";

    const FILE = 0x04034b50;
    const ENTRY = 0x02014b50;
    const END = 0x06054b50;
    const FILE_BYTES = 30;
    const ENTRY_BYTES = 46;
    const END_BYTES = 22;

    /** The oldest version that reads such a file: 2.0. */
    const VERSION = 20;
    const STORED = 0;
    const DEFLATED = 8;
    const ENCRYPTED = 1;

    /** The most bytes of a file that is unpacked: no kernel is larger, and a small zip may hold a huge file. */
    const MAX_BYTES = 1 << 20;

    const REMAINDERS = Uint32Array.from({ length: 256 }, (_, byte) => {
        let rest = byte;
        for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? 0xedb88320 ^ (rest >>> 1) : rest >>> 1;
        return rest;
    });

    /** The CRC-32 of bytes. */
    const crc32 = (bytes) =>
        ~bytes.reduce((crc, byte) => REMAINDERS[(crc ^ byte) & 0xff] ^ (crc >>> 8), 0xffffffff) >>> 0;

    /** Numbers of 2 and of 4 bytes, `[[2, VERSION], [4, size]]`, with the low byte first. */
    function numbers(fields) {
        const bytes = new Uint8Array(fields.reduce((total, [width]) => total + width, 0));
        const view = new DataView(bytes.buffer);
        let place = 0;
        for (const [width, value] of fields) {
            if (width === 2) view.setUint16(place, value, true);
            else view.setUint32(place, value, true);
            place += width;
        }
        return bytes;
    }

    /** A time as two numbers of 16 bits, in steps of two seconds from 1980 on. */
    function dosTime(time) {
        const clock = (time.getHours() << 11) | (time.getMinutes() << 5) | (time.getSeconds() >> 1);
        const day = ((time.getFullYear() - 1980) << 9) | ((time.getMonth() + 1) << 5) | time.getDate();
        return [[2, clock], [2, day]];
    }

    /** A zip of texts: `[["11_map.cu", "…"], …]`. Their names are in ASCII. */
    function packed(texts, time = new Date()) {
        const files = [];
        const directory = [];
        let offset = 0;
        for (const [name, text] of texts) {
            const [label, bytes] = [name, text].map((words) => new TextEncoder().encode(words));
            const sizes = [[4, crc32(bytes)], [4, bytes.length], [4, bytes.length], [2, label.length], [2, 0]];
            const about = [[2, VERSION], [2, 0], [2, STORED], ...dosTime(time), ...sizes];
            const file = [numbers([[4, FILE], ...about]), label, bytes];
            // Without a comment, on the first disk, with no attributes.
            const none = [[2, 0], [2, 0], [2, 0], [4, 0]];
            directory.push(numbers([[4, ENTRY], [2, VERSION], ...about, ...none, [4, offset]]), label);
            files.push(...file);
            offset += FILE_BYTES + label.length + bytes.length;
        }
        const size = directory.reduce((total, part) => total + part.length, 0);
        const count = texts.length;
        const end = numbers([[4, END], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, offset], [2, 0]]);
        return new Blob([...files, ...directory, end], { type: "application/zip" });
    }

    const damaged = () => new Error("it is no zip, or a damaged one");

    /** The place of the end of the directory, after which there may be a comment. */
    function endOf(view) {
        for (let place = view.byteLength - END_BYTES; place >= 0; place -= 1) {
            if (view.getUint32(place, true) === END) return place;
        }
        throw damaged();
    }

    /** The text of a file: what is no UTF-8 is refused. */
    async function textOf(bytes, method) {
        let stream = new Blob([bytes]).stream();
        if (method === DEFLATED) stream = stream.pipeThrough(new DecompressionStream("deflate-raw"));
        const parts = [];
        let size = 0;
        for (const reader = stream.getReader(); ;) {
            const { done, value } = await reader.read().catch(() => { throw damaged(); });
            if (done) break;
            parts.push(value);
            size += value.length;
            if (size > MAX_BYTES) {
                reader.cancel().catch(() => {});
                throw new Error("it is larger than 1 MB");
            }
        }
        const whole = new Uint8Array(await new Blob(parts).arrayBuffer());
        return { crc: crc32(whole), text: new TextDecoder("utf-8", { fatal: true }).decode(whole) };
    }

    /** One file of a zip; `at` is the place of its entry in the directory. */
    async function read(view, at, name) {
        const field = (offset, width) => (width === 2 ? view.getUint16(at + offset, true) : view.getUint32(at + offset, true));
        const [flags, method, crc, size, start] = [field(8, 2), field(10, 2), field(16, 4), field(20, 4), field(42, 4)];
        if (flags & ENCRYPTED) throw new Error(`${name} is encrypted`);
        if (method !== STORED && method !== DEFLATED) throw new Error(`${name} is compressed by method ${method}`);
        if (view.getUint32(start, true) !== FILE) throw damaged();
        const begin = start + FILE_BYTES + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
        const found = await textOf(new Uint8Array(view.buffer, begin, size), method).catch((error) => {
            throw new Error(`${name}: ${error instanceof TypeError ? "it is no text in UTF-8" : error.message}`);
        });
        if (found.crc !== crc) throw new Error(`${name}: its checksum is wrong`);
        return found.text;
    }

    /** The texts of a zip that `isWanted(path)`, `[["folder/11_map.cu", "…"], …]`, and the paths of the other files. */
    async function unpacked(buffer, isWanted) {
        const view = new DataView(buffer);
        const texts = [];
        const others = [];
        try {
            const end = endOf(view);
            let at = view.getUint32(end + 16, true);
            for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
                if (view.getUint32(at, true) !== ENTRY) throw damaged();
                const [label, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
                const path = new TextDecoder().decode(new Uint8Array(buffer, at + ENTRY_BYTES, label));
                if (isWanted(path)) texts.push([path, await read(view, at, path)]);
                else if (!path.endsWith("/")) others.push(path);
                at += ENTRY_BYTES + label + extra + comment;
            }
        } catch (error) {
            // A number that leads out of the file.
            throw error instanceof RangeError ? damaged() : error;
        }
        return { texts, others };
    }

    return { packed, unpacked };
})();
