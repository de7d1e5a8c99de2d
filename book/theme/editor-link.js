// A changed kernel as a link: the part of the address after `#` has its text, compressed. No server sees it.
globalThis.courseEditor ??= {};

courseEditor.link = (() => {
    "use strict";

    const FORMAT = "deflate-raw";

    const through = async (bytes, stream) =>
        new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

    async function packed(text) {
        const bytes = await through(new TextEncoder().encode(text), new CompressionStream(FORMAT));
        const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
        return base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
    }

    async function unpacked(text) {
        const base64 = text.replaceAll("-", "+").replaceAll("_", "/");
        const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
        return new TextDecoder("utf-8", { fatal: true }).decode(await through(bytes, new DecompressionStream(FORMAT)));
    }

    /** The address of this page with the text of a kernel. */
    const address = async (name, text) =>
        `${location.href.split("#")[0]}#${new URLSearchParams([["edit", name], ["code", await packed(text)]])}`;

    /** The text that the address of the page carries for a kernel; null where it carries none, or a damaged one. */
    async function carried(name) {
        const fields = new URLSearchParams(location.hash.slice(1));
        if (fields.get("edit") !== name) return null;
        return unpacked(fields.get("code") ?? "").catch(() => null);
    }

    /** The name of the kernel that the address carries, or null. */
    const carriedName = () => new URLSearchParams(location.hash.slice(1)).get("edit");

    return { address, carried, carriedName };
})();
