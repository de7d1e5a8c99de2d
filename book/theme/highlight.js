// Colors of code in CUDA C++, in Rust, in PTX and in diffs. It takes the place of mdBook's highlighter, which knows many languages more
// and would be a quarter of what a page may weigh. mdBook's theme files have the colors of its classes.
"use strict";

globalThis.hljs = (() => {
    const words = (text) => `\\b(?:${text.trim().split(/\s+/).join("|")})\\b`;

    const COMMENT = String.raw`//[^\n]*|/\*[\s\S]*?\*/`;
    const STRING = String.raw`b?"(?:[^"\\]|\\[\s\S])*"|b?'(?:[^'\\\n]|\\[^\n]+?)'`;
    const NUMBER = String.raw`\b(?:0x[\da-fA-F_]+|\d[\d_]*(?:\.\d+|\.(?![.\w]))?(?:[eE][+-]?\d+)?)(?:_?[iuf]\w*|[fuUlL]+)?\b`;

    // Of each language what is colored, as a class and a pattern; at a place the first that fits counts.
    const LANGUAGES = {
        cpp: {
            comment: COMMENT,
            meta: String.raw`^[ \t]*#[ \t]*\w+[^\n]*`,
            string: STRING,
            title: String.raw`(?<=\bvoid\s+)\w+(?=\s*\()`,
            keyword: words(`__constant__ __device__ __forceinline__ __global__ __host__ __launch_bounds__ __noinline__
                __restrict__ __shared__ alignas asm auto break case const constexpr continue default do else enum extern
                for goto if inline namespace operator return sizeof static static_assert struct switch template typedef
                typename union using volatile while`),
            type: words("bool char double float half int long short signed size_t unsigned void u?int(?:8|16|32|64)_t"),
            literal: words("false nullptr true"),
            number: NUMBER,
        },
        rust: {
            comment: COMMENT,
            meta: String.raw`#!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]`,
            string: STRING,
            symbol: String.raw`'\w+\b(?!')`,
            title: String.raw`(?<=\bfn\s+)\w+`,
            built_in: String.raw`\b\w+!(?=\s*[(\[{])`,
            keyword: words(`as async await break const continue crate dyn else enum extern fn for if impl in let loop match
                mod move mut pub ref return self Self static struct super trait type union unsafe use where while`),
            type: words("bool char str [iu](?:8|16|32|64|128|size) f(?:16|32|64) Box Option Result String Vec"),
            literal: words("false true None Some Ok Err"),
            number: NUMBER,
        },
        ptx: {
            comment: COMMENT,
            string: String.raw`"[^"\n]*"`,
            meta: String.raw`^[ \t]*\.\w+`,
            symbol: String.raw`%\w+(?:\.\w+)?`,
            title: String.raw`^\$?\w+(?=:)`,
            keyword: String.raw`\b[a-z]\w*(?:\.\w+)+|\b(?:bra|ret|exit|trap)\b`,
            number: String.raw`\b0[fFdDxX][\da-fA-F]+|\b\d+\b`,
        },
        diff: {
            meta: String.raw`^(?:@@|---|\+\+\+)[^\n]*`,
            addition: String.raw`^\+[^\n]*`,
            deletion: String.raw`^-[^\n]*`,
        },
    };

    const patterns = Object.fromEntries(
        Object.entries(LANGUAGES).map(([name, kinds]) => {
            const parts = Object.entries(kinds).map(([kind, pattern]) => `(?<${kind}>${pattern})`);
            return [name, new RegExp(parts.join("|"), "gm")];
        }),
    );

    /** The text in pieces: strings, and elements of a class where a pattern fits. */
    function* pieces(text, pattern) {
        let end = 0;
        for (const found of text.matchAll(pattern)) {
            const [kind, part] = Object.entries(found.groups).find(([, words]) => words !== undefined);
            yield text.slice(end, found.index);
            yield Object.assign(document.createElement("span"), { className: `hljs-${kind}`, textContent: part });
            end = found.index + part.length;
        }
        yield text.slice(end);
    }

    /** Colors an element of code by its class, `language-rust`; one of no known language, or with elements inside, stays. */
    function highlightBlock(code) {
        const pattern = patterns[code.className.match(/\blanguage-(\w+)/)?.[1]];
        if (pattern && code.childElementCount === 0) code.replaceChildren(...pieces(code.textContent, pattern));
        code.classList.add("hljs");
    }

    // mdBook's script calls both.
    return { configure() {}, highlightBlock };
})();
