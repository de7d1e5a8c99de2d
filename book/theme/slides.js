// Slides: shows one at a time. The number is in the address (#7), so that a link leads to a slide and the browser's buttons work.
//
// Windows of one browser with the same page follow each other: one for the projector, one with notes.
"use strict";

(() => {
    const page = document.documentElement;
    const slides = [...document.querySelectorAll(".slide")];
    const others = "BroadcastChannel" in window ? new BroadcastChannel(location.pathname) : { postMessage() {} };

    const clamp = (number) => Math.min(slides.length, Math.max(1, number));
    const asked = () => clamp(Number.parseInt(location.hash.slice(1), 10) || 1);
    const now = () => slides.findIndex((slide) => slide.classList.contains("current")) + 1;

    /** Shows the slide of the address. */
    function show() {
        const number = asked();
        slides.forEach((slide, i) => slide.classList.toggle("current", i + 1 === number));
        const slide = slides[number - 1];
        slide.tabIndex = -1;
        slide.focus({ preventScroll: true });
        scrollTo(0, 0);
    }

    function go(number, isTold = true) {
        if (clamp(number) === now()) return;
        location.hash = String(clamp(number));
        if (isTold) others.postMessage(clamp(number));
    }

    /** The theme of the book, or of the system. */
    function isDark() {
        let chosen = null;
        try { chosen = localStorage.getItem("mdbook-theme"); } catch { /* no storage: the system's */ }
        return chosen ? ["coal", "navy", "ayu"].includes(chosen) : matchMedia("(prefers-color-scheme: dark)").matches;
    }

    const paint = (dark) => page.classList.replace(dark ? "light" : "navy", dark ? "navy" : "light");

    const KEYS = [
        ["→ ↓ Page Down Space", "the next slide"],
        ["← ↑ Page Up", "the slide before"],
        ["Home", "the first slide"],
        ["End", "the last slide"],
        ["s", "notes for the teacher, on and off; they are printed when they are on"],
        ["f", "full screen, on and off"],
        ["t", "dark and light"],
        ["l", "kernels in CUDA C++ or in Rust, if both are there"],
        ["?", "this list"],
    ];

    const keys = document.createElement("dialog");
    keys.className = "keys";
    keys.setAttribute("aria-label", "Keys");
    keys.innerHTML = `<table><tbody>${KEYS.map(([key, what]) => `<tr><td>${
        key.split(/ (?!Up|Down)/).map((one) => `<kbd>${one}</kbd>`).join(" ")}</td><td>${what}</td></tr>`).join("")
    }</tbody></table><form method="dialog"><button>Close</button></form>`;
    document.body.append(keys);

    const toggleFullScreen = () => (document.fullscreenElement ? document.exitFullscreen() : page.requestFullscreen());

    const actions = new Map([
        ["ArrowRight", () => go(now() + 1)], ["ArrowDown", () => go(now() + 1)],
        ["PageDown", () => go(now() + 1)], [" ", () => go(now() + 1)],
        ["ArrowLeft", () => go(now() - 1)], ["ArrowUp", () => go(now() - 1)], ["PageUp", () => go(now() - 1)],
        ["Home", () => go(1)], ["End", () => go(slides.length)],
        ["s", () => page.classList.toggle("with-notes")],
        ["l", () => page.classList.toggle("in-rust")],
        ["f", () => toggleFullScreen()?.catch(() => {})],
        ["t", () => paint(page.classList.contains("light"))],
        ["?", () => (keys.open ? keys.close() : keys.showModal())],
    ]);

    addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.altKey || event.metaKey) return;
        const isInside = event.target.closest?.("input, select, button, .explorer-picture") && !keys.open;
        if (isInside && event.key !== "PageDown" && event.key !== "PageUp") return;
        if (keys.open && event.key !== "?") return;
        const action = actions.get(event.key === " " && event.shiftKey ? "PageUp" : event.key);
        if (!action) return;
        event.preventDefault();
        action();
    });

    let touched = null;
    addEventListener("touchstart", ({ touches, target }) => {
        touched = touches.length === 1 && !target.closest("input, select, button") ? touches[0] : null;
    }, { passive: true });
    addEventListener("touchend", ({ changedTouches: [{ clientX, clientY }] }) => {
        if (!touched) return;
        const [across, down] = [clientX - touched.clientX, clientY - touched.clientY];
        if (Math.abs(across) > 50 && Math.abs(across) > 2 * Math.abs(down)) go(now() + (across < 0 ? 1 : -1));
    });

    others.onmessage = ({ data }) => go(data, false);
    addEventListener("hashchange", show);
    paint(isDark());
    page.classList.add("js");
    show();
})();
