// The kernel player of a stage's page: choose a kernel, its size and its block; run it on the emulator in the page; see
// its counters beside those of the run before; step through one block.
//
// A page says `<div class="player" data-stage="…"><script type="text/plain" class="player-scenes">…</script>static
// parts</div>`. The static parts stay where there is no WebAssembly, and in print. Nothing is unpacked before the
// player is near the window.
//
// Files: player-model.js (no document), player-counters.js (the table), player-draw.js (elements and pictures),
// player-step.js (stepping), and this one. They share the object `kernelPlayer`.
//
// Hooks, for tests and for links; they stay as they are:
//   .player[data-player-state]   "waiting", "ready", "failed"; absent where the static parts stay
//   [data-player-choice=X]       the choices: "kernel", "size", "block"
//   [data-player-run]            runs the chosen scene; .player-result then says how it went
//   .player-result               with data-verified "true" or "false", or class player-fault
//   .player-counters             the table of counters, with the run before it after the second run
//   [data-player-block]          the number of the block to step through
//   [data-player-trace]          opens the stepper of that block
//   [data-player-step=X]         "first", "back", "forward", "last", "access", "barrier", "line"
//   .player-said                 what the step did, in words
//   .player-lanes                the lanes; cells `.active` and `.inactive`
//   .player-access               a memory access of this step, an SVG with its count in words
//   [data-player-watch]          shows the register that was typed; its lanes are in [data-player-register=NAME]
//   kernelPlayer.model           masks, listings, registers, next stops
window.kernelPlayer = window.kernelPlayer || {};

kernelPlayer.Player = (() => {
  'use strict';

  const MOST_STEPS = 4000;
  let players = 0;

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
      const { element } = kernelPlayer.draw;
      const choice = (name, label) => {
        const select = element('select', { 'data-player-choice': name, onchange: () => this.chooseFrom(name) });
        return [select, element('label', {}, `${label} `, select)];
      };
      const [kernel, kernelLabel] = choice('kernel', 'Kernel');
      const [size, sizeLabel] = choice('size', 'Size');
      const [block, blockLabel] = choice('block', 'Block');
      this.choices = { kernel, size, block };
      this.compare = element('input', { type: 'checkbox', checked: true, onchange: () => this.showCounters() });
      this.blockNumber = element('input', { type: 'number', min: '0', value: '0', 'data-player-block': true });
      this.buttons = [
        element('button', { type: 'button', 'data-player-run': true, onclick: () => this.run() }, 'Run'),
        element('button', { type: 'button', 'data-player-trace': true, onclick: () => this.trace() }, 'Step through block'),
      ];
      this.result = element('div', { class: 'player-result', role: 'status', 'aria-live': 'polite' });
      this.table = element('div', { class: 'player-counters' });
      this.stepper = element('div', { class: 'player-steps' });
      this.live = element('div', {
        class: 'player-live', role: 'group', 'aria-label': 'Kernel player', onkeydown: (event) => this.keepArrows(event),
      },
      element('div', { class: 'player-controls' }, kernelLabel, sizeLabel, blockLabel),
      element('div', { class: 'player-controls' }, this.buttons[0],
        element('label', {}, this.compare, ' compare with the run before'),
        element('span', { class: 'player-together' }, this.buttons[1], element('label', {}, element('span', { class: 'player-unseen' }, 'Block to step through '), this.blockNumber))),
      this.result, this.table, this.stepper);
      const kernels = this.data.kernels.map((each) => each.name).filter((name) => this.scenes({ kernel: name }).length > 0);
      this.fill('kernel', kernels.map((name) => [name, name]));
      this.chooseFrom('kernel');
      this.home.append(this.live);
    }

    /** mdBook turns the page at an arrow key. */
    keepArrows(event) {
      if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') event.stopPropagation();
    }

    // ---- choosing

    scenes(wanted) {
      return this.data.scenes.filter((scene) => Object.entries(wanted).every(([key, value]) => scene[key] === value));
    }

    /** Offers values with labels, and keeps the one that was chosen, if it is still there. */
    fill(name, options) {
      const { element } = kernelPlayer.draw;
      const select = this.choices[name];
      const kept = select.value;
      select.replaceChildren(...options.map(([value, label]) => element('option', { value }, label)));
      if (options.some(([value]) => `${value}` === kept)) select.value = kept;
    }

    /** After a choice, what comes after it offers what exists as a scene. */
    chooseFrom(name) {
      const kernel = this.choices.kernel.value;
      if (name === 'kernel') {
        this.fill('size', [...new Set(this.scenes({ kernel }).map((scene) => scene.size))].map((size) => [size, size]));
      }
      const scenes = this.scenes({ kernel, size: this.choices.size.value });
      if (name !== 'block') {
        this.fill('block', scenes.map((scene) => [this.shape(scene), this.shape(scene)]));
      }
      this.chosen = scenes.find((scene) => this.shape(scene) === this.choices.block.value) || scenes[0];
      this.blockNumber.max = this.chosen.blocks - 1;
      this.blockNumber.value = Math.min(Number(this.blockNumber.value) || 0, this.chosen.blocks - 1);
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
      this.buttons.forEach((button) => { button.disabled = true; });
      place.replaceChildren('The emulator runs …');
      try {
        const emulator = await coalesced.emulator().catch((error) => this.giveUp(error));
        if (!emulator) return null;
        await new Promise((done) => { setTimeout(done, 20); });
        return emulator.ask(request);
      } catch (error) {
        place.replaceChildren(this.fault(`The emulator could not do this: ${error.message}`));
        return null;
      } finally {
        this.buttons.forEach((button) => { button.disabled = false; });
      }
    }

    /** Without an emulator the static parts say more. */
    giveUp(error) {
      this.live.remove();
      fail(this.home, `The emulator could not start: ${error.message}`);
    }

    fault(text) {
      return kernelPlayer.draw.element('p', { class: 'player-fault' }, text);
    }

    async run() {
      const { chosen } = this;
      delete this.result.dataset.verified;
      const answer = await this.ask({ ask: 'run', scene: kernelPlayer.model.resolve(this.data, chosen) }, this.result);
      if (!answer) return;
      const isVerified = answer.same_bits && !answer.fault;
      this.result.dataset.verified = isVerified;
      this.result.replaceChildren(...this.resultParts(chosen, answer));
      if (answer.fault) {
        this.table.replaceChildren();
        return;
      }
      this.before = this.last || null;
      this.last = { counters: answer.counters, needed_bytes: chosen.needed_bytes, chosen };
      this.showCounters();
    }

    resultParts(chosen, answer) {
      const { element } = kernelPlayer.draw;
      const ran = element('p', {}, 'Ran ', element('code', {}, this.launch(chosen)),
        `, ${chosen.size}; entry `, element('code', {}, chosen.scene.entry), '. An emulated run has no GPU time.');
      if (answer.fault) return [ran, this.fault(answer.fault)];
      if (answer.same_bits) {
        return [ran, element('p', {}, element('strong', {}, '✓ Verified.'),
          ' Memory holds the same bits as after the run that the build of this book compared with its reference: ',
          `${chosen.reference}.`.replace(/\.\.$/, '.'))];
      }
      return [ran, this.fault('Not verified: memory holds other bits than after the run that the build of this book '
        + 'compared with its reference. Please report this, with the name of your browser.')];
    }

    showCounters() {
      const { element } = kernelPlayer.draw;
      if (!this.last) return;
      const before = this.compare.checked ? this.before : null;
      const runs = before ? [before, this.last] : [this.last];
      const headings = runs.map(({ chosen }) => element('th', { scope: 'col' }, element('code', {}, chosen.kernel),
        element('small', {}, `${chosen.size}, ${this.shape(chosen)}`)));
      if (before) headings.push(element('th', { scope: 'col' }, 'change'));
      const rows = kernelPlayer.counters.rows(this.last, before).map(({ name, link, cells }) => element('tr', {},
        element('th', { scope: 'row' }, element('a', { href: link }, name)), ...cells.map((cell) => element('td', {}, cell))));
      this.table.replaceChildren(element('div', { class: 'player-scroll', tabindex: '0', role: 'region', 'aria-label': 'Counters' },
        element('table', {}, element('thead', {}, element('tr', {}, element('td'), ...headings)), element('tbody', {}, ...rows))));
    }

    async trace() {
      const { model } = kernelPlayer;
      const { chosen } = this;
      const scene = model.resolve(this.data, chosen);
      const block = Math.max(0, Math.min(Math.floor(Number(this.blockNumber.value) || 0), chosen.blocks - 1));
      this.blockNumber.value = block;
      const answer = await this.ask({ ask: 'trace', scene, block, most_steps: MOST_STEPS }, this.stepper);
      if (!answer) return;
      if (answer.steps.length === 0) {
        this.stepper.replaceChildren(this.fault(answer.fault || 'This block executes no instruction.'));
        return;
      }
      const { source, file } = this.data.kernels.find((kernel) => kernel.name === chosen.kernel);
      this.steps = new kernelPlayer.Stepper(answer, {
        title: `${this.launch(chosen)}, ${chosen.size}, block ${block}`,
        ptx: model.ptxListing(scene.ptx, chosen.scene.entry), source: model.sourceListing(source), file, id: this.id,
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
    home.dataset.playerState = 'waiting';
    try {
      const packed = home.querySelector('script.player-scenes').textContent;
      const data = JSON.parse(new TextDecoder().decode(await coalesced.unpack(packed)));
      new Player(home, data);
      home.dataset.playerState = 'ready';
    } catch (error) {
      fail(home, `The player could not start: ${error.message}`);
    }
  }

  /** The static parts come back, with the reason below them. */
  function fail(home, reason) {
    home.dataset.playerState = 'failed';
    home.append(kernelPlayer.draw.element('p', { class: 'player-fault' }, reason));
  }

  function startNearWindow() {
    const observer = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        start(target);
      }
    }, { rootMargin: '300px' });
    document.querySelectorAll('.player').forEach((home) => observer.observe(home));
  }

  const isAble = typeof WebAssembly === 'object' && typeof DecompressionStream === 'function'
    && typeof IntersectionObserver === 'function';
  if (isAble) document.addEventListener('DOMContentLoaded', startNearWindow);

  return Player;
})();
