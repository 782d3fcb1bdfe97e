import { isWord } from './character-class.ts';
import { parseGoRegexp } from './parser.ts';
import { type Assertion, type CharacterSet, GoRegexpError, type Node } from './syntax.ts';

type Instruction =
  | { readonly is: 'characters'; readonly set: CharacterSet }
  | { readonly is: 'assertion'; readonly assertion: Assertion }
  | { readonly is: 'branch'; readonly targets: number[] };

const maxInstructions = 100_000;

/**
 * A regular expression of Go's regexp package. Matching takes time proportional to the text, whatever the expression:
 * patterns come from users, and JavaScript's own engine can be made to hang.
 */
export class GoRegexp {
  readonly #pattern: string;
  readonly #program: Instruction[] = [];

  /** Throws GoRegexpError, with Go's message. */
  constructor(pattern: string) {
    this.#pattern = pattern;
    this.#compile(parseGoRegexp(pattern));
  }

  /** Whether the text holds a match anywhere. */
  test(text: string): boolean {
    const program = this.#program;
    const codes = Array.from(text, (character) => character.codePointAt(0)!);
    let current: number[] = [];
    const seen = new Int32Array(program.length + 1).fill(-1);
    for (let at = 0; at <= codes.length; at++) {
      const previous = at > 0 ? codes[at - 1] : undefined;
      const next = codes[at];
      const ready: number[] = [];
      const pending = [...current, 0];
      // Follows what takes no character; each instruction once for a position.
      while (pending.length > 0) {
        const index = pending.pop()!;
        if (seen[index] === at) continue;
        seen[index] = at;
        const instruction = program[index];
        if (!instruction) return true;
        if (instruction.is === 'characters') ready.push(index);
        else if (instruction.is === 'branch') for (const target of instruction.targets) pending.push(target);
        else if (holds(instruction.assertion, previous, next)) pending.push(index + 1);
      }
      if (next === undefined) return false;
      current = [];
      for (const index of ready) {
        const instruction = program[index]!;
        if (instruction.is === 'characters' && instruction.set(next)) current.push(index + 1);
      }
    }
    return false;
  }

  #add(instruction: Instruction): void {
    if (this.#program.length >= maxInstructions) throw new GoRegexpError('expression too large', this.#pattern);
    this.#program.push(instruction);
  }

  #compile(node: Node): void {
    switch (node.is) {
      case 'characters':
      case 'assertion':
        this.#add(node);
        return;
      case 'sequence':
        for (const part of node.nodes) this.#compile(part);
        return;
      case 'alternatives':
        this.#compileAlternatives(node.nodes);
        return;
      case 'repetition':
        this.#compileRepetition(node.node, node.min, node.max);
    }
  }

  #compileAlternatives(nodes: readonly Node[]): void {
    const starts: number[] = [];
    const end: number[] = [];
    this.#add({ is: 'branch', targets: starts });
    for (const node of nodes) {
      starts.push(this.#program.length);
      this.#compile(node);
      this.#add({ is: 'branch', targets: end });
    }
    end.push(this.#program.length);
  }

  #compileRepetition(node: Node, min: number, max: number): void {
    for (let i = 0; i < min; i++) this.#compile(node);
    if (max === Number.POSITIVE_INFINITY) {
      const start = this.#program.length;
      const targets = [start + 1];
      this.#add({ is: 'branch', targets });
      this.#compile(node);
      this.#add({ is: 'branch', targets: [start] });
      targets.push(this.#program.length);
      return;
    }
    const waysOut: number[][] = [];
    for (let i = min; i < max; i++) {
      const targets = [this.#program.length + 1];
      waysOut.push(targets);
      this.#add({ is: 'branch', targets });
      this.#compile(node);
    }
    for (const targets of waysOut) targets.push(this.#program.length);
  }
}

function holds(assertion: Assertion, previous: number | undefined, next: number | undefined): boolean {
  switch (assertion) {
    case 'textStart':
      return previous === undefined;
    case 'textEnd':
      return next === undefined;
    case 'lineStart':
      return previous === undefined || previous === 10;
    case 'lineEnd':
      return next === undefined || next === 10;
    default: {
      const isWordCharacter = (code: number | undefined): boolean => code !== undefined && isWord(code);
      const atBoundary = isWordCharacter(previous) !== isWordCharacter(next);
      return atBoundary === (assertion === 'wordBoundary');
    }
  }
}
