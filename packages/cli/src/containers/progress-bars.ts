import type { Terminal } from '@coxswain/component-base/cli';

/** How far a part of the work is. */
export interface PartProgress {
  readonly name: string;
  readonly state: string;
  readonly bytes: number;
  readonly total: number;
}

const width = 30;

/**
 * Shows progress: on a terminal a line with a bar for each part, which is written again as it changes; elsewhere a line whenever the state of
 * a part changes.
 */
export class ProgressBars {
  readonly #terminal: Pick<Terminal, 'err'>;
  readonly #isTerminal: boolean;
  readonly #parts = new Map<string, PartProgress>();
  #drawn = 0;

  constructor(terminal: Pick<Terminal, 'err'>, isTerminal: boolean) {
    this.#terminal = terminal;
    this.#isTerminal = isTerminal;
  }

  show(part: PartProgress): void {
    const isNews = this.#parts.get(part.name)?.state !== part.state;
    this.#parts.set(part.name, part);
    if (this.#isTerminal) this.#draw();
    else if (isNews) this.#terminal.err(`${part.name} ${part.state}\n`);
  }

  #draw(): void {
    // Up to the first bar, then each line is cleared and written.
    const up = this.#drawn > 0 ? `\u001b[${this.#drawn}A` : '';
    this.#terminal.err(up + [...this.#parts.values()].map((part) => `\u001b[2K${barOf(part)}\n`).join(''));
    this.#drawn = this.#parts.size;
  }
}

function barOf({ name, state, bytes, total }: PartProgress): string {
  const isDone = state === 'done' || state === 'exists';
  const share = isDone ? 1 : total > 0 ? Math.min(bytes / total, 1) : 0;
  const full = Math.round(share * width);
  const amount = total > 0 ? ` ${sizeText(isDone ? total : bytes)} / ${sizeText(total)}` : '';
  return `${name} ${state.padEnd(11)} [${'='.repeat(full)}${' '.repeat(width - full)}]${amount}`;
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Formats a number of bytes as crictl does: `77.8MB`. */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${Number(value.toPrecision(3))}${units[unit]}`;
}
