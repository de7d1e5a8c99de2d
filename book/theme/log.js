// A log of the reader's minutes, for whoever turns it on: off, it writes nothing and has no timer. It stays in this browser;
// `exercise-log.js` shows it, and an export contains it. Nothing is sent. The chapter *Commands* says what its fields mean.
//
// A page counts while it is visible and used: until a minute after the last key, click, scroll or movement of the pointer.
//
//   coalesced.log.turn(isOn)         turns it on or off; returns whether the browser keeps that
//   coalesced.log.kept()             what is kept; null where nothing is
//   coalesced.log.read()             the same, counted up to now
//   coalesced.log.clear()            forgets all of it; what counts goes on, from nothing
//   coalesced.log.opened(file)       the editor of an exercise is opened: "12_guard.cu"
//   coalesced.log.judged(file, isSolved)
//   coalesced.log.listen(heard)      calls `heard()` after each change
"use strict";

coalesced.log = (() => {
    const KEY = "coalesced-log";
    const SCHEMA = 1;
    const PAUSE_MS = 60_000;
    const SAVE_MS = 5_000;
    const USES = ["pointerdown", "pointermove", "keydown", "wheel", "scroll", "touchstart"];

    /** The page by its name: `first-kernels`. */
    const page = location.pathname.split("/").pop().replace(/\.html$/, "") || "index";

    const listeners = [];
    let isCounting = false;
    let timer = null;
    /** When something was done last, and up to when is counted, by the clock of the page. */
    let used = 0;
    let counted = 0;

    function kept() {
        try {
            const log = JSON.parse(localStorage.getItem(KEY));
            return log?.schema === SCHEMA ? log : null;
        } catch {
            return null;
        }
    }

    function keep(log) {
        try {
            if (log === null) localStorage.removeItem(KEY);
            else localStorage.setItem(KEY, JSON.stringify(log));
            return true;
        } catch {
            return false;
        } finally {
            listeners.forEach((heard) => heard());
        }
    }

    const fresh = () => ({ schema: SCHEMA, is_on: true, since: new Date().toISOString(), page_seconds: {}, exercises: {} });

    const rounded = (seconds) => Math.round(10 * seconds) / 10;

    /** Adds the time since the last call, as far as the page was used, and what `change(log, second)` does. */
    function count(change) {
        const now = performance.now();
        const seconds = Math.max(Math.min(now, used + PAUSE_MS) - counted, 0) / 1000;
        counted = now;
        if (seconds === 0 && !change) return;
        const log = kept();
        // Another tab may have turned it off.
        if (!log?.is_on) return;
        // Not rounded here: many short steps would become nothing.
        log.page_seconds[page] = (log.page_seconds[page] ?? 0) + seconds;
        const total = Object.values(log.page_seconds).reduce((sum, each) => sum + each, 0);
        change?.(log, rounded(total));
        keep(log);
    }

    function use() {
        const now = performance.now();
        // A pause ends: it must not be counted.
        if (now > used + PAUSE_MS) {
            count();
            counted = now;
        }
        used = now;
    }

    function begin() {
        if (timer !== null) return;
        used = counted = performance.now();
        timer = setInterval(count, SAVE_MS);
    }

    function pause() {
        if (timer === null) return;
        count();
        clearInterval(timer);
        timer = null;
    }

    const show = () => (document.hidden ? pause() : begin());

    function start() {
        isCounting = true;
        USES.forEach((name) => addEventListener(name, use, { capture: true, passive: true }));
        document.addEventListener("visibilitychange", show);
        addEventListener("pagehide", pause);
        addEventListener("pageshow", show);
        show();
    }

    function stop() {
        isCounting = false;
        pause();
        USES.forEach((name) => removeEventListener(name, use, { capture: true }));
        document.removeEventListener("visibilitychange", show);
        removeEventListener("pagehide", pause);
        removeEventListener("pageshow", show);
    }

    function turn(isOn) {
        if (!isOn) stop();
        const isKept = keep({ ...(kept() ?? fresh()), is_on: isOn });
        if (isOn && isKept) start();
        return isKept;
    }

    /** Changes the entry of an exercise. */
    function note(file, change) {
        count((log, second) => {
            const entry = log.exercises[file] ?? { opened_second: second, checks: 0 };
            change(entry, second);
            log.exercises[file] = entry;
        });
    }

    addEventListener("storage", ({ key }) => {
        // Null: another tab has cleared the whole storage.
        if (key !== KEY && key !== null) return;
        const isOn = kept()?.is_on ?? false;
        if (isOn !== isCounting) (isOn ? start : stop)();
        listeners.forEach((heard) => heard());
    });
    if (kept()?.is_on) start();

    return {
        turn,
        kept,
        read() {
            if (timer !== null) count();
            return kept();
        },
        clear: () => keep(kept()?.is_on ? fresh() : null),
        opened: (file) => note(file, () => {}),
        judged: (file, isSolved) => note(file, (entry, second) => {
            entry.checks += 1;
            entry.first_verdict_second ??= second;
            if (isSolved) entry.first_solved_second ??= second;
        }),
        listen: (heard) => listeners.push(heard),
    };
})();
