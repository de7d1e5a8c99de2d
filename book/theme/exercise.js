// The exercises of a page: each opens its editor below its skeleton, and the first has the reader's progress.
//
// A page says `<div class="exercise-desk" data-exercise="12_guard" data-exercises="30"><script type="text/plain"
// class="exercise-data">…</script></div>`. From disk nothing is compiled: `cargo learn` judges there.
globalThis.courseEditor ??= {};

(() => {
    "use strict";

    const NOT_SERVED = "Solving it here takes the served book: `cargo run -p book` opens it. From disk, `cargo learn` judges.";
    const RUST = "In the page you write CUDA C++; kernels in Rust are compiled by cargo learn.";

    /** The last element that fits the selector, of those before the exercise in its page. */
    function before(home, selector) {
        let element = home;
        do element = element.previousElementSibling;
        while (element !== null && !element.matches(selector));
        return element;
    }

    /** Puts the reader's progress before the heading of the first exercise, or after an exercise that a page shows alone. */
    function showProgress(home) {
        const box = courseEditor.progress.box(home.dataset.exercises);
        const heading = before(home, "h2, h3");
        if (heading.matches("h3")) heading.before(box);
        else home.after(box);
    }

    async function open(home, note) {
        if (!courseEditor.workshop.canCompile) {
            note.textContent = NOT_SERVED;
            return;
        }
        const bytes = await coalesced.carried(home.querySelector(".exercise-data"));
        const desk = new courseEditor.ExerciseDesk(JSON.parse(new TextDecoder().decode(bytes)));
        const carried = await courseEditor.link.carried(home.dataset.exercise);
        if (carried !== null) desk.takeCarried(carried);
        home.querySelector(".editor-open").hidden = true;
        // The editor has the same code.
        before(home, ".languages").hidden = true;
        home.append(desk.root);
        desk.begin();
        coalesced.log.opened(`${home.dataset.exercise}.cu`);
        courseEditor.workshop.prepare();
    }

    function furnish(home) {
        const { element } = kernelPlayer.draw;
        const file = `${home.dataset.exercise}.cu`;
        const button = element("button", { type: "button", "data-exercise-open": "" });
        const state = element("strong", {});
        const note = element("span", { role: "status" }, RUST);
        const show = () => {
            state.textContent = courseEditor.progress.of(file).solved ? "✓ Solved. " : "";
            button.textContent = courseEditor.kernels.isKept(file) ? "Go on with your version" : "Solve it here";
        };
        button.addEventListener("click", () => open(home, note));
        courseEditor.progress.listen(show);
        document.addEventListener("exercise-file", show);
        show();
        home.append(element("p", { class: "editor-open" }, state, button, " ", note));
        home.dataset.ready = "true";
        if (courseEditor.link.carriedName() === home.dataset.exercise) open(home, note);
    }

    function start() {
        if (!document.querySelector("script.editor-wasm")) return;
        const homes = [...document.querySelectorAll(".exercise-desk")];
        homes.forEach(furnish);
        if (homes.length > 0) showProgress(homes[0]);
    }

    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
    else start();
})();
