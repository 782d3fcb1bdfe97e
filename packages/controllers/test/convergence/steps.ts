import fc from 'fast-check';
import { type UserEdit, userEdits } from './user-edits.ts';

/** Events that are not user edits. */
const mishaps = [
  'restart',
  'work',
  'time',
  'kill node',
  'revive node',
  'remove node',
  'add node',
  'refuse',
  'conflict',
  'lose',
  'cut off',
  'hold',
  'faults end',
  'delete pod',
  'fail pod',
  'evict pod',
  'relabel pod',
] as const;
type Mishap = (typeof mishaps)[number];

export interface Step {
  readonly do: UserEdit | Mishap;
  readonly in: 'one' | 'two';
  readonly n: number;
  /** How much time the controllers have before the next step. */
  readonly pause: 'nothing' | 'settle' | 'a second' | 'a minute';
}

const edits: readonly UserEdit[] = Object.keys(userEdits).filter((name): name is UserEdit => name in userEdits);
/** Returns the kind that an edit is about, such as `Deployment` for `scale Deployment`. */
const kindOf = (edit: UserEdit): string => edit.slice(edit.lastIndexOf(' ') + 1);
const kinds = [...new Set(edits.map(kindOf))];

const stepOf = (what: fc.Arbitrary<Step['do']>): fc.Arbitrary<Step> =>
  fc.record({
    do: what,
    in: fc.constantFrom('one', 'one', 'one', 'two'),
    n: fc.nat(7),
    pause: fc.constantFrom('nothing', 'settle', 'a second', 'a minute'),
  });

/** Generates sequences: objects of a few kinds are created, and then random edits and events follow. */
export const steps: fc.Arbitrary<Step[]> = fc
  .shuffledSubarray(kinds, { minLength: 1, maxLength: 6 })
  .chain((chosen) => {
    const about = edits.filter((edit) => chosen.includes(kindOf(edit)));
    const first = about.filter((edit) => edit.startsWith('create '));
    const anything = fc.oneof(fc.constantFrom(...about), fc.constantFrom(...mishaps));
    return fc.tuple(
      fc.array(stepOf(fc.constantFrom(...first)), { minLength: 1, maxLength: 8 }),
      fc.array(stepOf(anything), { minLength: 5, maxLength: 17 }),
    );
  })
  .map(([first, then]) => [...first, ...then]);
