// The kernel player's stepper: one block, instruction by instruction, one warp at a time.
window.kernelPlayer = window.kernelPlayer || {};

kernelPlayer.Stepper = (() => {
  'use strict';

  const NARROWEST = 280;
  const SHOWN_AS = [['type', 'by its type'], ['f32', 'float'], ['s32', 'signed'], ['u32', 'unsigned'], ['hex', 'hexadecimal']];
  // Name of the hook, label, key.
  const STEPS = [
    ['first', 'First', 'Home'], ['back', 'Back', 'ArrowLeft'], ['forward', 'Forward', 'ArrowRight'], ['last', 'Last', 'End'],
    ['access', 'Next memory access', 'a'], ['barrier', 'Next barrier', 'b'], ['line', 'Next line of source', 'l'],
  ];
  const NONE_LEFT = {
    access: 'no further memory access', barrier: 'no further barrier', line: 'no further line of the source',
  };

  /**
   * `trace` is the emulator's answer; `title` names what is stepped, `ptx` and `source` are listings of the model, and
   * `file` is where the source is from. `root` is the element to show.
   */
  class Stepper {
    constructor(trace, { title, ptx, source, file, id }) {
      const { model } = kernelPlayer;
      this.ptx = ptx;
      this.id = id;
      this.warps = model.byWarp(trace.steps);
      this.watched = [];
      this.shownAs = 'type';
      this.texts = { title, file };
      this.trace = trace;
      this.build(source);
      this.choose(this.warps.keys().next().value);
    }

    // ---- parts

    build(source) {
      const { element, listing } = kernelPlayer.draw;
      const { title, file } = this.texts;
      this.ptxBox = listing('PTX', this.ptx.rows, this.ptx.rowOf);
      this.sourceBox = listing(file, source.rows, source.rowOf, 'cpp');
      this.said = element('p', { class: 'player-said', role: 'status', 'aria-live': 'polite' });
      this.lanes = element('div', { class: 'player-lanes' });
      this.written = element('div', { class: 'player-written' });
      this.accesses = element('div', { class: 'player-accesses' });
      this.root = element('section', {
        class: 'player-stepper', tabindex: '-1', 'aria-label': `Steps of ${title}`, onkeydown: (event) => this.press(event),
      },
      element('p', { class: 'player-title' }, `Step by step: ${title}`), this.cutNotice(), this.buildBar(), this.said,
      element('div', { class: 'player-code' }, this.captioned('PTX', this.ptxBox.box), this.captioned(file, this.sourceBox.box)),
      this.lanes, this.written, this.accesses, this.buildRegisters());
    }

    captioned(text, box) {
      const { element } = kernelPlayer.draw;
      return element('div', {}, element('p', { class: 'player-caption' }, text), box);
    }

    cutNotice() {
      const { element } = kernelPlayer.draw;
      const { cut, fault, steps } = this.trace;
      if (fault) return element('p', { class: 'player-fault' }, `The block stops with a fault after these steps: ${fault}`);
      if (!cut) return null;
      return element('p', { class: 'player-cut' },
        `The trace is cut: these are the first ${steps.length.toLocaleString('en')} steps of the block, and it goes on. Run executes all of it.`);
    }

    buildBar() {
      const { element } = kernelPlayer.draw;
      this.warpChoice = element('select', { onchange: () => this.choose(Number(this.warpChoice.value)) },
        ...[...this.warps.keys()].map((warp) => element('option', { value: warp }, `${warp}`)));
      this.slider = element('input', { type: 'range', min: '1', oninput: () => this.go(Number(this.slider.value) - 1) });
      const buttons = STEPS.map(([step, label, key]) => element('button', {
        type: 'button', 'data-player-step': step, 'aria-keyshortcuts': key, onclick: () => this.step(step),
      }, label));
      return element('div', { class: 'player-bar' },
        element('div', { class: 'player-controls' }, element('label', {}, 'Warp ', this.warpChoice), ...buttons),
        element('label', { class: 'player-slider' }, 'Step ', this.slider),
        element('p', { class: 'player-hint' }, 'Keys, while the focus is in this part: ← → step, Home and End, ',
          'a next access, b next barrier, l next line.'));
    }

    buildRegisters() {
      const { element } = kernelPlayer.draw;
      this.names = element('datalist', { id: `${this.id}-registers` });
      this.input = element('input', {
        type: 'text', list: `${this.id}-registers`, size: '10', autocomplete: 'off', spellcheck: 'false', placeholder: '%r1',
        onkeydown: (event) => { if (event.key === 'Enter') this.watch(this.input.value); },
        // A choice from the list is an event without typing.
        oninput: (event) => { if (event.inputType === undefined || event.inputType === 'insertReplacementText') this.watch(this.input.value); },
      });
      const shown = element('select', { onchange: (event) => { this.shownAs = event.target.value; this.show(); } },
        ...SHOWN_AS.map(([value, label]) => element('option', { value }, label)));
      this.operands = element('p', { class: 'player-operands' });
      this.answer = element('p', { class: 'player-fault', role: 'status' });
      this.watchList = element('div', { class: 'player-watched' });
      return element('div', { class: 'player-registers' },
        element('div', { class: 'player-controls' },
          element('label', {}, 'Register ', this.input), this.names,
          element('button', { type: 'button', 'data-player-watch': true, onclick: () => this.watch(this.input.value) }, 'Show its lanes'),
          element('label', {}, 'written as ', shown)),
        this.operands, this.answer, this.watchList);
    }

    // ---- moving

    /** Chooses a warp, and the step of it that comes next after the place in the block where the other one stood. */
    choose(warp) {
      const { element } = kernelPlayer.draw;
      const before = this.warp ? this.warp.order[this.position] : 0;
      const { steps, order } = this.warps.get(warp);
      this.warp = { number: warp, order, trace: new kernelPlayer.model.WarpTrace(steps, this.ptx) };
      this.slider.max = steps.length;
      this.warpChoice.value = warp;
      this.names.replaceChildren(...this.warp.trace.registers().map((name) => element('option', { value: name })));
      const next = order.findIndex((place) => place >= before);
      this.go(next < 0 ? steps.length - 1 : next);
    }

    go(position) {
      this.position = Math.max(0, Math.min(position, this.warp.trace.steps.length - 1));
      this.show();
    }

    step(kind) {
      const last = this.warp.trace.steps.length - 1;
      const plain = { first: 0, back: this.position - 1, forward: this.position + 1, last }[kind];
      if (plain !== undefined) return this.go(plain);
      const stop = this.warp.trace.nextStop(this.position, kind);
      if (stop < 0) this.said.textContent = `Warp ${this.warp.number} has ${NONE_LEFT[kind]}${this.trace.cut ? ' in this trace' : ''}. ${this.stepText()}`;
      else this.go(stop);
      return undefined;
    }

    press(event) {
      const isSlider = event.target === this.slider;
      const isTyping = event.target.matches('select, input') && !(isSlider && event.key.length === 1);
      const isChord = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
      const found = STEPS.find(([, , key]) => key === event.key);
      if (isTyping || isChord || !found) return;
      event.preventDefault();
      this.step(found[0]);
    }

    // ---- showing

    current() { return this.warp.trace.steps[this.position]; }

    show() {
      const step = this.current();
      this.slider.value = this.position + 1;
      this.slider.setAttribute('aria-valuetext', `step ${this.position + 1} of ${this.warp.trace.steps.length}`);
      this.ptxBox.mark(step.line);
      this.sourceBox.mark(step.source);
      this.said.textContent = this.stepText();
      this.showLanes(step);
      this.showWritten(step);
      this.showAccesses(step);
      this.showOperands();
      this.showWatched();
    }

    stepText() {
      const { activeLanes, LANES } = kernelPlayer.model;
      const { draw } = kernelPlayer;
      const step = this.current();
      const written = step.written.map((each) => each.register).join(', ');
      return [
        `Step ${this.position + 1} of ${this.warp.trace.steps.length} of warp ${this.warp.number}`,
        `, ${activeLanes(step.active).length} of ${LANES} lanes: `,
        `${this.warp.trace.instruction(this.position).replace(/;?$/, '. ')}`,
        step.source === null ? 'It belongs to no line of the source. ' : `Line ${step.source} of the source. `,
        written && `Writes ${written}. `,
        ...step.accesses.map((access) => `${draw.accessText(access)} `),
      ].join('').trim();
    }

    showLanes(step) {
      const { element, laneRow } = kernelPlayer.draw;
      const { activeLanes, ranges, LANES } = kernelPlayer.model;
      const lanes = activeLanes(step.active);
      const who = lanes.length === LANES ? 'all 32' : lanes.length === 0 ? 'none' : ranges(lanes);
      this.lanes.replaceChildren(element('p', { class: 'player-caption' }, `Active lanes: ${who}`), laneRow(step.active));
    }

    showWritten(step) {
      const { model } = kernelPlayer;
      const { element, laneValues } = kernelPlayer.draw;
      const instruction = this.warp.trace.instruction(this.position);
      const parts = step.written.flatMap((written) => {
        const type = model.shownType(instruction, written.register, this.ptx.types);
        const texts = model.EVERY_LANE.map((lane) => (model.isActive(step.active, lane)
          ? model.valueText(written.kind, type, model.laneValue(written, lane)) : ''));
        return [element('p', { class: 'player-caption' }, 'Written: ', element('code', {}, written.register),
          ` (${written.kind === 'pred' ? 'predicate' : type || written.kind})`), laneValues(texts, step.active)];
      });
      this.written.replaceChildren(...parts);
    }

    showAccesses(step) {
      const { element, accessText, accessPicture } = kernelPlayer.draw;
      const width = Math.max(NARROWEST, Math.floor(this.accesses.clientWidth || this.root.clientWidth));
      this.accesses.replaceChildren(...step.accesses.filter((access) => access.space !== 'parameter')
        .map((access) => element('figure', { class: `player-access ${access.space}` },
          ['global', 'shared', 'constant'].includes(access.space) ? accessPicture(access, width) : null,
          element('figcaption', {}, accessText(access)))));
    }

    showOperands() {
      const { element } = kernelPlayer.draw;
      const names = kernelPlayer.model.namedRegisters(this.warp.trace.instruction(this.position));
      this.operands.replaceChildren(names.length === 0 ? 'This instruction names no register.' : 'Of this instruction: ',
        ...names.map((name) => element('button', { type: 'button', onclick: () => this.watch(name) }, name)));
    }

    // ---- registers on demand

    watch(typed) {
      const name = typed.trim().replace(/^(?=[a-z])/i, '%');
      if (name === '') return;
      this.answer.textContent = this.whyUnknown(name);
      if (this.answer.textContent) return;
      if (!this.watched.includes(name)) this.watched.unshift(name);
      this.input.value = '';
      this.showWatched();
    }

    whyUnknown(name) {
      if (this.warp.trace.writers.has(name)) return '';
      const isNamed = this.ptx.rows.some((row) => kernelPlayer.model.namedRegisters(row.text).includes(name));
      return isNamed
        ? `No step of warp ${this.warp.number} writes ${name}: it is a parameter or a constant, or its instruction is not reached.`
        : `This kernel has no register ${name}. The list of the field has all that warp ${this.warp.number} writes.`;
    }

    showWatched() {
      this.watchList.replaceChildren(...this.watched.map((name) => this.watchedRegister(name)));
    }

    watchedRegister(name) {
      const { model } = kernelPlayer;
      const { element, laneValues } = kernelPlayer.draw;
      const held = this.warp.trace.register(name, this.position);
      const close = element('button', {
        type: 'button', 'aria-label': `Do not show ${name} any more`,
        onclick: () => { this.watched = this.watched.filter((each) => each !== name); this.showWatched(); },
      }, '×');
      const head = element('p', { class: 'player-caption' }, element('code', {}, name),
        held ? ` after this step; written last in step ${held.writer + 1} ` : ' is not written yet ', close);
      if (!held) return element('div', { 'data-player-register': name }, head);
      const type = this.shownAs === 'type' || held.kind === 'pred' ? held.type : this.wide(held.kind);
      const texts = held.values.map((value) => model.valueText(held.kind, type, value));
      return element('div', { 'data-player-register': name }, head, laneValues(texts, this.filled(held.values)));
    }

    wide(kind) { return kind === 'b64' ? this.shownAs.replace('32', '64') : this.shownAs; }

    /** The mask of the lanes that hold a value. */
    filled(values) {
      return values.reduce((mask, value, lane) => (value === null ? mask : mask | (1 << lane)), 0) >>> 0;
    }
  }

  return Stepper;
})();
