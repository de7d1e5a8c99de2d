// The kernel player of a stage's page: choose a kernel, its language, size and block; run it on the emulator in the page; see
// its counters beside those of the run before; step through one block.
//
// A page says `<div class="player" data-stage="…" data-kernel="the first one"><script type="text/plain"
// class="player-scenes">…</script>static parts</div>`. The static parts stay where there is no WebAssembly, and in print.
// Nothing is loaded before the player is near the window.
//
// Files: player-model.js (no document), player-arrays.js (names of addresses), player-counters.js (the table),
// player-draw.js (elements), player-access.js (pictures of memory accesses), player-step.js (stepping), player-link.js (the
// step in the address), and this one. They share the object `kernelPlayer`.
//
// Hooks, for tests and for links; they stay as they are:
//   .player[data-player-state]   "waiting", "ready", "failed"; absent where the static parts stay
//   [data-player-choice=X]       the choices: "kernel", "language", "size", "block"
//   [data-player-run]            runs the chosen scene; .player-result then says how it went
//   .player-result               with data-verified "true", or "false" for other bits, a fault, or a kernel that the checks
//                                of an exercise refuse; or class player-fault
//   .player-counters             in folded details while the stepper is open, the table of counters, with the run before it after the second run
//   [data-player-block]          the number of the block to step through; .player-clamped says if another is taken
//   [data-player-trace]          opens the stepper of that block
//   [data-player-step=X]         "first", "back", "forward", "last", "access", "barrier", "shuffle", "line"
//   .player-said                 what the step did, in words
//   .player-lanes                the lanes; cells `.active` and `.inactive`
//   .player-access               a memory access of this step, an SVG with its count in words
//   location.hash                names the step: #player=STAGE&kernel=…&step=…; a page opened so goes there
//   [data-player-watch]          shows the register that was typed; its lanes are in [data-player-register=NAME]
//   kernelPlayer.model           masks, listings, registers, next stops
globalThis.kernelPlayer ??= {};

kernelPlayer.Player = (() => {
    "use strict";

    /** Steps of a block that are asked for: up to the second barrier of four warps, and no more than a browser gets
     * within a second. */
    const STEPS_OF_A_WARP = 4000;
    const LEAST_STEPS = 4000;
    const MOST_STEPS = 16000;
    let players = 0;

    const SHELL = `
    <div class="player-live" role="group" aria-label="Kernel player">
      <div class="player-controls">
        <label>Kernel <select data-player-choice="kernel"></select></label>
        <label>Language <select data-player-choice="language"></select></label>
        <label>Size <select data-player-choice="size"></select></label>
        <label>Block <select data-player-choice="block"></select></label>
      </div>
      <div class="player-controls">
        <button type="button" data-player-run>Run</button>
        <label><input type="checkbox" checked> compare with the run before</label>
        <span class="player-together">
          <button type="button" data-player-trace>Step through block</button>
          <label>number <input type="number" min="0" value="0" data-player-block></label>
          <span class="player-blocks"></span>
        </span>
        <span class="player-clamped" role="status"></span>
      </div>
      <div class="player-result" role="status" aria-live="polite"></div>
      <details class="player-counted" open hidden>
        <summary>Counters</summary>
        <div class="player-counters"></div>
      </details>
      <div class="player-steps"></div>
    </div>`;

    /** One player of a page. */
    class Player {
        constructor(home, data) {
            this.home = home;
            this.data = data;
            this.id = `player-${(players += 1)}`;
            this.before = null;
            this.build();
        }

        // ---- parts

        build() {
            this.live = kernelPlayer.draw.parsed(SHELL);
            const part = (selector) => this.live.querySelector(selector);
            this.choices = {};
            for (const name of ["kernel", "language", "size", "block"]) {
                this.choices[name] = part(`[data-player-choice="${name}"]`);
                this.choices[name].addEventListener("change", () => this.chooseFrom(name));
            }
            this.compare = part('input[type="checkbox"]');
            this.compare.addEventListener("change", () => this.showCounters());
            addEventListener("hashchange", () => this.followLink());
            this.blockNumber = part("[data-player-block]");
            this.blockNumber.addEventListener("change", () => this.settleBlock());
            this.blocks = part(".player-blocks");
            this.clamped = part(".player-clamped");
            this.buttons = [part("[data-player-run]"), part("[data-player-trace]")];
            this.buttons[0].addEventListener("click", () => this.run());
            this.buttons[1].addEventListener("click", () => this.trace(null));
            this.result = part(".player-result");
            this.counted = part(".player-counted");
            this.table = part(".player-counters");
            this.stepper = part(".player-steps");
            const names = [...new Set(this.data.kernels.map((each) => each.name))];
            this.fill(
                "kernel",
                names.filter((name) => this.scenes({ kernel: name }).length > 0),
            );
            // A chapter's player begins with a kernel of this chapter.
            if (this.home.dataset.kernel) this.choices.kernel.value = this.home.dataset.kernel;
            this.chooseFrom("kernel");
            this.follow(courseLanguages.chosen());
            document.addEventListener("language-chosen", ({ detail }) => this.follow(detail));
            this.home.append(this.live);
        }

        // ---- choosing

        scenes(wanted) {
            return this.data.scenes.filter((scene) =>
                Object.entries(wanted).every(([key, value]) => scene[key] === value),
            );
        }

        /** Offers texts, and keeps the one that was chosen, if it is still there. */
        fill(name, texts) {
            const { element } = kernelPlayer.draw;
            const select = this.choices[name];
            const kept = select.value;
            select.replaceChildren(...texts.map((text) => element("option", {}, text)));
            if (texts.includes(kept)) select.value = kept;
        }

        /** The language of the code above is that of the player too, where the kernel is written in it. */
        follow(language) {
            this.choices.language.value = courseLanguages.NAMES[language];
            if (this.choices.language.selectedIndex < 0) this.choices.language.selectedIndex = 0;
            this.chooseFrom("language");
        }

        /** After a choice, what comes after it offers what exists as a scene. */
        chooseFrom(name) {
            const kernel = this.choices.kernel.value;
            const values = (key, wanted) => [...new Set(this.scenes(wanted).map((scene) => scene[key]))];
            if (name === "kernel") this.fill("language", values("language", { kernel }));
            const language = this.choices.language.value;
            if (name === "kernel" || name === "language") this.fill("size", values("size", { kernel, language }));
            const scenes = this.scenes({ kernel, language, size: this.choices.size.value });
            const shapes = scenes.map((scene) => this.shape(scene));
            if (name !== "block") this.fill("block", shapes);
            this.chosen = scenes[Math.max(0, shapes.indexOf(this.choices.block.value))];
            this.blockNumber.max = this.chosen.blocks - 1;
            this.blocks.textContent = this.chosen.blocks === 1 ? "of 1 block" : `of 0 to ${this.chosen.blocks - 1}`;
            this.settleBlock();
        }

        /** Puts a number of the grid into the field, and says so where another one was typed. */
        settleBlock() {
            const typed = this.blockNumber.value;
            const block = this.wantedBlock();
            this.blockNumber.value = block;
            const isOther = typed !== `${block}`;
            const what = typed === "" ? "What was typed is no number" : `The grid has no block ${typed}`;
            this.clamped.textContent = isOther ? `${what}: block ${block} is taken.` : "";
            return block;
        }

        /** The number in the field, brought into the grid. */
        wantedBlock() {
            const typed = Math.floor(Number(this.blockNumber.value)) || 0;
            return Math.max(0, Math.min(typed, this.chosen.blocks - 1));
        }

        wantedSteps() {
            const warps = Math.ceil(this.chosen.block / kernelPlayer.model.LANES);
            return Math.max(LEAST_STEPS, Math.min(STEPS_OF_A_WARP * warps, MOST_STEPS));
        }

        shape(scene) {
            const { extent } = kernelPlayer.model;
            const { grid, block } = scene.scene;
            return `${extent(block)} threads, grid ${extent(grid)}`;
        }

        launch({ kernel, scene }) {
            const { extent } = kernelPlayer.model;
            return `${kernel}<<<${extent(scene.grid)}, ${extent(scene.block)}>>>`;
        }

        // ---- asking the emulator

        /** Puts a question after the page has had time to show that something goes on; null after an error, which is shown. */
        async ask(request, place) {
            this.buttons.forEach((button) => {
                button.disabled = true;
            });
            place.replaceChildren("The emulator runs …");
            try {
                const emulator = await this.emulator().catch((error) => this.giveUp(error));
                if (!emulator) return null;
                await new Promise((done) => {
                    setTimeout(done, 20);
                });
                return await emulator.ask(request);
            } catch (error) {
                // The editor, which has the button Stop, reports it.
                if (window.courseEditor?.workshop?.isStop(error)) {
                    place.replaceChildren();
                    throw error;
                }
                place.replaceChildren(this.fault(`The emulator could not do this: ${error.message}`));
                return null;
            } finally {
                this.buttons.forEach((button) => {
                    button.disabled = false;
                });
            }
        }

        /** What answers questions: the emulator of the page. */
        emulator() {
            return coalesced.emulator();
        }

        /** Without an emulator the static parts say more. */
        giveUp(error) {
            this.live.remove();
            fail(this.home, `The emulator could not start: ${error.message}`);
        }

        fault(text) {
            return kernelPlayer.draw.element("p", { class: "player-fault" }, text);
        }

        /** What a run of a launch asks. */
        question(chosen) {
            return { ask: "run", scene: kernelPlayer.model.resolve(this.data, chosen) };
        }

        isVerified(chosen, answer) {
            return answer.same_bits && !answer.fault && !chosen.finding;
        }

        async run() {
            const { chosen } = this;
            delete this.result.dataset.verified;
            const answer = await this.ask(this.question(chosen), this.result);
            this.counted.hidden = !answer || Boolean(answer.fault);
            if (!answer || answer.fault) this.table.replaceChildren();
            if (!answer) return;
            this.result.dataset.verified = this.isVerified(chosen, answer);
            this.result.replaceChildren(...this.resultParts(chosen, answer));
            if (answer.fault) return;
            this.before = this.last || null;
            const differs = this.differencesOf(chosen);
            this.last = { counters: answer.counters, needed_bytes: chosen.needed_bytes, differs, chosen: this.headed(chosen) };
            this.showCounters();
        }

        /** A launch as the table of counters names it. */
        headed(chosen) {
            return chosen;
        }

        /** Counters that ptxas changes, with reasons. They are read of the kernels in CUDA C++. */
        differencesOf({ kernel, language }) {
            const known = JSON.parse(this.home.dataset.differs || "{}");
            return (language === "CUDA C++" && known[kernel]) || {};
        }

        /** What ran, in words. */
        ranPart(chosen) {
            const { element } = kernelPlayer.draw;
            return element(
                "p",
                {},
                "Ran ",
                element("code", {}, this.launch(chosen)),
                `, ${chosen.language}, ${chosen.size}; entry `,
                element("code", {}, chosen.scene.entry),
                ". An emulated run has no GPU time.",
            );
        }

        resultParts(chosen, answer) {
            const { element } = kernelPlayer.draw;
            const ran = this.ranPart(chosen);
            if (answer.fault) return [ran, this.fault(answer.fault)];
            if (answer.same_bits && chosen.finding) {
                return [
                    ran,
                    element("p", {}, element("strong", {}, "✗ Not solved."), " The checks of the exercise say:"),
                    this.fault(chosen.finding),
                ];
            }
            if (answer.same_bits) {
                return [
                    ran,
                    element(
                        "p",
                        {},
                        element("strong", {}, "✓ Verified."),
                        " Memory holds the same bits as after the run that the build of this book checked: ",
                        `${chosen.reference}.`.replace(/\.\.$/, "."),
                    ),
                ];
            }
            return [
                ran,
                this.fault(
                    "Not verified: memory holds other bits than after the run that the build of this book " +
                        "compared with its reference. Please report this, with the name of your browser.",
                ),
            ];
        }

        showCounters() {
            const { element } = kernelPlayer.draw;
            if (!this.last) return;
            this.counted.open = true;
            const before = this.compare.checked ? this.before : null;
            const runs = before ? [before, this.last] : [this.last];
            const headings = runs.map(({ chosen }) =>
                element(
                    "th",
                    { scope: "col" },
                    element("code", {}, chosen.kernel),
                    element("small", {}, `${chosen.language}, ${chosen.size}, ${this.shape(chosen)}`),
                ),
            );
            if (before) headings.push(element("th", { scope: "col" }, "change"));
            const rows = kernelPlayer.counters
                .rows(this.last, before)
                .map(({ name, link, cells }) =>
                    element(
                        "tr",
                        {},
                        element("th", { scope: "row" }, element("a", { href: link }, name)),
                        ...cells.map((cell) => element("td", {}, cell)),
                    ),
                );
            this.table.replaceChildren(
                element(
                    "div",
                    { class: "player-scroll", tabindex: "0", role: "region", "aria-label": "Counters" },
                    element(
                        "table",
                        {},
                        element("thead", {}, element("tr", {}, element("td"), ...headings)),
                        element("tbody", {}, ...rows),
                    ),
                ),
                ...kernelPlayer.counters.footnotes(runs).map((note) => element("p", { class: "player-note" }, note)),
            );
        }

        /** Goes to the step that the address names, if it is one of this player. */
        async followLink() {
            const wanted = kernelPlayer.link.read(this.home.dataset.stage);
            if (!wanted) return;
            for (const [name, select] of Object.entries(this.choices)) {
                select.value = wanted[name];
                if (select.selectedIndex < 0) select.selectedIndex = 0;
                this.chooseFrom(name);
            }
            this.blockNumber.value = wanted.number;
            await this.trace({ warp: Number(wanted.warp), step: Number(wanted.step) });
            this.stepper.scrollIntoView({ behavior: "instant" });
        }

        /** Puts a step of the stepper into the address. */
        writeLink(chosen, number, { warp, step }) {
            const { kernel, language, size } = chosen;
            const place = { kernel, language, size, block: this.shape(chosen), number, warp, step };
            kernelPlayer.link.write(this.home.dataset.stage, place);
        }

        /** The file of a launch's kernel, with its text. */
        kernelOf(chosen) {
            return this.data.kernels.find(({ name, language }) => name === chosen.kernel && language === chosen.language);
        }

        /** Opens the stepper, `at` a warp and a step, or after the prologue. */
        async trace(at) {
            const { model } = kernelPlayer;
            const { chosen } = this;
            this.counted.open = false;
            const scene = model.resolve(this.data, chosen);
            const block = this.settleBlock();
            const answer = await this.ask({ ask: "trace", scene, block, most_steps: this.wantedSteps() }, this.stepper);
            if (!answer) return;
            if (answer.steps.length === 0) {
                this.stepper.replaceChildren(this.fault(answer.fault || "This block executes no instruction."));
                return;
            }
            const { source, file } = this.kernelOf(chosen);
            this.steps = new kernelPlayer.Stepper(answer, {
                title: `${this.launch(chosen)}, ${chosen.language}, ${chosen.size}, block ${block}`,
                ptx: model.ptxListing(scene.ptx, chosen.scene.entry),
                source: model.sourceListing(source),
                arrays: kernelPlayer.arrays.of(scene, source),
                file,
                id: this.id,
                at,
                moved: (place) => this.writeLink(chosen, block, place),
            });
            this.stepper.replaceChildren(this.steps.root);
            // Only now do its parts have a size: boxes to scroll in, and a width to draw in.
            this.steps.show();
            this.steps.slider.focus({ preventScroll: true });
            this.watchWidth();
        }

        watchWidth() {
            if (this.observer) return;
            let width = this.live.clientWidth;
            this.observer = new ResizeObserver(() => {
                if (this.live.clientWidth === width) return;
                width = this.live.clientWidth;
                this.steps.show();
            });
            this.observer.observe(this.live);
        }
    }

    // ---- starting

    async function start(home) {
        home.dataset.playerState = "waiting";
        try {
            const scenes = await coalesced.carried(home.querySelector("script.player-scenes"));
            const data = JSON.parse(new TextDecoder().decode(scenes));
            const player = new Player(home, data);
            home.dataset.playerState = "ready";
            await player.followLink();
        } catch (error) {
            fail(home, `The player could not start: ${error.message}`);
        }
    }

    /** The static parts come back, with the reason below them. */
    function fail(home, reason) {
        home.dataset.playerState = "failed";
        home.append(kernelPlayer.draw.element("p", { class: "player-fault" }, reason));
    }

    function startNearWindow() {
        const observer = new IntersectionObserver(
            (entries) => {
                for (const { isIntersecting, target } of entries) {
                    if (!isIntersecting) continue;
                    observer.unobserve(target);
                    start(target);
                }
            },
            { rootMargin: "300px" },
        );
        document.querySelectorAll(".player").forEach((home) => {
            if (kernelPlayer.link.read(home.dataset.stage)) start(home);
            else observer.observe(home);
        });
    }

    const isAble =
        typeof WebAssembly === "object" &&
        typeof DecompressionStream === "function" &&
        typeof IntersectionObserver === "function";
    if (isAble && document.readyState === "loading") document.addEventListener("DOMContentLoaded", startNearWindow);
    else if (isAble) startNearWindow();

    return Player;
})();
