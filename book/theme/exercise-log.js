// What a reader sees of the log of minutes: its switch, tables of pages and exercises, and the button that clears it.
globalThis.courseEditor ??= {};

courseEditor.log = (() => {
    "use strict";

    const SHELL = `
    <div class="exercise-log">
      <p><label><input type="checkbox"> Keep a log of my minutes: it stays in this browser, is shown to you here, and is part of
        the export</label> <span data-log-refused role="status"></span></p>
      <details hidden>
        <summary></summary>
        <p>A page counts while it is visible, until a minute after the last key, click, scroll or movement of the pointer.
          A first verdict and a solution are counted from the moment that the exercise was opened.
          <a href="commands.html#a-log-of-minutes">More on the log</a></p>
        <div class="table-wrapper"></div>
        <p><button type="button" data-log-clear>Clear the log</button> <span role="status"></span></p>
      </details>
    </div>`;

    const minutes = (seconds) => (seconds / 60).toFixed(1);

    /** The title of a page, which the list of chapters has. */
    function title(page) {
        const link = document.querySelector(`#mdbook-sidebar a[href$="${CSS.escape(page)}.html"]`);
        return link?.textContent.trim() || page;
    }

    function table(caption, heads, rows) {
        const { element } = kernelPlayer.draw;
        const row = ([first, ...others]) =>
            element("tr", {}, element("th", { scope: "row" }, first), ...others.map((words) => element("td", {}, words)));
        const head = element("tr", {}, ...heads.map((words) => element("th", { scope: "col" }, words)));
        return element("table", {}, element("caption", {}, caption), element("thead", {}, head),
            element("tbody", {}, ...rows.map(row)));
    }

    function tables({ page_seconds: pages, exercises }) {
        const after = ({ opened_second: from }, to) => (to === undefined ? "not yet" : minutes(to - from));
        const judged = Object.entries(exercises).map(([file, entry]) => [
            file.replace(/\.cu$/, ""),
            after(entry, entry.first_verdict_second),
            after(entry, entry.first_solved_second),
            `${entry.checks}`,
        ]);
        const read = Object.entries(pages).map(([page, seconds]) => [title(page), minutes(seconds)]);
        const made = [table("Pages", ["page", "minutes"], read)];
        const heads = ["exercise", "verdict", "solved", "checks"];
        if (judged.length > 0) made.push(table("Exercises: minutes to the first verdict, and until solved", heads, judged));
        return made;
    }

    /** An exercise that is open already would else have no beginning. */
    function noteOpen() {
        document.querySelectorAll(".exercise-desk:has(.editor)").forEach(({ dataset }) => coalesced.log.opened(`${dataset.exercise}.cu`));
    }

    function box() {
        const { element, parsed } = kernelPlayer.draw;
        const root = parsed(SHELL);
        const [choice, details] = ["input", "details"].map((selector) => root.querySelector(selector));
        const said = details.querySelector("[role=status]");
        const refused = root.querySelector("[data-log-refused]");
        const show = (log) => {
            choice.checked = log?.is_on ?? false;
            details.hidden = log === null;
            if (log === null) return;
            const total = Object.values(log.page_seconds).reduce((sum, seconds) => sum + seconds, 0);
            details.querySelector("summary").textContent = `Your minutes: ${minutes(total)}`;
            if (details.open) details.querySelector(".table-wrapper").replaceChildren(...tables(log));
        };
        const clear = () => {
            coalesced.log.clear();
            noteOpen();
            said.textContent = "The log is cleared.";
        };
        choice.addEventListener("change", () => {
            const isKept = coalesced.log.turn(choice.checked);
            refused.textContent = isKept ? "" : "This browser keeps no log: its storage is full or refused.";
            if (!isKept) choice.checked = false;
            else if (choice.checked) noteOpen();
        });
        // One click too many must not delete the minutes of weeks.
        details.querySelector("[data-log-clear]").addEventListener("click", () => {
            const sure = element("button", { type: "button", "data-log-sure": "" }, "delete all minutes");
            sure.addEventListener("click", clear);
            said.replaceChildren(sure);
        });
        details.addEventListener("toggle", () => show(coalesced.log.read()));
        coalesced.log.listen(() => show(coalesced.log.kept()));
        show(coalesced.log.kept());
        return root;
    }

    /** The log as a file, or null where it is off. */
    function exported() {
        const { is_on: isOn, ...log } = coalesced.log.read() ?? {};
        if (!isOn) return null;
        const rounded = Object.entries(log.page_seconds).map(([page, seconds]) => [page, Math.round(10 * seconds) / 10]);
        return `${JSON.stringify({ ...log, page_seconds: Object.fromEntries(rounded) }, null, 2)}\n`;
    }

    return { box, exported };
})();
