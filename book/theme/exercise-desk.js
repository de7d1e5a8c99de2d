// The editor of an exercise: the learner's file, judged as `cargo learn check` does it, with hints and the solution.
globalThis.courseEditor ??= {};

courseEditor.ExerciseDesk = (() => {
    "use strict";

    const CUDA = "CUDA C++";

    const { parted } = courseEditor.kernels;

    return class extends courseEditor.Desk {
        constructor(data) {
            const file = `${data.name}.cu`;
            const { card, code } = parted(data.files.cu.initial);
            const first = card.split("\n").length;
            super({ key: `exercise-${file}`, name: data.name, file, label: `Your file ${file}`, original: code, first });
            Object.assign(this, { data, card });
            this.button("run").textContent = "Check";
            this.hint = this.add("hint", "Hint", () => this.showHint());
            this.solution = this.add("solution", "Solution", () => this.offerSolution());
            this.add("save", "Save as a file", () => courseEditor.progress.save(file, this.source));
            this.hints = kernelPlayer.draw.element("div", { class: "exercise-hints", role: "status" });
            // Above the code: below it a hint would push the verdict away.
            this.bar.after(this.hints);
            this.showHints();
            this.announceDownload("Checking");
            document.addEventListener("exercise-file", ({ detail }) => {
                if (detail.name === file) this.put(parted(detail.text).code);
            });
        }

        /** The whole file. */
        get source() {
            return this.card + this.text.value;
        }

        /**
         * The exercise as the judge is told it, with the solution by the page's compiler, so that counts and estimates of both are
         * comparable; or by NVRTC, where the page cannot compile it.
         */
        async exercise() {
            const { name, card, files } = this.data;
            const { solution: text, solution_ptx: prebuilt, skeleton } = files.cu;
            this.solutionPtx ??= (await this.compiled(text)).ptx ?? null;
            const ptx = this.solutionPtx ?? prebuilt;
            return { name, card, skeleton, solution: { text, ptx, differs_in_compiler: this.solutionPtx === null } };
        }

        run() {
            return this.work("Compiling …", async () => {
                const text = this.source;
                const ptx = await this.compile(text);
                const compiled = ptx === null ? { log: this.failure() } : { ptx, log: this.log.trim() };
                const exercise = await this.exercise();
                this.say("Checking …");
                const question = { ask: "judge", exercise, language: "cu", text, ...compiled };
                await this.showVerdict(await courseEditor.workshop.ask(question), { text, ptx });
            });
        }

        /** What the compiler says about a text with errors, or what the page cannot translate. */
        failure() {
            const errors = this.text.messages.map(({ line, text }) => `${this.file}:${line}: ${text}`);
            return /error: /.test(this.log) ? this.log.trim() : errors.join("\n");
        }

        async showVerdict({ verdict, text: words, finding }, kernel) {
            const { element } = kernelPlayer.draw;
            coalesced.log.judged(this.file, verdict.solved);
            const said = element("pre", { class: "editor-verdict", tabindex: "0", "data-solved": verdict.solved }, words);
            const parts = [said, ...this.stepButtons(finding, kernel)];
            this.player = null;
            this.result.replaceChildren(...parts);
            // A reader of a small window would see nothing of it, below a long kernel.
            said.scrollIntoView({ block: "nearest", behavior: "instant" });
            if (finding) this.markFindings([finding]);
            if (!verdict.solved) return this.say("✗ Not solved yet: see below.");
            const { sha256 } = await courseEditor.workshop.ask({ ask: "digest", text: kernel.text });
            const isKept = courseEditor.progress.change(this.file, { solved: sha256 });
            const remark = verdict.remark || verdict.warnings ? " See the remarks below." : "";
            const praise = `✓ Solved.${remark}${isKept ? "" : " This browser does not keep it: its storage is full or refused."} `;
            this.say(element("span", {}, praise, ...this.wayOn()));
        }

        /** A link to what follows: the next heading, as parts of the path go on below an exercise, or after a list the next page. */
        wayOn() {
            const { element } = kernelPlayer.draw;
            const homes = [...document.querySelectorAll(".exercise-desk")];
            const home = this.root.closest(".exercise-desk");
            const isLastOfList = homes.length > 2 && home === homes.at(-1);
            const headings = [...document.querySelectorAll("main :is(h2, h3)[id]")];
            const isBelow = (heading) => home.compareDocumentPosition(heading) === Node.DOCUMENT_POSITION_FOLLOWING;
            const heading = isLastOfList ? undefined : headings.find(isBelow);
            if (heading) return [element("a", { href: `#${heading.id}` }, `Read on: ${heading.textContent.trim()}`)];
            const page = document.querySelector(".nav-chapters.next");
            return page ? [element("a", { href: page.getAttribute("href") }, "The next page")] : [];
        }

        /** Buttons that open the player: at the sides of a finding, or at the beginning. */
        stepButtons(finding, kernel) {
            if (kernel.ptx === null) return [];
            const { element } = kernelPlayer.draw;
            const button = (words, side) => {
                const made = element("button", { type: "button", "data-exercise-step": "" }, words);
                made.addEventListener("click", () => this.step(kernel, finding, side));
                return made;
            };
            const sides = finding?.sides ?? [];
            const { stepWords } = courseEditor.players;
            const buttons = sides.length > 0 ? sides.map((side) => button(stepWords(side), side)) : [button("Step through it", null)];
            return [element("p", { class: "exercise-steps" }, ...buttons)];
        }

        step(kernel, finding, side) {
            return this.work("Stepping …", async () => {
                this.player ??= await this.openPlayer(kernel);
                const { player } = this;
                const take = player.data.scenes[finding?.scene ?? 0] ?? player.data.scenes.at(-1);
                player.choices.size.value = take.size;
                player.chooseFrom("size");
                player.chosen = take;
                if (side) await player.stepTo(side, finding.address);
                else await player.trace(null);
                this.say("");
            });
        }

        /** A player for the launches of the learner's kernel; it only steps, because the verdict has said the rest. */
        async openPlayer({ text, ptx }) {
            const question = { ask: "scenes", exercise: await this.exercise(), language: "cu", text, ptx };
            const { scenes } = await courseEditor.workshop.ask(question);
            const home = kernelPlayer.draw.element("div", { class: "player exercise-player" });
            this.result.append(home);
            const kernel = { name: this.data.name, language: CUDA, file: this.file, source: text };
            const takes = scenes.map((each, number) => this.take(each, scenes.length > 1 ? number : null));
            // Scenes of the build name their contents by keys; here each is its own key.
            const places = scenes.flatMap(({ scene }) => [...scene.memory, ...scene.variables, ...scene.results]);
            const contents = Object.fromEntries(places.map((place) => [place.contents, place.contents]));
            const data = { kernels: [kernel], contents, ptx: {}, scenes: takes };
            const player = courseEditor.players.open(home, courseEditor.players.dataOf(data, takes, kernel));
            player.change(text, ptx);
            return player;
        }

        /** A launch as the player wants it. */
        take({ name, scene }, number) {
            const threads = (shape) => shape.reduce((product, length) => product * length, 1);
            return {
                kernel: this.data.name,
                language: CUDA,
                size: number === null ? name : `launch ${number + 1}: ${name}`,
                n: threads(scene.grid) * threads(scene.block),
                block: threads(scene.block),
                blocks: threads(scene.grid),
                needed_bytes: 0,
                scene,
            };
        }

        /** Puts the cursor on the first line of the learner's own. */
        begin() {
            const mark = this.text.value.split("\n").findIndex((line) => line.includes(">>> your code"));
            this.text.go(this.first + mark + 1);
        }

        // ---- help

        showHint() {
            const shown = courseEditor.progress.of(this.file).hints;
            courseEditor.progress.change(this.file, { hints: Math.min(shown + 1, this.data.hints.length) });
            this.showHints();
        }

        showHints() {
            const { element } = kernelPlayer.draw;
            const { hints: all } = this.data;
            const shown = Math.min(courseEditor.progress.of(this.file).hints, all.length);
            this.hint.disabled = shown === all.length;
            this.hint.textContent = shown === all.length ? "No more hints" : `Hint ${shown + 1} of ${all.length}`;
            this.hints.replaceChildren(...all.slice(0, shown).map((hint, index) => element("p", {}, `Hint ${index + 1}: ${hint}`)));
        }

        /** One click too many must not spoil an exercise. */
        offerSolution() {
            const { element } = kernelPlayer.draw;
            const { solved, revealed } = courseEditor.progress.of(this.file);
            if (solved || revealed) return this.showSolution();
            const show = element("button", { type: "button", "data-exercise-reveal": "" }, "show the solution");
            show.addEventListener("click", () => {
                this.showSolution();
                this.say("");
            });
            this.say(element("span", {}, "The progress will say that you have seen it: ", show));
        }

        showSolution() {
            const { element } = kernelPlayer.draw;
            const entry = courseEditor.progress.of(this.file);
            if (!entry.solved) courseEditor.progress.change(this.file, { revealed: true });
            const code = element("code", { class: "language-cpp" }, this.data.files.cu.solution);
            hljs.highlightBlock(code);
            const box = element("details", { open: "" }, element("summary", {}, "A solution"),
                element("pre", { class: "editor-diff", tabindex: "0" }, code));
            this.root.querySelector("details")?.remove();
            this.hints.after(box);
        }
    };
})();
