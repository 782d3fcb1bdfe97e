import { LazyDfa } from './lazy-dfa.ts';
import { parseGoRegexp } from './parser.ts';
import { PikeVm } from './pike-vm.ts';
import { compileProgram, type Program } from './program.ts';
import { type StepBudget, StepMeter } from './step-budget.ts';
import { GoRegexpError } from './syntax.ts';

/** The position of a match in a text, in UTF-16 code units. */
export interface GoRegexpMatch {
  readonly start: number;
  readonly end: number;
}

/** The maximum number of group positions in memory: each instruction needs one per slot. */
const maxNotes = 4 * 1024 * 1024;

/**
 * A regular expression of Go's regexp package. Each search takes time proportional to the text, whatever the expression: patterns come
 * from users, and can make JavaScript's own engine hang.
 */
export class GoRegexp {
  readonly pattern: string;
  readonly #program: Program;
  #dfa: LazyDfa | undefined;
  #vm: PikeVm | undefined;

  /** Throws GoRegexpError, with Go's message. */
  constructor(pattern: string) {
    this.pattern = pattern;
    const { node, captures } = parseGoRegexp(pattern);
    this.#program = compileProgram(node, captures, pattern);
  }

  /** The number of instructions of the compiled expression. */
  get size(): number {
    return this.#program.instructions.length;
  }

  /** Whether the text contains a match. Throws GoRegexpBudgetError. */
  test(text: string, budget?: StepBudget): boolean {
    this.#dfa ??= new LazyDfa(this.#program);
    return this.#dfa.test(text, budget);
  }

  /** Returns the leftmost match; of several that begin there, the one that Go prefers. Throws GoRegexpBudgetError. */
  find(text: string, budget?: StepBudget): GoRegexpMatch | undefined {
    return this.test(text, budget) ? this.#find(text, 0, budget) : undefined;
  }

  /**
   * Like `find`, with the matches of the groups: first the whole match, then one for each group, undefined for groups that did not take
   * part. Throws GoRegexpBudgetError, and GoRegexpError when there are too many groups to track.
   */
  findSubmatches(text: string, budget?: StepBudget): (GoRegexpMatch | undefined)[] | undefined {
    const { slots } = this.#program;
    if (slots * this.size > maxNotes) throw new GoRegexpError('expression too large', this.pattern);
    const positions = new PikeVm(this.#program, slots).search(text, 0, budget);
    return (
      positions &&
      Array.from({ length: slots / 2 }, (_, i) => {
        const start = positions[2 * i]!;
        const end = positions[2 * i + 1]!;
        return start < 0 || end < 0 ? undefined : { start, end };
      })
    );
  }

  /** Like `test`. Yields the number of steps it took. */
  testInSteps(text: string): Generator<number, boolean, void> {
    this.#dfa ??= new LazyDfa(this.#program);
    return this.#dfa.testInSteps(text);
  }

  /**
   * Returns successive matches, at most `limit` of them. An empty match directly after another match is left out. Each search starts
   * anew, so an expression that looks far beyond its matches takes time quadratic in the text: pass a budget for untrusted texts or
   * patterns. Throws GoRegexpBudgetError.
   */
  findAll(text: string, limit = Number.POSITIVE_INFINITY, budget?: StepBudget): GoRegexpMatch[] {
    if (limit <= 0 || !this.test(text, budget)) return [];
    this.#vm ??= new PikeVm(this.#program, 2);
    for (const steps = findAll(this.#vm, text, limit, budget); ; ) {
      const step = steps.next();
      if (step.done) return step.value;
    }
  }

  /** Like `findAll`. Yields the number of steps it took. */
  *findAllInSteps(text: string, limit = Number.POSITIVE_INFINITY): Generator<number, GoRegexpMatch[], void> {
    if (limit <= 0 || !(yield* this.testInSteps(text))) return [];
    // Not `#vm`: other searches may use it between the steps.
    return yield* findAll(new PikeVm(this.#program, 2), text, limit, new StepMeter());
  }

  #find(text: string, from: number, budget: StepBudget | undefined): GoRegexpMatch | undefined {
    this.#vm ??= new PikeVm(this.#program, 2);
    return toMatch(this.#vm.search(text, from, budget));
  }
}

const toMatch = (positions: Int32Array | undefined): GoRegexpMatch | undefined =>
  positions && { start: positions[0]!, end: positions[1]! };

function* findAll(
  vm: PikeVm,
  text: string,
  limit: number,
  budget: StepBudget | undefined,
): Generator<number, GoRegexpMatch[], void> {
  const matches: GoRegexpMatch[] = [];
  let previousEnd = -1;
  for (let from = 0; from <= text.length && matches.length < limit; ) {
    const match = toMatch(yield* vm.searchInSteps(text, from, budget));
    if (!match) break;
    if (match.end > from) from = match.end;
    else from += (text.codePointAt(from) ?? 0) > 0xffff ? 2 : 1;
    if (match.start !== match.end || match.end !== previousEnd) matches.push(match);
    previousEnd = match.end;
  }
  return matches;
}
