// The kernel player's registers on demand: those that a reader names, with the values of all lanes after the step.
globalThis.kernelPlayer ??= {};

kernelPlayer.Registers = (() => {
    "use strict";

    const SHELL = `
    <div class="player-registers">
      <div class="player-controls">
        <label>Register
          <input type="text" size="10" autocomplete="off" spellcheck="false" placeholder="%r1"></label>
        <datalist></datalist>
        <button type="button" data-player-watch>Show its lanes</button>
        <label>written as
          <select>
            <option value="type">by its type</option>
            <option value="f32">float</option>
            <option value="s32">signed</option>
            <option value="u32">unsigned</option>
            <option value="hex">hexadecimal</option>
          </select></label>
      </div>
      <p class="player-operands"></p>
      <p class="player-fault" role="status"></p>
      <div class="player-watched"></div>
    </div>`;

    /** The mask of the lanes that hold a value. */
    const filled = (values) => values.reduce((mask, value, lane) => (value === null ? mask : mask | (1 << lane)), 0);

    /** `ptx` is the listing in which names are looked up, `arrays` those of the launch; `id` is a prefix of ids in the page. */
    class Registers {
        constructor(ptx, arrays, id) {
            this.ptx = ptx;
            this.arrays = arrays;
            this.watched = [];
            this.root = kernelPlayer.draw.parsed(SHELL);
            const part = (selector) => this.root.querySelector(selector);
            this.input = part("input");
            this.names = part("datalist");
            this.names.id = `${id}-registers`;
            this.input.setAttribute("list", this.names.id);
            this.shownAs = part("select");
            this.operands = part(".player-operands");
            this.answer = part(".player-fault");
            this.list = part(".player-watched");
            this.listen(part("button"));
        }

        listen(button) {
            button.addEventListener("click", () => this.watch(this.input.value));
            this.shownAs.addEventListener("change", () => this.showWatched());
            this.input.addEventListener("keydown", (event) => {
                if (event.key === "Enter") this.watch(this.input.value);
            });
            this.input.addEventListener("input", (event) => {
                // So browsers tell a choice from the list from typing.
                const isChoice = event.inputType === undefined || event.inputType === "insertReplacementText";
                if (isChoice) this.watch(this.input.value);
            });
        }

        /** Goes over to a warp. */
        follow(warp) {
            const { element } = kernelPlayer.draw;
            this.warp = warp;
            this.names.replaceChildren(...warp.trace.registers().map((name) => element("option", { value: name })));
        }

        /** Shows the state after a step of the warp. */
        show(position) {
            const { element } = kernelPlayer.draw;
            this.position = position;
            const names = kernelPlayer.model.namedRegisters(this.warp.trace.instruction(position));
            const buttons = names.map((name) => {
                const button = element("button", { type: "button" }, name);
                button.addEventListener("click", () => this.watch(name));
                return button;
            });
            const words = names.length === 0 ? "This instruction names no register." : "Of this instruction: ";
            this.operands.replaceChildren(words, ...buttons);
            this.showWatched();
        }

        watch(typed) {
            const name = typed.trim().replace(/^(?=[a-z])/i, "%");
            if (name === "") return;
            this.answer.textContent = this.whyUnknown(name);
            if (this.answer.textContent) return;
            if (!this.watched.includes(name)) this.watched.unshift(name);
            this.input.value = "";
            this.showWatched();
        }

        whyUnknown(name) {
            const warp = `warp ${this.warp.number}`;
            if (this.warp.trace.writers.has(name)) return "";
            if (!this.ptx.rows.some((row) => kernelPlayer.model.namedRegisters(row.text).includes(name))) {
                return `This kernel has no register ${name}. The list of the field has all that ${warp} writes.`;
            }
            return `No step of ${warp} writes ${name}: it is a parameter or a constant, or its instruction is not reached.`;
        }

        showWatched() {
            this.list.replaceChildren(...this.watched.map((name) => this.watchedRegister(name)));
        }

        watchedRegister(name) {
            const { element, laneValues } = kernelPlayer.draw;
            const held = this.warp.trace.register(name, this.position);
            const when = held ? ` after this step; written last in step ${held.writer + 1} ` : " is not written yet ";
            const head = element("p", { class: "player-caption" }, element("code", {}, name), when, this.closer(name));
            const shown = element("div", { "data-player-register": name }, head);
            if (held) shown.append(laneValues(this.texts(held), filled(held.values)));
            return shown;
        }

        closer(name) {
            const { element } = kernelPlayer.draw;
            const button = element("button", { type: "button", "aria-label": `Do not show ${name} any more` }, "×");
            button.addEventListener("click", () => {
                this.watched = this.watched.filter((each) => each !== name);
                this.showWatched();
            });
            return button;
        }

        texts({ values, kind, type }) {
            const chosen = this.shownAs.value;
            const width = kind === "b64" ? chosen.replace("32", "64") : chosen;
            const shownType = chosen === "type" || kind === "pred" ? type : width;
            return values.map((value) => kernelPlayer.model.valueText(kind, shownType, value, this.arrays));
        }
    }

    return Registers;
})();
