// The exercises of a page: each opens its editor below its skeleton, and the first has the reader's progress.
//
// A page says `<div class="exercise-desk" data-exercise="12_guard" data-exercises="30"><script type="text/plain"
// class="exercise-data">…</script></div>`. From disk nothing is compiled: `cargo learn` judges there.
globalThis.courseEditor ??= {};

(() => {
    "use strict";

    const NOT_SERVED = "Solving it here takes the served book: `cargo run -p book` opens it. From disk, `cargo learn` judges.";
    const RUST = "In the page you write CUDA C++; kernels in Rust are compiled by cargo learn.";

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
        home.append(desk.root);
        desk.begin();
        courseEditor.workshop.prepare();
    }

    function furnish(home) {
        const { element } = kernelPlayer.draw;
        const file = `${home.dataset.exercise}.cu`;
        const words = courseEditor.store.read(`exercise-${file}`) === null ? "Solve it here" : "Go on with your version";
        const button = element("button", { type: "button", "data-exercise-open": "" }, words);
        const state = element("strong", {});
        const note = element("span", { role: "status" }, RUST);
        const show = () => {
            state.textContent = courseEditor.progress.of(file).solved ? "✓ Solved. " : "";
        };
        button.addEventListener("click", () => open(home, note));
        courseEditor.progress.listen(show);
        show();
        home.append(element("p", { class: "editor-open" }, state, button, " ", note));
        home.dataset.ready = "true";
        if (courseEditor.link.carriedName() === home.dataset.exercise) open(home, note);
    }

    function start() {
        if (!document.querySelector("script.editor-wasm")) return;
        const homes = [...document.querySelectorAll(".exercise-desk")];
        homes.forEach(furnish);
        homes[0]?.before(courseEditor.progress.box(homes[0].dataset.exercises));
    }

    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
    else start();
})();
