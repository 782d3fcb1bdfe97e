import { holds, none } from './assertion.ts';
import { isWord } from './named-class.ts';
import type { Program } from './program.ts';
import { type StepBudget, StepMeter } from './step-budget.ts';
import type { CharacterSet } from './syntax.ts';

/** A set of threads: the instructions they are at, before instructions that read no character are followed. */
interface State {
  readonly threads: Int32Array;
  /** A character that assertions cannot distinguish from the previous one. */
  readonly previous: number;
  /** The next state by the class of the next character; filled on demand. */
  readonly next: (State | undefined)[];
  matchesAtEnd: boolean | undefined;
}

/** The progress of a search. */
interface Search {
  at: number;
  state: State;
}

const newState = (threads: Int32Array, previous: number): State => ({
  threads,
  previous,
  next: [],
  matchesAtEnd: undefined,
});

const matched = newState(new Int32Array(0), none);
const dead = newState(new Int32Array(0), none);

const unclassified = 0xffff;
/** The class of characters for which there is no room in the tables: the states after them are not cached. */
const uncounted = -1;
/** The maximum size of states and tables, in numbers of about four bytes each. */
const maxMemory = 64 * 1024;
const maxClasses = 4096;
const charactersBetweenYields = 32 * 1024;

/**
 * Tests whether a text contains a match, by an automaton whose states are sets of threads. States are created on demand. When there are
 * too many, all of them are dropped.
 */
export class LazyDfa {
  readonly #program: Program;
  /** The sets by which characters are classified. */
  readonly #sets: readonly CharacterSet[];
  readonly #classes = new Map<string, number>();
  readonly #asciiClasses = new Uint16Array(128).fill(unclassified);
  readonly #otherClasses = new Map<number, number>();
  readonly #states = new Map<string, State>();
  readonly #mark: Int32Array;
  #generation = 0;
  #memory = 0;
  #initial: State;

  constructor(program: Program) {
    this.#program = program;
    this.#mark = new Int32Array(program.instructions.length + 1);
    const sets = new Set<CharacterSet>();
    for (const instruction of program.instructions) if (instruction.is === 'characters') sets.add(instruction.set);
    if (program.hasAssertions) sets.add(isWord).add((code) => code === 10);
    this.#sets = [...sets];
    this.#initial = newState(Int32Array.of(0), none);
  }

  /** Throws GoRegexpBudgetError. */
  test(text: string, budget: StepBudget | undefined): boolean {
    budget?.spend(text.length >> 4);
    const search = { at: 0, state: this.#initial };
    return this.#goOn(search, text, text.length, budget) ?? this.#matchesAtEnd(search.state, budget);
  }

  /** Like `test`. Yields the number of steps it took. */
  *testInSteps(text: string): Generator<number, boolean, void> {
    const meter = new StepMeter();
    const search = { at: 0, state: this.#initial };
    while (search.at < text.length) {
      const end = Math.min(search.at + charactersBetweenYields, text.length);
      const result = this.#goOn(search, text, end, meter);
      if (result !== undefined) return result;
      yield meter.taken + (charactersBetweenYields >> 4);
    }
    return this.#matchesAtEnd(search.state, meter);
  }

  /** Continues to `end`, or until a StepMeter is over. Returns the result if it is known before that. */
  #goOn(search: Search, text: string, end: number, budget: StepBudget | undefined): boolean | undefined {
    const ascii = this.#asciiClasses;
    let { state } = search;
    let at = search.at;
    let pauses = false;
    for (; at < end && !pauses; at++) {
      let code = text.charCodeAt(at);
      let characterClass = unclassified;
      if (code < 128) characterClass = ascii[code]!;
      else {
        code = text.codePointAt(at)!;
        if (code > 0xffff) at++;
      }
      if (characterClass === unclassified) characterClass = this.#classOf(code, budget);
      let next = state.next[characterClass];
      if (next === undefined) {
        next = this.#advance(state, code, characterClass, budget);
        pauses = budget instanceof StepMeter && budget.isOver;
      }
      if (next === matched) return true;
      if (next === dead) return false;
      state = next;
    }
    search.at = at;
    search.state = state;
    return undefined;
  }

  #matchesAtEnd(state: State, budget: StepBudget | undefined): boolean {
    state.matchesAtEnd ??= this.#step(state, none, budget) === undefined;
    return state.matchesAtEnd;
  }

  /** Returns the class of a character. Characters in the same sets have the same class. */
  #classOf(code: number, budget: StepBudget | undefined): number {
    const known = this.#otherClasses.get(code);
    if (known !== undefined) return known;
    budget?.spend(this.#sets.length);
    let signature = '';
    for (let i = 0; i < this.#sets.length; i += 16) {
      let bits = 0;
      for (let j = i; j < Math.min(i + 16, this.#sets.length); j++) if (this.#sets[j]!(code)) bits |= 1 << (j - i);
      signature += String.fromCharCode(bits);
    }
    let id = this.#classes.get(signature);
    if (id === undefined) {
      if (this.#classes.size >= maxClasses || this.#classes.size * signature.length > maxMemory) return uncounted;
      id = this.#classes.size;
      this.#classes.set(signature, id);
    }
    if (code < 128) this.#asciiClasses[code] = id;
    else {
      if (this.#otherClasses.size >= maxClasses) this.#otherClasses.clear();
      this.#otherClasses.set(code, id);
    }
    return id;
  }

  #advance(from: State, code: number, characterClass: number, budget: StepBudget | undefined): State {
    const threads = this.#step(from, code, budget);
    const to = threads ? this.#state(threads, code) : matched;
    if (characterClass !== uncounted) from.next[characterClass] = to;
    return to;
  }

  #state(threads: Int32Array, code: number): State {
    if (threads.length === 0) return dead;
    const previous = this.#program.hasAssertions ? likeness(code) : none;
    const key = `${previous}:${threads.join()}`;
    let state = this.#states.get(key);
    if (!state) {
      if (this.#memory > maxMemory) {
        this.#states.clear();
        this.#memory = 0;
        this.#initial = newState(Int32Array.of(0), none);
      }
      state = newState(threads, previous);
      this.#states.set(key, state);
      this.#memory += key.length + threads.length + this.#classes.size;
    }
    return state;
  }

  /** Returns the threads after a character, in the order of the program; undefined when a thread has matched before it. */
  #step({ threads, previous }: State, code: number, budget: StepBudget | undefined): Int32Array | undefined {
    const { instructions, anchored } = this.#program;
    const mark = this.#mark;
    const generation = ++this.#generation;
    const pending = Array.from(threads);
    const next: number[] = anchored ? [] : [0];
    let steps = 0;
    for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
      if (mark[index] === generation) continue;
      mark[index] = generation;
      steps++;
      const instruction = instructions[index];
      if (!instruction) return undefined;
      if (instruction.is === 'characters') {
        if (code !== none && instruction.set(code)) next.push(index + 1);
      } else if (instruction.is === 'branch') {
        for (const target of instruction.targets) pending.push(target);
      } else if (instruction.is === 'save' || holds(instruction.assertion, previous, code)) pending.push(index + 1);
    }
    budget?.spend(steps);
    return Int32Array.from(next).sort();
  }
}

/** Returns a character that assertions cannot distinguish from the given one. */
function likeness(code: number): number {
  if (code === 10) return 10;
  return isWord(code) ? 0x61 : 0x20;
}
