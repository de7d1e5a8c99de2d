// The kernel player's stepper: one block, instruction by instruction, one warp at a time.
globalThis.kernelPlayer ??= {};

kernelPlayer.Stepper = (() => {
    "use strict";

    const NARROWEST_PIXELS = 280;

    const SHELL = `
    <section class="player-stepper" tabindex="-1">
      <p class="player-title"></p>
      <p class="player-notice"></p>
      <div class="player-bar">
        <div class="player-controls">
          <label>Warp <select></select></label>
          <button type="button" data-player-step="first" aria-keyshortcuts="Home">First</button>
          <button type="button" data-player-step="back" aria-keyshortcuts="ArrowLeft">Back</button>
          <button type="button" data-player-step="forward" aria-keyshortcuts="ArrowRight">Forward</button>
          <button type="button" data-player-step="last" aria-keyshortcuts="End">Last</button>
          <button type="button" data-player-step="access" aria-keyshortcuts="a">Next memory access</button>
          <button type="button" data-player-step="barrier" aria-keyshortcuts="b">Next barrier</button>
          <button type="button" data-player-step="shuffle" aria-keyshortcuts="s">Next shuffle</button>
          <button type="button" data-player-step="line" aria-keyshortcuts="l">Next line of source</button>
        </div>
        <label class="player-slider">Step <input type="range" min="1"></label>
      </div>
      <p class="player-said" role="status" aria-live="polite"></p>
      <div class="player-accesses"></div>
      <div class="player-code"></div>
      <div class="player-lanes"></div>
      <div class="player-written"></div>
      <p class="player-hint">Steps begin at the first memory access; First leads to the beginning. Keys, while the focus is in
        this part: ← → step, Home and End, a next access, b next barrier, s next shuffle, l next line. The address of the
        page names the step.</p>
    </section>`;

    const NONE_LEFT = {
        access: "no further memory access",
        barrier: "no further barrier",
        shuffle: "no further shuffle",
        line: "no further line of the source",
    };

    // Memories in which it matters where the lanes of a request lie.
    const DRAWN = ["global", "shared", "constant"];

    /**
     * `trace` is the emulator's answer; `title` names what is stepped, `ptx` and `source` are listings of the model,
     * `arrays` those of the launch, `file` is where the source is from, `id` a prefix of ids in the page. `at` is a place
     * `{ warp, step }` to begin at, or null; `moved` hears of every place. `root` is the element to show.
     */
    class Stepper {
        constructor(trace, { title, ptx, source, arrays, file, id, at, moved }) {
            this.trace = trace;
            this.ptx = ptx;
            this.arrays = arrays;
            this.moved = moved;
            this.warps = kernelPlayer.model.byWarp(trace.steps);
            this.registers = new kernelPlayer.Registers(ptx, arrays, id);
            this.root = kernelPlayer.draw.parsed(SHELL);
            this.root.setAttribute("aria-label", `Steps of ${title}`);
            this.root.querySelector(".player-title").textContent = `Step by step: ${title}`;
            this.root.append(this.registers.root);
            this.find();
            this.listen();
            this.writeNotice(this.root.querySelector(".player-notice"));
            this.addListings(source, file);
            this.begin(at);
        }

        // ---- parts

        find() {
            const part = (selector) => this.root.querySelector(selector);
            this.warpChoice = part("select");
            this.slider = part('input[type="range"]');
            this.buttons = [...this.root.querySelectorAll("[data-player-step]")];
            this.said = part(".player-said");
            this.lanes = part(".player-lanes");
            this.written = part(".player-written");
            this.accesses = part(".player-accesses");
        }

        listen() {
            const { element } = kernelPlayer.draw;
            this.warpChoice.append(...[...this.warps.keys()].map((warp) => element("option", {}, `${warp}`)));
            this.warpChoice.addEventListener("change", () => this.choose(Number(this.warpChoice.value)));
            this.slider.addEventListener("input", () => this.go(Number(this.slider.value) - 1));
            for (const button of this.buttons)
                button.addEventListener("click", () => this.step(button.dataset.playerStep));
            this.root.addEventListener("keydown", (event) => this.press(event));
        }

        /** How the trace ends, where it does not end with the block. */
        writeNotice(notice) {
            const { cut, fault, steps } = this.trace;
            notice.hidden = !cut && !fault;
            notice.classList.toggle("player-fault", Boolean(fault));
            if (fault) notice.textContent = `After these steps the block stops with a fault: ${fault}`;
            else if (cut) {
                const count = steps.length.toLocaleString("en");
                notice.textContent = `The trace is cut: it has the first ${count} steps of the block; a run or a check executes all of it.`;
            }
        }

        addListings(source, file) {
            const { element, listing } = kernelPlayer.draw;
            this.ptxBox = listing("PTX", this.ptx.rows, this.ptx.rowOf);
            this.sourceBox = listing(file, source.rows, source.rowOf, file.endsWith(".rs") ? "rust" : "cpp");
            const captioned = (text, box) => element("div", {}, element("p", { class: "player-caption" }, text), box);
            const code = this.root.querySelector(".player-code");
            code.append(captioned("PTX", this.ptxBox.box), captioned(file, this.sourceBox.box));
        }

        // ---- moving

        /** Begins at a place, or else at the first memory access: what is before it only reads parameters and numbers. */
        begin(at) {
            const warp = this.warps.has(at?.warp) ? at.warp : this.warps.keys().next().value;
            this.warpChoice.value = warp;
            this.choose(warp);
            this.go(at ? at.step - 1 : this.warp.trace.nextStop(-1, "access"));
        }

        /** Chooses a warp, and the step of it that comes next after the place in the block where the other one stood. */
        choose(warp) {
            const before = this.warp ? this.warp.order[this.position] : 0;
            const { steps, order } = this.warps.get(warp);
            this.warp = { number: warp, order, trace: new kernelPlayer.model.WarpTrace(steps, this.ptx) };
            this.registers.follow(this.warp);
            this.slider.max = steps.length;
            const next = order.findIndex((place) => place >= before);
            this.go(next < 0 ? steps.length - 1 : next);
        }

        last() {
            return this.warp.trace.steps.length - 1;
        }

        go(position) {
            this.position = Math.max(0, Math.min(position, this.last()));
            this.show();
        }

        step(kind) {
            const plain = { first: 0, back: this.position - 1, forward: this.position + 1, last: this.last() };
            const stop = kind in plain ? plain[kind] : this.warp.trace.nextStop(this.position, kind);
            if (kind in plain || stop >= 0) this.go(stop);
            else {
                const where = this.trace.cut ? " in this trace" : "";
                this.said.textContent = `Warp ${this.warp.number} has ${NONE_LEFT[kind]}${where}. ${this.stepText()}`;
            }
        }

        press(event) {
            // The slider knows the arrows itself, and no letters.
            const isTyping =
                event.target.matches("select, input") && !(event.target === this.slider && event.key.length === 1);
            const isChord = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
            const button = this.buttons.find((each) => each.getAttribute("aria-keyshortcuts") === event.key);
            if (isTyping || isChord || !button) return;
            event.preventDefault();
            this.step(button.dataset.playerStep);
        }

        // ---- showing

        show() {
            const step = this.warp.trace.steps[this.position];
            this.slider.value = this.position + 1;
            this.slider.setAttribute("aria-valuetext", `step ${this.position + 1} of ${this.last() + 1}`);
            this.ptxBox.mark(step.line);
            this.sourceBox.mark(step.source);
            this.said.textContent = this.stepText();
            this.showLanes(step);
            this.showWritten(step);
            this.showAccesses(step);
            this.registers.show(this.position);
            this.moved({ warp: this.warp.number, step: this.position + 1 });
        }

        stepText() {
            const step = this.warp.trace.steps[this.position];
            const lanes = kernelPlayer.model.activeLanes(step.active).length;
            const written = this.writtenBy(step).map((each) => each.register).join(", ");
            return [
                `Step ${this.position + 1} of ${this.last() + 1} of warp ${this.warp.number}, ${lanes} of 32 lanes:`,
                this.warp.trace.instruction(this.position).replace(/;?$/, "."),
                step.source === null ? "It belongs to no line of the source." : `Line ${step.source} of the source.`,
                ...this.branchText(step),
                ...(written ? [`Writes ${written}.`] : []),
                ...step.accesses.map((access) => kernelPlayer.access.accessText(access, this.arrays)),
                ...(this.isFault() ? ["Here the block stops with the fault above: this step transfers nothing."] : []),
            ].join(" ");
        }

        /** Whether the block stops at this step, the last one of a trace that ends with a fault. */
        isFault() {
            const { fault, steps } = this.trace;
            return Boolean(fault) && this.warp.order[this.position] === steps.length - 1;
        }

        /** The registers that a step writes: none if it is the fault. */
        writtenBy(step) {
            return this.isFault() ? [] : step.written;
        }

        branchText(step) {
            const { activeLanes, ranges } = kernelPlayer.model;
            const taken = this.warp.trace.takenBy(this.position);
            if (taken === null) return [];
            const others = activeLanes(step.active).filter((lane) => !taken.includes(lane));
            if (taken.length === 0) return ["No lane takes the branch."];
            if (others.length === 0) return ["All of them take the branch."];
            const named = (lanes) => `lane${lanes.length === 1 ? "" : "s"} ${ranges(lanes)}`;
            return [`The warp diverges: the branch is taken by ${named(taken)}, and not by ${named(others)}.`];
        }

        showLanes(step) {
            const { element, laneRow } = kernelPlayer.draw;
            const { activeLanes, ranges, LANES } = kernelPlayer.model;
            const lanes = activeLanes(step.active);
            const who = lanes.length === LANES ? "all 32" : ranges(lanes) || "none";
            this.lanes.replaceChildren(
                element("p", { class: "player-caption" }, `Active lanes: ${who}`),
                laneRow(step.active),
            );
        }

        showWritten(step) {
            const { EVERY_LANE, isActive, laneValue, valueText } = kernelPlayer.model;
            const { element, laneValues } = kernelPlayer.draw;
            const parts = this.writtenBy(step).flatMap((written) => {
                const type = this.warp.trace.typeWritten(this.position, written.register);
                const text = (lane) =>
                    isActive(step.active, lane)
                        ? valueText(written.kind, type, laneValue(written, lane), this.arrays)
                        : "";
                const name = element("code", {}, written.register);
                const words = ` (${written.kind === "pred" ? "predicate" : type || written.kind})`;
                const caption = element("p", { class: "player-caption" }, "Written: ", name, words);
                return [caption, laneValues(EVERY_LANE.map(text), step.active)];
            });
            this.written.replaceChildren(...parts);
        }

        showAccesses(step) {
            const { element } = kernelPlayer.draw;
            const { accessPicture } = kernelPlayer.access;
            const width = Math.max(NARROWEST_PIXELS, Math.floor(this.accesses.clientWidth));
            // The sentence above says in words what a picture shows.
            const figures = step.accesses
                .filter(({ space }) => DRAWN.includes(space))
                .map((access) =>
                    element("figure", { class: "player-access" }, accessPicture(access, width, this.arrays)));
            const none = element("p", { class: "player-note" }, "This step accesses no memory that is drawn.");
            this.accesses.replaceChildren(...(figures.length > 0 ? figures : [none]));
        }
    }

    return Stepper;
})();
