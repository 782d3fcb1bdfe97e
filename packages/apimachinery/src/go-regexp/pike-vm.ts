import { holds, none } from './assertion.ts';
import type { Program } from './program.ts';
import { type StepBudget, StepMeter } from './step-budget.ts';

/** Threads in order of preference, each with the positions it has recorded. */
interface Threads {
  readonly indices: Int32Array;
  readonly notes: Int32Array;
  size: number;
}

/**
 * Finds the leftmost match, and the preferred one of those that begin there, by running all threads at once. Takes time and memory in
 * proportion to the program, and time in proportion to the text.
 */
export class PikeVm {
  readonly #program: Program;
  readonly #slots: number;
  readonly #mark: Int32Array;
  #generation = 0;
  #current: Threads;
  #following: Threads;
  /** Instructions to visit, or (negative) slots to reset to the value before them. */
  readonly #pending: number[] = [];
  readonly #notes: Int32Array;

  /** Only the first `slots` slots are recorded. */
  constructor(program: Program, slots: number) {
    this.#program = program;
    this.#slots = slots;
    const size = program.instructions.length + 1;
    const threads = (): Threads => ({
      indices: new Int32Array(size),
      notes: new Int32Array(size * slots),
      size: 0,
    });
    this.#mark = new Int32Array(size);
    this.#current = threads();
    this.#following = threads();
    this.#notes = new Int32Array(slots);
  }

  /** Returns the slots of the match; -1 for a group that did not take part. Throws GoRegexpBudgetError. */
  search(text: string, from: number, budget: StepBudget | undefined): Int32Array | undefined {
    for (const steps = this.searchInSteps(text, from, budget); ; ) {
      const step = steps.next();
      if (step.done) return step.value;
    }
  }

  /** Like `search`. With a StepMeter, it yields the number of steps it took. No other search may run between the steps. */
  *searchInSteps(
    text: string,
    from: number,
    budget: StepBudget | undefined,
  ): Generator<number, Int32Array | undefined, void> {
    const { instructions, anchored } = this.#program;
    const slots = this.#slots;
    let match: Int32Array | undefined;
    let previous = from === 0 ? none : codePointBefore(text, from);
    let next = codePointAt(text, from);
    this.#current.size = 0;
    this.#generation++;
    for (let at = from; ; ) {
      if (!match && (at === 0 || !anchored)) {
        this.#notes.fill(-1);
        this.#notes[0] = at;
        const steps = this.#add(this.#current, 0, at, previous, next);
        budget?.spend(steps);
      }
      const { indices, notes, size } = this.#current;
      if (size === 0 && (match || (anchored && at > 0))) return match;
      const following = at + (next > 0xffff ? 2 : 1);
      const afterNext = next === none ? none : codePointAt(text, following);
      this.#following.size = 0;
      this.#generation++;
      let steps = size;
      for (let i = 0; i < size; i++) {
        const index = indices[i]!;
        const instruction = instructions[index];
        if (!instruction) {
          match = notes.slice(i * slots, (i + 1) * slots);
          match[1] = at;
          // The threads that follow are less preferred.
          break;
        }
        if (next === none || instruction.is !== 'characters' || !instruction.set(next)) continue;
        for (let slot = 0; slot < slots; slot++) this.#notes[slot] = notes[i * slots + slot]!;
        steps += this.#add(this.#following, index + 1, following, next, afterNext);
      }
      budget?.spend(steps);
      if (budget instanceof StepMeter && budget.isOver) yield budget.taken;
      if (next === none) return match;
      [this.#current, this.#following] = [this.#following, this.#current];
      previous = next;
      next = afterNext;
      at = following;
    }
  }

  /**
   * Adds the threads that a thread at `start` becomes before it reads a character, the most preferred first. Returns the number of steps.
   */
  #add(threads: Threads, start: number, at: number, previous: number, next: number): number {
    const { instructions } = this.#program;
    const mark = this.#mark;
    const generation = this.#generation;
    const notes = this.#notes;
    const pending = this.#pending;
    const slots = this.#slots;
    let steps = 0;
    pending.push(start);
    while (pending.length > 0) {
      const index = pending.pop()!;
      if (index < 0) {
        notes[-index - 1] = pending.pop()!;
        continue;
      }
      if (mark[index] === generation) continue;
      mark[index] = generation;
      steps++;
      const instruction = instructions[index];
      if (!instruction || instruction.is === 'characters') {
        threads.notes.set(notes, threads.size * slots);
        threads.indices[threads.size++] = index;
      } else if (instruction.is === 'branch') {
        for (let i = instruction.targets.length - 1; i >= 0; i--) pending.push(instruction.targets[i]!);
      } else if (instruction.is === 'assertion') {
        if (holds(instruction.assertion, previous, next)) pending.push(index + 1);
      } else {
        const { slot } = instruction;
        if (slot < slots) {
          pending.push(notes[slot]!, -slot - 1);
          notes[slot] = at;
        }
        pending.push(index + 1);
      }
    }
    return steps;
  }
}

const codePointAt = (text: string, at: number): number => text.codePointAt(at) ?? none;

function codePointBefore(text: string, at: number): number {
  const low = text.charCodeAt(at - 1);
  return at > 1 && low >= 0xdc00 && low < 0xe000 ? Math.max(low, text.codePointAt(at - 2)!) : low;
}
