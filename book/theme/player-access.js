// A memory access of the kernel player, in words and as a picture: lanes above, and what they touch below. The counts are
// the emulator's; the picture is drawn from the addresses.
globalThis.kernelPlayer ??= {};

kernelPlayer.access = (() => {
    "use strict";

    const SECTOR_BYTES = 32;
    const BANKS = 32;
    const BANK_BYTES = 4;

    // Pixels.
    const LANE_TOP = 18;
    const LANE_HEIGHT = 12;
    const WIRES = 52;
    const BOX_TOP = LANE_TOP + LANE_HEIGHT + WIRES;
    const LETTER = 7;

    const { svg } = kernelPlayer.draw;

    /** What an access did, in a sentence; the counts are the emulator's. `arrays` are those of the launch. */
    function accessText(access, arrays) {
        const lanes = kernelPlayer.model.activeLanes(access.active);
        const wanted = kernelPlayer.arrays.wanted(arrays, access);
        const what = `${access.space} ${access.kind}${wanted ? ` of ${wanted}` : ""}`;
        const who = `${what}, ${plural(access.bytes, "byte")} per lane, ${plural(lanes.length, "lane")}`;
        const sentences = [who[0].toUpperCase() + who.slice(1) + counts(access, lanes.length), sharing(access, lanes)];
        return sentences
            .filter((sentence) => sentence)
            .map((sentence) => `${sentence}.`)
            .join(" ");
    }

    function counts(access, lanes) {
        const { space, sectors, wavefronts, conflicts } = access;
        if (space === "shared")
            return `: ${plural(wavefronts, "wavefront")}, ${conflicts === 0 ? "no conflict" : plural(conflicts, "conflict")}`;
        if (space !== "global") return "";
        if (access.kind === "atomic")
            return `: ${plural(sectors, "sector")}, each as often as its most wanted place is wanted`;
        return `: ${plural(sectors, "sector")}, so ${SECTOR_BYTES * sectors} bytes moved for ${lanes * access.bytes} asked`;
    }

    function sharing(access, lanes) {
        const places = new Set(lanes.map((lane) => access.addresses[lane])).size;
        if (places === lanes.length) return "";
        if (places > 1) return `Lanes share places: ${places} different ones`;
        return access.kind === "load" ? "All want the same place: a broadcast" : "All want the same place";
    }

    const plural = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

    /** The picture of an access, `width` pixels wide: lanes, lines, and what they touch. */
    function accessPicture(access, width, arrays) {
        const { EVERY_LANE, isActive } = kernelPlayer.model;
        const pitch = width / EVERY_LANE.length;
        const layout = access.space === "shared" ? banks(access, pitch) : places(access, width, arrays);
        const step = pitch < 14 ? 8 : 4;
        const lanes = EVERY_LANE.flatMap((lane) => [
            svg("rect", {
                class: isActive(access.active, lane) ? "full" : "empty",
                x: lane * pitch + 1,
                y: LANE_TOP,
                width: pitch - 2,
                height: LANE_HEIGHT,
            }),
            lane % step === 0 ? caption(lane * pitch + 1, LANE_TOP - 5, lane === 0 ? "lane 0" : lane) : null,
        ]);
        const wires = layout.wires.map(({ lane, x }) =>
            svg("line", {
                class: "wire",
                x1: (lane + 0.5) * pitch,
                y1: LANE_TOP + LANE_HEIGHT,
                x2: x,
                y2: BOX_TOP,
            }),
        );
        const height = BOX_TOP + layout.height + 20;
        return svg(
            "svg",
            { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": accessText(access, arrays) },
            ...lanes,
            ...layout.boxes,
            ...wires,
        );
    }

    const caption = (x, y, text) => svg("text", { x, y }, `${text}`);

    /** What active lanes touch in pieces of `bytes`: a Map from the number of a piece to how many lanes want it. */
    function touched(access, bytes) {
        const wanted = new Map();
        for (const lane of kernelPlayer.model.activeLanes(access.active)) {
            const first = Math.floor(access.addresses[lane] / bytes);
            const last = Math.floor((access.addresses[lane] + access.bytes - 1) / bytes);
            for (let piece = first; piece <= last; piece += 1) wanted.set(piece, (wanted.get(piece) || 0) + 1);
        }
        return wanted;
    }

    /** Shared memory: 32 banks in a row, and in each bank's column the different words that are wanted of it. */
    function banks(access, pitch) {
        const columns = Array.from({ length: BANKS }, () => []);
        for (const [word, lanes] of touched(access, BANK_BYTES)) columns[word % BANKS].push({ word, lanes });
        const depth = Math.max(1, ...columns.map((words) => words.length));
        const cell = depth > 8 ? 8 : 12;
        const step = pitch < 14 ? 8 : 4;
        const boxes = columns.flatMap((words, bank) => [
            ...(words.length === 0 ? [{ lanes: 0 }] : words).map(({ word, lanes }, row) =>
                svg(
                    "rect",
                    {
                        class: lanes === 0 ? "empty" : lanes > 1 ? "full many" : "full",
                        x: bank * pitch + 1,
                        y: BOX_TOP + row * cell,
                        width: pitch - 2,
                        height: cell - 2,
                    },
                    lanes === 0 ? null : svg("title", {}, `bank ${bank}, word ${word}, for ${plural(lanes, "lane")}`),
                ),
            ),
            bank % step === 0
                ? caption(bank * pitch + 1, BOX_TOP + depth * cell + 14, bank === 0 ? "bank 0" : bank)
                : null,
        ]);
        const wires = kernelPlayer.model.activeLanes(access.active).map((lane) => ({
            lane,
            x: ((Math.floor(access.addresses[lane] / BANK_BYTES) % BANKS) + 0.5) * pitch,
        }));
        return { boxes, wires, height: depth * cell };
    }

    /** Other memories: the sectors of 32 bytes in the order of addresses, and in each of them the bytes that are wanted. */
    function places(access, width, arrays) {
        const height = 14;
        const sectors = [...touched(access, SECTOR_BYTES).keys()].sort((one, other) => one - other);
        const gaps = sectors.filter((sector, index) => index > 0 && sector !== sectors[index - 1] + 1).length;
        // A quarter of the width: neighboring words of 4 bytes then lie right below their lanes.
        const gap = Math.min(8, width / 4 / Math.max(gaps, 1));
        const size = Math.min(width / 4, (width - gaps * gap) / Math.max(sectors.length, 1));
        let left = (width - sectors.length * size - gaps * gap) / 2;
        const starts = new Map();
        for (const [index, sector] of sectors.entries()) {
            if (index > 0 && sector !== sectors[index - 1] + 1) left += gap;
            starts.set(sector, left);
            left += size;
        }
        const at = (address) =>
            starts.get(Math.floor(address / SECTOR_BYTES)) + ((address % SECTOR_BYTES) / SECTOR_BYTES) * size;
        const boxes = [
            ...sectors.map((sector) =>
                svg("rect", { class: "empty", x: starts.get(sector), y: BOX_TOP, width: size, height }),
            ),
            ...wantedBytes(access, at, size, height, arrays),
            ...addressCaptions(sectors, starts, BOX_TOP + height + 14, width, arrays),
        ];
        const wires = kernelPlayer.model.activeLanes(access.active).map((lane) => ({
            lane,
            x: at(access.addresses[lane]) + ((Math.min(access.bytes, SECTOR_BYTES) / SECTOR_BYTES) * size) / 2,
        }));
        return { boxes, wires, height };
    }

    /** `y[17]`; the address itself where it belongs to no array. */
    const placeText = (arrays, address) =>
        kernelPlayer.arrays.nameAt(arrays, address) ?? kernelPlayer.model.hex(address);

    function wantedBytes(access, at, size, height, arrays) {
        return [...touched(access, access.bytes)].map(([piece, lanes]) =>
            svg(
                "rect",
                {
                    class: lanes > 1 ? "full many" : "full",
                    x: at(piece * access.bytes),
                    y: BOX_TOP + 2,
                    height: height - 4,
                    width: Math.max(Math.min(access.bytes / SECTOR_BYTES, 1) * size - (size > 40 ? 1 : 0), 1),
                },
                svg(
                    "title",
                    {},
                    `${placeText(arrays, piece * access.bytes)}, for ${plural(lanes, "lane")}`,
                ),
            ),
        );
    }

    /** The first element of the sectors, as far as there is room: `y[0]`, and of the same array `[8]`; bytes where no array is. */
    function addressCaptions(sectors, starts, y, width, arrays) {
        const made = [];
        let end = -Infinity;
        for (const [index, sector] of sectors.entries()) {
            const text = sectorText(sectors, index, arrays);
            const x = index === 0 ? Math.min(starts.get(sector), width - LETTER * text.length) : starts.get(sector);
            if (x < end + LETTER || x + LETTER * text.length > width) continue;
            made.push(caption(x, y, text));
            end = x + LETTER * text.length;
        }
        return made;
    }

    function sectorText(sectors, index, arrays) {
        const place = kernelPlayer.arrays.nameAt(arrays, sectors[index] * SECTOR_BYTES);
        if (index === 0) return place ?? kernelPlayer.model.hex(sectors[0] * SECTOR_BYTES);
        const before = kernelPlayer.arrays.nameAt(arrays, sectors[index - 1] * SECTOR_BYTES);
        const isSame = place && before?.split("[")[0] === place.split("[")[0];
        return isSame ? place.slice(place.indexOf("[")) : place ?? `+${(sectors[index] - sectors[0]) * SECTOR_BYTES}`;
    }

    return { accessText, accessPicture };
})();
