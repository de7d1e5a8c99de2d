// The kernel player with a reader's own kernel: the same launches, run and checked by the editor's worker.
globalThis.courseEditor ??= {};

courseEditor.players = (() => {
    "use strict";

    const CUDA = "CUDA C++";

    /** The key of a reader's PTX among those of the scenes. */
    const MINE = "mine";

    /** The key of the course's kernel by the page's compiler. */
    const UNEDITED = "unedited";

    /**
     * The place of the step in a warp's trace that a side of a finding means: its instruction, by its lane, at the address if
     * one is known; or else the first time of this instruction; -1 where the trace has none.
     */
    function stepOf(steps, side, address) {
        const isIts = (step) => step.line === side.ptx_line && kernelPlayer.model.isActive(step.active, side.lane);
        const touches = ({ accesses }) => accesses.some(({ addresses }) => String(addresses[side.lane]) === address);
        const exact = steps.findIndex((step) => isIts(step) && touches(step));
        return exact >= 0 ? exact : steps.findIndex(isIts);
    }

    /** The words of a button that steps to one side of a finding. */
    const stepWords = ({ verb, thread, block }) =>
        `Step to ${verb && verb !== "executed" ? `the ${verb} by ` : ""}thread (${thread.join(", ")}) of block ${block}`;

    /** The class is made when it is first needed: the player's script may come later than this one. */
    const make = () => class extends kernelPlayer.Player {
        /** The worker in place of the page's own emulator, so that a run that does not end can be stopped. */
        emulator() {
            const ask = (question) => courseEditor.workshop.ask(question).catch((error) => {
                this.refusal = error.message;
                throw error;
            });
            return Promise.resolve({ ask });
        }

        giveUp(error) {
            throw error;
        }

        writeLink() {}

        followLink() {}

        question(chosen) {
            const { file, source } = this.kernelOf(chosen);
            return { ask: "check", scene: kernelPlayer.model.resolve(this.data, chosen), file: file.split("/").pop(), text: source };
        }

        isVerified(chosen, { fault, findings, same_bits: isSame, comparison }) {
            const isCorrect = comparison ? comparison.wrong === 0 : isSame;
            return !fault && findings.length === 0 && isCorrect;
        }

        /** The first run is compared with the kernel of the course. */
        async run() {
            this.verdict = "The kernel did not run: see below.";
            this.refusal = null;
            this.findings = [];
            if (!this.last && this.original) await this.runOriginal();
            await super.run();
        }

        /** Runs of the reader's kernel have numbers: its name is the same each time. */
        headed(chosen) {
            this.runs = (this.runs ?? 0) + 1;
            return { ...chosen, kernel: `${chosen.kernel}, your run ${this.runs}` };
        }

        async runOriginal() {
            const { chosen } = this;
            const other = this.original.find(({ size, block, n }) => size === chosen.size && block === chosen.block && n === chosen.n);
            if (!other) return;
            // Without it, as where PTX itself is edited, the prebuilt PTX is what the reader began with.
            const [ptx, by] = this.unedited ? [UNEDITED, "unedited"] : [other.scene.ptx, "prebuilt by NVRTC"];
            this.data.ptx[UNEDITED] = this.unedited;
            const scene = kernelPlayer.model.resolve(this.data, { ...other, scene: { ...other.scene, ptx } });
            const { counters, fault } = await courseEditor.workshop.ask({ ask: "run", scene });
            const named = { ...other, kernel: `${other.kernel}, ${by}` };
            if (!fault) this.last = { counters, needed_bytes: other.needed_bytes, differs: {}, chosen: named };
        }

        resultParts(chosen, answer) {
            const { element } = kernelPlayer.draw;
            const findings = [answer.fault, ...answer.findings].filter(Boolean);
            this.findings = findings;
            this.verdict = this.inOneLine(answer);
            const verdict = (mark, words) => element("p", { class: "editor-results" }, element("strong", {}, mark), ` ${words}`);
            const parts = findings.map((finding) => this.findingPart(finding));
            const ran = this.ranPart(chosen);
            if (answer.fault) return [ran, verdict("✗ It stopped.", "What happened:"), ...parts];
            if (parts.length > 0) parts.unshift(verdict("✗ The checks found:", ""));
            return [ran, this.resultsPart(answer, verdict), ...parts];
        }

        /** How a run went, for the line above the player. */
        inOneLine({ fault, findings, comparison, same_bits: isSame }) {
            if (fault) return "✗ It stopped: see below.";
            if (findings.length > 0) return `✗ The checks found ${findings.length === 1 ? "a mistake" : `${findings.length} mistakes`}: see below.`;
            const isCorrect = comparison ? comparison.wrong === 0 : isSame;
            return isCorrect ? "✓ The results are right." : "✗ The results are wrong: see below.";
        }

        /** Whether the results are right, in words. */
        resultsPart({ comparison, same_bits: isSame, unequal_words: unequal }, verdict) {
            if (comparison && comparison.wrong > 0) return verdict("✗ The results are wrong:", comparison.text);
            if (comparison) return verdict("✓ The results are right:", comparison.text);
            if (isSame) return verdict("✓ The results are right:", "memory holds the same bits as after the course's kernel.");
            const words = "words of memory differ from those after the course's kernel. Sums in another order round differently.";
            return verdict("✗ Not the same bits:", `${unequal.toLocaleString("en")} ${words}`);
        }

        findingPart(finding) {
            const { element } = kernelPlayer.draw;
            const text = element("pre", { class: "editor-finding", tabindex: "0" }, finding.text);
            const sides = finding.sides.map((side) => {
                const button = element("button", { type: "button", "data-editor-finding": "" }, stepWords(side));
                button.addEventListener("click", () => this.stepTo(side, finding.address));
                return button;
            });
            return element("div", {}, text, ...sides);
        }

        /** Opens the stepper at the step of one side of a finding. */
        async stepTo(side, address) {
            this.blockNumber.value = side.block;
            await this.trace(null);
            const steps = this.steps?.warps.get(side.warp)?.steps;
            if (!steps) return;
            this.steps.warpChoice.value = side.warp;
            this.steps.choose(side.warp);
            const place = stepOf(steps, side, address);
            this.steps.go(place < 0 ? steps.length - 1 : place);
            this.stepper.scrollIntoView({ behavior: "instant" });
        }

        /** Another text, or other PTX, for the same launches. */
        change(source, ptx) {
            this.data.kernels[0].source = source;
            this.data.ptx[MINE] = ptx;
            this.stepper.replaceChildren();
        }
    };

    let Edited;

    /** A player in an element of its own, with data as the build of the book makes it. */
    function open(home, data) {
        Edited ??= make();
        home.dataset.playerState = "ready";
        return new Edited(home, data);
    }

    /** The data of a player for a reader's text of a kernel: its launches, with the PTX that `change` puts there. */
    function dataOf(data, scenes, kernel) {
        const own = scenes.map((take) => ({ ...take, finding: null, scene: { ...take.scene, ptx: MINE } }));
        return { kernels: [{ ...kernel }], contents: data.contents, ptx: { ...data.ptx }, scenes: own };
    }

    /** The launches of a kernel in CUDA C++. */
    const scenesOf = (data, name) => data.scenes.filter(({ kernel, language }) => kernel === name && language === CUDA);

    return { open, dataOf, scenesOf, stepOf, stepWords, CUDA };
})();
